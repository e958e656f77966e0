// SPDX-License-Identifier: Apache-2.0
//
// The watcher: a thread that runs the reconciler. It is a thread of its own so that a slow file
// system cannot block the server. In each turn, the thread reads the kernel's queue, carries out
// orders, handles the commands that came meanwhile, and sends messages. A turn is bounded, so that
// a program that writes 100,000 files cannot delay commands: the rest stays in the kernel's queue,
// and if that overflows, everything is looked at again.

public import FileCoordinationArbiter
public import FileCoordinationSystem

/// Watches presented items, and reports what programs that do not coordinate do to them.
///
/// It may be used from any thread. Its thread ends after ``stop()``, or when the last reference is
/// released.
public final class Watcher: Sendable {
    /// The settings of a watcher.
    public struct Configuration: Sendable {
        /// Intervals and bounds.
        public var limits = WatchLimits()
        /// The greatest number of queued changes per presenter.
        ///
        /// If there are more, one message replaces them.
        public var waitingChanges = 8192
        /// The greatest number of watches.
        ///
        /// The kernel may allow fewer.
        public var watchLimit = Int.max
        /// A directory in whose file system the watcher creates a file without a name, to test
        /// whether notifications arrive; nil for no such test.
        public var testDirectory: Descriptor?
        /// Whether that file is left unchanged, as if the kernel reported nothing; for tests.
        package var isTestMute = false

        /// Makes the default settings.
        public init() {}
    }

    /// How many of the latest states in which coordinated writes have found an item are remembered,
    /// to tell whose a change is that the thread has seen in between.
    public static let statesOfWrites = 8

    /// The queue of messages to presenters.
    public let mailbox: WatchMailbox
    private let commands: WatchCommands
    private let notices: ReadinessCheck

    /// Starts the thread.
    ///
    /// - Throws: for example ``ErrorNumber/tooManyOpenFiles``, also if the user has too many
    ///   inotify instances.
    public init(_ configuration: Configuration = Configuration()) throws(SystemError) {
        mailbox = try WatchMailbox(changesPerPresenter: configuration.waitingChanges)
        commands = try WatchCommands()
        let loop = try WatchLoop(configuration, commands, mailbox)
        notices = ReadinessCheck(of: loop.notices)
        try DetachedThread.start(name: "watching") {
            var loop = loop
            loop.run()
        }
    }

    deinit { stop() }

    /// Ends the thread after its present turn.
    public func stop() { commands.stop() }

    /// Begins to watch an item.
    ///
    /// The presenter gets `.listening` when changes from then on are reported.
    ///
    /// - Parameters:
    ///   - id: the number of the presenter in messages. It must not be in use.
    ///   - path: the item, which need not exist.
    ///   - kind: what it is presented as.
    ///   - since: what the presenter knows of its item. It is told if that has changed.
    ///   - missed: the changes before `.listening` that the presenter is told of.
    public func present(
        _ id: UInt64, _ path: ItemPath, _ kind: PresentedKind, since: ObservedFile? = nil,
        missed: MissedChanges? = nil
    ) {
        commands.add(.presented(id, path, kind, since: since, missed: missed))
    }

    /// Ends watching for a presenter.
    ///
    /// Messages for it may still be in the mailbox.
    public func unpresent(_ id: UInt64) { commands.add(.unpresented(id)) }

    /// Tells the watcher that a coordinated writer announced a move, and where the presenter's item
    /// is now.
    public func move(_ id: UInt64, to path: ItemPath) { commands.add(.relocated(id, path)) }

    /// Announces a coordinated write.
    ///
    /// Call it before the writer is granted access.
    public func coordinatedWriteBegan(_ claim: UInt64, at paths: [ItemPath]) {
        // The thread need not wake up: it handles this command before it tells presenters
        // anything.
        commands.add(.claimBegan(claim, paths), .never)
    }

    /// Announces a coordinated write that is already under way.
    ///
    /// Presenters may have been told of a part of it.
    public func coordinatedWriteFound(_ claim: UInt64, at paths: [ItemPath]) {
        commands.add(.claimFound(claim, paths), .never)
    }

    /// Announces that a coordinated writer moves items of its claim.
    public func coordinatedWriteExtended(_ claim: UInt64, by moves: [ItemMove]) {
        commands.add(.claimExtended(claim, moves), .never)
    }

