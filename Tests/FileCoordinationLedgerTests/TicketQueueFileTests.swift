// SPDX-License-Identifier: Apache-2.0
//
// Ticket queues in real memory: which threads are woken, which clients are refused, and how an
// invalid file is handled.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import TestHome
import Testing

@Suite("Ticket queues in memory") struct TicketQueueFileTests {
    /// A ticket queue that is open, and two clients whose slots 4 name it.
    private struct Open {
        let world: LedgerWorld
        let ticketQueues: TicketQueueFile
        let writers: [LedgerWriter]
        let readers: [LedgerReader]
        let words: [SlotWord]

        init() throws {
            let world = try LedgerWorld()
            self.world = world
            ticketQueues = try TicketQueueFile(
                directory: world.directory, epoch: world.epoch, isNew: true)
            writers = [try world.writer(), try world.writer()]
            readers = try writers.map { try world.reader(of: $0) }
            words = try readers.map {
                try #require(try $0.delegate(slot: 4, inTicketQueue: 9, world.epoch))
            }
            ticketQueues.pass(try #require(ticketQueues.renew(9)).turn)
        }

        func claim(
            _ client: Int, patience: Duration = .seconds(60), until limit: Instant = .distantFuture,
            in former: TicketQueueFile? = nil
        ) throws -> (RecordReference, LedgerWriter.ClaimInTurn) {
            let record = try writers[client].write(kind: .claim, body: [UInt8(client)])
            let mapped =
                try former ?? TicketQueueFile(directory: world.directory, epoch: world.epoch)
            return (
                record,
                writers[client].claimInTurn(
                    record, slot: 4, delegation: words[client], in: mapped, patience: patience,
                    limit: limit)
            )
        }
    }

    /// Without it, the next one would look by itself only much later.
    @Test func `The next ticket is woken in the step that follows the end of a turn`() {
        let alone = TicketQueueWord(rawValue: 0).begun
        let withAnother = alone.joined
        for (word, isAwaited) in [(alone, false), (withAnother, true)] {
            let next = QueueTicket(3, serving: word.passed)
            let pass = PassTurn(QueueTicket(3, serving: word))
            guard case .swap(let new, let wake, let outcome) = pass.decide(on: word.rawValue) else {
                Issue.record("\(word) is left as it is")
                continue
            }
            #expect(new == word.passed.rawValue && outcome)
            #expect(wake == (isAwaited ? .wakeForTurn(next) : nil))
        }
    }

    @Test func `Who passes its turn on wakes the next one`() throws {
        let open = try Open()
        guard case (let first, .granted(let turn, _)) = try open.claim(0) else {
            Issue.record("the first one waits")
            return
        }
        let outcome = Lock("nothing")
        // A limit, in case another client breaks the queue; then the claim is filed.
        let end = MonotonicClock.after(.seconds(test_patience(20)))
        let (writer, word) = (open.writers[1], open.words[1])
        let record = try writer.write(kind: .claim, body: [1])
        let mapped = try TicketQueueFile(directory: open.world.directory, epoch: open.world.epoch)
        let thread = Thread {
            let result = writer.claimInTurn(
                record, slot: 4, delegation: word, in: mapped, patience: .seconds(20),
                limit: end)
            outcome.withLock { $0 = if case .granted = result { "granted" } else { "not granted" } }
        }
        thread.start()
        while !open.ticketQueues.hasQueue(9) { sched_yield() }
        // The thread sleeps now, or is about to.
        #expect(open.writers[0].releaseLocally(first))
        open.ticketQueues.pass(turn)
        while outcome.withLock({ $0 == "nothing" }) { sched_yield() }
        #expect(outcome.withLock { $0 } == "granted")
        #expect(MonotonicClock.now < end)
    }

    @Test func `Who has waited for too long is filed, and no turn lets it in`() throws {
        let open = try Open()
        guard case (_, .granted(let turn, _)) = try open.claim(0),
            case (let record, .filed) = try open.claim(1, until: MonotonicClock.now)
        else {
            Issue.record("not as it should be")
            return
        }
        #expect(open.writers[1].state(of: record) == .filed)
        open.ticketQueues.pass(turn)
        #expect(open.writers[1].state(of: record) == .filed)
        #expect(open.readers[1].grant(record, open.world.epoch) == .granted)
    }

