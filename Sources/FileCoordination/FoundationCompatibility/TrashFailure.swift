// SPDX-License-Identifier: Apache-2.0
//
// Why an item was not put into the trash (Rule 17.3), with a sentence that says what, where, why
// and what to do. Whatever the reason, the item is where it was.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// Makes the errors about one item.
struct TrashFailure {
    /// The item, as the caller named it.
    var url: URL

    /// A URL that names no place.
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

    /// A call to the kernel that failed.
    func error(_ failure: SystemError) -> CocoaError {
        let (code, advice) = Self.codeAndAdvice(failure.code)
        return error(code, because: "\(failure)", advice, underlying: failure.code)
    }

    /// The item is a trash directory, or in one.
    var isInTrash: CocoaError {
        error(
            .fileWriteUnknown, because: "it is in the trash already, or is the trash",
            "To be rid of it for good, use removeItem(at:).", underlying: nil)
    }

    /// The item is a directory somewhere in which the trash is.
    var holdsTrash: CocoaError {
        error(
            .fileWriteUnknown, because: "the trash is in it",
            "Put what is in it into the trash instead.", underlying: nil)
    }

    /// There is no trash on the item's file system, for these reasons.
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
