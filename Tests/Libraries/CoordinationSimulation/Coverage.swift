// SPDX-License-Identifier: Apache-2.0
//
// Counts what happened in simulations, so that a simulation that tests too little is noticed.

/// How often what happened.
package struct Coverage: Sendable {
    /// Something that is counted.
    package enum Kind: Int, CaseIterable, Sendable {
        case claims, grants, nested, batches, asked, answered, refused, late, cancelled, cycles
        case presenterCycles, saveBacks, blockings, moves, retargets, presenters, removals
        case deaths, stops, returned, withdrawn, restarts, crashes, clockJumps, notices
        case delegations, shares, reportingSlots, recalls, held, found, madeKnown, unreported
        case formers, localReads, localWrites, reports, queues, turns
        case events
    }

    private var counts = [Int](repeating: 0, count: Kind.allCases.count)

    /// Nothing yet.
    package init() {}

    /// One more.
    mutating func count(_ kind: Kind, _ number: Int = 1) { counts[kind.rawValue] += number }

    /// How often something happened.
    package subscript(kind: Kind) -> Int { counts[kind.rawValue] }

    /// Adds what happened elsewhere.
    package mutating func add(_ other: Coverage) {
        for kind in Kind.allCases { count(kind, other[kind]) }
    }

    /// Everything, on one line.
    package var summary: String {
        Kind.allCases.map { "\($0) \(self[$0])" }.joined(separator: ", ")
    }
}
