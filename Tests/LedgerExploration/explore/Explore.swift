// SPDX-License-Identifier: Apache-2.0
//
// The ledger's procedures in every order of events, with deaths, stops and forks at every step:
//
//     swift run -c release explore [--long]

import Foundation
import LedgerExploration

@main
private struct Explore {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.allSatisfy({ $0 == "--long" }) else {
            print("usage: explore [--long]")
            exit(64)
        }
        let isLong = !arguments.isEmpty
        let chosen = Explorations.all.filter { isLong || $0.size != .long }
        let begun = ContinuousClock.now
        let failed = await explore(chosen)
        let seconds = begun.duration(to: .now) / .seconds(1)
        print("explore: \(chosen.count) in \(Int(seconds.rounded())) s, \(failed) with violations")
        exit(failed == 0 ? 0 : 1)
    }

    /// Explores two at a time; returns how many had violations.
    private static func explore(_ explorations: [NamedExploration]) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            var rest = explorations[...]
            for _ in 0..<2 { addNext(of: &rest, to: &group) }
            var failed = 0
            while let holds = await group.next() {
                if !holds { failed += 1 }
                addNext(of: &rest, to: &group)
            }
            return failed
        }
    }

    private static func addNext(
        of rest: inout ArraySlice<NamedExploration>, to group: inout TaskGroup<Bool>
    ) {
        guard let next = rest.popFirst() else { return }
        group.addTask {
            let result = Explorer(next.configuration).explore()
            print("\(next.configuration.name): \(result.summary)")
            return result.violation == nil
        }
    }
}
