// SPDX-License-Identifier: Apache-2.0
//
// A simulated world around the reconciler: plain and coordinated writers change the model file
// system, the kernel's notifications come late, split and sometimes not at all, orders are carried
// out later than they were given. What happens and what presenters are told is a history, which the
// checker of watching judges (Rule 7.14).
//
// A world is a list of steps. Each has dice of its own, so that steps can be left out and the
// others stay as they are: that makes short histories of long ones.

package import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationServer
import FileCoordinationWatching

/// What a run was, and what was wrong with it.
package struct LookAgainOutcome: Sendable {
    /// Steps that were taken.
    package var steps: UInt64 = 0
    /// Operations that changed something.
    package var operations = 0
    /// Overflows of the kernel's queue.
    package var overflows = 0
    /// Quiet moments.
    package var quietMoments = 0
    /// Changes, messages and echoes.
    package var tally = WatchingTally()
    /// What was wrong; the run ends at the first.
    package var violations: [WatchingViolation] = []
    /// A fault of the world or of the reconciler's book-keeping.
    package var complaint: String?
    /// What happened, if that is kept.
    package var log: [String] = []

    /// Whether anything was wrong.
    package var hasFailed: Bool { complaint != nil || !violations.isEmpty }

    /// An empty one.
    package init() {}
}

