// SPDX-License-Identifier: Apache-2.0
//
// An object that shows a file or directory, and wants to be asked before others touch it and told
// after they did.
//
// Apple's protocol has optional methods, which need the Objective-C runtime. Here each of them is a
// requirement with a default, and its result is an associated type: the default returns
// ``_NotImplemented``, a presenter's own method returns `Void`. So the types alone say what a
// presenter implements, and no method must be called to find out (Rule 5.3). Programs do not
// write those associated types down; the compiler infers them.

#if !canImport(Darwin)
public import Foundation

/// What the default of an optional presenter method returns.
public struct _NotImplemented: Sendable {}

/// An object that takes part in coordinated access to one file or directory.
///
/// Register it with `NSFileCoordinator.addFilePresenter(_:)`. Every method below is called on
/// ``presentedItemOperationQueue`` (Rule 6, 16.5), but for those with an `async` spelling: these
/// are started from that queue and run where their isolation says. Everything but the first two
/// properties is optional; which methods a presenter has is read when it is registered, and a
/// presenter is never sent, nor waited for, what it does not implement (Rule 5.3).
///
/// A method counts as implemented if the class that states the conformance, or one of its
/// superclasses, declares it. A method that only a *subclass* of that class adds is never called:
/// declare it, empty, in the class that states the conformance and override it.
///
/// Blocks may be spelled with `@Sendable` or without, in both language modes.
@preconcurrency public protocol NSFilePresenter: NSObjectProtocol {
    // MARK: What is presented

    /// The file or directory, or nil while there is none (Rule 5.5).
    ///
    /// May be read on any thread at any time, also inside a coordinator's calls (Rule 16.3).
    var presentedItemURL: URL? { get }

    /// The queue on which the methods below are called; read when the presenter is registered.
    ///
    /// A serial queue gets them in order. Give it an `underlyingQueue` of its own: on Linux all
    /// operation queues without one share a few threads. Keep that `DispatchQueue` in a property as
    /// well: on Linux the operation queue does not retain it, and would use it after its end.
    /// The queue's thread must not wait for coordinated access that in turn asks this presenter
    /// (Rule 16.2).
    var presentedItemOperationQueue: OperationQueue { get }

    /// The item that the user opened, if this presenter presents another one that goes with it.
    var primaryPresentedItemURL: URL? { get }

    // MARK: Making way (Rule 6.1)

    /// Called before another party reads the item: stop writing to it, then call `reader`.
    ///
    /// `reader` may be called later and from any thread; it takes a block which is called, on the
    /// presenter's queue, when the reading is over, or nil (Rules 6.8, 8.1 and 8.2).
    @discardableResult
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _RelinquishToReader

    /// Called before another party writes the item: stop using it, then call `writer`.
    ///
    /// `writer` may be called later and from any thread; it takes a block which is called, on the
    /// presenter's queue, when the writing is over, or nil (Rules 6.8, 8.1 and 8.2).
    @discardableResult
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _RelinquishToWriter

    /// The spelling of `relinquishPresentedItem(toReader:)` from before there was `@Sendable`.
    ///
    /// Implement one of the two. A block type inside an `Optional` must match exactly, so that the
    /// compiler takes the two spellings for different methods.
    @_disfavoredOverload
    @discardableResult
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _RelinquishToReaderUnannotated

    /// The spelling of `relinquishPresentedItem(toWriter:)` from before there was `@Sendable`.
    ///
    /// Implement one of the two, as for readers.
    @_disfavoredOverload
    @discardableResult
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _RelinquishToWriterUnannotated

    /// Called before another party reads the item: write what is unsaved, then call the handler.
    ///
    /// An error makes the other party's access fail (Rule 9.1).
    @discardableResult
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _Save

    /// The `async` spelling of ``savePresentedItemChanges(completionHandler:)``; implement one.
    @discardableResult
    func savePresentedItemChanges() async throws -> _SaveAsync

    /// Called before another party deletes or replaces the item.
    ///
    /// An error makes the deletion fail (Rule 9.1).
    @discardableResult
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateDeletion

    /// The `async` spelling of ``accommodatePresentedItemDeletion(completionHandler:)``.
    @discardableResult
    func accommodatePresentedItemDeletion() async throws -> _AccommodateDeletionAsync

    /// Called before the item's local copy is given up to save space.
    ///
    /// Without this method, or with an error, the item stays (Rule 9.7).
    @discardableResult
    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateEviction

    /// The `async` spelling of ``accommodatePresentedItemEviction(completionHandler:)``.
    @discardableResult
    func accommodatePresentedItemEviction() async throws -> _AccommodateEvictionAsync

    /// Called before another party deletes something inside the presented package (Rule 6.2).
    ///
    /// An error makes the deletion fail (Rule 9.1).
    @discardableResult
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateSubitemDeletion

    /// The `async` spelling of ``accommodatePresentedSubitemDeletion(at:completionHandler:)``.
    @discardableResult
    func accommodatePresentedSubitemDeletion(
        at url: URL
    ) async throws -> _AccommodateSubitemDeletionAsync

    // MARK: Hearing what happened (Rule 7.1)

