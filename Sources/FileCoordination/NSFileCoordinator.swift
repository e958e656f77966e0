// SPDX-License-Identifier: Apache-2.0
//
// The public class. It contains a purpose, a presenter and the waiting calls (`Coordinator`);
// FileCoordinationClient implements everything else.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
public import Foundation
public import FoundationCompatibility

/// Coordinates the reading and writing of files and directories among the processes of one user.
///
/// ```swift
/// try NSFileCoordinator().coordinate(writingItemAt: url, options: .forMerging) { url in
///     try text.write(to: url, atomically: true, encoding: .utf8)
/// }
/// ```
///
/// Each access waits until no other process has a conflicting one, and until all presenters of the
/// item have relinquished it. Create a coordinator for each operation: that makes no system call.
///
/// An access to a file that only this process uses takes no message, because the server delegates
/// the file to it: about a microsecond. Most other accesses take two messages to the server, some
/// tens of microseconds, and the time that they wait (<doc:Performance>).
///
/// If access is not granted, the accessor does not run: nothing is read or written. The error is:
/// - `CocoaError.userCancelled`, if the call was cancelled (Rule 17.1);
/// - the error of a presenter that could not save or refused a deletion (Rule 9.2): show it;
/// - a ``FileCoordinationError``, or the `NSError` of one, if a deadline passed, calls wait for
///   each other, a limit was reached or there is no server (Rule 18.12): its text says what to do;
/// - an error of Foundation about the URL, if that leads to no place in the file system (Rules 1.10
///   and 17.3).
///
/// Use a coordinator on one thread at a time, except for ``cancel()`` (Rule 16.1). As on Apple
/// platforms, it is not `Sendable`; in code that is ported from there, the compiler reports that as
/// a warning and not as an error.
@preconcurrency open class NSFileCoordinator: NSObject {
    let core: Coordinator

