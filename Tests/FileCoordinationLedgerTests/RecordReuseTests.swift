// SPDX-License-Identifier: Apache-2.0
//
// A record is not used again while a thread waits for its former claim. The thread sleeps on the
// half of the word without the generation, and the next claim can have the same value there.

import FileCoordinationArbiter
import FileCoordinationSystem
import Testing

@testable import FileCoordinationLedger

struct RecordReuseTests {
    /// What another thread does after the waiting thread has read the word, and before it sleeps.
    private final class Interruption: Sendable {
        private let body = Lock<(@Sendable () -> Void)?>(nil)

        func set(_ body: @escaping @Sendable () -> Void) { self.body.withLock { $0 = body } }

        func observe(_ operation: MemoryOperation) {
            guard case .sleep = operation else { return }
            // Run it only once: its own operations are observed, too.
            let body = self.body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
        }
    }

    @Test func `A cancelled wait does not sleep on the next claim of its record`() throws {
        let world = try LedgerWorld()
        let interruption = Interruption()
        let writer = try LedgerWriter(
            directory: world.directory, globalEpoch: world.epochFile, programName: "test",
            observer: { interruption.observe($0) })
        let reader = try world.reader(of: writer)
        let claim = try writer.write(kind: .claim, body: [1])
        #expect(writer.file(claim) == .filed)
        let reused = Lock(false)
        let epoch = world.epoch
        interruption.set {
            #expect(writer.cancel(claim))
            #expect(reader.reap(claim, epoch))
            for _ in 0..<32 {
                guard let next = try? writer.write(kind: .claim, body: [2]) else { break }
                #expect(writer.file(next) == .filed)
                if next.index == claim.index { return reused.withLock { $0 = true } }
            }
        }
        let deadline = MonotonicClock.after(.seconds(2))
        #expect(writer.waitWhileAsked(claim, deadline: deadline) != .filed)
        #expect(reused.withLock { $0 } == false)
        // Now it may be used.
        let next = try (0..<2).map { _ in try writer.write(kind: .claim, body: [3]).index }
        #expect(next.contains(claim.index))
    }
}
