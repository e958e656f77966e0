// SPDX-License-Identifier: Apache-2.0
//
// The reconciler: a value that mirrors the presented part of the file system and finds out at which
// items presenters must look again. The kernel's events only say which names to look at. If what is
// found there differs from what was last seen, whoever presents the item or a directory above is
// told after that. So events that are lost, doubled or out of order make the tree wrong only until
// the next check. It does not know who made a change; the server decides that.
//
// It has no clock and makes no system calls, which makes it easy to test: the caller passes in
// facts with their time, takes orders and carries them out. In the server, the caller is the
// watcher's thread.

public import MonotonicTime

/// Intervals and bounds.
public struct WatchLimits: Hashable, Sendable {
    /// The shortest time between two messages of changes.
    ///
    /// The first message after a pause is sent at the end of its turn.
    public var pause: Duration = .milliseconds(50)
    /// How long the watcher's thread leaves notifications in the kernel's queue after it has begun
    /// a turn, unless it is given a command.
    ///
    /// A program that writes all the time would wake it for each write. It is at most ``pause``.
    public var turn: Duration = .milliseconds(1)
    /// How long the reconciler waits for the second event of a move, and for another item to take
    /// the path of a presented one.
    public var settling: Duration = .milliseconds(50)
    /// How long the former path of a moved item matters in case the item is deleted at its new
    /// path.
    ///
    /// Some editors save so: they rename the old version and delete it in the end.
    public var returning: Duration = .seconds(10)
    /// The greatest number of changes in one message.
    ///
    /// If there are more, the message says that the whole item may have changed.
    public var changesPerMessage = 1024
    /// The greatest number of orders in one turn: to look at a name, list a directory, or add or
    /// remove a watch.
    public var checksPerTurn = 1024
    /// The interval of polling for what the kernel does not report.
    public var polling: Duration = .seconds(2)
    /// How many directories and items are polled at once.
    ///
    /// If there are more, they take turns.
    public var polledAtOnce = 1024
    /// The interval of checks of the ancestors of presented items even without events, because a
    /// mount over them causes none.
    public var barrier: Duration = .seconds(30)
    /// How long messages wait for the checks that lost events make necessary.
    public var rescanning: Duration = .seconds(1)

    /// Makes the default limits.
    public init() {}
}

/// The mirror of the presented part of the file system.
public struct WatchReconciler: Sendable {
    var nodes: WatchNodeTable
    let limits: WatchLimits
    var presenters = PresenterIndex()
    /// The kernel's number of a watch → its nodes.
    ///
    /// There are several for bind mounts and hard links.
    var watches: [Int32: [WatchNodeID]] = [:]
    /// Device and inode number → the nodes at which they were found.
    var holders: [InodeKey: [WatchNodeID]] = [:]
    var queue = CheckQueue()
    /// The nodes that have something to tell.
    var changed: [WatchNodeID] = []
    /// The nodes whose items are missing.
    var missing: [WatchNodeID] = []
    var hints = MoveHints()
    var pace = Pace()
    var polled = PolledNodes()
    var questions = WatchQuestions()
    /// The messages to send at the end of the turn.
    var news: [WatchNews] = []

    /// Makes an empty mirror.
    ///
    /// `root` is the result of looking at `/`.
    public init(root: ObservedFile, limits: WatchLimits = WatchLimits()) {
        self.limits = limits
        nodes = WatchNodeTable(root: root)
        hold(nodes.root, as: root.identity)
    }

    /// Handles a fact.
    public mutating func handle(_ input: WatchInput, at now: Instant) {
        pace.now = max(pace.now, now)
        switch input {
        case .presented(let id, let path, let kind, let since, let missed):
            present(id, path, kind, since: since, missed: missed)
        case .unpresented(let id): unpresent(id)
        case .relocated(let id, let path): relocate(id, to: path)
        case .notified(let event): notify(event)
        case .overflowed: overflow()
        case .drained:
            questions.drained()
            pace.drainedAt = pace.now
        case .behind: pace.isBehind = true
        case .checked(let node, let found, let isRecent, let goneBy):
            checked(node, found, isRecent: isRecent, goneBy: goneBy)
        case .listed(let node, let found): listed(node, found)
        case .watched(let node, let outcome, let mode): watched(node, outcome, as: mode)
        case .eventsArrive(let arrive): eventsArrive(arrive)
        case .asked(let number): questions.add(number)
        }
    }

