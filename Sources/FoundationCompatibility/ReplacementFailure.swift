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
        var sentence =
            replacement?.isReplacedWithoutProof == true
            ? "\(original.path) was replaced by \(new.path), but this may not survive a power "
                + "failure: \(failure.description)."
            : "\(original.path) could not be replaced by \(new.path): \(failure.description)."
        var others: [String: Any] = [:]
        if let stray = replacement?.strayOriginal {
            let url = URL(place: stray)
            others["NSFileOriginalItemLocationKey"] = url
            sentence += " The original is at \(url.path)."
        }
        let code =
            failure.code == ErrorNumber.invalidArgument
            ? .fileWriteInvalidFileName : CocoaError.Code(ofChange: failure.code)
        return CocoaError(code, original, sentence, number: failure.code, others)
    }
}
#endif
