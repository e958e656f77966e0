// SPDX-License-Identifier: Apache-2.0
//
// The public class. It contains a purpose, a presenter and the waiting calls (`Coordinator`);
// FileCoordinationClient implements everything else.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
public import Foundation

/// Coordinates the reading and writing of files and directories among the processes of one user.
///
/// ```swift
/// try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
///     try text.write(to: url, atomically: true, encoding: .utf8)
/// }
/// ```
///
/// Each access waits until no other process has a conflicting one, and until all presenters of the
/// item have relinquished it. Creating a coordinator costs very little.
///
/// Use a coordinator on one thread at a time, except for ``cancel()`` (Rule 16.1). As on Apple
/// platforms, it is not `Sendable`; in code that is ported from there, the compiler reports that as
/// a warning and not as an error.
@preconcurrency open class NSFileCoordinator: NSObject {
    let core: Coordinator

    /// Creates a coordinator that acts for a presenter, or for none.
    ///
    /// The presenter is not asked or told about the coordinator's own accesses (Rule 6). The
    /// coordinator retains it (Rule 4.2a).
    ///
    /// - Parameter filePresenterOrNil: the presenter, or nil for none.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        core = Coordinator(presenter: filePresenterOrNil)
        super.init()
    }

    /// Creates a coordinator that acts for no presenter.
    public convenience override init() { self.init(filePresenter: nil) }

    // MARK: Purpose

    /// The purpose of this coordinator: claims with equal purposes never wait for each other (Rule
    /// 2.10).
    ///
    /// All coordinators created with the same presenter share one purpose. A program can set it
    /// once, before the first use, on a coordinator without a presenter. Any other assignment is a
    /// programming error and ends the program (Rules 4.3, 4.4).
    open var purposeIdentifier: String {
        get { core.purposeText }
        set { core.setPurpose(newValue) }
    }

    // MARK: Cancelling

    /// Cancels all waiting and future calls of this coordinator with `CocoaError.userCancelled`.
    ///
    /// Returns at once, and may be called on any thread. Does not affect an accessor that is
    /// already running (Rules 12.1 to 12.6).
    ///
    /// ```swift
    /// coordinator.cancel()
    /// coordinator.coordinate(readingItemAt: url, error: &failure) { _ in }
    /// assert((failure as? CocoaError)?.code == .userCancelled)
    /// ```
    open func cancel() { core.cancel() }

    // MARK: Announcements inside an accessor

    /// Announces that an item will be moved.
    ///
    /// Has no effect and need not be called. On Apple platforms it serves the sandbox (Rule 11.11).
    ///
    /// - Parameters:
    ///   - oldURL: the URL of the item.
    ///   - newURL: the URL that it will have.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Announces that the accessor has moved an item, or a directory that contains it.
    ///
    /// Presenters of the item and of everything inside it follow the move, and so do waiting claims
    /// (Rules 11.1 to 11.4). Has no effect outside a writing accessor of this coordinator (Rule
    /// 11.10). Call it before the accessor returns. After a write with
    /// ``WritingOptions/forMoving``, the move of its item is detected even without this call.
    ///
    /// - Parameters:
    ///   - oldURL: the former URL of the item.
    ///   - newURL: the present URL of the item.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        core.announceMove(from: ItemName(oldURL), to: ItemName(newURL))
    }

    /// Announces that ubiquity attributes of an item have changed.
    ///
    /// Presenters of the item that observe these attributes are told (Rule 10.4). Keys that are not
    /// ubiquity attributes are ignored (Rule 10.5).
    ///
    /// - Parameters:
    ///   - url: the item.
    ///   - attributes: the keys whose values have changed.
    open func item(
        at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>
    ) {
        core.announceAttributes(attributes, of: url)
    }

    // MARK: Presenters

    /// Registers a presenter, so that all processes of this user coordinate with it.
    ///
    /// When this returns, every claim that is granted later, in any process, takes the presenter
    /// into account (Rule 5.4). The presenter is retained until it is removed (Rule 5.9).
    /// Registering it again has no effect (Rule 5.2). Blocks the calling thread until the server
    /// has answered. If the presenter cannot be registered, the reason is printed to standard
    /// error; use ``registerFilePresenter(_:label:)`` to handle the error.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.add(filePresenter)
    }

    /// Deregisters a presenter.
    ///
    /// After this returns, no message reaches the presenter, except for one that is already
    /// running. Claims that wait for its answer stop waiting (Rule 5.7). Has no effect if the
    /// presenter is not registered.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.remove(filePresenter)
    }

    /// This process's presenters, in the order of registration (Rule 5.1).
    open class var filePresenters: [any NSFilePresenter] { Session.filePresenters }

    // MARK: Access that blocks the calling thread

    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// Blocks the calling thread until access is granted, and runs the accessor on it.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will read the item.
    ///   - outError: set if access was not granted; unchanged otherwise (Rule 9.6).
    ///   - reader: the accessor. Runs on the calling thread, only if access was granted.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        if let known = options.arbiterOptions {
            switch core.coordinateLocally(url.absoluteString, .reading(known), { reader(url) }) {
            case .done: return
            case .filed(let access):
                return unsafe report(outError) { () throws(NSError) in
                    let items = ItemsOfCall(try CallItem(reading: url, options))
                    try core.complete(access, items) { reader($0[0]) }
                }
            case .unavailable: break
            }
        }
        unsafe perform(outError) { () throws(NSError) in
            [try CallItem(reading: url, options)]
        } accessor: {
            reader($0[0])
        }
    }

    /// Writes an item once no other claim reads or writes it, and its presenters have relinquished
    /// it.
    ///
    /// Blocks the calling thread until access is granted, and runs the accessor on it.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: what the accessor will do to the item.
    ///   - outError: set if access was not granted; unchanged otherwise (Rule 9.6).
    ///   - writer: the accessor. Runs on the calling thread, only if access was granted.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        if let known = options.arbiterOptions {
            switch core.coordinateLocally(url.absoluteString, .writing(known), { writer(url) }) {
            case .done: return
            case .filed(let access):
                return unsafe report(outError) { () throws(NSError) in
                    let items = ItemsOfCall(try CallItem(writing: url, options))
                    try core.complete(access, items) { writer($0[0]) }
                }
            case .unavailable: break
            }
        }
        unsafe perform(outError) { () throws(NSError) in
            [try CallItem(writing: url, options)]
        } accessor: {
            writer($0[0])
        }
    }

    /// Reads one item and writes another, with one claim that is granted for both at once (Rule
    /// 2.13).
    ///
    /// If you specify options for the second item, also specify those of the first (`options: []`):
    /// otherwise the compiler takes the argument for the first item's and reports its position as
    /// an error. This is the same on Apple platforms.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how the accessor will read it.
    ///   - writingURL: the item to write.
    ///   - writingOptions: what the accessor will do to it.
    ///   - outError: set if access was not granted; unchanged otherwise (Rule 9.6).
    ///   - readerWriter: the accessor. Runs on the calling thread, only if access was granted.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        unsafe perform(outError) { () throws(NSError) in
            [
                try CallItem(reading: readingURL, readingOptions),
                try CallItem(writing: writingURL, writingOptions),
            ]
        } accessor: {
            readerWriter($0[0], $0[1])
        }
    }

    /// Writes two items, with one claim that is granted for both at once (Rule 2.13).
    ///
    /// - Parameters:
    ///   - url1: the first item.
    ///   - options1: what the accessor will do to it.
    ///   - url2: the second item.
    ///   - options2: what the accessor will do to it.
    ///   - outError: set if access was not granted; unchanged otherwise (Rule 9.6).
    ///   - writer: the accessor. Runs on the calling thread, only if access was granted.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        unsafe perform(outError) { () throws(NSError) in
            [
                try CallItem(writing: url1, options1),
                try CallItem(writing: url2, options2),
            ]
        } accessor: {
            writer($0[0], $0[1])
        }
    }

    // MARK: Access on a queue

    /// Requests access to items and returns at once.
    ///
    /// `accessor` is called exactly once, on `queue`.
    ///
    /// The claim is held until the accessor returns, also while the accessor waits in the queue
    /// (Rule 13.2). Use the intents' URLs in the accessor (Rule 13.3).
    ///
    /// - Parameters:
    ///   - intents: the items, and how each will be accessed; granted all at once (Rule 13.4).
    ///   - queue: where the accessor runs. If it has an `underlyingQueue`, retain that, because on
    ///     Linux the operation queue does not.
    ///   - accessor: gets nil if access was granted, else the error.
    @preconcurrency open func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        core.perform(intents, on: queue, accessor)
    }

    // MARK: Batches

    /// Asks the presenters of many items once for what each access would otherwise ask
    /// individually.
    ///
    /// A batch gives no access. Make coordinated calls on this coordinator inside the batch
    /// accessor, on any thread, and call the completion handler after the last of them has returned
    /// (Rules 14.1 to 14.5). Pass the top-level items; presenters of everything inside them are
    /// asked, too.
    ///
    /// ```swift
    /// let coordinator = NSFileCoordinator()
    /// coordinator.prepare(forReadingItemsAt: urls, writingItemsAt: [], error: nil) { completion in
    ///     for url in urls {
    ///         coordinator.coordinate(readingItemAt: url, error: nil) { print($0.path) }
    ///     }
    ///     completion()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - readingURLs: the items that will be read.
    ///   - readingOptions: how they will be read. Following links is an error in a batch (Rule
    ///     14.6).
    ///   - writingURLs: the items that will be written.
    ///   - writingOptions: how they will be written. Replacing is an error in a batch (Rule 14.6).
    ///   - outError: set if a presenter refused or the call was cancelled; the batch accessor does
    ///     not run then.
    ///   - batchAccessor: runs on the calling thread and gets the completion handler. The call
    ///     returns after it has returned and the handler was called or released.
    @preconcurrency open func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        let batch = Batch(
            reading: readingURLs, readingOptions, writing: writingURLs, writingOptions)
        unsafe perform(outError, kind: .preparation) { () throws(NSError) in
            try batch.items()
        } accessor: { _ in
            batch.run(batchAccessor)
        }
    }

    // MARK: Implementation

    /// Waits for access and runs `accessor` on this thread (Rule 13.8).
    ///
    /// If access is not granted, the accessor does not run and `outError` is set; otherwise
    /// `outError` is unchanged (Rule 9.6).
    private func perform(
        _ outError: NSErrorPointer, kind: ClaimKind = .access,
        items: () throws(NSError) -> [CallItem], accessor: ([URL]) -> Void
    ) {
        unsafe report(outError) { () throws(NSError) in
            try core.perform(ItemsOfCall(try items()), kind: kind, accessor)
        }
    }

    /// Stores the error that `body` throws.
    private func report(_ outError: NSErrorPointer, _ body: () throws(NSError) -> Void) {
        do throws(NSError) {
            try body()
        } catch {
            unsafe outError?.pointee = error
        }
    }
}
#endif
