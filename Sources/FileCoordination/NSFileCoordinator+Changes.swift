// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's API: the changes of an item as an asynchronous sequence (Rule 7.14), for programs
// that need to know about changes but need not be asked before an access.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
public import Foundation
import FoundationCompatibility

extension NSFileCoordinator {
    /// Returns the changes of an item from now on and, if it is a directory, of everything that it
    /// contains, whether or not the writer coordinates (Rule 7.14).
    ///
    /// ```swift
    /// for await change in try NSFileCoordinator.changes(at: folder) {
    ///     print(change.kind, change.url.path, change.isCoordinated)
    /// }
    /// ```
    ///
    /// The item need not exist, and it is followed when it is moved. The sequence is never asked to
    /// relinquish the item, so it delays no access of others. Watching ends when the sequence and
    /// its iterators are released. A task that is cancelled gets nil.
    ///
    /// Each change says: look at this URL again. After a change, at least one element is about the
    /// item or about everything; several changes may be one element, and a change may come twice. A
    /// coordinated change is told at once, and another one up to a tenth of a second later, or when
    /// a coordinated write beside it ends. Only coordinated changes come in their order. A move by
    /// a program that does not coordinate may be told as ``FileChange/Kind/removed`` and
    /// ``FileChange/Kind/appeared``.
    ///
    /// **Threads.** May be called on any thread. Blocks the calling thread until the item is
    /// watched, which can take a tenth of a second for a directory with very many items. Reading
    /// the changes blocks no thread.
    ///
    /// **Cost.** That of a registered presenter that is only told: see ``addFilePresenter(_:)``. Up
    /// to 1,024 unread changes are kept. When there is one more, a single
    /// ``FileChange/Kind/everything`` replaces all of them. So a slow reader takes bounded memory
    /// and learns that it has missed changes.
    ///
    /// - Parameter url: the item to watch.
    /// - Returns: the changes, in order.
    /// - Throws: the error that ``registerFilePresenter(_:label:)`` would throw for a presenter of
    ///   the item.
    public static func changes(at url: URL) throws -> FileChanges {
        let listener = ChangeListener(url)
        do throws(AccessFailure) {
            try Session.current().add(listener, label: "")
        } catch {
            throw error.thrown([(url, isWriting: false)])
        }
        return FileChanges(ChangeSubscription(listener))
    }
}

/// The changes of an item, in order; see ``NSFileCoordinator/changes(at:)``.
///
/// If there are several iterators, each change goes to only one of them.
///
/// ```swift
/// for await change in changes { show(change) }
/// ```
///
/// **Threads.** The sequence and its iterators may be used in any task. Waiting for a change blocks
/// no thread (Rule 18.11).
///
/// **Cost.** No message for each change that is read: the server sends changes as they happen.
public struct FileChanges: AsyncSequence, Sendable {
    private let subscription: ChangeSubscription

    fileprivate init(_ subscription: ChangeSubscription) { self.subscription = subscription }

    /// Reads the changes of an item.
    ///
    /// Iterators of one sequence share its changes. Each keeps the item watched until it is
    /// released.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// Waits for the next change; `for await` calls it.
        ///
        /// Returns at once if a change is there that was not read. Otherwise it suspends the task,
        /// until something changes or the task is cancelled. The sequence has no other end.
        ///
        /// - Returns: the change; nil if the task was cancelled.
        public mutating func next() async -> FileChange? { await subscription.listener.next() }
    }

    /// Returns an iterator, which shares the changes with other iterators of this sequence.
    ///
    /// Watching has begun before, with ``NSFileCoordinator/changes(at:)``: the first iterator also
    /// gets what has changed since then.
    ///
    /// - Returns: the iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}

/// Deregisters the presenter when the sequence and its iterators are released.
private final class ChangeSubscription: Sendable {
    let listener: ChangeListener

    init(_ listener: ChangeListener) { self.listener = listener }

    deinit { Session.removePresenter(listener.identity) }
}

