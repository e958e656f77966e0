// SPDX-License-Identifier: Apache-2.0
//
// Why something could not be done with versions, in words that follow a sentence about what was
// tried.

package import FileCoordinationSystem

/// What was tried with a version of an item.
package enum VersionAttempt: Hashable, Sendable {
    /// Adding one.
    case adding
    /// Removing one, or all.
    case removing
    /// Putting one in the item's place.
    case replacing
    /// Asking for those that are elsewhere.
    case asking

    /// What could not be done.
    package func sentence(_ path: String) -> String {
        switch self {
        case .adding: "A version of \(path) could not be added"
        case .removing: "A version of \(path) could not be removed"
        case .replacing: "\(path) could not be replaced by a version"
        case .asking: "The versions of \(path) could not be asked for"
        }
    }
}

/// Why it could not be done.
package enum VersionError: Error, Hashable, Sendable {
    /// A call to the kernel failed.
    case system(SystemError)
    /// The item's own contents were to be moved away from it.
    case contentsAreItem
    /// The store, at this path, would be copied into itself.
    case contentsHoldStore(String)
    /// There is no such item.
    case noItem
    /// The version was removed.
    case gone

    /// The reason, as the end of a sentence.
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
