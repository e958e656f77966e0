// SPDX-License-Identifier: Apache-2.0
//
// The presenter protocol. A presenter shows or uses a file or directory, and is asked before other
// programs access it and told afterwards.
//
// Apple's protocol has optional methods, which need the Objective-C runtime. Here, each of them is
// a requirement with a default implementation, and its result is an associated type: the default
// returns ``_NotImplemented``, a presenter's own method returns `Void`. So the library finds out
// from the types which methods a presenter implements, without calling any (Rule 5.3). Programs
// do not write the associated types; the compiler infers them.

#if !canImport(Darwin)
public import Foundation

/// An object that takes part in coordinated access to one file or directory.
///
/// Register it with `NSFileCoordinator.addFilePresenter(_:)`. Everything except for the first two
/// properties is optional. The library determines at registration which methods a presenter
/// implements; it neither calls nor waits for others (Rule 5.3).
///
/// **Threads.** All methods are called on ``presentedItemOperationQueue`` (Rules 6.1 and 16.5). The
/// `async` forms are started from that queue and run on the actor to which they are isolated, else
/// on a thread of their own. The properties are read on any thread.
///
/// **Cost.** The server sends each call to this process, several in one message if they come
/// together. Another program's access waits for the answer of a method that has one, until
/// ``NSFileCoordinator/filePresenterTimeout`` has passed (Rule 18.3): 30 seconds by default. Then
/// it goes on without the answer. No program waits for a notice, which has no answer (Rule 7.1).
///
/// **Answers.** Answer on every path, once; the library ignores a second answer (Rule 6.8). The
/// answer may come after the method has returned. Only saving and accommodating can fail: the other
/// program's access then fails with that error, of which it gets domain, code and description
/// (Rules 9.1, 9.2 and 9.4).
///
/// A method counts as implemented if the class that declares the conformance, or one of its
/// superclasses, declares it. A method that only a *subclass* of that class adds is never called:
/// declare it, empty, in the class that declares the conformance, and override it. Block types may
/// be written with or without `@Sendable`, in both language modes.
///
/// ```swift
/// final class Preview: NSObject, NSFilePresenter {
///     let presentedItemURL: URL?
///     let presentedItemOperationQueue = OperationQueue()
///     private let serial = DispatchQueue(label: "Preview")
///
///     init(of url: URL) {
///         presentedItemURL = url
///         super.init()
///         presentedItemOperationQueue.maxConcurrentOperationCount = 1
///         presentedItemOperationQueue.underlyingQueue = serial
///     }
///
///     func presentedItemDidChange() { print("read it again") }
/// }
/// ```
@preconcurrency public protocol NSFilePresenter: NSObjectProtocol {
    // MARK: What is presented

    /// The file or directory, or nil while there is none (Rule 5.5).
    ///
    /// Read on any thread at any time, even during a coordinator's calls (Rule 16.3): guard it with
    /// a lock if it changes. The server follows moves by itself, and does not ask for the property
    /// again; to present another item, remove the presenter and add it again (Rule 5.6).
    var presentedItemURL: URL? { get }

    /// The queue on which the methods below are called; read when the presenter is registered.
    ///
    /// A queue with `maxConcurrentOperationCount = 1` runs them in order, and only then a deadlock
    /// through the presenter is found at once (Rule 18.4). On Linux, give it an `underlyingQueue`,
    /// because all queues without one share a few threads, and keep that in a property, because
    /// the operation queue does not retain it. The queue's thread must not wait for coordinated
    /// access that in turn asks this presenter (Rule 16.2).
    var presentedItemOperationQueue: OperationQueue { get }

    /// The item that the user opened, if this presenter presents another one that goes with it; nil
    /// by default.
    ///
    /// Not used on Linux. On Apple platforms it serves the sandbox.
    var primaryPresentedItemURL: URL? { get }

    // MARK: Yielding (Rule 6.1)

