// SPDX-License-Identifier: Apache-2.0
//
// The watcher: a thread of its own around the reconciler, so that no call to a user's file system
// can hold up the server. A turn reads the kernel's queue, carries out orders, takes in the
// commands that came meanwhile, and ends with the messages. A turn has bounds, so that a program
// that writes 100,000 files cannot keep commands waiting: what is not read stays in the kernel's
// queue, and if that overflows, everything is looked at anew.

public import FileCoordinationArbiter
public import FileCoordinationSystem

/// Watches presented items, and tells what plain programs do to them.
///
/// May be used from any thread. Its thread ends when the last reference is gone, or with
/// ``stop()``.
public final class Watcher: Sendable {
    /// What the watcher may use.
    public struct Configuration: Sendable {
        /// Times and bounds.
        public var limits = WatchLimits()
        /// Changes that wait for each presenter in the mailbox before they become one message.
        public var waitingChanges = 8192
        /// The most watches that are made; the kernel may allow fewer.
        public var watchLimit = Int.max
        /// A directory of our own in which the watcher's test events are made; nil for none.
        public var testDirectory: [UInt8]?

        /// The usual one.
        public init() {}
    }

    /// Where the messages are.
    public let mailbox: WatchMailbox
    private let commands: WatchCommands

    /// Starts the thread.
    ///
    /// - Throws: ``ErrorNumber/tooManyOpenFiles`` also if the user has too many inotify instances.
    public init(_ configuration: Configuration = Configuration()) throws(SystemError) {
        mailbox = try WatchMailbox(changesPerPresenter: configuration.waitingChanges)
        commands = try WatchCommands()
        let loop = try WatchLoop(configuration, commands, mailbox)
        try DetachedThread.start(name: "watching") {
            var loop = loop
            loop.run()
        }
    }

    deinit { stop() }

    /// Ends the thread, after the turn that it is in.
    public func stop() { commands.stop() }

    /// Begins to watch an item.
    ///
    /// `.listening` comes when changes from then on are told.
    ///
    /// - Parameters:
    /// - id: the presenter's number, which is in its messages; not in use.
    /// - path: the item, which need not exist.
    /// - kind: what it is presented as.
    /// - since: what the presenter knows of its item: it is told if that has changed since.
    /// - changedAfter: a real time, in nanoseconds: it is told if anything was changed later.
    public func present(
        _ id: UInt64, _ path: ItemPath, _ kind: PresentedKind, since: FileSight? = nil,
        changedAfter: Int64? = nil
    ) {
        commands.add(.presented(id, path, kind, since: since, changedAfter: changedAfter))
    }

    /// Ends watching for a presenter.
    ///
    /// Messages may still be in the mailbox.
    public func unpresent(_ id: UInt64) { commands.add(.unpresented(id)) }

    /// Returns where a presenter's item is after a move that a coordinated writer announced.
    public func move(_ id: UInt64, to path: ItemPath) { commands.add(.relocated(id, path)) }

    /// A coordinated write begins.
    ///
    /// Call it before the writer is granted access.
    public func coordinatedWriteBegan(_ claim: UInt64, at paths: [ItemPath]) {
        // It explains what will be seen, and is taken in before presenters are told of that.
        commands.add(.claimBegan(claim, paths), .never)
    }

    /// A coordinated write was found that began before: presenters may have been told of a part.
    public func coordinatedWriteFound(_ claim: UInt64, at paths: [ItemPath]) {
        commands.add(.claimFound(claim, paths), .never)
    }

    /// A coordinated write is over.
    ///
    /// Call it when the accessor has returned, or its process has died: then without changes.
    public func coordinatedWriteEnded(_ claim: UInt64, _ changes: [ClaimedChange]) {
        commands.add(.claimEnded(claim, changes), .ifAwaited)
    }

    /// How many commands it was given.
    ///
    /// A message with ``WatchNews/commandsSeen`` of at least that was made with all of them known.
    public var commandCount: UInt64 { commands.count }

    /// Drops what is in the kernel's queue, as if it had overflowed; for tests.
    public func forceOverflow() { commands.add(.overflowed) }

    /// Why presenters' changes are polled, by presenter; as of the last turn.
    public var troubles: [UInt64: WatchTrouble] { commands.troubles }
}

/// Facts on their way to the watcher's thread, and what it says of itself.
final class WatchCommands: Sendable {
    /// When a fact wakes the thread.
    enum Waking {
        case always
        /// If the thread keeps something back until a claim has ended.
        case ifAwaited
        case never
    }

    /// So many facts wake the thread in any case.
    private static let most = 1024

    private struct State {
        var inputs: [WatchInput] = []
        /// Whether the end of a claim is waited for.
        var awaitsClaims = false
        /// How many were added, in all.
        var count: UInt64 = 0
        var isStopping = false
        var troubles: [UInt64: WatchTrouble] = [:]
    }

    private let state = Lock(State())
    let wakeUp: WakeUp

    init() throws(SystemError) { wakeUp = try WakeUp() }

    func add(_ input: WatchInput, _ waking: Waking = .always) {
        let wakes = state.withLock { state in
            state.inputs.append(input)
            state.count += 1
            return switch waking {
            case .always: true
            case .ifAwaited: state.awaitsClaims || state.inputs.count >= Self.most
            case .never: false
            }
        }
        if wakes { wakeUp.signal() }
    }

    /// Whether the thread may wait, and not only look whether there is something new.
    ///
    /// - Parameter awaitsClaims: whether it keeps something back until a claim has ended; only then
    ///   is it woken by such an end.
    func mayWait(awaitsClaims: Bool) -> Bool {
        state.withLock { state in
            state.awaitsClaims = awaitsClaims
            return !awaitsClaims || state.inputs.isEmpty
        }
    }

    var count: UInt64 { state.withLock { $0.count } }

    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    /// Takes all facts, and how many there were in all; nil if the thread is to end.
    func take() -> (inputs: [WatchInput], count: UInt64)? {
        wakeUp.drain()
        return state.withLock { state in
            guard !state.isStopping else { return nil }
            defer { state.inputs = [] }
            return (state.inputs, state.count)
        }
    }

    var troubles: [UInt64: WatchTrouble] { state.withLock { $0.troubles } }

    func report(_ troubles: [UInt64: WatchTrouble]) {
        state.withLock { $0.troubles = troubles }
    }
}