    /// Called when the item was moved (Rule 11.2).
    @discardableResult
    func presentedItemDidMove(to newURL: URL) -> _DidMove

    /// Called when the item's contents or attributes changed (Rule 7.3).
    ///
    /// May come without a change: compare before reloading (Rule 7.12).
    @discardableResult
    func presentedItemDidChange() -> _DidChange

    /// Called when some of ``observedPresentedItemUbiquityAttributes`` changed (Rule 10.4).
    @discardableResult
    func presentedItemDidChangeUbiquityAttributes(
        _ attributes: Set<URLResourceKey>
    ) -> _DidChangeUbiquityAttributes

    /// The attributes for which the method above is called; all of them by default (Rule 10.5).
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Called when a version of the item was added, by whomever (Rules 10.1 and 10.3).
    @discardableResult
    func presentedItemDidGain(_ version: NSFileVersion) -> _DidGain

    /// Called when a version of the item was removed, by whomever (Rules 10.1 and 10.3).
    ///
    /// Of `version` only what can be compared is left (Rule 19.9).
    @discardableResult
    func presentedItemDidLose(_ version: NSFileVersion) -> _DidLose

    /// Called when a conflict of the item was resolved, by whomever (Rules 10.1 and 10.3).
    @discardableResult
    func presentedItemDidResolveConflict(_ version: NSFileVersion) -> _DidResolveConflict

    /// Called when an item was made inside the presented directory (Rule 7.5).
    @discardableResult
    func presentedSubitemDidAppear(at url: URL) -> _SubitemDidAppear

    /// Called when an item inside the presented directory was moved (Rule 11.2).
    @discardableResult
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) -> _SubitemDidMove

    /// Called when an item inside the presented directory changed or went away (Rules 7.4 and 7.6).
    @discardableResult
    func presentedSubitemDidChange(at url: URL) -> _SubitemDidChange

    /// Called when a version of an item inside the presented directory was added (Rule 10.1).
    @discardableResult
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) -> _SubitemDidGain

    /// Called when a version of an item inside the presented directory was removed (Rule 10.1).
    @discardableResult
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) -> _SubitemDidLose

    /// Called when a conflict of an item inside the presented directory was resolved (Rule 10.1).
    @discardableResult
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) -> _SubitemDidResolve

    // MARK: Inferred

    /// The result of `relinquishPresentedItem(toReader:)`; inferred.
    associatedtype _RelinquishToReader
    /// The result of `relinquishPresentedItem(toWriter:)`; inferred.
    associatedtype _RelinquishToWriter
    /// The result of `relinquishPresentedItem(toReader:)` without `@Sendable`; inferred.
    associatedtype _RelinquishToReaderUnannotated
    /// The result of `relinquishPresentedItem(toWriter:)` without `@Sendable`; inferred.
    associatedtype _RelinquishToWriterUnannotated
    /// The result of `savePresentedItemChanges(completionHandler:)`; inferred.
    associatedtype _Save
    /// The result of `savePresentedItemChanges()`; inferred.
    associatedtype _SaveAsync
    /// The result of `accommodatePresentedItemDeletion(completionHandler:)`; inferred.
    associatedtype _AccommodateDeletion
    /// The result of `accommodatePresentedItemDeletion()`; inferred.
    associatedtype _AccommodateDeletionAsync
    /// The result of `accommodatePresentedItemEviction(completionHandler:)`; inferred.
    associatedtype _AccommodateEviction
    /// The result of `accommodatePresentedItemEviction()`; inferred.
    associatedtype _AccommodateEvictionAsync
    /// The result of `accommodatePresentedSubitemDeletion(at:completionHandler:)`; inferred.
    associatedtype _AccommodateSubitemDeletion
    /// The result of `accommodatePresentedSubitemDeletion(at:)`; inferred.
    associatedtype _AccommodateSubitemDeletionAsync
    /// The result of `presentedItemDidMove(to:)`; inferred.
    associatedtype _DidMove
    /// The result of `presentedItemDidChange()`; inferred.
    associatedtype _DidChange
    /// The result of `presentedItemDidChangeUbiquityAttributes(_:)`; inferred.
    associatedtype _DidChangeUbiquityAttributes
    /// The result of `presentedItemDidGain(_:)`; inferred.
    associatedtype _DidGain
    /// The result of `presentedItemDidLose(_:)`; inferred.
    associatedtype _DidLose
    /// The result of `presentedItemDidResolveConflict(_:)`; inferred.
    associatedtype _DidResolveConflict
    /// The result of `presentedSubitemDidAppear(at:)`; inferred.
    associatedtype _SubitemDidAppear
    /// The result of `presentedSubitem(at:didMoveTo:)`; inferred.
    associatedtype _SubitemDidMove
    /// The result of `presentedSubitemDidChange(at:)`; inferred.
    associatedtype _SubitemDidChange
    /// The result of `presentedSubitem(at:didGain:)`; inferred.
    associatedtype _SubitemDidGain
    /// The result of `presentedSubitem(at:didLose:)`; inferred.
    associatedtype _SubitemDidLose
    /// The result of `presentedSubitem(at:didResolve:)`; inferred.
    associatedtype _SubitemDidResolve
}
#endif
