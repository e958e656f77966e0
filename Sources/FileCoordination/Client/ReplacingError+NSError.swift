// SPDX-License-Identifier: Apache-2.0
//
// Converts the errors of updates to Foundation's, and to ``FileCoordinationError``.

#if !canImport(Darwin)
import FileCoordinationClient
import FileCoordinationSystem
import Foundation
import FoundationCompatibility

extension ReplacingError {
    /// Returns the error that an update of the file at `url` throws.
    func thrown(_ url: URL) -> any Error {
        let path = UserText.line(url.path)
        switch self {
        case .changed(_, let difference):
            return FileCoordinationError(
                .stale, url: url,
                reason: "\(path) was changed during the update, by a program that does not "
                    + "coordinate: \(difference.text).")
        case .failed(let error, let verb, _):
            return CocoaError(
                .init(ofChange: error.code), url,
                "Cannot \(verb) \(path): \(ErrorNumber.reason(error.code)).", number: error.code)
        case .unsuitable(_, let obstacle):
            return CocoaError(.fileWriteUnknown, url, "\(path) \(obstacle.text)")
        }
    }
}

extension ReplacingError.Obstacle {
    /// What is said of the item: the predicate of a sentence.
    fileprivate var text: String {
        switch self {
        case .directory: "is a directory: name a file in it."
        case .symbolicLink: "is a symbolic link that leads to itself."
        case .noRegularFile: "is not a regular file: only those can be replaced."
        case .severalNames(let count):
            "is one of \(count) names of its file (hard links), and the others would keep the old "
                + "contents: write it in place, in a writing accessor."
        }
    }
}
#endif
