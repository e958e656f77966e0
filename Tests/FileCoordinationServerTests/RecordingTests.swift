// SPDX-License-Identifier: Apache-2.0
//
// A recording has what the arbiter was told and decided, changes nothing, and blocks no program,
// whether it is read or not (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct RecordingTests {
    /// A program that records.
    private struct Recorder {
        let socket: SequencedSocket
        private let world: TicketQueueWorld

        init(_ world: TicketQueueWorld) throws {
            self.world = world
            socket = try world.greet()
            try say(.record(true))
            try world.settle()
        }

        func say(_ message: ClientMessage) throws { _ = try socket.send(message.encode()) }

        /// What has come, and whether the connection is still there.
        func take() throws -> (events: [TraceEvent], isOpen: Bool) {
            var events: [TraceEvent] = []
            while true {
                switch socket.receiveMessage(limit: WireLimits.messageBytes) {
                case .bytes(let bytes):
                    guard case .trace(let slice) = try ServerMessage(decoding: bytes) else {
                        continue
                    }
                    events += try TraceEntry.entries(decoding: slice).map(\.event)
                case .wouldBlock: return (events, true)
                case .closed, .tooLong: return (events, false)
                }
            }
        }

        /// Ends the recording; returns all that it has.
        func end() throws -> [TraceEvent] {
            try say(.record(false))
            var events: [TraceEvent] = []
            while events.last != .over {
                let limit = MonotonicClock.after(.milliseconds(1))
                try #require(world.server.turn(until: limit) == nil)
                events += try take().events
            }
            return events
        }
    }

    @Test func `A wait is recorded with its cause, and with who waits`() throws {
        let world = try TicketQueueWorld()
        let (holder, waiter) = (try world.client(), try world.client())
        let recorder = try Recorder(world)
        let held = try holder.file("/f")
        try world.settle()
        let waiting = try waiter.file("/f")
        try world.settle()
        #expect(!waiting.isGranted)
        try held.end()
        try world.settle()
        #expect(waiting.isGranted)
        let events = try recorder.end()
        #expect(events.first == .began)
        let first = holder.ledger.serial(of: held.record)
        let second = waiter.ledger.serial(of: waiting.record)
        #expect(
            events.contains(.waits(second, claims: [first], presenters: [], count: 1)), "\(events)")
        let isEnded = events.contains { event in
            if case .ended(first, _) = event { true } else { false }
        }
        #expect(isEnded, "\(events)")
        let isGranted = events.contains { event in
            if case .granted(second, _) = event { true } else { false }
        }
        #expect(isGranted, "\(events)")
        let filed = events.compactMap { event -> TracedClaim? in
            if case .filed(let claim) = event { claim } else { nil }
        }
        #expect(filed.count == 2)
        #expect(filed.last?.claim == second)
        // The first one was granted without a report, and found again when the second one came.
        let found = events.compactMap { event -> UInt64? in
            if case .found(let claim, _) = event { claim.claim } else { nil }
        }
        #expect(found == [first])
        let path = try #require(ItemPath("/f"))
        #expect(filed.last?.items.map(\.path) == [path])
        for claim in filed {
            let client = claim.client
            let described = events.contains { event in
                if case .client(client, CurrentProcess.id, _, _) = event { true } else { false }
            }
            #expect(described, "\(events)")
        }
    }

    /// Waits for so many checks for stopped processes.
    private func awaitChecks(_ count: Int, in world: TicketQueueWorld) throws {
        for _ in 0..<count {
            let planned = world.server.processes.nextCheck
            // Each turn ends with the next timer at the latest.
            while world.server.processes.nextCheck == planned {
                try #require(world.server.turn(until: nil) == nil)
            }
        }
        try world.settle()
    }

    @Test func `A stop is recorded once, and what waits for it too`() throws {
        let world = try TicketQueueWorld()
        let (holder, waiter) = (try world.client(), try world.client())
        let recorder = try Recorder(world)
        let held = try holder.file("/f")
        try world.settle()
        _ = try waiter.file("/f")
        try world.settle()
        world.stopped.withLock { _ = $0.insert(holder.ledger.fileName) }
        try awaitChecks(3, in: world)
        let client = try #require(
            world.server.clients.all.first { $0.ledger.fileName == holder.ledger.fileName })
        #expect(world.server.processes.check(client) == .staysStopped)
        world.stopped.withLock { $0 = [] }
        try awaitChecks(2, in: world)
        #expect(world.server.processes.check(client) == .runs)
        let events = try recorder.end()
        let stops = events.filter { event in
            if case .stopped(client.id.rawValue, _) = event { true } else { false }
        }
        #expect(
            stops == [.stopped(client.id.rawValue, true), .stopped(client.id.rawValue, false)])
        let waits = events.filter { event in
            if case .waits = event { true } else { false }
        }
        #expect(waits.count == 1, "\(events)")
        try held.end()
    }

    @Test func `A death is recorded of a client that is described`() throws {
        let world = try TicketQueueWorld()
        var recorder: Recorder?
        do {
            let client = try world.client()
            _ = try client.present("/f")
            try world.settle()
            recorder = try Recorder(world)
        }
        // Its ledger and its connection are gone.
        try world.settle()
        while !world.server.clients.isEmpty {
            try #require(world.server.turn(until: MonotonicClock.after(.milliseconds(1))) == nil)
        }
        let events = try #require(try recorder?.end())
        let dead = events.compactMap { event -> UInt32? in
            if case .died(let client) = event { client } else { nil }
        }
        #expect(dead.count == 1, "\(events)")
        let described = events.compactMap { event -> UInt32? in
            if case .client(let client, CurrentProcess.id, "test", _) = event {
                client
            } else {
                nil
            }
        }
        #expect(described == dead, "\(events)")
    }

    @Test func `A delegated path stays delegated while it is recorded`() throws {
        let world = try TicketQueueWorld()
        let client = try world.client()
        let claim = try client.file("/f")
        try world.settle()
        let word = client.slotWord
        let recorder = try Recorder(world)
        try world.settle()
        #expect(client.slotWord == word)
        #expect(world.server.arbiter.claims.isEmpty)
        try claim.end()
        try world.settle()
        // The recording does not contain what does not involve the server.
        #expect(try recorder.end() == [.began, .over])
        #expect(client.slotWord == word)
    }

    @Test func `What the server hears of later is recorded as found`() throws {
        let world = try TicketQueueWorld()
        let (first, second) = (try world.client(), try world.client())
        let unreported = try first.file("/f")
        try world.settle()
        let recorder = try Recorder(world)
        let waiting = try second.file("/f")
        try world.settle()
        try unreported.end()
        try world.settle()
        #expect(waiting.isGranted)
        let events = try recorder.end()
        let found = events.compactMap { event -> UInt64? in
            if case .found(let claim, _) = event { claim.claim } else { nil }
        }
        try #require(found.count == 1, "\(events)")
        let number = second.ledger.serial(of: waiting.record)
        #expect(events.contains(.waits(number, claims: found, presenters: [], count: 1)))
    }

    @Test func `A program that does not read misses entries and blocks no other program`() throws {
        let world = try TicketQueueWorld()
        let recorder = try Recorder(world)
        let client = try world.client()
        let presenter = PresenterID(rawValue: 1)
        let count = 2 * ServerLimits.recordingBytes / 20
        for _ in 0..<count { world.server.record(plain: .itemDidChange, to: presenter) }
        let claim = try client.file("/f")
        try world.settle()
        #expect(claim.isGranted)
        var events: [TraceEvent] = []
        try recorder.say(.record(false))
        while events.last != .over {
            try #require(world.server.turn(until: MonotonicClock.after(.milliseconds(1))) == nil)
            events += try recorder.take().events
        }
        let dropped = events.reduce(0) { sum, event in
            if case .dropped(let count) = event { sum + Int(count) } else { sum }
        }
        let notified = events.filter { event in
            if case .notified = event { true } else { false }
        }
        #expect(dropped > 0)
        // Among the dropped events may be those of the
        // claim itself, and of its client's description.
        #expect((count...count + 8).contains(notified.count + dropped))
        #expect(world.server.outgoing.recordings.isEmpty)
    }

    @Test func `A program that goes away is forgotten`() throws {
        let world = try TicketQueueWorld()
        do {
            let recorder = try Recorder(world)
            #expect(world.server.outgoing.recordings.count == 1)
            #expect(try recorder.take().isOpen)
        }
        try world.settle()
        #expect(world.server.outgoing.recordings.isEmpty)
        #expect(world.server.nextRecordingDeadline == nil)
    }

    @Test func `One program too many is refused`() throws {
        let world = try TicketQueueWorld()
        let recorders = try (0..<ServerLimits.recordings).map { _ in try Recorder(world) }
        let last = try Recorder(world)
        #expect(try !last.take().isOpen)
        for recorder in recorders {
            let taken = try recorder.take()
            #expect(taken.isOpen)
            #expect(taken.events == [.began])
        }
        for recorder in recorders { #expect(try recorder.end() == [.over]) }
    }

    @Test func `Claims that are over leave the list of those that wait`() {
        var waiting = OrderedWaiting()
        let claims = (1...500).map { ClaimID(rawValue: $0) }
        for claim in claims { waiting.add(claim) }
        for claim in claims where !claim.rawValue.isMultiple(of: 5) { waiting.remove(claim) }
        #expect(waiting.first(3).map(\.rawValue) == [5, 10, 15])
        waiting.remove(claims[4])
        #expect(waiting.first(1).map(\.rawValue) == [10])
        for claim in claims { waiting.remove(claim) }
        #expect(waiting.first(1).isEmpty)
    }
}