    /// Called before a coordinator of another purpose reads the item: stop writing to it, then call
    /// `reader`.
    ///
    /// Presenters of the item, of packages around it and inside those are asked (Rules 6.1 to 6.4).
    /// Further readers that overlap with the first one do not ask again (Rule 6.11). A presenter
    /// that neither keeps its file open nor writes it unasked needs no such method (Rule 6.6).
    ///
    /// ```swift
    /// func relinquishPresentedItem(
    ///     toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    /// ) {
    ///     closeFile()
    ///     reader { print("the other program has read") }
    /// }
    /// ```
    ///
    /// - Parameter reader: call it once, now or later, on any thread. Pass a block that will be
    ///   called on the presenter's queue when the reading is over, or nil (Rules 6.8, 8.1 and 8.2).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _RelinquishToReader

    /// Called before a coordinator of another purpose writes the item: stop using it, then call
    /// `writer`.
    ///
    /// The same presenters are asked as by a reader and, if a directory is moved, deleted or
    /// replaced, those inside it (Rule 6.1). Until the block that you pass is called, use the item
    /// in coordinated calls only (Rule 8.3). It is called even if nothing was written (Rule 8.4).
    ///
    /// ```swift
    /// func relinquishPresentedItem(
    ///     toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    /// ) {
    ///     closeFile()
    ///     writer { print("the other program has written") }
    /// }
    /// ```
    ///
    /// - Parameter writer: call it once, now or later, on any thread. Pass a block that will be
    ///   called on the presenter's queue when the writing is over, or nil (Rules 6.8, 8.1 and 8.2).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) -> _RelinquishToWriter

    /// The form of `relinquishPresentedItem(toReader:)` without `@Sendable`, for older programs.
    ///
    /// Implement one of the two. They are different methods to the compiler, because the type of a
    /// block inside an `Optional` must match exactly (Rule 5.3).
    ///
    /// ```swift
    /// func relinquishPresentedItem(toReader reader: @escaping ((() -> Void)?) -> Void) {
    ///     closeFile()
    ///     reader { self.openFile() }
    /// }
    /// func relinquishPresentedItem(toWriter writer: @escaping ((() -> Void)?) -> Void) {
    ///     closeFile()
    ///     writer { self.openFile() }
    /// }
    /// ```
    ///
    /// - Parameter reader: see the other form.
    /// - Returns: nothing, in a presenter's own method.
    @_disfavoredOverload
    @discardableResult
    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _RelinquishToReaderUnannotated

