// SPDX-License-Identifier: Apache-2.0
//
// A simulated world around the reconciler: plain and coordinated writers change the model file
// system, the kernel's notifications come late, split and sometimes not at all, orders are carried
// out later than they were given, and presenters replay their messages. Whenever nothing is
// pending, each presenter's view must equal the file system.

import FileCoordinationArbiter
import FileCoordinationWatching

/// What a run was, and what was wrong with it.
public struct WatchingOutcome: Sendable {
    /// Operations that changed something.
    public var operations = 0
    /// Messages to presenters.
    public var messages = 0
    /// Overflows of the kernel's queue.
    public var overflows = 0
    /// How often all views were compared with what is there.
    public var comparisons = 0
    /// Which messages and changes there were, for coverage.
    public var kinds: [String: Int] = [:]
    /// What was wrong; the run ends with the first.
    public var complaint: String?

    /// An empty one.
    public init() {}

    mutating func count(_ kind: String) { kinds[kind, default: 0] += 1 }
}

/// One world, made from one number.
public struct WatchingWorld {
    let seed: UInt64
    var dice: WatchingDice
    var files = ModelFileSystem()
    var reconciler: WatchReconciler
    var views: [UInt64: PresenterView] = [:]
    /// What the same presenters know that copy, and hear what the server tells.
    var copies: [UInt64: PresenterCopy] = [:]
    var evidence = Evidence()
    var orders: [WatchOrder] = []
    var claims: [RunningClaim] = []
    var now: UInt64 = 1_000_000
    var outcome = WatchingOutcome()
    var nextPresenter: UInt64 = 1
    var nextClaim: UInt64 = 1
    /// What presenters were told; a scripted world forgets it before each turn.
    var told: [WatchNews] = []
    var log: [String] = []
    let keepsLog: Bool
    /// Whether the server asks questions.
    ///
    /// They have dice of their own, so that worlds without them stay as they are.
    let asks: Bool
    /// Whether writers also write what they move.
    let writesMoved: Bool
    /// Whether all writers coordinate.
    let isCoordinated: Bool
    /// Whether they also make many accesses between two messages, while the watcher keeps up.
    let isBusy: Bool
    /// Whether the watcher learns late of some writes.
    let isLate: Bool
    var lateWrites: [LateWrite] = []
    /// The names of the items of all late writes so far.
    var lateNames: Set<String> = []
    var moveDice: WatchingDice
    var lateDice: WatchingDice
    var askDice: WatchingDice
    var nextQuestion: UInt64 = 0
    var isScripted = false

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - seed: the number that the world is made from.
    ///   - keepsLog: whether what happens is kept as text.
    ///   - asks: whether the server asks for moves in between.
    ///   - writesMoved: whether coordinated writers also write the items that they move; in worlds
    ///     in which all writers coordinate, whether movers may claim the former path alone.
    ///   - isCoordinated: whether all writers coordinate.
    ///   - isBusy: whether they also make many accesses between two messages, while the watcher
    ///     keeps up. Then it keeps for long what claims have reported.
    ///   - isLate: whether they coordinate and the watcher learns of some of their writes late.
    public init(
        seed: UInt64, keepsLog: Bool = false, asks: Bool = false, writesMoved: Bool = false,
        isCoordinated: Bool = false, isBusy: Bool = false, isLate: Bool = false
    ) {
        self.isCoordinated = isCoordinated || isBusy || isLate
        self.isBusy = isBusy
        self.isLate = isLate
        lateDice = WatchingDice(seed: seed &+ 0xBB67_AE85)
        self.seed = seed
        self.asks = asks
        self.writesMoved = writesMoved
        moveDice = WatchingDice(seed: seed &+ 0x6A09_E667)
        askDice = WatchingDice(seed: seed &+ 0x9E37_79B9)
        self.keepsLog = keepsLog
        dice = WatchingDice(seed: seed)
        reconciler = WatchReconciler(root: files[files.root].observed)
        for path in [["r"], ["r", "a"], ["r", "a", "b"], ["s"], ["out"]] {
            _ = files.create(path, directory: true)
        }
        for path in [["r", "f"], ["r", "a", "f"], ["s", "f"]] { _ = files.create(path) }
        if dice.one(in: 8) { files.kernel.watchLimit = 6 }
        if dice.one(in: 6) { files.kernel.room = 6 }
    }

    /// Runs until `operations` have changed something, or something is wrong.
    public mutating func run(operations: Int) -> WatchingOutcome {
        for _ in 0..<(1 + dice.below(4)) { addPresenter() }
        // While presenters are added, it is not known what they have read.
        if isCoordinated { compare() }
        while outcome.operations < operations, outcome.complaint == nil {
            if isBusy {
                for _ in 0..<(40 + dice.below(2000)) where outcome.complaint == nil { stepBusily() }
            } else {
                for _ in 0..<(20 + dice.below(60)) where outcome.complaint == nil { step() }
            }
            if outcome.complaint == nil { compare() }
        }
        if let complaint = outcome.complaint {
            outcome.complaint =
                "seed \(seed): \(complaint)" + log.map { "\n    \($0)" }.joined()
        }
        return outcome
    }

