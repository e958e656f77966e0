// SPDX-License-Identifier: Apache-2.0
//
// Counts what happened in simulations, so that a simulation that tests too little is noticed.

/// How often what happened.
package struct ServerCoverage: Sendable {
    /// Something that is counted.
    package enum Kind: Int, CaseIterable, Sendable {
        case claims, grants, localGrants, localReads, cancelled, severalItems
        case delegations, sharedDelegations, reportingDelegations, recalls, queueSlots
        case turnsTaken, filedFromQueues, foundRunning, moves
        case presenters, asked, answered, answeredLate, refused, notices, endsWithoutMessage
        case interposed, freezes, deaths, deathsInTurns, takeovers, takeoversInTurns
        case worldsWithDelegations, worldsWithSharedReads, worldsWithReports, worldsWithQueues
        case worldsWithRecallsOfRunning, worldsWithTakeovers, worldsWithDeathsInTurns
        case steps
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)

    /// Nothing yet.
    package init() {}

    mutating func count(_ kind: Kind, _ number: Int = 1) { counts[kind.rawValue] += number }

    /// How often something happened.
    package subscript(kind: Kind) -> Int { counts[kind.rawValue] }

    /// Adds what happened elsewhere.
    package mutating func add(_ other: ServerCoverage) {
        for kind in Kind.allCases { count(kind, other[kind]) }
    }

    /// Counts the world by what was in it.
    mutating func countWorld() {
        let kinds: [(Kind, Kind)] = [
            (.foundRunning, .worldsWithRecallsOfRunning), (.takeovers, .worldsWithTakeovers),
            (.deathsInTurns, .worldsWithDeathsInTurns),
            (.delegations, .worldsWithDelegations), (.turnsTaken, .worldsWithQueues),
            (.sharedDelegations, .worldsWithSharedReads),
            (.reportingDelegations, .worldsWithReports),
        ]
        for (kind, worlds) in kinds where self[kind] > 0 { count(worlds) }
    }

    /// Everything, on one line.
    package var summary: String {
        Kind.allCases.map { "\($0) \(self[$0])" }.joined(separator: ", ")
    }
}
