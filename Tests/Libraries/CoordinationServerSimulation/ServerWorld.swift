// SPDX-License-Identifier: Apache-2.0
//
// The real server among model clients, on one thread and by a model's clock: clients are a real
// ledger, a real socket and activities that stop before each operation. What the world's schedule
// says decides what happens next, also in the middle of the server's turns.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// One world, from an empty directory to an empty directory.
final class ServerWorld {
    let schedule: Schedule
    let runtime: RuntimeDirectory
    let epochs: EpochFile
    let wakeUp: WakeUp
    let executor = StepExecutor()
    /// The server that reigns.
    var server: RunningServer?
    /// Servers that were deposed and are stopped.
    var deposed: [RunningServer] = []
    /// Those that are dead stay, for what is said of them.
    var clients: [ModelClient] = []
    var births: UInt64 = 0
    /// The number of the youngest claim or presenter.
    var lastKey: UInt64 = 0
    var now: UInt64 = 1_000_000_000
    var keysBySerial: [UInt64: ClaimKey] = [:]
    /// When presenters refused claims: such a claim is over, though its client does not know yet.
    var refusals: [ClaimKey: UInt64] = [:]

    var history = History()
    /// Claims that were refused, and filed again because
    /// their clients were not told of the refusal.
    var filedAgain: Set<ClaimKey> = []
    /// Claims that waited while an item moved: an observer cannot tell which presenters they ask.
    var sentOn: Set<ClaimKey> = []
    /// Claims for which presenters were asked.
    var askedFor: Set<ClaimKey> = []
    /// When the effects of the server were last recorded.
    var watchedAt: UInt64 = 0
    /// Facts that were found out later.
    private var late: [History.Entry] = []
    /// How often the item at a path was changed.
    private var changes: [ItemPath: Int64] = [:]
    var coverage = ServerCoverage()
    /// What is wrong, beside what the checkers say of the history.
    var findings: [String] = []
    /// What happened, in lines; nil if that is not wanted.
    var trace: [String]?

    /// The next choice of the schedule.
    var next = 0
    var turn = ServerTurn()

    init(_ schedule: Schedule, in runtime: RuntimeDirectory, isTraced: Bool) throws {
        self.schedule = schedule
        self.runtime = runtime
        Self.clear(runtime)
        ModelTime.set(Instant(nanoseconds: now))
        wakeUp = try WakeUp()
        epochs = try EpochFile(directory: runtime.directory)
        trace = isTraced ? [] : nil
        server = try makeServer()
        for _ in 0..<schedule.clients { try addClient() }
    }

    /// Ends everything.
    func strike() {
        for client in clients where !client.isDead { client.end() }
        clients = []
        for server in [server].compactMap({ $0 }) + deposed { server.abandon() }
        server = nil
        deposed = []
        Self.clear(runtime)
        ModelTime.set(nil)
    }

    /// What a claimant sees at a path.
    func properties(of path: ItemPath) -> ItemProperties {
        let count = changes[path] ?? 0
        return ItemProperties(
            device: 1, inode: 1, mode: 0o100644, owner: 0, group: 0, size: UInt64(count),
            modified: count, changed: count, linkCount: 1)
    }

    /// Changes the item at a path.
    func change(_ path: ItemPath) -> ItemProperties {
        changes[path, default: 0] += 1
        return properties(of: path)
    }

    private static func clear(_ runtime: RuntimeDirectory) {
        // What cannot be removed is found by the next world.
        for name in (try? runtime.ledgers.names()) ?? [] { try? runtime.ledgers.remove(name) }
        // No former client is waited for; the simulated time would not pass.
        runtime.settle()
        for name in (try? runtime.directory.names()) ?? []
        where name != RuntimeDirectory.Name.ledgers {
            try? runtime.directory.remove(name)
        }
    }

    // MARK: Writing down

    /// Records a line of the timeline.
    func note(_ line: @autoclosure () -> String) {
        guard trace != nil else { return }
        var text = line()
        for module in ["Wire", "Arbiter", "Ledger"] {
            text = text.split(separator: "FileCoordination\(module).").joined()
        }
        trace?.append(
            "\((now - 1_000_000_000) / 1000)\t\(text.split(separator: "MemoryCell.").joined())")
    }

    /// Records that something is wrong.
    func find(_ text: String) {
        note("!! \(text)")
        findings.append(text)
    }

    /// Writes a fact down, which others may notice until some time later.
    func record(_ fact: Fact, until latest: UInt64? = nil) {
        tick()
        note("   ▸ \(fact)")
        history.append(fact, at: Moment(from: now, to: latest ?? now))
    }