    private mutating func step() {
        if asks, askDice.one(in: 8) { ask() }
        switch dice.below(32) {
        case 0..<13 where isLate: coordinateLately()
        case 0..<13 where isCoordinated: coordinateAlone()
        case 0..<10: operate()
        case 10..<13: coordinate()
        case 13..<18: deliver(1 + dice.below(4))
        case 18..<24: carryOut(1 + dice.below(5))
        case 24..<28: endTurn()
        case 28: now += UInt64(dice.below(120)) * 1_000_000
        case 29: if dice.one(in: 6), !isCoordinated { addPresenter() }
        case 30: if dice.one(in: 8) { removePresenter() }
        default:
            if dice.one(in: 40), !isCoordinated {
                note("overflow")
                files.kernel.forceOverflow()
            }
        }
    }

    // MARK: Presenters

    private mutating func addPresenter() {
        guard views.count < 6 else { return }
        // No server moves presenters along, so only items are presented that no writer moves.
        let unmoved: [([String], PresentedKind)] = [(["r"], .directory), (["s"], .directory)]
        let places: [([String], PresentedKind)] = [
            (["r"], .directory), (["r", "a"], .directory), (["r", "a", "b"], .package),
            (["r", "f"], .file), (["r", "a", "f"], .file), (["s"], .directory),
            (["s", "f"], .file), (["r", "a", "b", "g"], .file), (["s", "a"], .directory),
        ]
        guard let (path, kind) = dice.one(of: isCoordinated ? unmoved : places) else { return }
        present(path, kind)
    }

    mutating func present(_ path: [String], _ kind: PresentedKind) {
        guard let item = ItemPath(texts: path) else { return }
        let id = nextPresenter
        nextPresenter += 1
        views[id] = PresenterView(item, kind)
        copies[id] = PresenterCopy(item, kind)
        note("present \(id) \(item) \(kind)")
        reconciler.handle(.presented(id, item, kind, since: nil), at: now)
    }

    private mutating func removePresenter() {
        guard let id = dice.one(of: views.keys.sorted()) else { return }
        unpresent(id)
    }

    mutating func unpresent(_ id: UInt64) {
        (views[id], copies[id]) = (nil, nil)
        note("unpresent \(id)")
        reconciler.handle(.unpresented(id), at: now)
    }

    // MARK: The kernel and the watcher

    mutating func deliver(_ count: Int) {
        for _ in 0..<count {
            guard let input = files.kernel.take() else { break }
            note("\(input)")
            if input == .overflowed { outcome.overflows += 1 }
            reconciler.handle(input, at: now)
        }
        if files.kernel.isDrained { reconciler.handle(.drained, at: now) }
    }

    mutating func carryOut(_ count: Int) {
        if orders.isEmpty { orders = reconciler.takeOrders() }
        for order in orders.prefix(count) {
            note("\(order)")
            execute(order)
        }
        orders.removeFirst(min(count, orders.count))
    }

    private mutating func execute(_ order: WatchOrder) {
        switch order {
        case .unwatch(let watch): files.kernel.unwatch(watch)
        case .watch(let node, let path, let expected, let mode):
            let outcome: WatchOutcome =
                expectedItem(path, expected).map { handle in
                    files.kernel.watch(handle, mode).map { .watching($0) } ?? .failed(.limit)
                } ?? .elsewhere
            reconciler.handle(.watched(node, outcome, mode), at: now)
        case .list(let node, let path, let expected):
            let found: Found<[[UInt8]]> =
                expectedItem(path, expected).map { handle in
                    .seen(files[handle].names.keys.sorted().map { Array($0.utf8) })
                } ?? .elsewhere
            reconciler.handle(.listed(node, found), at: now)
        case .check(let node, let name, let path, let expected):
            let found: Found<ObservedFile?> =
                expectedItem(path, expected).map { handle in
                    let child = files[handle].names[String(decoding: name, as: UTF8.self)]
                    return .seen(child.map { files[$0].observed })
                } ?? .elsewhere
            reconciler.handle(.checked(node, found), at: now)
        }
    }

    private func expectedItem(_ path: ItemPath, _ expected: FileIdentity) -> UInt64? {
        guard let handle = files.find(path.texts),
            files[handle].observed.identity.isSame(as: expected)
        else { return nil }
        return handle
    }

