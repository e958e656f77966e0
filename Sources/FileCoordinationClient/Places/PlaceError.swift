// SPDX-License-Identifier: Apache-2.0
//
// Errors for names that cannot be resolved (Rules 1.10, 17.3).

package import FileCoordinationSystem

/// Why a name cannot be coordinated.
///
/// The accessor does not run.
package enum PlaceError: Error, Hashable {
    /// The URL is not a `file:` URL.
    case unsupportedScheme
    /// The path is empty or contains NUL.
    case invalidName
    /// The path is longer than the kernel permits.
    case tooLong
    /// The path contains a loop of symbolic links.
    case linkLoop
    /// A directory on the way denies access.
    case notPermitted
    /// Another error of the kernel, with its number.
    case unreadable(Int32)

    package init(_ error: SystemError) {
        switch error.code {
        case ErrorNumber.symbolicLink: self = .linkLoop
        case ErrorNumber.nameTooLong: self = .tooLong
        case ErrorNumber.notPermitted, ErrorNumber.accessDenied: self = .notPermitted
        default: self = .unreadable(error.code)
        }
    }

    /// The kernel's error number, if there is one.
    package var errorNumber: Int32? {
        switch self {
        case .unsupportedScheme, .invalidName: nil
        case .tooLong: ErrorNumber.nameTooLong
        case .linkLoop: ErrorNumber.symbolicLink
        case .notPermitted: ErrorNumber.accessDenied
        case .unreadable(let number): number
        }
    }
}
