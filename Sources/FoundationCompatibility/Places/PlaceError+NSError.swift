// SPDX-License-Identifier: Apache-2.0
//
// Converts the errors for URLs that cannot be resolved to Foundation's errors (Rules 1.10, 17.3).

package import FileCoordinationClient
package import Foundation

extension PlaceError {
    /// Returns the error for an access to `url`.
    package func nsError(url: URL, writing: Bool) -> NSError {
        let code: CocoaError.Code =
            switch self {
            case .unsupportedScheme:
                writing ? .fileWriteUnsupportedScheme : .fileReadUnsupportedScheme
            case .invalidName, .tooLong:
                writing ? .fileWriteInvalidFileName : .fileReadInvalidFileName
            case .linkLoop, .unreadable: writing ? .fileWriteUnknown : .fileReadUnknown
            case .notPermitted: writing ? .fileWriteNoPermission : .fileReadNoPermission
            }
        var userInfo: [String: Any] = [
            NSURLErrorKey: url, NSLocalizedDescriptionKey: sentence(for: url),
        ]
        if let number = errorNumber {
            userInfo[NSUnderlyingErrorKey] = NSError(domain: NSPOSIXErrorDomain, code: Int(number))
        }
        return NSError(domain: NSCocoaErrorDomain, code: code.rawValue, userInfo: userInfo)
    }

    private func sentence(for url: URL) -> String {
        switch self {
        case .unsupportedScheme:
            "Only file URLs can be coordinated; \(url.absoluteString) is none."
        case .invalidName: "The path is empty or contains a NUL byte."
        case .tooLong: "The path \(url.path) is too long; shorten it or a directory's name."
        case .linkLoop: "The links on the way to \(url.path) form a loop; remove one of them."
        case .notPermitted: "A directory on the way to \(url.path) may not be entered."
        case .unreadable: "The directory of \(url.path) cannot be looked at."
        }
    }
}
