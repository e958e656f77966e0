// SPDX-License-Identifier: Apache-2.0
//
// Beyond Apple's: changes as a stream (Rule 7.14), for those who want to know what became of an
// item and need not be asked for it.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
public import Foundation

/// A change of an item, or of something inside it.
public struct FileChange: Hashable, Sendable {
    /// What happened.
    public enum Kind: Hashable, Sendable {
        /// The item is there, and was not.
        case appeared
        /// Its contents or its attributes are others.
        case changed
        /// Nothing is there any more.
        case removed
        /// It is at ``FileChange/url``, and was there.
        case moved(from: URL)
        /// Anything may have changed, in the item and in all that it contains: look again.
        ///
        /// Comes when changes were lost, also because they were not read in time.
        case everything
    }

    /// What happened.
    public var kind: Kind
    /// The item that changed, where it is now, or was last.
    public var url: URL
    /// Whether a coordinated writer did it; false for what plain programs did, and for what cannot
    /// be told.
    public var isCoordinated: Bool
}

extension NSFileCoordinator {
    /// The changes of an item from now on and, of a directory, of all that it contains, by
    /// coordinated writers and by programs that do not coordinate (Rule 7.14).
    ///
    /// ```swift
    /// for await change in try NSFileCoordinator.changes(at: folder) {
    ///     print(change.kind, change.url.path, change.isCoordinated)
    /// }
    /// ```
    ///
    /// The item may be missing; it is followed when it is moved. Nothing is asked of the stream,
    /// so it delays no access. It ends with the task that reads it, or when it is let go.
    ///
    /// **Back-pressure.** What was not read is kept, up to 1,024 changes. When there is one more,
    /// all of them give way to a single ``FileChange/Kind/everything``, so a reader that is slow
    /// costs bounded memory and learns that it has missed something.
    ///
    /// The call blocks until the item is watched; it may take a tenth of a second for a directory
    /// that contains very much.
    ///
    /// - Throws: what keeps the item from being presented, as
    ///   ``registerFilePresenter(_:label:)``.
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

/// The changes of an item, in their order; see ``NSFileCoordinator/changes(at:)``.
///
/// Several iterators share the changes: each goes to one of them.
public struct FileChanges: AsyncSequence, Sendable {
    private let subscription: ChangeSubscription

    fileprivate init(_ subscription: ChangeSubscription) { self.subscription = subscription }

    /// Reads the changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription

        /// The next change; nil when the task is cancelled.
        public mutating func next() async -> FileChange? { await subscription.listener.next() }
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }
}

/// Ends the presenter when the stream is let go.
private final class ChangeSubscription: Sendable {
    let listener: ChangeListener

    init(_ listener: ChangeListener) { self.listener = listener }

    deinit { Session.removePresenter(listener.identity) }
}

/// A presenter that is asked for nothing, and keeps what it is told until it is read.
private final class ChangeListener: Presenter {
    private struct State {
        var url: URL
        var buffer = ChangeBuffer()
        var readers: [(id: UInt64, continuation: CheckedContinuation<FileChange?, Never>)] = []
        var lastReader: UInt64 = 0
        /// Readers that were cancelled before they waited.
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

    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void) {
        block(nil)
    }

    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }

    // MARK: Hearing

    func receive(_ notice: PresenterNotice) -> Bool {
        let isCoordinated = !notice.isPlain
        func isThere(_ place: ItemPath) -> Bool {
            // What cannot be looked at cannot be told from what is gone.
            (try? FileStatus(path: place.bytes, followLinks: false)) != nil
        }
        switch notice.withoutOrigin {
        case .itemDidChange:
            let url = state.withLock { $0.url }
            guard let path = url.pathBytes else { return false }
            // As above.
            let status = try? FileStatus(path: path, followLinks: false)
            let kind: FileChange.Kind =
                status.map { $0.kind == .directory ? .everything : .changed } ?? .removed
            keep(kind, url, isCoordinated)
        case .itemDidMove(let place):
            let new = URL(place: place)
            let old = state.withLock { state in
                defer { state.url = new }
                return state.url
            }
            keep(.moved(from: old), new, isCoordinated)
        case .subitemDidAppear(let place): keep(.appeared, URL(place: place), isCoordinated)
        case .subitemDidChange(let place):
            keep(isThere(place) ? .changed : .removed, URL(place: place), isCoordinated)
        case .subitemDidMove(let old, let new):
            keep(.moved(from: URL(place: old)), URL(place: new), isCoordinated)
        case .itemDidChangeUbiquityAttributes, .itemVersion, .subitemVersion, .plain: return false
        }
        return true
    }

    private func keep(_ kind: FileChange.Kind, _ url: URL, _ isCoordinated: Bool) {
        let change = FileChange(kind: kind, url: url, isCoordinated: isCoordinated)
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

/// Changes that were not read yet: a bounded number.
struct ChangeBuffer {
    /// The most that are kept one by one.
    static let limit = 1024

    private var changes: [FileChange] = []
    private var head = 0

    /// Keeps one; beyond the limit a single one that stands for all, about the item at `url`.
    mutating func add(_ change: FileChange, of url: URL) {
        if changes.count - head == 1, changes[head].kind == .everything, changes[head].url == url {
            changes[head].isCoordinated = changes[head].isCoordinated && change.isCoordinated
            return
        }
        guard changes.count - head < Self.limit else {
            (changes, head) = ([], 0)
            changes = [FileChange(kind: .everything, url: url, isCoordinated: false)]
            return
        }
        changes.append(change)
    }

    /// Takes out the oldest.
    mutating func take() -> FileChange? {
        guard head < changes.count else { return nil }
        defer {
            head += 1
            if head == changes.count { (changes, head) = ([], 0) }
        }
        return changes[head]
    }
}
#endif
