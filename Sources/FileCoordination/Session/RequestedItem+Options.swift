// SPDX-License-Identifier: Apache-2.0
//
// From what the classes are called with to what a claim wants.

#if !canImport(Darwin)
import FileCoordinationArbiter
import Foundation

extension RequestedItem {
    /// The item that a call names, or the error for options that are not known.
    init(
        reading url: URL, _ options: NSFileCoordinator.ReadingOptions
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "reading options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        self.init(url: url, access: .reading(options))
    }

    /// The item that a call names, or the error for options that are not known.
    init(
        writing url: URL, _ options: NSFileCoordinator.WritingOptions
    ) throws(NSError) {
        guard let options = options.arbiterOptions else {
            throw FailureReason.invalidOptions(
                "writing options with raw value \(options.rawValue) are not supported here"
            ).nsError
        }
        self.init(url: url, access: .writing(options))
    }

    /// The item that an intent names.
    init(_ intent: NSFileAccessIntent) throws(NSError) {
        switch intent.request {
        case .reading(let options): try self.init(reading: intent.url, options)
        case .writing(let options): try self.init(writing: intent.url, options)
        case .nothing:
            throw FailureReason.invalidOptions(
                "an intent was made with NSFileAccessIntent(); use readingIntent or writingIntent"
            ).nsError
        }
    }
}
#endif
