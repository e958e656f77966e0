// SPDX-License-Identifier: Apache-2.0
//
// The ledger's procedures in every order of events, with deaths, stops and forks at every step:
//
//     swift run -c release explore [--long] [--only WORD]

import Foundation
import LedgerExploration

@main
private struct Explore {
    static func main() async {
        var arguments = CommandLine.arguments.dropFirst()
        var isLong = false
        var word = ""
        while let argument = arguments.popFirst() {
            switch argument {
            case "--long": isLong = true
            case "--only" where !arguments.isEmpty: word = arguments.removeFirst()
            default:
                print("usage: explore [--long] [--only WORD]")
                exit(64)
            }
        }
        let chosen = Explorations.all.filter {
            (isLong || $0.size != .long)
                && (word.isEmpty || $0.configuration.name.contains(word))
        }
        guard !chosen.isEmpty else {
            print("explore: no exploration has \"\(word)\" in its name")
            exit(64)
        }
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
            // So that one line says it.
            if result.violation != nil { print("violation: in \"\(next.configuration.name)\"") }
            return result.violation == nil
        }
    }
}
