// SPDX-License-Identifier: Apache-2.0
//
// The reconciler: a value that mirrors what is presented. Notifications only say which names to
// look at; what a look finds is compared with the mirror, and what differs from what presenters
// were told is told, once per turn. So the order, the doubling and the loss of notifications cannot
// make the mirror wrong for longer than it takes to look. It has no clock and does no I/O: facts
// come in with their time, orders go out, and the caller carries them out.

/// Times and bounds; all times in nanoseconds.
public struct WatchLimits: Hashable, Sendable {
    /// A presenter gets at most one message of changes in this time.
    ///
    /// The first after a pause is sent at the end of its turn.
    public var pause: UInt64 = 50_000_000
    /// How long the second half of a move is waited for, and whether a presented item's name is
    /// taken again.
    public var settling: UInt64 = 50_000_000
    /// How long a presenter's former path counts as its item's, if the item is deleted at the new
    /// one: editors that rename the old version away and delete it at last.
    public var returning: UInt64 = 10_000_000_000
    /// A message with more changes is replaced by one that says that the whole item changed.
    public var changesPerMessage = 1024
    /// At most so many names are looked at in one turn.
    public var looksPerTurn = 1024
    /// How often what is not notified is looked at.
    public var polling: UInt64 = 2_000_000_000
    /// How many directories and items are polled at once; more take several intervals in turn.
    public var polledAtOnce = 1024
    /// How often the ways to what is presented are looked at although nothing was notified: mounts
    /// over them make no notification.
    public var barrier: UInt64 = 30_000_000_000
    /// How long messages wait for a rescan after lost notifications.
    public var rescanning: UInt64 = 1_000_000_000

    /// The usual ones.
    public init() {}
}

/// The mirror of what is presented.
public struct WatchReconciler: Sendable {
    var nodes: WatchNodeTable
    let limits: WatchLimits
    var presenters = PresenterBook()
    var claims = ClaimBook()
    /// The kernel's watch → the nodes that it leads to: several for bind mounts and hard links.
    var watches: [Int32: [WatchNodeID]] = [:]
    /// Device and inode → the nodes that have shown them.
    var holders: [InodeKey: [WatchNodeID]] = [:]
    /// Where presenters were told that an item is → the item, which is elsewhere by now.
    var displaced: [ToldSlot: WatchNodeID] = [:]
    var queue = LookQueue()
    /// The nodes that presenters may have to be told about.
    var changed: [WatchNodeID] = []
    /// The nodes whose second half of a move is waited for, and those kept because of a hint.
    var missing: [WatchNodeID] = []
    var hints = MoveHints()
    var pace = Pace()
    var polled = PolledNodes()
    /// What is to be said at the end of the turn.
    var news: [WatchNews] = []

    /// Makes a mirror of nothing; `root` is what `/` is.
    public init(root: FileSight, limits: WatchLimits = WatchLimits()) {
        self.limits = limits
        nodes = WatchNodeTable(root: root)
        hold(nodes.root, as: root.identity)
    }

    /// Takes a fact in.
    public mutating func handle(_ input: WatchInput, at now: UInt64) {
        pace.now = max(pace.now, now)
        switch input {
        case .presented(let id, let path, let kind, let since, let changedAfter):
            present(id, path, kind, since: since, changedAfter: changedAfter)
        case .unpresented(let id): unpresent(id)
        case .relocated(let id, let path): relocate(id, to: path)
        case .notified(let event): notify(event)
        case .overflowed: overflow()
        case .drained:
            claims.drained()
            pace.isUnsure = false
        case .looked(let node, let found): looked(node, found)
        case .listed(let node, let found): listed(node, found)
        case .watched(let node, let outcome): watched(node, outcome)
        case .hearing(let hears): hearing(hears)
        case .claimBegan(let claim, let paths): claims.began(claim, paths)
        case .claimFound(let claim, let paths): claims.began(claim, paths, isFound: true)
        case .claimEnded(let claim, let changes): claimEnded(claim, changes)
        }
    }

    /// Hands out what is to be done, at most ``WatchLimits/looksPerTurn`` looks at a time.
    ///
    /// Carry it out in this order, and hand in what came of it.
    public mutating func takeOrders() -> [WatchOrder] {
        handOutLooks()
        defer { queue.orders.removeAll(keepingCapacity: true) }
        return queue.orders
    }

    /// Whether there are orders to take.
    public var hasOrders: Bool { !queue.orders.isEmpty || !queue.isEmpty }

    /// Whether nothing is under way: all orders were taken and answered.
    var isQuiet: Bool { !hasOrders && queue.unanswered == 0 }

    /// The number of nodes: what the mirror's memory is in proportion to.
    public var nodeCount: Int { nodes.count }
}

/// Device and inode, as keys of a table.
struct InodeKey: Hashable {
    let device: UInt64
    let inode: UInt64

    init(_ identity: FileIdentity) {
        device = identity.device
        inode = identity.inode
    }
}

/// A name in a directory, as presenters were told.
struct ToldSlot: Hashable {
    let parent: WatchNodeID
    let name: [UInt8]

    init?(_ told: WatchNode.Told?) {
        guard let told, let parent = told.parent else { return nil }
        self.parent = parent
        name = told.name
    }

    init(parent: WatchNodeID, name: [UInt8]) {
        self.parent = parent
        self.name = name
    }
}

/// Orders that were not taken, and names to look at.
struct LookQueue {
    var orders: [WatchOrder] = []
    /// Looks and lists that were handed out and are not answered.
    var unanswered = 0
    private var names: [WatchNodeID] = []
    private var next = 0

    var isEmpty: Bool { next == names.count }
    var count: Int { names.count - next }

    mutating func append(_ node: WatchNodeID) { names.append(node) }

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

/// When what is to be done.
struct Pace {
    var now: UInt64 = 0
    /// When presenters were told something last.
    var lastTold: UInt64?
    /// Until when messages wait for the rescan that lost notifications made necessary.
    var rescanUntil: UInt64?
    var nextBarrier: UInt64?
    /// The number of nodes whose content was there before their presenter was, and is not known.
    var baselines = 0
    /// Something waits for what was told in the last turn.
    var isToBeContinued = false
    /// Since presenters were told to read everything, the kernel's queue has not been empty.
    var isUnsure = false
}