    @Test func `No client takes a number of a ticket queue that is another place's by now`() throws
    {
        let open = try Open()
        open.readers[0].close(slot: 4, open.words[0])
        guard case (_, .gone) = try open.claim(0) else {
            Issue.record("it is let in, or waits")
            return
        }
        #expect(!open.ticketQueues.hasQueue(9))
        guard case (_, .granted) = try open.claim(1) else {
            Issue.record("it is not its turn")
            return
        }
    }

    @Test func `What is no file of ours, or not that long, is not mapped`() throws {
        let world = try LedgerWorld()
        let path = world.path + "/queues.\(world.epoch.rawValue)"
        func open() throws {
            _ = try TicketQueueFile(directory: world.directory, epoch: world.epoch)
        }
        #expect(throws: LedgerError.self) { try open() }
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: LedgerError.self) { try open() }
        unlink(path)
        try Data(count: 100).write(to: URL(fileURLWithPath: path))
        #expect(throws: LedgerError.self) { try open() }
        try Data(count: 16384).write(to: URL(fileURLWithPath: path))
        try open()
        #expect(TicketQueueFile.epoch(ofFile: "queues.7") == 7)
        for other in ["queues.07", "queues.", "relay.7", "queues.7.new", "queues.-1"] {
            #expect(TicketQueueFile.epoch(ofFile: other) == nil, "\(other)")
        }
    }

    @Test func `Cutting the file off ends all ticket queues and no process`() throws {
        let open = try Open()
        guard case (let first, .granted(let turn, _)) = try open.claim(0) else {
            Issue.record("the first one waits")
            return
        }
        let former = try TicketQueueFile(directory: open.world.directory, epoch: open.world.epoch)
        #expect(truncate(open.world.path + "/queues.\(open.world.epoch.rawValue)", 0) == 0)
        open.ticketQueues.pass(turn)
        // Each process that has the file mapped now reads zeros, which keep no client waiting.
        guard case (_, .gone) = try open.claim(1, in: former) else {
            Issue.record("it is let in, or waits")
            return
        }
        #expect(open.writers[0].releaseLocally(first))
    }

    @Test func `A claim waits on while its line moves, and is filed when it stops`() throws {
        // If the machine delays the test itself for that long, try again with more time.
        for patience in [100, 1000, 10_000].map({ Duration.milliseconds($0) }) {
            if try waitsWhileTheLineMoves(patience) { return }
        }
        Issue.record("the machine was too busy each time")
    }

    /// Ends a turn every tenth of `patience`, then no more; false if it was too slow for that.
    private func waitsWhileTheLineMoves(_ patience: Duration) throws -> Bool {
        let open = try Open()
        guard case (_, .granted(let first, _)) = try open.claim(0) else { return false }
        // Tickets whose turns the test ends.
        let memory = open.writers[1].memory.with(open.ticketQueues)
        let join = DrawTicket(ticketQueue: 9, slot: 4, delegation: open.words[1])
        var turns = [first]
        for _ in 0..<30 {
            guard case .joined(let ticket, _) = memory.run(join) else { return false }
            turns.append(QueueTurn(ticket: ticket))
        }
        let (writer, word) = (open.writers[1], open.words[1])
        let record = try writer.write(kind: .claim, body: [1])
        let mapped = try TicketQueueFile(directory: open.world.directory, epoch: open.world.epoch)
        let outcome = Lock("waits")
        Thread.detachNewThread {
            let result = writer.claimInTurn(
                record, slot: 4, delegation: word, in: mapped, patience: patience,
                limit: .distantFuture)
            outcome.withLock { $0 = if case .filed = result { "filed" } else { "not filed" } }
        }
        var before = MonotonicClock.now
        var longest = Duration.zero
        for turn in turns.prefix(30) {
            let next = before + patience / 10
            while MonotonicClock.now < next { sched_yield() }
            open.ticketQueues.pass(turn)
            longest = max(longest, MonotonicClock.now - before)
            before = MonotonicClock.now
        }
        let isWaiting = outcome.withLock { $0 } == "waits"
        while outcome.withLock({ $0 }) == "waits" { sched_yield() }
        guard longest < patience / 2 else { return false }
        #expect(isWaiting, "three times its patience have passed")
        #expect(outcome.withLock { $0 } == "filed")
        return true
    }
}
