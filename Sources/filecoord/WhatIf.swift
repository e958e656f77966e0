// SPDX-License-Identifier: Apache-2.0
//
// What would happen to an access that was asked for now. There is no second copy of the rules: what
// a status report says is told to an arbiter of one's own, which is asked then.

import FileCoordinationArbiter
import FileCoordinationWire

/// An arbiter that knows what a report says, to try accesses with.
///
/// A report does not say since when presenters have relinquished their items, nor where an accessor
/// has moved its items meanwhile: so the half minute after which readers have to let a presenter
/// have its item back (Rule 6.11) is not foreseen, and neither is who waits at a new place.
struct WhatIf {
    /// What a presenter would be asked.
    struct Request: Hashable {
        /// Its index in the report.
        var presenter: Int
        /// What it would have to do.
        var steps: YieldSteps
    }

    /// What a presenter would be told afterwards.
    struct News: Hashable {
        /// Its index in the report.
        var presenter: Int
        /// The messages.
        var notices: [Notice]
    }

    /// What would happen to one access.
    struct Outcome: Hashable {
        /// The claims that would have to end first, as indices in the report, in the queue.
        var blockers: [Int] = []
        /// Whom it would ask before it is granted: at once if there are no blockers, otherwise when
        /// its turn has come.
        var requests: [Request] = []
        /// Presenters that it would ask, but for their not having answered in time (Rule 18.3).
        var passedOver: [Int] = []
        /// Whom it would have told when it is over, if it changes the item.
        var news: [News] = []

        /// Whether it would be granted at once.
        var isImmediate: Bool { blockers.isEmpty && requests.isEmpty }
    }

    private let report: StatusReport
    /// With all that the report says.
    private let present: Arbiter
    /// With presenters alone: as it will be when the access has its turn.
    private let later: Arbiter
    /// Presenters by their numbers.
    private let indices: [PresenterID: Int]

    /// The arbiter of a report.
    init(_ report: StatusReport) {
        self.report = report
        var clients = Clients()
        var indices: [PresenterID: Int] = [:]
        var presenters: [Event] = []
        for (index, presenter) in report.presenters.enumerated() {
            let id = PresenterID(rawValue: presenter.presenter)
            indices[id] = index
            presenters.append(.presenterAdded(Self.registered(presenter, as: id, &clients)))
        }
        var claims: [Event] = []
        for (index, claim) in report.claims.enumerated() {
            let filed = FiledClaim(
                id: Self.id(index), client: clients.client(claim.processID, claim.isStopped),
                purpose: Purpose(bytes: claim.purpose), items: claim.items, kind: claim.kind)
            claims.append(claim.stage == .granted ? .claimRecovered(filed) : .claimFiled(filed))
        }
        self.indices = indices
        present = Self.answered(
            report, indices, Self.recovered(presenters + claims + clients.stops))
        later = Self.recovered(presenters + clients.stops).arbiter
    }

    /// What would happen to an access to `item`.
    func outcome(of item: AccessItem) -> Outcome {
        let now = trial(of: item, by: present)
        let then = trial(of: item, by: later)
        let turn = now.arbiter.stage(of: hypothetical) == .waiting ? then : now
        return Outcome(
            blockers: now.blockers, requests: turn.requests, passedOver: turn.passedOver,
            news: news(after: item, then))
    }

    // MARK: Telling the arbiter

    /// Whose the claims and presenters are; one process is one client.
    private struct Clients {
        private var known: [Int32: ClientID] = [:]
        private var count: UInt32 = 0
        private(set) var stops: [Event] = []

        mutating func client(_ processID: Int32, _ isStopped: Bool) -> ClientID {
            if let client = known[processID] { return client }
            count += 1
            let client = ClientID(rawValue: count)
            // Processes without a number are not the same.
            if processID != 0 { known[processID] = client }
            if isStopped { stops.append(.clientStopped(client)) }
            return client
        }
    }

    private static func id(_ index: Int) -> ClaimID { ClaimID(rawValue: UInt64(index) + 1) }