    /// Creates a coordinator that acts for a presenter, or for none.
    ///
    /// The presenter is not asked or told about the coordinator's own accesses (Rule 4.5). The
    /// coordinator retains it (Rule 4.2a).
    ///
    /// ```swift
    /// try NSFileCoordinator(filePresenter: editor).coordinate(writingItemAt: url) {
    ///     try text.write(to: $0, atomically: true, encoding: .utf8)
    /// }
    /// ```
    ///
    /// **Threads.** Any. To act at a presenter's new URL before the presenter was told of a move,
    /// create the coordinator on the presenter's queue (Rule 11.7).
    ///
    /// **Cost.** No system call.
    ///
    /// - Parameter filePresenterOrNil: the presenter, or nil for none.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        core = Coordinator(presenter: filePresenterOrNil)
        super.init()
    }

    /// Creates a coordinator that acts for no presenter (Rule 2.12).
    ///
    /// **Threads and cost.** Any thread; no system call.
    public convenience override init() { self.init(filePresenter: nil) }

    // MARK: Purpose

    /// The purpose of this coordinator: claims with equal purposes never wait for each other (Rule
    /// 2.10).
    ///
    /// All coordinators created with the same presenter share one purpose. A program can set it
    /// once, before the first use, on a coordinator without a presenter. Any other assignment is a
    /// programming error and ends the program (Rules 4.3, 4.4).
    ///
    /// **Threads and cost.** Any thread; no system call. Accesses with a purpose that was set do
    /// not take part in ticket queues (<doc:Performance>).
    open var purposeIdentifier: String {
        get { core.purposeText }
        set { core.setPurpose(newValue) }
    }

    // MARK: Cancelling

    /// Cancels all waiting and future calls of this coordinator with `CocoaError.userCancelled`.
    ///
    /// Does not affect an accessor that is already running (Rules 12.1 to 12.6). A cancelled
    /// coordinator cannot be used again; create another one.
    ///
    /// ```swift
    /// coordinator.cancel()
    /// coordinator.coordinate(readingItemAt: url, error: &failure) { _ in }
    /// assert((failure as? CocoaError)?.code == .userCancelled)
    /// ```
    ///
    /// **Threads.** Any thread, also while another one waits in a call of this coordinator.
    ///
    /// **Cost.** One message to the server for each call that waits; none of them is waited for.
    open func cancel() { core.cancel() }

    // MARK: Announcements inside an accessor

    /// Announces that an item will be moved.
    ///
    /// Has no effect and need not be called. On Apple platforms it serves the sandbox (Rule 11.11).
    /// ``item(at:didMoveTo:)`` has an example of both.
    ///
    /// **Threads and cost.** Any thread; does nothing.
    ///
    /// - Parameters:
    ///   - oldURL: the URL of the item.
    ///   - newURL: the URL that it will have.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Announces that the accessor has moved an item, or a directory that contains it.
    ///
    /// Presenters of the item and of everything inside it follow the move, and so do waiting claims
    /// (Rules 11.1 to 11.4). Has no effect outside a writing accessor of this coordinator, nor
    /// if both URLs show the items that they showed when access was granted: then nothing has moved
    /// (Rule 11.10). Call it after the move, before the accessor returns. After a write with
    /// ``WritingOptions/forMoving``, the move of its item is detected even without this call.
    ///
    /// ```swift
    /// coordinator.coordinate(
    ///     writingItemAt: url, options: .forMoving, writingItemAt: target, options: .forReplacing,
    ///     error: &failure
    /// ) { url, target in
    ///     coordinator.item(at: url, willMoveTo: target)
    ///     do {
    ///         try FileManager.default.moveItem(at: url, to: target)
    ///         coordinator.item(at: url, didMoveTo: target)
    ///     } catch {
    ///         moveError = error
    ///     }
    /// }
    /// ```
    ///
    /// **Threads.** Any thread, while the accessor runs. Does not wait for presenters.
    ///
    /// **Cost.** Finds both paths in the file system and sends one message to the server. The
    /// server moves every presenter and waiting claim at the item and inside it.
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
    /// ```swift
    /// coordinator.item(at: url, didChangeUbiquityAttributes: [.ubiquitousItemIsDownloadingKey])
    /// ```
    ///
    /// **Threads.** Any thread, inside an accessor or outside. Does not wait for presenters.
    ///
    /// **Cost.** One message to the server inside a writing accessor of this coordinator; three
    /// outside, for an empty claim that carries it.
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
    /// Registering it again has no effect (Rule 5.2). If the presenter cannot be registered, the
    /// reason is printed to standard error; use ``registerFilePresenter(_:label:)`` to handle the
    /// error.
    ///
    /// ```swift
    /// func open() { NSFileCoordinator.addFilePresenter(self) }
    /// func close() { NSFileCoordinator.removeFilePresenter(self) }
    /// ```
    ///
    /// **Threads.** Any thread, also inside accessors and presenter methods (Rule 5.8). Blocks it
    /// until the server has registered the presenter. Reads the presenter's properties on it.
    ///
    /// **Cost.** One message to the server and its answer. The server then watches the item for
    /// changes by programs that do not coordinate. Accesses of others wait for the answer to each
    /// question that the presenter has a method for; an access that asks is never delegated.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.add(filePresenter)
    }

    /// Deregisters a presenter.
    ///
    /// After this returns, no message reaches the presenter, except for one that is already
    /// running. Claims that wait for its answer stop waiting (Rule 5.7). Has no effect if the
    /// presenter is not registered (Rule 5.2). ``addFilePresenter(_:)`` has an example.
    ///
    /// **Threads.** Any thread, also inside accessors and presenter methods (Rule 5.8). Does not
    /// wait for a presenter method that is running.
    ///
    /// **Cost.** One message to the server, which is not waited for.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.remove(filePresenter)
    }

    /// This process's presenters, in the order of registration (Rule 5.1).
    ///
    /// **Threads and cost.** Any thread; a copy of the process's own list, without a message.
    open class var filePresenters: [any NSFilePresenter] { Session.filePresenters }

    // MARK: Access that blocks the calling thread

    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// ```swift
    /// var contents: Data?
    /// NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { url in
    ///     contents = FileManager.default.contents(atPath: url.path)
    /// }
    /// if let failure { print(failure.localizedDescription) }
    /// ```
    ///
    /// **Threads.** Blocks the calling thread until access is granted, and runs the accessor on it
    /// (Rule 13.8).
    ///
    /// **Cost.** No message if the item is delegated to this process or handed on in a ticket
    /// queue; a delegated access costs about one pair of `flock` calls. Otherwise two messages to
    /// the server, and the answers of presenters (<doc:Performance>).
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how the accessor will read the item.
    ///   - outError: set to one of the errors of ``NSFileCoordinator`` if access was not granted;
    ///     unchanged otherwise (Rule 9.6).
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
    /// **Threads and cost.** As those of ``coordinate(readingItemAt:options:error:byAccessor:)``,
    /// which has an example. A write to an item with versions also looks after the version store.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: what the accessor will do to the item.
    ///   - outError: set to one of the errors of ``NSFileCoordinator`` if access was not granted;
    ///     unchanged otherwise (Rule 9.6).
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
    /// **Threads.** Blocks the calling thread until access is granted, and runs the accessor on it
    /// (Rule 13.8).
    ///
    /// **Cost.** Two messages to the server, and the answers of presenters: a claim on several
    /// items is never delegated.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how the accessor will read it.
    ///   - writingURL: the item to write.
    ///   - writingOptions: what the accessor will do to it.
    ///   - outError: set to one of the errors of ``NSFileCoordinator`` if access was not granted;
    ///     unchanged otherwise (Rule 9.6).
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
    /// ``item(at:didMoveTo:)`` has an example.
    ///
    /// **Threads and cost.** Blocks the calling thread and runs the accessor on it (Rule 13.8). Two
    /// messages to the server, and the answers of presenters.
    ///
    /// - Parameters:
    ///   - url1: the first item.
    ///   - options1: what the accessor will do to it.
    ///   - url2: the second item.
    ///   - options2: what the accessor will do to it.
    ///   - outError: set to one of the errors of ``NSFileCoordinator`` if access was not granted;
    ///     unchanged otherwise (Rule 9.6).
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
    /// ```swift
    /// let intents = [NSFileAccessIntent.readingIntent(with: url)]
    /// NSFileCoordinator().coordinate(with: intents, queue: queue) { error in
    ///     guard error == nil else { return }
    ///     print(intents[0].url.path)
    /// }
    /// ```
    ///
    /// **Threads.** The calling thread finds the items in the file system and files the claim; it
    /// does not wait for access (Rule 13.1).
    ///
    /// **Cost.** As that of the calls which block, with a change of thread. A claim on several
    /// items is never delegated: two messages to the server.
    ///
    /// - Parameters:
    ///   - intents: the items, and how each will be accessed; granted all at once (Rule 13.4).
    ///   - queue: where the accessor runs. If it has an `underlyingQueue`, retain that, because on
    ///     Linux the operation queue does not.
    ///   - accessor: gets nil if access was granted, else one of the errors of
    ///     ``NSFileCoordinator``.
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
    /// **Threads.** Blocks the calling thread until the presenters have answered, the accessor has
    /// returned, and the completion handler was called or released (Rule 14.4).
    ///
    /// **Cost.** Two messages to the server for the batch, in addition to those of the calls inside
    /// it, and the answers of all presenters at the items and inside them.
    ///
    /// - Parameters:
    ///   - readingURLs: the items that will be read.
    ///   - readingOptions: how they will be read. Following links is an error in a batch (Rule
    ///     14.6).
    ///   - writingURLs: the items that will be written.
    ///   - writingOptions: how they will be written. Replacing is an error in a batch (Rule 14.6).
    ///   - outError: set to one of the errors of ``NSFileCoordinator`` if the presenters could not
    ///     be asked, one refused, or the call was cancelled; the batch accessor does not run then.
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

    /// Stores the error that `body` throws; without a place for it, its cause is printed once.
    private func report(_ outError: NSErrorPointer, _ body: () throws(NSError) -> Void) {
        do throws(NSError) {
            try body()
        } catch {
            guard let outError = unsafe outError else { return UnheardErrors.add(error) }
            unsafe outError.pointee = error
        }
    }
}
#endif