    /// Writes down what happened at some time since `earliest`, and is seen only now.
    func recordLate(_ fact: Fact, since earliest: UInt64, until latest: UInt64? = nil) {
        tick()
        note("   ▸ \(fact)")
        late.append(History.Entry(Moment(from: earliest, to: latest ?? now), fact))
    }

    /// Records that a claim has failed, at the time at which a presenter refused it.
    func recordFailure(of claim: ModelClaim) {
        guard claim.isNoted else { return }
        let moment = refusals[claim.key].map { $0 + 1 } ?? now
        recordLate(.failed(claim.key), since: moment, until: moment)
    }

    /// Records that a claim was cancelled, at the swap
    /// of its word; its client may notice that later.
    func recordCancellation(of claim: ModelClaim, since swap: UInt64) {
        guard let noted = claim.notedAt else { return }
        // A presenter may have refused the claim before, without its client knowing.
        recordLate(.cancelled(claim.key), since: refusals[claim.key] ?? max(swap, noted + 1))
    }

    /// Records that a client has continued, which the server notices now.
    ///
    /// In the same pass, the server may still decide about clients that it has checked before,
    /// without knowing this.
    func recordContinuation(of client: ClientKey, since thawed: UInt64) {
        let pass: UInt64 = 1_000_000
        recordLate(.continued(client), since: thawed, until: now + pass)
    }

    /// The history, in order.
    var wholeHistory: History { History(history.entries + late) }

    func tick(_ nanoseconds: UInt64 = 1000) {
        now += nanoseconds
        ModelTime.set(Instant(nanoseconds: now))
    }

    func makeKey() -> UInt64 {
        lastKey += 1
        return lastKey
    }

    // MARK: Choosing

    /// Plays the whole schedule.
    func play() throws {
        if schedule.isTold, let last = clients.last {
            var dice = Dice(seed: schedule.seed)
            last.present(&dice)
            try calm()
        }
        while next < schedule.choices.count, findings.isEmpty { try playNext() }
    }

    /// Plays the next choice.
    func playNext() throws {
        let choice = schedule.choices[next]
        next += 1
        tick()
        try act(choice)
    }

    var living: [ModelClient] { clients.filter { !$0.isDead } }
    /// Those that can do something.
    var running: [ModelClient] { clients.filter { !$0.isDead && !$0.isFrozen } }

    func one<Element>(of elements: [Element], _ dice: inout Dice) -> Element? {
        dice.one(of: elements)
    }

    private func act(_ choice: Choice) throws {
        var dice = Dice(seed: choice.number)
        switch choice.kind {
        case .turn: try takeTurn(&dice)
        case .step: step(&dice)
        case .calm: if !turn.isUnderWay { try calm() }
        case .access, .burst:
            let first = schedule.isTold && !dice.one(in: 30) ? running.first : nil
            let idle = running.filter { client in
                (first.map { $0 === client } ?? true)
                    && (!(schedule.isContended || schedule.isTold) || client.claims.isEmpty)
            }
            guard let client = dice.one(of: idle), client.access(&dice) else { return }
            if choice.kind == .burst { client.activities.last.map { go($0, dice.within(2...12)) } }
        case .finish: finish(&dice)
        case .receive: try dice.one(of: running)?.receive()
        case .cancel: cancel(&dice)
        case .timeout: timeOut(&dice)
        case .present: dice.one(of: running)?.present(&dice)
        case .withdraw: dice.one(of: running)?.withdraw(&dice)
        case .answer: try dice.one(of: running)?.answer(&dice)
        case .move: try move(&dice)
        case .connect: try dice.one(of: running.filter { !$0.isConnected })?.connect()
        case .birth: if living.count < 5 { try addClient() }
        case .death: if let client = dice.one(of: living), living.count > 1 { die(client) }
        case .freeze: dice.one(of: running)?.freeze()
        case .thaw: dice.one(of: clients.filter { !$0.isDead && $0.isFrozen })?.thaw()
        case .takeover: try replaceServer(isDead: true, &dice)
        case .depose: try replaceServer(isDead: false, &dice)
        case .time: pass(&dice)
        }
    }

    // MARK: Clients

    func addClient() throws {
        births += 1
        let client = try ModelClient(self, births)
        clients.append(client)
        note("\(client.name): begins")
        try client.connect()
    }