    private static func registered(
        _ presenter: FileCoordinationWire.PresenterStatus, as id: PresenterID,
        _ clients: inout Clients
    ) -> RegisteredPresenter {
        RegisteredPresenter(
            id: id, client: clients.client(presenter.processID, presenter.isStopped),
            // The report does not say it; no claim of the report's own waits for it in addition.
            purpose: Purpose("presenter \(id.rawValue)"),
            path: presenter.path.flatMap { ItemPath(bytes: $0) }, methods: presenter.methods,
            // The others are waited for as long as it takes.
            patience: presenter.isUnresponsive ? 0 : nil, relinquished: presenter.relinquished)
    }

    /// An arbiter that was told all this, and the questions that it has for presenters.
    private static func recovered(_ events: [Event]) -> (arbiter: Arbiter, effects: [Effect]) {
        var arbiter = Arbiter(recovering: true)
        for event in events { _ = arbiter.handle(event) }
        let effects = arbiter.handle(.recoveryFinished)
        return (arbiter, effects)
    }

    /// The same, in which those have answered that claims do not wait for any more.
    private static func answered(
        _ report: StatusReport, _ indices: [PresenterID: Int],
        _ recovered: (arbiter: Arbiter, effects: [Effect])
    ) -> Arbiter {
        var (arbiter, effects) = recovered
        var next = 0
        while next < effects.count {
            defer { next += 1 }
            guard case .askToYield(let presenter, let claim, _) = effects[next],
                let index = indices[presenter]
            else { continue }
            let asker = report.claims[Int(claim.rawValue) - 1]
            let isAwaited = asker.waitsFor.contains {
                $0.presenter == report.presenters[index].presenter
            }
            // Of a long list only the front is there, and of those behind it nothing is known.
            guard asker.stage == .asking, !isAwaited, asker.waitsForCount <= asker.waitsFor.count
            else { continue }
            effects += arbiter.handle(.presenterAnswered(presenter, for: claim, failure: nil))
        }
        return arbiter
    }

    // MARK: Asking it

    /// The access that is not asked for: the last in the queue.
    private var hypothetical: ClaimID { Self.id(report.claims.count) }

    /// What became of an arbiter that was asked for it.
    private struct Trial {
        var arbiter: Arbiter
        var blockers: [Int] = []
        var requests: [Request] = []
        var passedOver: [Int] = []
    }

    private func trial(of item: AccessItem, by arbiter: Arbiter) -> Trial {
        var trial = Trial(arbiter: arbiter)
        let claim = FiledClaim(
            id: hypothetical, client: ClientID(rawValue: .max),
            purpose: Purpose("an access that is not asked for"), items: [item])
        _ = trial.arbiter.handle(.claimFiled(claim))
        trial.passedOver = requests(in: trial.arbiter).map(\.presenter)
            .filter { report.presenters[$0].isUnresponsive }
        // Those who do not answer in time are passed over at once.
        _ = trial.arbiter.handle(.clockAdvanced(to: 1))
        trial.requests = requests(in: trial.arbiter)
        trial.blockers = trial.arbiter.impediments(of: hypothetical).compactMap {
            guard case .claim(let claim) = $0 else { return nil }
            return Int(claim.rawValue) - 1
        }
        return trial
    }

    private func requests(in arbiter: Arbiter) -> [Request] {
        arbiter.impediments(of: hypothetical).compactMap { impediment in
            guard case .presenter(let presenter, let steps) = impediment,
                let index = indices[presenter]
            else { return nil }
            return Request(presenter: index, steps: steps)
        }
    }

    /// Whom it would have told, if every presenter made way for it and it changed the item.
    private func news(after item: AccessItem, _ trial: Trial) -> [News] {
        let outcome: ItemOutcome
        switch item.access {
        case .reading: return []
        case .writing(let options): outcome = options.contains(.deleting) ? .deleted : .changed
        }
        var arbiter = trial.arbiter
        for request in trial.requests {
            let presenter = PresenterID(rawValue: report.presenters[request.presenter].presenter)
            _ = arbiter.handle(.presenterAnswered(presenter, for: hypothetical, failure: nil))
        }
        var notices: [Int: [Notice]] = [:]
        for case .notify(let presenter, let notice)
            in arbiter.handle(.claimEnded(hypothetical, outcomes: [outcome]))
        {
            guard let index = indices[presenter] else { continue }
            notices[index, default: []].append(notice)
        }
        return notices.keys.sorted().map { News(presenter: $0, notices: notices[$0] ?? []) }
    }
}