/// One world, made from one number.
package struct LookAgainWorld {
    let seed: UInt64
    var dice: WatchingDice
    var files = ModelFileSystem()
    var checker = WatchingChecker()
    var watcher: ModelWatcher
    var server = ModelServer()
    /// What registered presenters present, and whether they listen.
    var presenters: [UInt64: ModelPresenter] = [:]
    var claims: [ModelClaim] = []
    var now: UInt64 = 1_000_000
    /// ``now``, for what runs in the world.
    var instant: Instant { Instant(nanoseconds: now) }
    var outcome = LookAgainOutcome()
    private var nextPresenter: UInt64 = 1
    var nextClaim: UInt64 = 1
    private let keepsLog: Bool
    /// Of so many steps of writers, one is a coordinated writer's.
    private let coordinatedShare: Int

    /// A presenter of the world.
    struct ModelPresenter {
        var path: [String]
        let kind: PresentedKind
        let purpose: String
        var isListening = false
    }

    /// Makes a world, and keeps what happens as text if wanted; each echo may be a violation.
    package init(seed: UInt64, keepsLog: Bool = false, blamesEchoes: Bool = false) {
        checker.blamesEchoes = blamesEchoes
        self.seed = seed
        self.keepsLog = keepsLog
        dice = WatchingDice(seed: seed)
        coordinatedShare = 1 + dice.below(6)
        watcher = ModelWatcher(root: files[files.root].observed)
        for path in [["r"], ["r", "a"], ["r", "a", "b"], ["s"], ["out"]] {
            _ = files.create(path, directory: true)
        }
        for path in [["r", "f"], ["r", "a", "f"], ["s", "f"]] { _ = files.create(path) }
        let (isShort, isNarrow) = (dice.one(in: 8), dice.one(in: 6))
        if isShort { files.kernel.watchLimit = 6 }
        if isNarrow { files.kernel.room = 6 }
        recordChanges()
        if isShort { record(.watchesLost) }
        for _ in 0..<(1 + dice.below(4)) { addPresenter() }
    }

    // MARK: Running

    /// Runs steps until `operations` have changed something, or something is wrong.
    package mutating func run(operations: Int) -> LookAgainOutcome {
        var step: UInt64 = 0
        while outcome.operations < operations, !outcome.hasFailed {
            take(step)
            step += 1
        }
        outcome.steps = step
        return finish()
    }

    /// Runs these steps.
    package mutating func run(steps: [UInt64]) -> LookAgainOutcome {
        for step in steps where !outcome.hasFailed { take(step) }
        return finish()
    }

    private mutating func finish() -> LookAgainOutcome {
        if !outcome.hasFailed { rest() }
        outcome.tally = checker.tally
        return outcome
    }

    private mutating func take(_ step: UInt64) {
        dice = WatchingDice(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ step)
        switch dice.below(32) {
        case 0..<13: if dice.one(in: coordinatedShare) { coordinate() } else { operate() }
        case 13..<18: deliver(1 + dice.below(4))
        case 18..<24: carryOut(1 + dice.below(5))
        case 24..<28: endTurn()
        case 28: now += UInt64(dice.below(120)) * 1_000_000
        case 29: if dice.one(in: 6) { addPresenter() }
        case 30: if dice.one(in: 8) { removePresenter() }
        default:
            if dice.one(in: 40) {
                files.kernel.forceOverflow()
                record(.notificationsLost)
            } else if dice.one(in: 2) {
                rest()
            }
        }
    }

    // MARK: The history

    /// Enters a fact into the history.
    mutating func record(_ fact: WatchingFact) {
        writeLog("\(fact)")
        checker.take(fact, at: now)
    }

    /// Enters what was done to the files.
    mutating func recordChanges() {
        for fact in files.facts { record(fact) }
        files.facts = []
    }

    mutating func writeLog(_ text: @autoclosure () -> String) {
        if keepsLog { outcome.log.append("\(now / 1_000_000) " + text()) }
    }

    // MARK: Presenters

    private mutating func addPresenter() {
        guard presenters.count < 6 else { return }
        let places: [([String], PresentedKind)] = [
            (["r"], .directory), (["r", "a"], .directory), (["r", "a", "b"], .directory),
            (["r", "f"], .file), (["r", "a", "f"], .file), (["s"], .directory),
            (["s", "f"], .file), (["r", "a", "b", "g"], .file), (["s", "a"], .directory),
        ]
        guard let (path, kind) = dice.one(of: places) else { return }
        let id = nextPresenter
        nextPresenter += 1
        // Some have the purpose of a writer.
        let purpose = dice.one(of: ["a", "b", "p\(id)"]) ?? ""
        presenters[id] = ModelPresenter(path: path, kind: kind, purpose: purpose)
        record(
            .presented(
                WatchingPresenter(
                    PresenterKey(id), at: Self.place(path), kind == .file ? .file : .directory,
                    purpose: purpose)))
        watcher.present(id, path, kind, at: instant)
    }

    private mutating func removePresenter() {
        guard let id = dice.one(of: presenters.keys.sorted()) else { return }
        presenters[id] = nil
        server.discard(id)
        record(.unpresented(PresenterKey(id)))
        watcher.unpresent(id, at: instant)
    }

    static func place(_ path: [String]) -> String { "/" + path.joined(separator: "/") }

    // MARK: The kernel and the watcher

    mutating func deliver(_ count: Int) {
        files.advance(to: now)
        for _ in 0..<count {
            guard let input = files.kernel.take() else { break }
            writeLog("  \(ModelWatcher.summary(input))")
            if input == .overflowed {
                outcome.overflows += 1
                record(.notificationsLost)
            }
            watcher.handle(input, at: instant)
        }
        if files.kernel.isDrained { watcher.handle(.drained, at: instant) }
    }

    mutating func carryOut(_ count: Int) {
        for order in watcher.orders(count) {
            writeLog("  \(ModelWatcher.summary(order))")
            watcher.execute(order, &files, at: instant)
        }
    }

    mutating func endTurn() {
        if !files.kernel.isDrained { watcher.handle(.behind, at: instant) }
        for (id, news) in watcher.endTurn(at: instant, paths: presenters.mapValues(\.path)) {
            guard presenters[id] != nil else {
                outcome.complaint = "a message to presenter \(id), which is not there"
                return
            }
            switch news {
            case .listening:
                presenters[id]?.isListening = true
                if let listener = listener(id) { server.toldEverything(listener, at: instant) }
                record(.listening(PresenterKey(id)))
            case .told(let message):
                if let listener = listener(id) { server.toldEverything(listener, at: instant) }
                tell(id, message)
            case .change(let change):
                guard let listener = listener(id) else { continue }
                writeLog("  seen for \(id): \(change.summary)")
                for message in server.consider(change, listener, at: instant) { tell(id, message) }
            }
        }
        let presenters = presenters
        let (due, question) = server.release(answered: watcher.lastAnswered, at: instant) {
            Self.listener($0.rawValue, presenters[$0.rawValue])
        }
        if let question { watcher.ask(question, at: instant) }
        for (id, message) in due { tell(id.rawValue, message) }
    }

    private func listener(_ id: UInt64) -> SeenChanges.Listener? {
        Self.listener(id, presenters[id])
    }

    private static func listener(
        _ id: UInt64, _ presenter: ModelPresenter?
    ) -> SeenChanges.Listener? {
        guard let presenter, let path = ItemPath(texts: presenter.path) else { return nil }
        return SeenChanges.Listener(
            id: PresenterID(rawValue: id), path: path, purpose: Purpose(presenter.purpose))
    }

    /// Tells a presenter, which follows its item.
    mutating func tell(_ id: UInt64, _ message: WatchingMessage) {
        if case .moved(let former, let place) = message, let path = presenters[id]?.path,
            former == Self.place(path)
        {
            let next = place.split(separator: "/").map { String($0) }
            server.follow(id, from: path, to: next)
            presenters[id]?.path = next
        }
        record(.told(PresenterKey(id), message))
    }

    // MARK: Quiet moments

    /// Lets everything come to rest, and judges.
    private mutating func rest() {
        while let claim = claims.first { finish(claim.number) }
        var rounds = 0
        // The rounds since the watcher last did something. A message may still wait for the pause
        // after another one, so a kernel and a watcher that are idle are not at rest yet.
        var idle = 0
        repeat {
            rounds += 1
            let isBusy =
                !files.kernel.isDrained || watcher.hasOrders || server.isWaiting
            let messages = checker.tally.messages
            deliver(64)
            carryOut(64)
            endTurn()
            now += 10_000_000
            idle = isBusy || checker.tally.messages > messages ? 0 : idle + 1
            if outcome.hasFailed { return }
            if rounds > 3000 {
                outcome.complaint = "no rest after \(rounds) rounds"
                return
            }
        } while idle < 12 || rounds < 30
        if files.kernel.watchLimit < .max { awaitPolls() }
        // The last turn may have ended watches, for example of a path that no longer matters.
        for _ in 0..<3000 where watcher.hasOrders {
            carryOut(64)
            deliver(64)
        }
        if watcher.hasOrders { outcome.complaint = "orders without end" }
        if files.kernel.watchCount != watcher.watchCount {
            outcome.complaint =
                "the kernel has \(files.kernel.watchCount) watches, and \(watcher.watchCount) "
                + "are known"
        }
        for (id, presenter) in presenters where !presenter.isListening {
            outcome.complaint = "presenter \(id) was never told that it is listening"
        }
        outcome.quietMoments += 1
        record(.quiet)
        outcome.violations = checker.violations
    }

    /// What is polled is found a poll later.
    private mutating func awaitPolls() {
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
}