/// A presenter that is asked for nothing, and stores changes until they are read.
private final class ChangeListener: Presenter {
    private struct State {
        var url: URL
        var buffer = ChangeBuffer()
        var readers: [(id: UInt64, continuation: CheckedContinuation<FileChange?, Never>)] = []
        var lastReader: UInt64 = 0
        /// Readers whose tasks were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Lock<State>
    private let operations: OperationQueue

    init(_ url: URL) {
        state = Lock(State(url: url))
        operations = OperationQueue()
        operations.maxConcurrentOperationCount = 1
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }

    let methods: PresenterMethods = [
        .itemDidChange, .itemDidMove, .subitemDidAppear, .subitemDidChange, .subitemDidMove,
    ]

    var queue: any PresenterQueue { operations }

    var presentedItem: ItemName? { ItemName(state.withLock { $0.url }) }

    var observedAttributes: Set<String> { [] }

    let wantsAuthors = true

    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void) {
        block(nil)
    }

    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }

    // MARK: Notices

    func receive(_ notice: PresenterNotice) -> Bool {
        func keep(_ kind: FileChange.Kind, _ url: URL) {
            self.keep(
                FileChange(
                    kind: kind, url: url, isCoordinated: !notice.isPlain,
                    author: notice.author.map { FileChange.Author($0) }))
        }
        func isThere(_ place: ItemPath) -> Bool {
            // An item that cannot be examined counts as gone.
            (try? FileStatus(path: place.bytes, followLinks: false)) != nil
        }
        switch notice.withoutOrigin {
        case .itemDidChange:
            let url = state.withLock { $0.url }
            guard let path = url.pathBytes else { return false }
            // A path that cannot be examined counts as gone, too.
            let status = try? FileStatus(path: path, followLinks: false)
            let kind: FileChange.Kind =
                status.map { $0.kind == .directory ? .everything : .changed } ?? .removed
            keep(kind, url)
        case .itemDidMove(let place):
            let new = URL(place: place)
            let old = state.withLock { state in
                defer { state.url = new }
                return state.url
            }
            keep(.moved(from: old), new)
        case .subitemDidAppear(let place): keep(.appeared, URL(place: place))
        case .subitemDidChange(let place):
            keep(isThere(place) ? .changed : .removed, URL(place: place))
        case .subitemDidMove(let old, let new):
            keep(.moved(from: URL(place: old)), URL(place: new))
        case .itemDidChangeUbiquityAttributes, .itemVersion, .subitemVersion, .plain, .by:
            return false
        }
        return true
    }

    private func keep(_ change: FileChange) {
        let reader = state.withLock { state -> CheckedContinuation<FileChange?, Never>? in
            if state.readers.isEmpty {
                state.buffer.add(change, of: state.url)
                return nil
            }
            return state.readers.removeFirst().continuation
        }
        reader?.resume(returning: change)
    }

    // MARK: Reading

    func next() async -> FileChange? {
        let id = state.withLock { state in
            state.lastReader += 1
            return state.lastReader
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: FileChange?? = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return .some(nil) }
                    if let change = state.buffer.take() { return change }
                    state.readers.append((id, continuation))
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = state.withLock { state -> CheckedContinuation<FileChange?, Never>? in
                guard let index = state.readers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.readers.remove(at: index).continuation
            }
            reader?.resume(returning: nil)
        }
    }
}

/// A bounded number of unread changes.
struct ChangeBuffer {
    /// The most changes that are stored individually.
    static let limit = 1024

    private var changes: [FileChange] = []

    /// Adds a change.
    ///
    /// Beyond the limit, one change about the item at `url` replaces all of them.
    mutating func add(_ change: FileChange, of url: URL) {
        if changes.count == 1, changes[0].kind == .everything, changes[0].url == url {
            changes[0].isCoordinated = changes[0].isCoordinated && change.isCoordinated
            if changes[0].author != change.author { changes[0].author = nil }
        } else if changes.count < Self.limit {
            changes.append(change)
        } else {
            changes = [FileChange(kind: .everything, url: url, isCoordinated: false)]
        }
    }

    /// Removes and returns the oldest change.
    mutating func take() -> FileChange? { changes.isEmpty ? nil : changes.removeFirst() }
}
#endif
