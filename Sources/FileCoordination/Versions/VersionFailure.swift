// SPDX-License-Identifier: Apache-2.0
//
// Why something could not be done with a version, as the errors that Foundation has (Rule 17.5),
// with a sentence that says what, where and why.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation

/// What was tried with a version of an item.
struct VersionFailure {
    /// What could not be done, up to the item's path: "A version of … could not be added".
    var attempt: VersionAttempt
    /// The item.
    var url: URL

    /// The error for a failure of the store.
    func error(_ error: VersionError) -> CocoaError {
        let (code, number): (CocoaError.Code, Int32?) =
            switch error {
            case .system(let error): (Self.code(error.code), error.code)
            case .contentsAreItem, .contentsHoldStore: (.fileWriteInvalidFileName, nil)
            case .noItem, .gone: (.fileNoSuchFile, nil)
            }
        var userInfo: [String: Any] = [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path,
            NSLocalizedDescriptionKey: "\(attempt.sentence(url.path)): \(error.reason).",
        ]
        if let number {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        }
        return CocoaError(code, userInfo: userInfo)
    }

    /// The error for a call to the kernel that failed.
    func error(_ error: SystemError) -> CocoaError { self.error(.system(error)) }

    /// The error when there is no item.
    var noItem: CocoaError { error(.noItem) }

    private static func code(_ number: Int32) -> CocoaError.Code {
        switch number {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory: .fileNoSuchFile
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .fileWriteNoPermission
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: .fileWriteOutOfSpace
        case ErrorNumber.readOnlyFileSystem: .fileWriteVolumeReadOnly
        case ErrorNumber.alreadyExists: .fileWriteFileExists
        case ErrorNumber.nameTooLong: .fileWriteInvalidFileName
        default: .fileWriteUnknown
        }
    }
}

extension VersionFailure {
    /// Does something with the store, and says in people's words why it failed.
    func explaining<Result>(_ body: () throws(VersionError) -> Result) throws -> Result {
        do throws(VersionError) {
            return try body()
        } catch {
            throw self.error(error)
        }
    }

    /// The place of a URL, or a Foundation error if it has none (Rule 1.10).
    static func place(of url: URL) throws -> ItemPath {
        do {
            return try PlaceResolver.path(of: url)
        } catch {
            throw error.nsError(url: url, writing: true)
        }
    }
}
