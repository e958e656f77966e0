// SPDX-License-Identifier: Apache-2.0
//
// The watcher: a thread that runs the reconciler. It is a thread of its own so that a slow file
// system cannot block the server (`WatchLoop` has its turn). A turn is bounded, so that a program
// that writes 100,000 files cannot delay commands: the rest stays in the kernel's queue, and if
// that overflows, everything is looked at again.

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

    /// The queue of messages to presenters.
    public let mailbox: WatchMailbox
    private let commands: WatchCommands

    /// Starts the thread.
    ///
    /// - Throws: for example ``ErrorNumber/tooManyOpenFiles``, also if the user has too many
    ///   inotify instances.
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

    /// Asks for all changes up to now.
    ///
    /// When ``WatchMailbox/takeAll()`` returns the number of this question as answered, its
    /// messages up to then have told them.
    ///
    /// - Returns: the number of the question.
    public func ask() -> UInt64 { commands.ask() }

    /// Drops what is in the kernel's queue, as if it had overflowed; for tests.
    public func forceOverflow() { commands.add(.overflowed) }

    /// When the thread began its present turn; nil while it waits for something new.
    ///
    /// A turn takes long if a file system does not answer.
    public var turnBegan: Instant? { commands.turnBegan }

    /// Why changes are polled, by presenter, as of the last turn.
    public var troubles: [UInt64: WatchTrouble] { commands.troubles }
}

/// The queue of commands to the watcher's thread, and the thread's status.
final class WatchCommands: Sendable {
    private struct State {
        var inputs: [WatchInput] = []
        /// The number of questions asked so far.
        var questions: UInt64 = 0
        var isStopping = false
        var turnBegan: Instant?
        var troubles: [UInt64: WatchTrouble] = [:]
    }

    private let state = Lock(State())
    let wakeUp: WakeUp

    init() throws(SystemError) { wakeUp = try WakeUp() }

    func add(_ input: WatchInput) {
        state.withLock { $0.inputs.append(input) }
        wakeUp.signal()
    }

    /// Adds a question, and returns its number.
    func ask() -> UInt64 {
        let number = state.withLock { state in
            state.questions += 1
            state.inputs.append(.asked(state.questions))
            return state.questions
        }
        wakeUp.signal()
        return number
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        wakeUp.signal()
    }

    /// Removes and returns all commands; nil if the thread is to end.
    func take() -> [WatchInput]? {
        wakeUp.drain()
        return state.withLock { state in
            guard !state.isStopping else { return nil }
            defer { state.inputs = [] }
            return state.inputs
        }
    }

    /// When the thread began its present turn; nil while it waits for something new.
    var turnBegan: Instant? { state.withLock { $0.turnBegan } }
    var troubles: [UInt64: WatchTrouble] { state.withLock { $0.troubles } }

    func beginTurn(at now: Instant) { state.withLock { $0.turnBegan = now } }
    func endTurn() { state.withLock { $0.turnBegan = nil } }
    func report(_ troubles: [UInt64: WatchTrouble]) { state.withLock { $0.troubles = troubles } }
}
