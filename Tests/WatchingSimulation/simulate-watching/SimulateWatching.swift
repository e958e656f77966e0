// SPDX-License-Identifier: Apache-2.0
//
// Runs worlds around the reconciler: `simulate-watching FIRST-SEED OPERATIONS [IN-EACH-WORLD
// [FAILURES]]`, or one again with its history: `simulate-watching --replay SEED OPERATIONS`. Small
// worlds make short histories of what they find. With `--ask` the server asks for moves in between,
// as it does before claims. With `--write-moved` coordinated writers also write what they move, and
// with `--coordinated` all writers coordinate; with both, some movers claim the former path alone.
// With `--busy` all writers coordinate, make many accesses between two messages, and often move
// directories; such worlds need some 2,000 operations each. With `--late` all writers coordinate,
// and the watcher learns of some of their writes late.
// Exit status 1 if a world has failed.
//
// `simulate-watching levels FIRST-SEED OPERATIONS [IN-EACH-WORLD [FAILURES]]` judges the same by
// the checker of Rule 7.14 as it will be, and `simulate-watching levels --replay SEED OPERATIONS`
// prints a shortened history of one world.

import CoordinationCheckers
import Glibc
import WatchingSimulation

@main
enum SimulateWatching {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "levels" { return LookAgainRun(words.dropFirst()).run() }
        let numbers = words.compactMap { UInt64($0) }
        let isReplay = words.contains("--replay")
        let asks = words.contains("--ask")
        let writesMoved = words.contains("--write-moved")
        let isCoordinated = words.contains("--coordinated")
        let first = numbers.first ?? 1
        let most = Int(numbers.dropFirst().first ?? 100_000)
        let perWorld = Int(numbers.dropFirst(2).first ?? 500)
        let tolerated = Int(numbers.dropFirst(3).first ?? 5)
        var sum = WatchingOutcome()
        var seed = first
        var failures = 0
        while sum.operations < most, failures < tolerated {
            var world = WatchingWorld(
                seed: seed, keepsLog: isReplay, asks: asks, writesMoved: writesMoved,
                isCoordinated: isCoordinated, isBusy: words.contains("--busy"),
                isLate: words.contains("--late"))
            let outcome = world.run(operations: isReplay ? most : perWorld)
            sum.operations += outcome.operations
            sum.messages += outcome.messages
            sum.overflows += outcome.overflows
            sum.comparisons += outcome.comparisons
            sum.kinds.merge(outcome.kinds) { $0 + $1 }
            if let complaint = outcome.complaint {
                print(complaint)
                failures += 1
            }
            if isReplay { break }
            seed += 1
        }
        print(
            "seeds \(first) to \(seed): \(sum.operations) operations, \(sum.messages) messages,",
            "\(sum.overflows) overflows, \(sum.comparisons) comparisons, \(failures) failures")
        for (kind, count) in sum.kinds.sorted(by: { $0.key < $1.key }) {
            print("  \(count)\t\(kind)")
        }
        if failures > 0 { exit(1) }
    }
}
