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
        let code = CocoaError.Code(ofChange: failure.code)
        return error(code, because: "\(failure)", Self.advice(code), underlying: failure.code)
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
        CocoaError(
            code, url, "\(url.path) could not be put into the trash: \(reason). \(advice)",
            number: underlying)
    }

    private static func advice(_ code: CocoaError.Code) -> String {
        switch code {
        case .fileNoSuchFile: "Look for where it has gone."
        case .fileWriteNoPermission: "Change the permissions of the directory that it is in."
        case .fileWriteOutOfSpace: "Empty the trash, or make room otherwise."
        case .fileWriteVolumeReadOnly: "Nothing can be removed from that file system."
        case .fileWriteInvalidFileName: "Give it a shorter name."
        case .fileWriteFileExists: "Empty the trash, which has many items of that name."
        default: "Remove the cause, and try again."
        }
    }
}
#endif
