// SPDX-License-Identifier: Apache-2.0
//
// The default implementations of a presenter's optional methods. The library never calls the
// methods: it recognizes by the result type ``_NotImplemented`` that the program has not
// implemented one. They only make the conformance complete. A default must not call another
// requirement, because the two forms of a method would then call each other forever.

#if !canImport(Darwin)
import FileCoordinationSystem
public import Foundation
import FoundationCompatibility

/// The result of the default implementation of an optional presenter method (Rule 5.3).
///
/// A method whose result has this type is not implemented: the library neither calls it nor waits
/// for it. Programs do not write the type.
///
/// **Threads and cost.** An empty value; it exists for the compiler.
public struct _NotImplemented: Sendable {}

extension NSFilePresenter {
    /// The default: there is no primary item.
    ///
    /// A program for Linux needs no other value.
    public var primaryPresentedItemURL: URL? { nil }

    /// The default: all ubiquity attributes that this library defines (Rule 10.5).
    ///
    /// A presenter without a method for these changes is told of none of them.
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> {
        [
            .isUbiquitousItemKey,
            .ubiquitousItemContainerDisplayNameKey,
            .ubiquitousItemDownloadRequestedKey,
            .ubiquitousItemDownloadingErrorKey,
            .ubiquitousItemDownloadingStatusKey,
            .ubiquitousItemHasUnresolvedConflictsKey,
            .ubiquitousItemIsDownloadingKey,
            .ubiquitousItemIsUploadedKey,
            .ubiquitousItemIsUploadingKey,
            .ubiquitousItemUploadingErrorKey,
            .ubiquitousItemIsExcludedFromSyncKey,
            .ubiquitousItemIsSharedKey,
            .ubiquitousItemIsDownloadedKey,
            .ubiquitousItemPercentDownloadedKey,
            .ubiquitousItemPercentUploadedKey,
            .ubiquitousSharedItemCurrentUserRoleKey,
            .ubiquitousSharedItemCurrentUserPermissionsKey,
            .ubiquitousSharedItemOwnerNameComponentsKey,
            .ubiquitousSharedItemMostRecentEditorNameComponentsKey,
        ]
    }
}

extension NSFilePresenter {
    /// Not implemented: the presenter is not asked to relinquish to a reader (Rule 6.6).
    ///
    /// - Parameter reader: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked to relinquish to a writer (Rule 6.6).
    ///
    /// - Parameter writer: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked through this form (Rule 6.6).
    ///
    /// - Parameter reader: not called.
    /// - Returns: a value that marks the method as not implemented.
    @_disfavoredOverload
    @discardableResult
    public func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked through this form (Rule 6.6).
    ///
    /// - Parameter writer: not called.
    /// - Returns: a value that marks the method as not implemented.
    @_disfavoredOverload
    @discardableResult
    public func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked to save through this form.
    ///
    /// - Parameter completionHandler: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked to save through this form.
    ///
    /// - Returns: a value that marks the method as not implemented.
    /// - Throws: nothing.
    @discardableResult
    public func savePresentedItemChanges() async throws -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked about deletions through this form.
    ///
    /// - Parameter completionHandler: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked about deletions through this form.
    ///
    /// - Returns: a value that marks the method as not implemented.
    /// - Throws: nothing.
    @discardableResult
    public func accommodatePresentedItemDeletion() async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the item is not evicted through this form (Rule 9.7).
    ///
    /// - Parameter completionHandler: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the item is not evicted through this form (Rule 9.7).
    ///
    /// - Returns: a value that marks the method as not implemented.
    /// - Throws: nothing.
    @discardableResult
    public func accommodatePresentedItemEviction() async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not asked about subitems through this form.
    ///
    /// - Parameters:
    ///   - url: the item; ignored.
    ///   - completionHandler: not called.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not asked about subitems through this form.
    ///
    /// - Parameter url: the item; ignored.
    /// - Returns: a value that marks the method as not implemented.
    /// - Throws: nothing.
    @discardableResult
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not told about moves, though the server follows them.
    ///
    /// - Parameter newURL: the present URL; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidMove(to newURL: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about changes.
    ///
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidChange() -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about ubiquity attributes.
    ///
    /// - Parameter attributes: the changed keys; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidChangeUbiquityAttributes(
        _ attributes: Set<URLResourceKey>
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about new versions.
    ///
    /// - Parameter version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidGain(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not told about removed versions.
    ///
    /// - Parameter version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidLose(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not told about resolved conflicts.
    ///
    /// - Parameter version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not told about new items.
    ///
    /// - Parameter url: the item; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitemDidAppear(at url: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about moves inside its directory.
    ///
    /// - Parameters:
    ///   - oldURL: the former URL; ignored.
    ///   - newURL: the present URL; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is not told about changes inside its directory (Rule 7.4).
    ///
    /// - Parameter url: the item; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitemDidChange(at url: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about new versions inside its directory.
    ///
    /// - Parameters:
    ///   - url: the item; ignored.
    ///   - version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didGain version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about versions removed inside its directory.
    ///
    /// - Parameters:
    ///   - url: the item; ignored.
    ///   - version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didLose version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is not told about conflicts resolved inside its directory.
    ///
    /// - Parameters:
    ///   - url: the item; ignored.
    ///   - version: the version; ignored.
    /// - Returns: a value that marks the method as not implemented.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didResolve version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }
}
#endif
