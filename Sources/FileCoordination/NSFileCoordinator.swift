// SPDX-License-Identifier: Apache-2.0
//
// The class that people know. It holds a purpose, a presenter and the calls that wait; everything
// else happens in FileCoordinationClient.

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
/// item have relinquished it. One coordinator is meant for one thread at a time, except for
/// ``cancel()`` (Rule 16.1): it is not `Sendable`, as it is not on Apple platforms. Code that is
/// ported from there gets a warning for that, not an error. Making one costs next to nothing.
@preconcurrency open class NSFileCoordinator: NSObject {
    let core: Coordinator

    /// A coordinator that acts on behalf of a presenter, or of none.
    ///
    /// The presenter gets no messages about what the coordinator does (Rule 6), and is retained
    /// (Rule 4.2a).
    ///
    /// - Parameter filePresenterOrNil: the presenter, or nil for none.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        core = Coordinator(presenter: filePresenterOrNil)
        super.init()
    }

    /// A coordinator that acts on behalf of no presenter.
    public convenience override init() { self.init(filePresenter: nil) }

    // MARK: Purpose

    /// What this coordinator is for: claims of equal purpose never wait for each other (Rule 2.10).
    ///
    /// All coordinators made with the same presenter share one. It can be set once, before the
    /// first use, on a coordinator that was made without a presenter; anything else is a mistake in
    /// the program and stops it (Rules 4.3, 4.4).
    open var purposeIdentifier: String {
        get { core.purposeText }
        set { core.setPurpose(newValue) }
    }

    // MARK: Cancelling

    /// Ends all waits of this coordinator, now and later, with `CocoaError.userCancelled`.
    ///
    /// Returns at once. May be called on any thread. An accessor that already runs is not affected
    /// (Rules 12.1 to 12.6).
    open func cancel() { core.cancel() }

    // MARK: Making things known inside an accessor

    /// Says that an item is going to be moved.
    ///
    /// It has no effect, and need not be called: it is for sandboxes, and Linux has none of Apple's
    /// (Rule 11.11).
    ///
    /// - Parameters:
    ///   - oldURL: where the item is.
    ///   - newURL: where it is going to be.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Announces that the accessor has moved an item, or a directory that contains it.
    ///
    /// Presenters of the item and of everything inside follow it, and so do claims that wait for it
    /// (Rules 11.1 to 11.4). Without effect outside of an accessor of this coordinator that writes
    /// (Rule 11.10). After a write with ``WritingOptions/forMoving`` the move of its item is also
    /// found without this call. Call it before the accessor returns.
    ///
    /// - Parameters:
    ///   - oldURL: where the item was.
    ///   - newURL: where it is now.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        core.announceMove(from: ItemName(oldURL), to: ItemName(newURL))
    }

    /// Announces that ubiquity attributes of an item have changed.
    ///
    /// Presenters of the item that observe them are told (Rule 10.4); other keys than those of
    /// ubiquity are left out (Rule 10.5).
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

    /// Registers a presenter with the coordination of all processes of this user.
    ///
    /// When it returns, every claim that is granted later, in any process, sees the presenter
    /// (Rule 5.4). The registration keeps the presenter alive until it is removed (Rule 5.9).
    /// Registering it again has no effect (Rule 5.2). Blocks the calling thread until the server
    /// has answered. If the presenter cannot be registered, the reason is written to standard
    /// error; a program that wants to handle it calls ``registerFilePresenter(_:label:)`` instead.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.add(filePresenter)
    }

    /// Ends a presenter's registration.
    ///
    /// No message reaches it after this returns, except one that is already running; a claim that
    /// waits for its answer stops waiting (Rule 5.7). Without effect if it is not registered.
    ///
    /// - Parameter filePresenter: the presenter.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        Session.remove(filePresenter)
    }

    /// This process's presenters, in the order in which they were registered (Rule 5.1).
    open class var filePresenters: [any NSFilePresenter] { Session.filePresenters }

    // MARK: Access, waiting on the calling thread

    /// Reads an item once no other claim writes it, and once its presenters have saved it.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: how it will be read.
    ///   - outError: set if access could not be had; left alone otherwise (Rule 9.6).
    ///   - reader: runs on the calling thread, with access, if access was had.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        if let known = options.arbiterOptions {
            switch core.coordinateLocally(url.absoluteString, .reading(known), { reader(url) }) {
            case .done: return
            case .filed(let access):
                return report(outError) { () throws(NSError) in
                    let items = ItemsOfCall(try CallItem(reading: url, options))
                    try core.complete(access, items) { reader($0[0]) }
                }
            case .unavailable: break
            }
        }
        perform(outError) { () throws(NSError) in
            [try CallItem(reading: url, options)]
        } accessor: {
            reader($0[0])
        }
    }

    /// Writes an item once no other claim reads or writes it, and its presenters have let go of it.
    ///
    /// - Parameters:
    ///   - url: the item; it need not exist (Rule 1.1).
    ///   - options: what will be done to it.
    ///   - outError: set if access could not be had; left alone otherwise (Rule 9.6).
    ///   - writer: runs on the calling thread, with access, if access was had.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        if let known = options.arbiterOptions {
            switch core.coordinateLocally(url.absoluteString, .writing(known), { writer(url) }) {
            case .done: return
            case .filed(let access):
                return report(outError) { () throws(NSError) in
                    let items = ItemsOfCall(try CallItem(writing: url, options))
                    try core.complete(access, items) { writer($0[0]) }
                }
            case .unavailable: break
            }
        }
        perform(outError) { () throws(NSError) in
            [try CallItem(writing: url, options)]
        } accessor: {
            writer($0[0])
        }
    }

    /// Reads one item and writes another, as one claim that is granted whole (Rule 2.13).
    ///
    /// If the second item has options, give those of the first, too (`options: []`): the compiler
    /// takes a single `options:` for the first item's, and complains of the order. So it does on
    /// Apple platforms, whose method has the same defaults.
    ///
    /// - Parameters:
    ///   - readingURL: the item to read.
    ///   - readingOptions: how it will be read.
    ///   - writingURL: the item to write.
    ///   - writingOptions: what will be done to it.
    ///   - outError: set if access could not be had; left alone otherwise (Rule 9.6).
    ///   - readerWriter: runs on the calling thread, with access to both, if access was had.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
    ) {
        perform(outError) { () throws(NSError) in
            [
                try CallItem(reading: readingURL, readingOptions),
                try CallItem(writing: writingURL, writingOptions),
            ]
        } accessor: {
            readerWriter($0[0], $0[1])
        }
    }

    /// Writes two items, as one claim that is granted whole (Rule 2.13).
    ///
    /// - Parameters:
    ///   - url1: the first item.
    ///   - options1: what will be done to it.
    ///   - url2: the second item.
    ///   - options2: what will be done to it.
    ///   - outError: set if access could not be had; left alone otherwise (Rule 9.6).
    ///   - writer: runs on the calling thread, with access to both, if access was had.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [],
        writingItemAt url2: URL, options options2: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        perform(outError) { () throws(NSError) in
            [
                try CallItem(writing: url1, options1),
                try CallItem(writing: url2, options2),
            ]
        } accessor: {
            writer($0[0], $0[1])
        }
    }

    // MARK: Access, without waiting

    /// Asks for access to items and returns at once; `accessor` runs on `queue`, exactly once.
    ///
    /// The claim is held until the accessor returns, also while it is queued behind other work
    /// (Rule 13.2). Use the intents' URLs inside (Rule 13.3).
    ///
    /// - Parameters:
    ///   - intents: what is wanted; granted all together (Rule 13.4).
    ///   - queue: where the accessor runs. If it has an `underlyingQueue`, keep that: on Linux an
    ///     operation queue does not.
    ///   - accessor: gets nil when access was had, else the reason why not.
    @preconcurrency open func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        core.perform(intents, on: queue, accessor)
    }

    // MARK: Many accesses

    /// Asks the presenters of many items at once what each access to them would ask one by one.
    ///
    /// A batch gives no access: make coordinated calls on this coordinator inside of it, on any
    /// thread, and call the completion handler when the last of them has returned (Rules 14.1 to
    /// 14.5). Give the top-level items; presenters of everything inside are asked, too.
    ///
    /// - Parameters:
    ///   - readingURLs: items that are going to be read.
    ///   - readingOptions: how; following links makes no sense here and is an error (Rule 14.6).
    ///   - writingURLs: items that are going to be written.
    ///   - writingOptions: what for; replacing makes no sense here and is an error (Rule 14.6).
    ///   - outError: set if a presenter refused or the call was cancelled; then nothing runs.
    ///   - batchAccessor: runs on the calling thread; gets the completion handler. The call returns
    ///     when it has returned and the handler was called, or let go of.
    @preconcurrency open func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        let batch = Batch(
            reading: readingURLs, readingOptions, writing: writingURLs, writingOptions)
        perform(outError, kind: .preparation) { () throws(NSError) in
            try batch.items()
        } accessor: { _ in
            batch.run(batchAccessor)
        }
    }

    // MARK: One access

    /// Waits for access and runs `accessor` on this thread (Rule 13.8).
    ///
    /// On failure the accessor does not run, and `outError` says why; on success `outError` is left
    /// as it was (Rule 9.6).
    private func perform(
        _ outError: NSErrorPointer, kind: ClaimKind = .access,
        items: () throws(NSError) -> [CallItem], accessor: ([URL]) -> Void
    ) {
        report(outError) { () throws(NSError) in
            try core.perform(ItemsOfCall(try items()), kind: kind, accessor)
        }
    }

    /// Stores the error that `body` throws.
    private func report(_ outError: NSErrorPointer, _ body: () throws(NSError) -> Void) {
        do throws(NSError) {
            try body()
        } catch {
            outError?.pointee = error
        }
    }
}
#endif
