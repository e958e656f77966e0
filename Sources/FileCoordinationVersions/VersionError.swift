// SPDX-License-Identifier: Apache-2.0
//
// Why an operation on versions failed, in words that follow a sentence about the attempt.

package import FileCoordinationSystem

/// The operation that failed.
package enum VersionAttempt: Hashable, Sendable {
    /// Adding a version.
    case adding
    /// Removing one version or all.
    case removing
    /// Replacing the item by a version.
    case replacing
    /// Asking for versions on other computers.
    case asking

    /// A sentence that says what could not be done.
    package func sentence(_ path: String) -> String {
        switch self {
        case .adding: "A version of \(path) could not be added"
        case .removing: "A version of \(path) could not be removed"
        case .replacing: "\(path) could not be replaced by a version"
        case .asking: "The versions of \(path) could not be asked for"
        }
    }
}

/// The reason of the failure.
package enum VersionError: Error, Hashable, Sendable {
    /// A system call failed.
    case system(SystemError)
    /// The contents to be moved are those of the item itself.
    case contentsAreItem
    /// The contents include the store at this path, so it would be copied into itself.
    case contentsHoldStore(String)
    /// The item does not exist.
    case noItem
    /// The version was removed.
    case gone

    /// The reason as the end of a sentence.
    package var reason: String {
        switch self {
        case .system(let error): error.description
        case .contentsAreItem:
            "the item's own contents can be copied into a version, but not moved"
        case .contentsHoldStore(let path):
            "the store of versions, \(path), is inside the contents"
        case .noItem: "there is no such file or directory"
        case .gone: "it is not kept any more"
        }
    }
}