    /// Returns the next orders to carry out, at most ``WatchLimits/checksPerTurn``.
    ///
    /// Carry them out in this order, and pass the results to ``handle(_:at:)``.
    public mutating func takeOrders() -> [WatchOrder] {
        handOutLooks()
        return queue.takeOrders(limits.checksPerTurn)
    }

    /// Whether there are orders to take.
    public var hasOrders: Bool { !queue.orders.isEmpty || !queue.isEmpty }

    /// Whether all orders were taken and answered.
    var isQuiet: Bool { !hasOrders && queue.unanswered == 0 }

    /// Whether an item is missing at its name, or it is undecided where a presenter's item is.
    ///
    /// Only then ``WatchInput/behind`` matters.
    public var awaitsMoves: Bool { !missing.isEmpty || !presenters.unsettled.isEmpty }

    /// The number of the last question (``WatchInput/asked(_:)``) that was answered.
    public var lastAnswered: UInt64 { questions.answered }

    /// The number of the kernel's watches that are in use.
    public var watchCount: Int { watches.count { !$0.value.isEmpty } }

    /// The number of nodes, to which the memory use is proportional.
    public var nodeCount: Int { nodes.count }
}

/// Device and inode number as the key of a table.
struct InodeKey: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ identity: FileIdentity) {
        device = identity.device
        inode = identity.inode
    }
}

/// The orders that were not taken yet, and the names to look at.
struct CheckQueue {
    var orders: [WatchOrder] = []
    /// The number of checks and lists that were handed out and not answered.
    var unanswered = 0
    private var names: [WatchNodeID] = []
    private var next = 0

    var isEmpty: Bool { next == names.count }

    mutating func append(_ node: WatchNodeID) { names.append(node) }

    /// Removes and returns the first orders.
    mutating func takeOrders(_ most: Int) -> [WatchOrder] {
        let taken = Array(orders.prefix(most))
        orders.removeFirst(taken.count)
        return taken
    }

    mutating func popFirst() -> WatchNodeID? {
        guard next < names.count else { return nil }
        defer {
            next += 1
            if next == names.count {
                names.removeAll(keepingCapacity: names.count < 65536)
                next = 0
            }
        }
        return names[next]
    }
}

/// The server's questions that are not answered yet.
struct WatchQuestions {
    private var open: [(number: UInt64, isDrained: Bool)] = []
    /// When all that the kernel's queue had held was looked at; nil if that is still to come.
    private(set) var readAt: Instant?
    /// The number of the last question that was answered.
    private(set) var answered: UInt64 = 0

    var isEmpty: Bool { open.isEmpty }
    /// Whether the kernel's queue has been empty since the first question.
    var isDrained: Bool { open.first?.isDrained == true }

    mutating func add(_ number: UInt64) { open.append((number, false)) }

    mutating func drained() {
        for index in open.indices { open[index].isDrained = true }
    }

    /// Records that everything that was read has been looked at.
    mutating func wasRead(at now: Instant) {
        if isDrained { readAt = readAt ?? now }
    }

    mutating func answerDrained() {
        while let first = open.first, first.isDrained {
            answered = max(answered, first.number)
            open.removeFirst()
        }
        readAt = nil
    }
}

/// The times at which the reconciler does something.
struct Pace {
    var now = Instant.distantPast
    /// The time of the last message.
    var lastTold: Instant?
    /// The time until which messages wait for the checks that lost events made necessary.
    var rescanUntil: Instant?
    var nextBarrier: Instant?
    /// The number of nodes whose content existed before their presenter was added and has not been
    /// checked yet.
    var baselines = 0
    /// Whether the kernel's queue is not empty at the end of this turn.
    var isBehind = false
    /// When the kernel's queue was empty last.
    var drainedAt = Instant.distantPast
    /// Everything that was done until then has been told.
    var toldUntil = Instant.distantPast
    /// When to find out that the kernel's queue is empty, because presenters look since a message.
    var refreshAt: Instant?
}
