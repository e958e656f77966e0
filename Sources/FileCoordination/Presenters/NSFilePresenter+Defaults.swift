// SPDX-License-Identifier: Apache-2.0
//
// What a presenter gets that does not implement an optional member. The methods do nothing: they
// are there so that the conformance is complete, and their result says that the program did not
// write them. A default never calls another requirement, or the two spellings of one method would
// call each other for ever.

#if !canImport(Darwin)
public import Foundation

extension NSFilePresenter {
    /// No primary item.
    public var primaryPresentedItemURL: URL? { nil }

    /// Every ubiquity attribute that has a name here (Rule 10.5).
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
    /// Not implemented: the presenter is never asked to relinquish to a reader (Rule 6.6).
    @discardableResult
    public func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked to relinquish to a writer (Rule 6.6).
    @discardableResult
    public func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked in this spelling (Rule 6.6).
    @_disfavoredOverload
    @discardableResult
    public func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked in this spelling (Rule 6.6).
    @_disfavoredOverload
    @discardableResult
    public func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked to save in this spelling.
    @discardableResult
    public func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked to save in this spelling.
    @discardableResult
    public func savePresentedItemChanges() async throws -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked about a deletion in this spelling.
    @discardableResult
    public func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked about a deletion in this spelling.
    @discardableResult
    public func accommodatePresentedItemDeletion() async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the item is never evicted by way of this spelling (Rule 9.7).
    @discardableResult
    public func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the item is never evicted by way of this spelling (Rule 9.7).
    @discardableResult
    public func accommodatePresentedItemEviction() async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never asked about a subitem's deletion in this spelling.
    @discardableResult
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never asked about a subitem's deletion in this spelling.
    @discardableResult
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never told of moves.
    @discardableResult
    public func presentedItemDidMove(to newURL: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of changes.
    @discardableResult
    public func presentedItemDidChange() -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of ubiquity attributes.
    @discardableResult
    public func presentedItemDidChangeUbiquityAttributes(
        _ attributes: Set<URLResourceKey>
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of new versions.
    @discardableResult
    public func presentedItemDidGain(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never told of versions that are gone.
    @discardableResult
    public func presentedItemDidLose(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never told of resolved conflicts.
    @discardableResult
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never told of new items.
    @discardableResult
    public func presentedSubitemDidAppear(at url: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of moves inside its directory.
    @discardableResult
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) -> _NotImplemented {
        _NotImplemented()
    }

    /// Not implemented: the presenter is never told of changes inside its directory (Rule 7.4).
    @discardableResult
    public func presentedSubitemDidChange(at url: URL) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of new versions inside its directory.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didGain version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of versions gone inside its directory.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didLose version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }

    /// Not implemented: the presenter is never told of conflicts resolved inside its directory.
    @discardableResult
    public func presentedSubitem(
        at url: URL, didResolve version: NSFileVersion
    ) -> _NotImplemented { _NotImplemented() }
}
#endif
