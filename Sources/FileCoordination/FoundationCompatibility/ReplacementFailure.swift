// SPDX-License-Identifier: Apache-2.0
//
// The Foundation errors of a failed replacement (Rule 17.3). Both items are unchanged then, or the
// error says where the original is, or that the replacement may not survive a power failure.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

/// Creates the errors of one replacement.
struct ReplacementFailure {
    /// The items, as the caller named them.
    let original: URL
    let new: URL

    /// Returns the path of one of the items; throws an error if its URL cannot be resolved.
    func place(_ url: URL) throws -> ItemPath {
        do {
            return try PlaceResolver.path(of: url)
        } catch {
            throw error.nsError(url: url, writing: true)
        }
    }

    /// Returns the error for a failed system call.
    ///
    /// - Parameters:
    ///   - failure: the failed system call.
    ///   - replacement: the replacement after its failure; nil if it had not begun.
    /// - Returns: the error to throw.
    func error(_ failure: SystemError, after replacement: ItemReplacement?) -> CocoaError {
        var userInfo: [String: Any] = [
            NSURLErrorKey: original, NSFilePathErrorKey: original.path,
            NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(failure.code)),
        ]
        var sentence =
            replacement?.isReplacedWithoutProof == true
            ? "\(original.path) was replaced by \(new.path), but this may not survive a power "
                + "failure: \(failure.description)."
            : "\(original.path) could not be replaced by \(new.path): \(failure.description)."
        if let stray = replacement?.strayOriginal {
            let url = URL(place: stray)
            userInfo["NSFileOriginalItemLocationKey"] = url
            sentence += " The original is at \(url.path)."
        }
        userInfo[NSLocalizedDescriptionKey] = sentence
        return CocoaError(Self.code(failure.code), userInfo: userInfo)
    }

    private static func code(_ number: Int32) -> CocoaError.Code {
        switch number {
        case ErrorNumber.noSuchFile, ErrorNumber.notADirectory: .fileNoSuchFile
        case ErrorNumber.accessDenied, ErrorNumber.notPermitted: .fileWriteNoPermission
        case ErrorNumber.noSpace, ErrorNumber.quotaExceeded: .fileWriteOutOfSpace
        case ErrorNumber.readOnlyFileSystem: .fileWriteVolumeReadOnly
        case ErrorNumber.alreadyExists: .fileWriteFileExists
        case ErrorNumber.nameTooLong, ErrorNumber.invalidArgument: .fileWriteInvalidFileName
        default: .fileWriteUnknown
        }
    }
}
#endif