    /// The form of `relinquishPresentedItem(toWriter:)` without `@Sendable`, for older programs.
    ///
    /// Implement one of the two, as for readers (Rule 5.3).
    ///
    /// - Parameter writer: see the other form.
    /// - Returns: nothing, in a presenter's own method.
    @_disfavoredOverload
    @discardableResult
    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void
    ) -> _RelinquishToWriterUnannotated

    /// Called before a coordinator of another purpose reads the item: save unsaved changes, then
    /// call the handler (Rule 6.5).
    ///
    /// Save with `NSFileCoordinator(filePresenter: self)`, because a coordinator of another purpose
    /// would wait for the reader (Rule 2.16). The reader finds what was saved before the answer
    /// (Rule 6.13). Without unsaved changes, answer at once. Also called before a write
    /// ``NSFileCoordinator/WritingOptions/forMerging``.
    ///
    /// ```swift
    /// func savePresentedItemChanges(
    ///     completionHandler: @escaping @Sendable ((any Error)?) -> Void
    /// ) {
    ///     do {
    ///         try save()
    ///         completionHandler(nil)
    ///     } catch {
    ///         completionHandler(error)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter completionHandler: call it once, on any thread, with nil or an error. An error
    ///   fails the other access (Rule 9.1).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _Save

    /// The `async` form of ``savePresentedItemChanges(completionHandler:)``; implement one of the
    /// two.
    ///
    /// ```swift
    /// func savePresentedItemChanges() async throws { try await store() }
    /// func accommodatePresentedItemDeletion() async throws { try await close() }
    /// func accommodatePresentedSubitemDeletion(at url: URL) async throws { await hide(url) }
    /// ```
    ///
    /// - Returns: nothing, in a presenter's own method.
    /// - Throws: an error that fails the other access (Rule 9.1).
    @discardableResult
    func savePresentedItemChanges() async throws -> _SaveAsync

    /// Called before a coordinator of another purpose deletes or replaces the item (Rule 6.1).
    ///
    /// If the document closes, remove the presenter before it answers: it would otherwise belong to
    /// the next file of that name (Rule 5.8). The deletion can still fail, so check in the
    /// reacquirer whether the item exists (Rule 9.3).
    ///
    /// ```swift
    /// func accommodatePresentedItemDeletion(
    ///     completionHandler: @escaping @Sendable ((any Error)?) -> Void
    /// ) {
    ///     close()
    ///     completionHandler(nil)
    /// }
    /// ```
    ///
    /// - Parameter completionHandler: call it once, on any thread, with nil or an error. An error
    ///   fails the deletion (Rule 9.1).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func accommodatePresentedItemDeletion(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateDeletion

    /// The `async` form of ``accommodatePresentedItemDeletion(completionHandler:)``.
    ///
    /// - Returns: nothing, in a presenter's own method.
    /// - Throws: an error that fails the deletion (Rule 9.1).
    @discardableResult
    func accommodatePresentedItemDeletion() async throws -> _AccommodateDeletionAsync

    /// Called before the item's local copy is evicted to save space; never on Linux (Rule 9.7).
    ///
    /// There is no provider of files, so nothing is evicted. On Apple platforms, an item whose
    /// presenter lacks this method is not evicted.
    ///
    /// - Parameter completionHandler: call it once, on any thread, with nil or an error. With an
    ///   error, the item is not evicted.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func accommodatePresentedItemEviction(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateEviction

    /// The `async` form of ``accommodatePresentedItemEviction(completionHandler:)``.
    ///
    /// - Returns: nothing, in a presenter's own method.
    /// - Throws: an error that prevents the eviction (Rule 9.7).
    @discardableResult
    func accommodatePresentedItemEviction() async throws -> _AccommodateEvictionAsync

    /// Called before a coordinator of another purpose deletes or replaces an item inside the
    /// presented package (Rule 6.3).
    ///
    /// Presenters of plain directories are not asked; they are told afterwards (Rule 6.2).
    ///
    /// ```swift
    /// func accommodatePresentedSubitemDeletion(
    ///     at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    /// ) {
    ///     stopShowing(url)
    ///     completionHandler(nil)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - completionHandler: call it once, on any thread, with nil or an error. An error fails the
    ///     deletion (Rule 9.1).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) -> _AccommodateSubitemDeletion

    /// The `async` form of ``accommodatePresentedSubitemDeletion(at:completionHandler:)``.
    ///
    /// - Parameter url: the item.
    /// - Returns: nothing, in a presenter's own method.
    /// - Throws: an error that fails the deletion (Rule 9.1).
    @discardableResult
    func accommodatePresentedSubitemDeletion(
        at url: URL
    ) async throws -> _AccommodateSubitemDeletionAsync

    // MARK: Notices (Rule 7.1)

    /// Called when the item, or a directory around it, was moved (Rule 11.2).
    ///
    /// Comes before the reacquirer, possibly while the mover's accessor still runs (Rule 11.14).
    /// Not called for a move by a coordinator of this presenter: set the URL in the accessor then.
    ///
    /// ```swift
    /// func presentedItemDidMove(to newURL: URL) { url.withLock { $0 = newURL } }
    /// func presentedItemDidChange() { reload() }
    /// ```
    ///
    /// - Parameter newURL: the URL that ``presentedItemURL`` must return from now on.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidMove(to newURL: URL) -> _DidMove

    /// Called when the item's contents or attributes changed (Rule 7.3).
    ///
    /// Read the item again in a coordinated read; it may be gone (Rule 7.6). May also be called
    /// without a change: compare before reloading (Rule 7.12). Not called for writes of this
    /// presenter's own purpose (Rule 7.9). A change by a program that does not coordinate is told
    /// later, at most once in 50 ms (Rule 7.14).
    ///
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidChange() -> _DidChange

    /// Called when some of ``observedPresentedItemUbiquityAttributes`` changed (Rule 10.4).
    ///
    /// On Linux, only ``NSFileCoordinator/item(at:didChangeUbiquityAttributes:)`` leads to it.
    ///
    /// ```swift
    /// func presentedItemDidChangeUbiquityAttributes(
    ///     _ attributes: Set<URLResourceKey>
    /// ) { reload() }
    /// ```
    ///
    /// - Parameter attributes: the keys of those that changed.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidChangeUbiquityAttributes(
        _ attributes: Set<URLResourceKey>
    ) -> _DidChangeUbiquityAttributes

    /// The attributes for which the method above is called; by default all (Rule 10.5).
    ///
    /// Read at registration. To observe others, remove the presenter and add it again.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Called when any process has added a version of the item (Rules 10.1 and 10.3).
    ///
    /// Also called for versions that this program adds itself. The same holds for the next two.
    ///
    /// ```swift
    /// func presentedItemDidGain(_ version: NSFileVersion) { if version.isConflict { warn() } }
    /// func presentedItemDidResolveConflict(_ version: NSFileVersion) { stopWarning() }
    /// func presentedItemDidLose(_ version: NSFileVersion) { stopWarning() }
    /// ```
    ///
    /// - Parameter version: the version.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidGain(_ version: NSFileVersion) -> _DidGain

    /// Called when any process has removed a version of the item (Rules 10.1 and 10.3).
    ///
    /// - Parameter version: the removed version; it can only be compared with others (Rule 19.9).
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidLose(_ version: NSFileVersion) -> _DidLose

    /// Called when any process has resolved a conflict of the item (Rules 10.1 and 10.3).
    ///
    /// Other conflicts may remain: ask ``NSFileVersion/unresolvedConflictVersionsOfItem(at:)``.
    ///
    /// - Parameter version: the version that was in conflict.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedItemDidResolveConflict(_ version: NSFileVersion) -> _DidResolveConflict

    /// Called when an item was created inside the presented directory, at any depth (Rule 7.5), or
    /// was moved into it (Rule 11.3).
    ///
    /// Then ``presentedSubitemDidChange(at:)`` is called as well. Not called for writes of this
    /// presenter's own purpose (Rule 7.9).
    ///
    /// ```swift
    /// func presentedSubitemDidAppear(at url: URL) { list(url) }
    /// func presentedSubitemDidChange(at url: URL) { list(url) }
    /// func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) { list(newURL) }
    /// ```
    ///
    /// - Parameter url: the item.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitemDidAppear(at url: URL) -> _SubitemDidAppear

    /// Called when an item inside the presented directory was moved (Rule 11.2).
    ///
    /// The new URL may be outside the directory: the item has left it then (Rule 11.3).
    ///
    /// - Parameters:
    ///   - oldURL: the former URL of the item.
    ///   - newURL: the present URL of the item.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) -> _SubitemDidMove

    /// Called when an item inside the directory changed, came or went (Rules 7.4 to 7.6, 11.3).
    ///
    /// The URL is that of the item, at any depth (Rule 7.7). Not called for writes of this
    /// presenter's own purpose (Rule 7.9).
    ///
    /// If changes may have been missed, a presenter that does not implement
    /// ``presentedItemDidChange()`` is called with the directory itself (Rule 7.14).
    ///
    /// - Parameter url: the item.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitemDidChange(at url: URL) -> _SubitemDidChange

    /// Called when a version of an item inside the presented directory was added (Rule 10.1).
    ///
    /// ```swift
    /// func presentedSubitem(at url: URL, didGain version: NSFileVersion) { list(url) }
    /// func presentedSubitem(at url: URL, didLose version: NSFileVersion) { list(url) }
    /// func presentedSubitem(at url: URL, didResolve version: NSFileVersion) { list(url) }
    /// ```
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - version: the version.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitem(at url: URL, didGain version: NSFileVersion) -> _SubitemDidGain

    /// Called when a version of an item inside the presented directory was removed (Rule 10.1).
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - version: the version.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitem(at url: URL, didLose version: NSFileVersion) -> _SubitemDidLose

    /// Called when a conflict of an item inside the presented directory was resolved (Rule 10.1).
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - version: the version that was in conflict.
    /// - Returns: nothing, in a presenter's own method.
    @discardableResult
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion) -> _SubitemDidResolve

    // MARK: Inferred result types

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
