// SPDX-License-Identifier: Apache-2.0
//
// Why something could not be done with a version, as the errors that Foundation has (Rule 17.5),
// with a sentence that says what, where and why.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// What was tried with a version of an item.
struct VersionFailure {
    /// What could not be done, up to the item's path: "A version of … could not be added".
    var attempt: Attempt
    /// The item.
    var url: URL

    /// The things that people do with versions.
    enum Attempt {
        /// Adding one.
        case adding
        /// Removing one, or all.
        case removing
        /// Putting one in the item's place.
        case replacing
        /// Asking for those that are elsewhere.
        case asking

        fileprivate func sentence(_ path: String) -> String {
            switch self {
            case .adding: "A version of \(path) could not be added"
            case .removing: "A version of \(path) could not be removed"
            case .replacing: "\(path) could not be replaced by a version"
            case .asking: "The versions of \(path) could not be asked for"
            }
        }
    }

    /// The error for a call to the kernel that failed.
    func error(_ error: SystemError) -> CocoaError {
        CocoaError(
            Self.code(error.code),
            userInfo: [
                NSURLErrorKey: url, NSFilePathErrorKey: url.path,
                NSLocalizedDescriptionKey: "\(attempt.sentence(url.path)): \(error.description).",
                NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(error.code)),
            ])
    }

    /// The error with a reason of our own.
    func error(_ code: CocoaError.Code, because reason: String) -> CocoaError {
        CocoaError(
            code,
            userInfo: [
                NSURLErrorKey: url, NSFilePathErrorKey: url.path,
                NSLocalizedDescriptionKey: "\(attempt.sentence(url.path)): \(reason).",
            ])
    }

    /// The error when there is no item.
    var noItem: CocoaError { error(.fileNoSuchFile, because: "there is no such file or directory") }

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
    func explaining<Result>(_ body: () throws(SystemError) -> Result) throws -> Result {
        do {
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
