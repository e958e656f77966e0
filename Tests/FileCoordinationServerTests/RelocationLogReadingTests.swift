// SPDX-License-Identifier: Apache-2.0
//
// A claimant looks up its items while the server writes, replaces its file, and is followed by
// another server with another file. The claimant always finds its items, and never an older path
// than before.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

struct RelocationLogReadingTests {
    private struct Progress: Sendable {
        var written = 0
        var isOver = false
        var failure: String?
    }

    /// What the claim is told in a round.
    private static func items(_ round: Int) -> [AccessItem] {
        (0...round % 7).map { index in
            AccessItem(path: .of("/round/\(round)/\(index)"), access: .reading([]))
        }
    }

    /// The round in which the claim was told so; nil if it was never told so.
    private static func round(_ items: [AccessItem]) -> Int? {
        guard let name = items.first?.path.components.dropFirst().first,
            let round = Int(String(decoding: name, as: UTF8.self)), items == Self.items(round)
        else { return nil }
        return round
    }

    /// Servers that follow one another: each writes two
    /// rounds, and the last one half of all rounds.
    private static func write(
        in world: RelocationLogWorld, rounds: Int, progress: Monitor<Progress>
    ) throws {
        var log = try world.log(1)
        for round in 1...rounds {
            if round.isMultiple(of: 2), round <= rounds / 2 {
                log = try world.log(UInt32(round))
                try log.begin(living: [1, 2])
            }
            try log.write(RelocationEntry(serial: 1, .claim(items(round))))
            // Makes the file grow, so that it is rewritten about every 80 rounds.
            try log.write(.long(2, round))
            progress.withLock { $0.written = round }
            progress.notifyAll()
        }
    }

    @Test func `Who looks while the log is written finds his items, and never older ones`() throws {
        let world = try RelocationLogWorld()
        let progress = Monitor(Progress())
        let rounds = 1200
        try DetachedThread.start(name: "log-writer") {
            do {
                try Self.write(in: world, rounds: rounds, progress: progress)
            } catch {
                progress.withLock { $0.failure = "\(error)" }
            }
            progress.withLock { $0.isOver = true }
            progress.notifyAll()
        }
        _ = progress.wait { $0.written > 0 || $0.isOver }
        var last = 0
        var looks = 0
        var changes = 0
        var isOver = false
        while !isOver {
            let before = progress.withLock { ($0.written, $0.isOver) }
            isOver = before.1
            let found = RelocationLog.items(ofClaim: 1, in: world.runtime)
            let round = found.flatMap(Self.round) ?? -1
            looks += 1
            if round != last { changes += 1 }
            // It must find at least the round that was written before it looked.
            try #require(round >= max(last, before.0), "look \(looks), after round \(last)")
            last = round
        }
        let end = progress.withLock { $0 }
        #expect(end.failure == nil)
        #expect(last == rounds && end.written == rounds)
        // Otherwise the reader did not look while the writer wrote.
        #expect(changes > 10, "\(looks) looks")
    }
}
