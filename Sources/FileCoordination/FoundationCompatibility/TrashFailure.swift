// SPDX-License-Identifier: Apache-2.0
//
// The errors of moving an item to the trash (Rule 17.3), with a sentence that says what failed,
// where, why, and what to do. In each case the item is unchanged.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// Creates the errors for one item.
struct TrashFailure {
    /// The item, as the caller named it.
    var url: URL

    /// Returns the error for a URL that cannot be resolved.
    func error(_ failure: PlaceError) -> any Error {
        guard failure == .unsupportedScheme else { return failure.nsError(url: url, writing: true) }
        return CocoaError(
            .fileWriteUnsupportedScheme,
            userInfo: [
                NSURLErrorKey: url,
                NSLocalizedDescriptionKey:
                    "Only files can be put into the trash; \(url.absoluteString) is no file URL.",
            ])
    }

    /// Returns the error for a failed system call.
    func error(_ failure: SystemError) -> CocoaError {
        let (code, advice) = Self.codeAndAdvice(failure.code)
        return error(code, because: "\(failure)", advice, underlying: failure.code)
    }

    /// The error for an item that is a trash directory or inside one.
    var isInTrash: CocoaError {
        error(
            .fileWriteUnknown, because: "it is in the trash already, or is the trash",
            "To be rid of it for good, use removeItem(at:).", underlying: nil)
    }

    /// The error for a directory that contains the trash.
    var holdsTrash: CocoaError {
        error(
            .fileWriteUnknown, because: "the trash is in it",
            "Put what is in it into the trash instead.", underlying: nil)
    }

    /// Returns the error if no trash can be used on the item's file system, for these reasons.
    func hasNoTrash(_ reasons: [SystemError]) -> CocoaError {
        let list = reasons.map { ": \($0)" }.last ?? ""
        return error(
            .featureUnsupported,
            because: "its file system has no trash, and none can be made\(list)",
            "Nothing is copied to another file system. To be rid of it for good, use "
                + "removeItem(at:).",
            underlying: reasons.last?.code)
    }

    private func error(
        _ code: CocoaError.Code, because reason: String, _ advice: String, underlying: Int32?
    ) -> CocoaError {
        var userInfo: [String: Any] = [
            NSURLErrorKey: url, NSFilePathErrorKey: url.path,
            NSLocalizedDescriptionKey:
                "\(url.path) could not be put into the trash: \(reason). \(advice)",
        ]
        if let underlying {
            userInfo[NSUnderlyingErrorKey] = NSError(
                domain: NSPOSIXErrorDomain, code: Int(underlying))
        }
        return CocoaError(code, userInfo: userInfo)
    }

    private static func codeAndAdvice(_ number: Int32) -> (CocoaError.Code, String) {
        switch number {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory:
            (.fileNoSuchFile, "Look for where it has gone.")
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted:
            (.fileWriteNoPermission, "Change the permissions of the directory that it is in.")
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded:
            (.fileWriteOutOfSpace, "Empty the trash, or make room otherwise.")
        case ErrorNumber.readOnlyFileSystem:
            (.fileWriteVolumeReadOnly, "Nothing can be removed from that file system.")
        case ErrorNumber.nameTooLong:
            (.fileWriteInvalidFileName, "Give it a shorter name.")
        case ErrorNumber.alreadyExists:
            (.fileWriteFileExists, "Empty the trash, which has many items of that name.")
        default:
            (.fileWriteUnknown, "Remove the cause, and try again.")
        }
    }
}
#endif
