// SPDX-License-Identifier: Apache-2.0
//
// What one thread of a client does, as a task that stops before each thing that other processes can
// notice: an operation on shared memory, a message, the end of an accessor. The world decides which
// activity goes on next. All of them run on the world's own thread, so a schedule decides
// everything.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// Runs tasks on the thread that calls ``drain()``, in the order in which they became ready.
final class StepExecutor: TaskExecutor, @unchecked Sendable {
    private var jobs: [UnownedJob] = []

    func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

    /// Runs what is ready until every task waits for the world.
    func drain() {
        while !jobs.isEmpty {
            jobs.removeFirst().runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// The arguments of an activity's task; they do not leave the thread of its world.
///
/// This is no tuple: the compiler (6.3.1) releases the parts of a captured tuple once too often.
private struct ActivityStart: @unchecked Sendable {
    let activity: Activity
    let body: (Activity) async throws -> Void
}

/// The client of an activity is dead: nothing more of it happens.
struct Killed: Error {}

/// One thread of a client.
final class Activity {
    /// What it is about to do, or waits for.
    enum Point {
        /// To do this to the shared memory.
        case operation(MemoryOperation)
        /// To send this to the server.
        case message(String)
        /// To return from its accessor.
        case accessor
        /// For a wake-up of this word.
        case sleep(MemoryCell)
        /// For its turn in a ticket queue, for a while; returns whether the queue has moved.
        case turn(hasMoved: () -> Bool)
        /// For a message that tells of a grant.
        case news
        case over
    }

    let client: ModelClient
    let name: String
    fileprivate(set) var point = Point.over
    /// Why a sleep has ended.
    private(set) var hasTimedOut = false
    /// When it last swapped a word.
    private(set) var lastSwap: UInt64 = 0
    private var continuation: UnsafeContinuation<Void, any Error>?

    init(_ client: ModelClient, _ name: String) {
        self.client = client
        self.name = name
    }

    /// Stops until the world lets it go on.
    func pause(_ point: Point) async throws {
        guard !client.isDead else { throw Killed() }
        self.point = point
        try await withUnsafeThrowingContinuation { continuation = $0 }
    }

    /// Goes on to the next point.
    func go(timedOut: Bool = false) {
        guard let continuation else { return }
        self.continuation = nil
        hasTimedOut = timedOut
        continuation.resume()
        client.world.executor.drain()
    }

    /// Ends it where it is.
    func kill() {
        point = .over
        guard let continuation else { return }
        self.continuation = nil
        continuation.resume(throwing: Killed())
        client.world.executor.drain()
    }

    fileprivate func finish() { point = .over }

    /// Whether the world may let it go on at any time.
    var isReady: Bool {
        switch point {
        case .operation, .message: true
        case .turn(let hasMoved): hasMoved()
        case .accessor, .sleep, .news, .over: false
        }
    }

    /// A sleeper was woken, or what it waits for was told: it looks again.
    func wake(_ cell: MemoryCell) {
        if case .sleep(cell) = point { point = .message("wake up") }
    }

    /// A message about it has come.
    func receiveNews() {
        if case .news = point { point = .message("look") }
    }
}

extension ModelClient {
    /// Starts an activity.
    func begin(_ name: String, _ body: @escaping (Activity) async throws -> Void) {
        let activity = Activity(self, name)
        activities.append(activity)
        let start = ActivityStart(activity: activity, body: body)
        Task(executorPreference: world.executor) {
            do {
                try await start.body(start.activity)
            } catch is Killed {
                // As with a process that was killed, nothing follows.
            } catch {
                start.activity.client.world.find("\(start.activity.name) fails: \(error)")
            }
            start.activity.finish()
        }
        world.executor.drain()
    }
}

extension Activity {
    /// Runs a procedure on the client's ledger, one operation at a time.
    func run<Procedure: LedgerProcedure>(
        _ procedure: Procedure, with ticketQueues: TicketQueueFile? = nil
    ) async throws -> Procedure.Outcome {
        var procedure = procedure
        var observed: UInt64 = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .finished(let outcome): return outcome
            case .perform(let operation):
                try await pause(.operation(operation))
                observed = try await perform(operation, ticketQueues)
            }
        }
    }

    private func recordSwap(_ operation: MemoryOperation, _ observed: UInt64) {
        lastSwap = client.world.now
        guard case .compareExchange(.record(let index), expected: observed, let desired) = operation
        else { return }
        let word = RecordWord(rawValue: desired)
        guard word.state == .cancelled else { return }
        let claim = client.claims.first {
            Int($0.record.index) == index && $0.record.generation == word.generation
        }
        claim?.cancelledAt = lastSwap
    }

    private func perform(
        _ operation: MemoryOperation, _ ticketQueues: TicketQueueFile?
    ) async throws -> UInt64 {
        let world = client.world
        var memory = client.ledger.memory
        if let ticketQueues { memory = memory.with(ticketQueues) }
        switch operation {
        case .load, .compareExchange:
            let observed = memory.perform(operation, deadline: nil)
            if case .compareExchange = operation { recordSwap(operation, observed) }
            world.note("\(name): \(operation.summary(observed))")
            return observed
        case .wake(let cell):
            world.note("\(name): wake \(cell)")
            client.wake(cell)
            return 0
        case .wakeForTurn:
            // Nothing to do: a client that waits for a turn
            // sees by itself that the queue has moved.
            return 0
        case .sleep(let cell, let lowHalf):
            guard UInt32(truncatingIfNeeded: memory.word(cell).load()) == lowHalf else { return 0 }
            world.note("\(name): sleeps on \(cell)")
            try await pause(.sleep(cell))
            return hasTimedOut ? 1 : 0
        case .sleepForTurn(let ticket, let lowHalf):
            let word = memory.word(.ticketQueue(ticket.ticketQueue))
            guard UInt32(truncatingIfNeeded: word.load()) == lowHalf else { return 0 }
            // The closure keeps the memory mapped while the activity waits.
            try await pause(
                .turn(hasMoved: {
                    withExtendedLifetime(memory) {
                        UInt32(truncatingIfNeeded: word.load()) != lowHalf
                    }
                }))
            return hasTimedOut ? 1 : 0
        }
    }
}

extension MemoryOperation {
    /// Describes what it did, for timelines.
    ///
    /// - Parameter observed: what was there; nil if it is about to be done.
    /// - Returns: a few words.
    func summary(_ observed: UInt64? = nil) -> String {
        switch self {
        case .load(let cell): "load \(cell)" + (observed.map { " = \(cell.shown($0))" } ?? "")
        case .compareExchange(let cell, let expected, let desired):
            observed.map { $0 == expected } ?? true
                ? "swap \(cell): \(cell.shown(expected)) → \(cell.shown(desired))"
                : "swap \(cell) fails: is \(cell.shown(observed ?? 0))"
        case .wake(let cell): "wake \(cell)"
        case .sleep(let cell, _): "sleep \(cell)"
        case .wakeForTurn(let ticket): "wake \(ticket)"
        case .sleepForTurn(let ticket, _): "sleep for \(ticket)"
        }
    }
}

extension MemoryCell {
    fileprivate func shown(_ value: UInt64) -> String {
        switch self {
        case .record: "\(RecordWord(rawValue: value))"
        case .slot: "\(SlotWord(rawValue: value))"
        case .ticketQueue: "\(TicketQueueWord(rawValue: value))"
        case .globalEpoch, .ledgerEpoch, .recordMark: "\(value)"
        }
    }
}
