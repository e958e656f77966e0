// SPDX-License-Identifier: Apache-2.0
//
// The chain of waits behind an access: the claims and presenters that it waits for, those that they
// wait for, and so on to the end.

import FileCoordinationArbiter
import FileCoordinationWire

/// A chain of waits, which may branch.
struct WaitChain {
    /// Why a step follows the one above it.
    enum Link: String, Hashable {
        /// The step above waits for it.
        case waited
        /// It was requested inside the access above, which cannot end before.
        case inside
        /// The process of the step above waits for it, but perhaps not because of that step's
        /// access or presenter.
        case alongside
    }

    /// Where a chain ends.
    enum End: String, Hashable {
        /// The chain continues below.
        case open
        /// The chain ends there: with an access that runs, or with a presenter whose process does
        /// not wait.
        case last
        /// The access is above already: the accesses from there to here wait in a cycle.
        case cycle
        /// The access is in another branch already.
        case shown
    }

    /// An access or presenter that is waited for.
    struct Step: Hashable {
        /// The number of steps above it in its branch.
        var depth: Int
        /// Why it is waited for.
        var link: Link
        /// Its claim, as an index in the report; nil if it is a presenter, or is not in the report.
        var claim: Int?
        /// The process, with its role.
        var party: Party
        /// How the chain continues or ends here.
        var end: End
    }

    /// The steps; what follows from one is below it, one deeper.
    private(set) var steps: [Step] = []
    /// Whether the chain was cut at ``limit`` steps.
    private(set) var isCut = false

    /// The most steps of a chain.
    static let limit = 64

    private let report: StatusReport
    private let indices: [UInt64: Int]
    private var way: [Int] = []
    private var seen: Set<Int> = []

    /// The chain behind these claims and presenters, which are indices in the report.
    ///
    /// A presenter is in it if another claim waits for it already.
    init(_ report: StatusReport, from blockers: [Int], asking presenters: [Int] = []) {
        self.report = report
        // If a claim is reported twice, the first entry counts: the claim may have ended while
        // the report was made.
        indices = Dictionary(
            report.claims.enumerated().map { ($1.claim, $0) },
            uniquingKeysWith: { first, _ in first })
        for index in blockers { follow(index, Self.party(report.claims[index]), .waited, 0) }
        for presenter in presenters where !steps.contains(where: { names(presenter, $0.party) }) {
            let parties = report.claims.flatMap(\.waitsFor)
            if let party = parties.first(where: { names(presenter, $0) }) {
                follow(nil, party, .waited, 0)
            }
        }
    }

    /// The steps of the cycle that ends with a step, including that step.
    ///
    /// The first one is below the access that is shown twice.
    func cycle(closedBy index: Int) -> [Step] {
        let claim = steps[index].party.claim
        var cycle = [steps[index]]
        for step in steps[..<index].reversed() where step.depth < cycle[0].depth {
            if step.party.claim != nil, step.party.claim == claim { break }
            cycle.insert(step, at: 0)
        }
        return cycle
    }

    private func names(_ presenter: Int, _ party: Party) -> Bool {
        party.presenter == report.presenters[presenter].presenter
    }

    private static func party(_ claim: FileCoordinationWire.ClaimStatus) -> Party {
        Party(
            claim: claim.claim, presenter: nil, processID: claim.processID,
            processName: claim.processName, purpose: claim.purpose,
            path: claim.items.first?.path.bytes ?? [],
            role: claim.stage == .granted ? .holder : .waiter,
            since: claim.since, message: nil, isStopped: claim.isStopped,
            label: claim.label)
    }

    private mutating func follow(_ index: Int?, _ party: Party, _ link: Link, _ depth: Int) {
        guard steps.count < Self.limit else {
            isCut = true
            return
        }
        func step(_ end: End) -> Step {
            Step(depth: depth, link: link, claim: index, party: party, end: end)
        }
        guard let index else {
            steps.append(step(.last))
            return followProcess(of: party, depth)
        }
        if way.contains(index) { return steps.append(step(.cycle)) }
        guard seen.insert(index).inserted else { return steps.append(step(.shown)) }
        let place = steps.count
        steps.append(step(.open))
        way.append(index)
        let claim = report.claims[index]
        if claim.stage == .granted {
            for (inner, link) in awaited(by: claim) {
                follow(inner, Self.party(report.claims[inner]), link, depth + 1)
            }
        } else {
            for party in claim.waitsFor {
                follow(party.claim.flatMap { indices[$0] }, party, .waited, depth + 1)
            }
            if claim.waitsForCount > claim.waitsFor.count { isCut = true }
        }
        way.removeLast()
        if steps.count == place + 1 { steps[place].end = .last }
    }

    /// Adds what the process of a presenter waits for, because the presenter can perhaps not answer
    /// before.
    private mutating func followProcess(of presenter: Party, _ depth: Int) {
        guard presenter.role == .presenter, presenter.processID != 0 else { return }
        let place = steps.count - 1
        for index in report.claims.indices
        where report.claims[index].stage != .granted
            && report.claims[index].processID == presenter.processID
            // A process may ask its own presenter, which adds no other wait.
            && index != way.last
        {
            follow(index, Self.party(report.claims[index]), .alongside, depth + 1)
        }
        if steps.count > place + 1 { steps[place].end = .open }
    }

    /// Returns the claims that a running access waits for: those requested inside it, or else the
    /// waiting claims of its process.
    private func awaited(by holder: FileCoordinationWire.ClaimStatus) -> [(claim: Int, link: Link)]
    {
        let waiting = report.claims.indices.filter { report.claims[$0].stage != .granted }
        let inner = waiting.filter { report.claims[$0].outerClaims.contains(holder.claim) }
        guard inner.isEmpty else { return inner.map { ($0, .inside) } }
        guard holder.processID != 0 else { return [] }
        return waiting.filter { report.claims[$0].processID == holder.processID }
            .map { ($0, .alongside) }
    }
}
