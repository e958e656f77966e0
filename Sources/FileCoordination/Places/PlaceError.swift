// SPDX-License-Identifier: Apache-2.0
//
// URLs that name no place, as the errors that Foundation has for them (Rules 1.10, 17.3).

import FileCoordinationSystem
import Foundation

/// Why a URL cannot be coordinated.
///
/// The accessor does not run.
enum PlaceError: Error, Hashable {
    /// Not a `file:` URL.
    case unsupportedScheme
    /// Empty, or with a NUL byte.
    case invalidName
    /// Longer than the kernel takes.
    case tooLong
    /// A loop of links on the way.
    case linkLoop
    /// A directory on the way may not be entered.
    case notPermitted
    /// Anything else that the kernel said.
    case unreadable(Int32)

    init(_ error: SystemError) {
        switch error.code {
        case ErrorNumber.symbolicLink: self = .linkLoop
        case ErrorNumber.nameTooLong: self = .tooLong
        case ErrorNumber.notPermitted, ErrorNumber.accessDenied: self = .notPermitted
        default: self = .unreadable(error.code)
        }
    }

    /// The error for an access to `url`.
    func nsError(url: URL, writing: Bool) -> NSError {
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

    private var errorNumber: Int32? {
        switch self {
        case .unsupportedScheme, .invalidName: nil
        case .tooLong: ErrorNumber.nameTooLong
        case .linkLoop: ErrorNumber.symbolicLink
        case .notPermitted: ErrorNumber.accessDenied
        case .unreadable(let number): number
        }
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
