// SPDX-License-Identifier: Apache-2.0
//
// Names that lead to no place (Rules 1.10, 17.3).

package import FileCoordinationSystem

/// Why a name cannot be coordinated.
///
/// The accessor does not run.
package enum PlaceError: Error, Hashable {
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

    package init(_ error: SystemError) {
        switch error.code {
        case ErrorNumber.symbolicLink: self = .linkLoop
        case ErrorNumber.nameTooLong: self = .tooLong
        case ErrorNumber.notPermitted, ErrorNumber.accessDenied: self = .notPermitted
        default: self = .unreadable(error.code)
        }
    }

    /// The kernel's number for it, if it has one.
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