    /// Announces the end of a coordinated write.
    ///
    /// Call it when the accessor has returned, or, without changes, when its process has died.
    public func coordinatedWriteEnded(_ claim: UInt64, _ changes: [ClaimedChange]) {
        commands.add(.claimEnded(claim, changes), .ifAwaited)
    }

    /// Whether all moves by plain programs that were complete by now are in messages that were
    /// taken out of the mailbox.
    ///
    /// Costs one short system call and two locks that are held briefly. If the result is false,
    /// call ``askForMoves(at:)``, because the last result of the watcher may be outdated.
    public var hasToldAllMoves: Bool {
        // The order matters. The kernel queues a notification before the rename returns. If the
        // notification is not in the queue any more, the thread has read it, and had marked itself
        // as busy before.
        !notices.isReadable && !commands.progress.isBusy && mailbox.isEmpty
    }

    /// Asks for all moves by plain programs that were complete by now.
    ///
    /// Presenters whose items came to one of the paths, inside or around it, are told at once.
    /// When ``WatchMailbox/takeAll()`` returns the number of this question as answered, its
    /// messages up to then have reported these moves.
    ///
    /// - Returns: the number of the question.
    public func askForMoves(at paths: [ItemPath]) -> UInt64 { commands.ask(paths) }

    /// The number of commands that the watcher was given so far.
    ///
    /// If ``WatchMessage/commandsSeen`` of a message is at least that, all of them were known when
    /// the message was made.
    public var commandCount: UInt64 { commands.count }

    /// Drops what is in the kernel's queue, as if it had overflowed; for tests.
    public func forceOverflow() { commands.add(.overflowed) }

    /// When the thread began its present turn; nil while it waits for something new.
    ///
    /// A turn takes long if a file system does not answer.
    public var turnBegan: UInt64? { commands.progress.turnBegan }

    /// Why changes are polled, by presenter, as of the last turn.
    public var troubles: [UInt64: WatchTrouble] { commands.troubles }
}

/// What the watcher's thread is doing.
final class WatchProgress: Sendable {
    private struct State {
        var isBusy = true
        var turnBegan: UInt64?
    }

    private let state = Lock(State())

    /// Called by the thread before it reads notifications.
    func begin(at now: UInt64) { state.withLock { $0 = State(isBusy: true, turnBegan: now) } }

    /// Called by the thread when everything that it has read was reported.
    func end() { state.withLock { $0.isBusy = false } }

    /// Called by the thread at the end of its turn.
    func rest() { state.withLock { $0.turnBegan = nil } }

    /// Whether the thread may have read of moves that it has not reported yet.
    var isBusy: Bool { state.withLock { $0.isBusy } }

    /// When its present turn began; nil while it waits for something new.
    var turnBegan: UInt64? { state.withLock { $0.turnBegan } }
}

/// The queue of commands to the watcher's thread, and the thread's status.
final class WatchCommands: Sendable {
    /// When a fact wakes the thread.
    enum Waking {
        case always
        /// If the thread holds back a message until a claim has ended.
        case ifAwaited
        case never
    }

    /// The number of queued facts at which the thread is woken in any case.
    private static let most = 1024

    private struct State {
        var inputs: [WatchInput] = []
        /// Whether the thread waits for the end of a claim.
        var awaitsClaims = false
        /// The number of commands added so far.
        var count: UInt64 = 0
        var isStopping = false
        var troubles: [UInt64: WatchTrouble] = [:]
    }

    private let state = Lock(State())
    let wakeUp: WakeUp
    let progress = WatchProgress()

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

    /// Adds a question, and returns its number.
    func ask(_ paths: [ItemPath]) -> UInt64 {
        let number = state.withLock { state in
            state.count += 1
            state.inputs.append(.asked(state.count, paths))
            return state.count
        }
        wakeUp.signal()
        return number
    }

    /// Whether the thread may wait, and not only check for something new.
    ///
    /// - Parameter awaitsClaims: whether it holds back a message until a claim has ended; only then
    ///   does such an end wake the thread.
    /// - Returns: false if it holds back a message, and commands have come meanwhile.
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

    /// Removes and returns all commands, and their total number so far; nil if the thread is to
    /// end.
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
