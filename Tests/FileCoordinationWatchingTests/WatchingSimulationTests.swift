// SPDX-License-Identifier: Apache-2.0
//
// Simulated worlds in every run of the tests, other ones each time; `simulate-watching` runs the
// same worlds faster and in any number.

import Foundation
import Testing
import WatchingSimulation

@Suite struct WatchingSimulationTests {
    @Test func `Worlds that have failed once are told rightly`() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = tests.appendingPathComponent("WatchingSimulation/failing-seeds")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        var worlds = 0
        for line in lines where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            let seed = try #require(words.first.flatMap { UInt64($0) })
            let operations = try #require(words.dropFirst().first.flatMap { Int($0) })
            var world = WatchingWorld(
                seed: seed, asks: words.contains("--ask"),
                writesMoved: words.contains("--write-moved"),
                isCoordinated: words.contains("--coordinated"),
                isLate: words.contains("--late"))
            if let complaint = world.run(operations: operations).complaint {
                Issue.record("\(line): \(complaint)")
            }
            worlds += 1
        }
        #expect(worlds > 100)
    }

    @Test func `Views that are replayed from messages are what is there`() {
        let environment = ProcessInfo.processInfo.environment
        let most = environment["FILECOORDINATION_WATCHING_OPERATIONS"].flatMap { Int($0) } ?? 4000
        let first = environment["FILECOORDINATION_WATCHING_SEED"].flatMap { UInt64($0) } ?? 1000
        print("WatchingSimulationTests: \(most) operations, seeds from \(first) on")
        var operations = 0
        var seed = first
        while operations < most {
            var world = WatchingWorld(seed: seed)
            let outcome = world.run(operations: 500)
            operations += outcome.operations
            if let complaint = outcome.complaint {
                Issue.record("\(complaint)")
                return
            }
            seed += 1
        }
    }

    @Test func `Rule 1.15: an answered question has moved the presenter whose item is there`() {
        var questions = 0
        for seed in UInt64(1)...24 {
            var world = WatchingWorld(seed: seed, asks: true)
            let outcome = world.run(operations: 300)
            if let complaint = outcome.complaint { Issue.record("\(complaint)") }
            questions += outcome.kinds["questions about moved items"] ?? 0
        }
        #expect(questions > 8)
    }

    @Test func `Rule 7.14: what coordinated writers do is never told as a plain program's`() {
        var operations = 0
        var messages = 0
        for seed in UInt64(1)...600 {
            var world = WatchingWorld(seed: seed, isCoordinated: true)
            let outcome = world.run(operations: 4)
            if let complaint = outcome.complaint { Issue.record("\(complaint)") }
            operations += outcome.operations
            messages += outcome.messages
        }
        // In these, writers change, delete and make anew directories that other writers have moved.
        let failed: [UInt64] = [
            38, 320, 101_291, 101_821, 205_740, 207_428, 213_819, 5_008_914,
        ]
        for seed in failed {
            var world = WatchingWorld(seed: seed, isCoordinated: true)
            if let complaint = world.run(operations: 30).complaint { Issue.record("\(complaint)") }
        }
        #expect(operations > 2000)
        #expect(messages > operations / 2)
    }

    @Test func `Rule 7.14: nor where directories are often moved and the watcher never rests`() {
        // In the worlds that are listed one by one, a directory was away and is back, and another
        // one had its path meanwhile.
        let seeds = Array(UInt64(1)...20) + [3_000_236, 3_000_266, 3_000_269]
        for seed in seeds {
            var world = WatchingWorld(seed: seed, isBusy: true)
            if let complaint = world.run(operations: 400).complaint { Issue.record("\(complaint)") }
        }
    }

    @Test func `Rule 7.14: nor if the server asks for moves in between`() {
        // In the worlds that are listed one by one, an item was away when presenters read
        // everything, or when its directory was told as a new one.
        for seed in Array(UInt64(1)...200) + [21_002_633, 21_005_659] {
            var world = WatchingWorld(seed: seed, asks: true, isCoordinated: true)
            if let complaint = world.run(operations: 30).complaint { Issue.record("\(complaint)") }
        }
    }

    @Test func `Rule 7.14: nor if the watcher learns late of writes by delegations`() {
        for seed in UInt64(1)...300 {
            var world = WatchingWorld(seed: seed, writesMoved: seed % 2 == 0, isLate: true)
            if let complaint = world.run(operations: 40).complaint { Issue.record("\(complaint)") }
        }
    }

    @Test func `Rule 7.14: movers that claim the former path alone are told of as writers`() {
        for seed in UInt64(1)...900 {
            var world = WatchingWorld(seed: seed, writesMoved: true, isCoordinated: true)
            if let complaint = world.run(operations: 8).complaint { Issue.record("\(complaint)") }
        }
    }

    @Test func `Rule 7.14: writers that also write what they move are told rightly`() {
        for seed in Array(UInt64(1)...60) + [702_789] {
            var world = WatchingWorld(seed: seed, writesMoved: true)
            if let complaint = world.run(operations: 40).complaint { Issue.record("\(complaint)") }
        }
    }

    @Test func `A seed makes the same world every time`() {
        var one = WatchingWorld(seed: 7)
        var other = WatchingWorld(seed: 7)
        let (first, second) = (one.run(operations: 300), other.run(operations: 300))
        #expect(first.messages == second.messages)
        #expect(first.kinds == second.kinds)
    }
}