    private func step(_ dice: inout Dice) {
        guard let activity = dice.one(of: running.flatMap(\.activities).filter(\.isReady)) else {
            return
        }
        go(activity, dice.within(1...5))
    }

    private func go(_ activity: Activity, _ steps: Int) {
        for _ in 0..<steps where activity.isReady {
            tick()
            activity.go()
        }
    }

    private func finish(_ dice: inout Dice) {
        let accessors = running.flatMap(\.activities).filter { activity in
            if case .accessor = activity.point { true } else { false }
        }
        dice.one(of: accessors)?.go()
    }

    private func cancel(_ dice: inout Dice) {
        let waiting = running.flatMap(\.claims).filter { $0.isFiled && !$0.isRunning }
        guard let claim = dice.one(of: waiting) else { return }
        claim.client.cancel(claim)
    }

    private func timeOut(_ dice: inout Dice) {
        let waiting = running.flatMap(\.activities).filter { activity in
            if case .turn = activity.point { true } else { false }
        }
        dice.one(of: waiting)?.go(timedOut: dice.one(in: 2))
    }

    private func move(_ dice: inout Dice) throws {
        let movers = running.flatMap(\.claims).filter(\.mayMove)
        guard !turn.isUnderWay, let claim = dice.one(of: movers),
            let new = ItemPath(dice.one(of: ["/d/m", "/m", "/d/f", "/n"]) ?? "/m"),
            claim.items[0].path != new, !claim.items[0].path.contains(new)
        else { return }
        // The server first reads all earlier messages, so
        // that the announcement is known to come after.
        turn.operationsLeft = nil
        while try takeTurn(), findings.isEmpty {}
        // A mover that claims only its item does not check which claims hold the destination.
        guard claim.client.isHeard, !claim.isOver, isUnclaimed(new) else { return }
        let move = ItemMove(from: claim.items[0].path, to: new)
        note("\(claim.client.name)\(claim.key): moves \(move.old) to \(move.new)")
        guard try claim.client.announce(move, by: claim) else { return }
        coverage.count(.moves)
        while try takeTurn(), findings.isEmpty {}
        record(.moved(by: claim.key, [Move(move)]))
        follow(move, of: claim)
    }

    /// Whether no claim runs at a path, or has its place there.
    private func isUnclaimed(_ path: ItemPath) -> Bool {
        !living.flatMap(\.claims).contains { claim in
            (claim.isRunning || claim.holdsPosition)
                && claim.items.contains { item in
                    item.path == path || item.path.contains(path) || path.contains(item.path)
                }
        }
    }

    /// Redirects claims and presenters after a move.
    private func follow(_ move: ItemMove, of mover: ModelClaim) {
        for client in living {
            for claim in client.claims where claim.isNoted && !claim.isRunning {
                sentOn.insert(claim.key)
                // Rule 11.5
                for index in claim.items.indices where !claim.items[index].isReplaced {
                    claim.items[index].path.follow(move)
                }
            }
            for presenter in client.presenters where presenter.isNoted {
                presenter.path?.follow(move)
            }
        }
        mover.hasMoved = true
    }

    func die(_ client: ModelClient) {
        note("\(client.name): dies")
        coverage.count(.deaths)
        if turn.isUnderWay { coverage.count(.deathsInTurns) }
        end(client)
    }

    func end(_ client: ModelClient) {
        // A refused claim is over, even if its client is never told of that.
        for claim in client.claims
        where !claim.isRunning && refusals[claim.key] != nil && !filedAgain.contains(claim.key) {
            recordFailure(of: claim)
        }
        // So is a cancelled claim whose client has not noticed the swap yet. The record does not
        // show that: the server may have reaped it already.
        for claim in client.claims {
            if let swap = claim.cancelledAt { recordCancellation(of: claim, since: swap) }
        }
        client.end()
        record(.died(client.key))
    }

    private func pass(_ dice: inout Dice) {
        let lengths: [UInt64] = [50_000, 1_000_000, 10_000_000, 300_000_000]
        tick(lengths[dice.below(lengths.count)])
    }
}

extension ItemPath {
    /// Becomes where its item is after a move.
    fileprivate mutating func follow(_ move: ItemMove) {
        guard self == move.old || move.old.contains(self) else { return }
        let rest = components.dropFirst(move.old.depth)
        self = ItemPath(components: move.new.components + rest) ?? self
    }
}

extension AccessItem {
    /// Whether it means the place rather than what is there.
    fileprivate var isReplaced: Bool {
        guard case .writing(let options) = access else { return false }
        return options.contains(.replacing)
    }
}