    mutating func endTurn() {
        if !isScripted, !files.kernel.isDrained { reconciler.handle(.behind, at: now) }
        for news in reconciler.endTurn(at: now) {
            if isScripted { told.append(news) }
            outcome.messages += 1
            note("\(news)")
            guard var view = views[news.presenter] else {
                outcome.complaint = "a message to presenter \(news.presenter), which is not there"
                return
            }
            let heard = withoutLate(news)
            // A script says itself who did what.
            if isCoordinated {
                checkIsCoordinated(heard, view)
            } else if !isScripted {
                check(news, view)
            }
            let reader = reader
            view.take(news.body, read: reader)
            views[news.presenter] = view
            copies[news.presenter]?.hear(heard.body, reader)
        }
    }

    /// Reads what is at a path and below it now.
    var reader: PresenterCopy.Reader {
        let files = files
        return { path in
            files.tree(at: path.texts).compactMap { names, handle in
                ItemPath(texts: names).map { ($0, files[handle].observed) }
            }
        }
    }

    // MARK: Checking

    /// Lets everything come to rest, and compares.
    mutating func compare() {
        while let claim = claims.first { finish(claim.number) }
        settleLate([[]])
        var rounds = 0
        // The rounds since the watcher last did something. A message may still wait for the pause
        // after another one, so a kernel and a watcher that are idle are not at rest yet.
        var idle = 0
        repeat {
            rounds += 1
            let isBusy =
                !files.kernel.isDrained || !orders.isEmpty || reconciler.hasOrders
            let messages = outcome.messages
            deliver(64)
            carryOut(64)
            endTurn()
            now += 10_000_000
            idle = isBusy || outcome.messages > messages ? 0 : idle + 1
            if outcome.complaint != nil { return }
            if rounds > 3000 {
                outcome.complaint = "no rest after \(rounds) rounds"
                return
            }
        } while idle < 12 || rounds < 30
        if files.kernel.watchLimit < .max {
            // What is polled is found a poll later.
            for _ in 0..<3 {
                now += 2_100_000_000
                for _ in 0..<20 {
                    endTurn()
                    deliver(64)
                    carryOut(256)
                    now += 10_000_000
                }
            }
        }
        // The last turn may have ended watches, for example of a path that no longer matters.
        for _ in 0..<3000 where !orders.isEmpty || reconciler.hasOrders {
            carryOut(64)
            deliver(64)
        }
        guard orders.isEmpty, !reconciler.hasOrders else {
            outcome.complaint = "orders without end"
            return
        }
        outcome.comparisons += 1
        guard files.kernel.watchCount == reconciler.watchCount else {
            outcome.complaint =
                "the kernel has \(files.kernel.watchCount) watches, and \(reconciler.watchCount) "
                + "are known"
            return
        }
        for (id, view) in views.sorted(by: { $0.key < $1.key }) where outcome.complaint == nil {
            guard view.isListening else {
                outcome.complaint = "presenter \(id) was never told that it is listening"
                return
            }
            outcome.complaint = difference("presenter \(id)", view.path, view.kind, view.items)
        }
        let reader = reader
        for id in copies.keys.sorted() where outcome.complaint == nil {
            copies[id]?.lookAgain(reader)
            guard let copy = copies[id] else { continue }
            outcome.complaint = difference("the copy of \(id)", copy.path, copy.kind, copy.items)
        }
    }

    private func difference(
        _ name: String, _ path: ItemPath, _ kind: PresentedKind, _ items: [ItemPath: ObservedFile]
    ) -> String? {
        var seen: [ItemPath: UInt64] = [:]
        for (names, handle) in files.tree(at: path.texts) {
            guard let place = ItemPath(texts: names), kind.isInView(place, of: path)
            else { continue }
            seen[place] = handle
        }
        for (place, handle) in seen.sorted(by: { $0.key.description < $1.key.description }) {
            guard let believed = items[place] else {
                return "\(name) of \(path) misses \(place)"
            }
            let item = files[handle]
            guard item.observed.identity == believed.identity else {
                return "\(name) believes in another item at \(place)"
            }
            if item.wasLinked { continue }
            if item.observed.difference(from: believed) != nil {
                return "\(name) has an old version of \(place)"
            }
        }
        for place in items.keys.sorted(by: { $0.description < $1.description })
        where seen[place] == nil {
            return "\(name) of \(path) believes in \(place)"
        }
        return nil
    }

    mutating func note(_ text: @autoclosure () -> String) {
        if keepsLog { log.append("\(now / 1_000_000) " + text()) }
    }
}

extension ItemPath {
    /// A path of these names.
    init?(texts: [String]) { self.init(components: texts.map { Array($0.utf8) }) }

    /// The components as text.
    var texts: [String] { components.map { String(decoding: $0, as: UTF8.self) } }
}
