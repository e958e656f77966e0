// SPDX-License-Identifier: Apache-2.0
//
// Predicts what would happen to an access that is requested now. The rules are not implemented a
// second time: this program creates an arbiter of its own, gives it the state in a status report,
// and files the access with it.

import FileCoordinationArbiter
import FileCoordinationWire

/// An arbiter with the state of a report, to try accesses.
///
/// A report does not contain since when presenters have relinquished their items, or to which paths
/// accessors have moved items. So the prediction ignores the half minute after which readers must
/// let a presenter reacquire its item (Rule 6.11), and claims that wait at new paths.
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
        /// The presenters that would be asked before it is granted: at once if there are no
        /// blockers, otherwise when these have ended.
        var requests: [Request] = []
        /// Presenters that would not be asked, because they did not answer in time (Rule 18.3).
        var passedOver: [Int] = []
        /// The presenters that would be told when it has ended, if it changes the item.
        var news: [News] = []

        /// Whether it would be granted at once.
        var isImmediate: Bool { blockers.isEmpty && requests.isEmpty }
    }

    private let report: StatusReport
    /// The arbiter with the claims and presenters of the report.
    private let present: Arbiter
    /// The arbiter with the presenters alone, as when all earlier claims have ended.
    private let later: Arbiter
    /// The indices of presenters in the report, by their identifiers.
    private let indices: [PresenterID: Int]

    /// Creates the arbiters from a report.
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

    /// Returns what would happen to an access to `item`.
    func outcome(of item: AccessItem) -> Outcome {
        let now = trial(of: item, by: present)
        let then = trial(of: item, by: later)
        let turn = now.arbiter.stage(of: hypothetical) == .waiting ? then : now
        return Outcome(
            blockers: now.blockers, requests: turn.requests, passedOver: turn.passedOver,
            news: news(after: item, then))
    }

    // MARK: Telling the arbiter

    /// The clients to which claims and presenters belong; each process is one client.
    private struct Clients {
        private var known: [Int32: ClientID] = [:]
        private var count: UInt32 = 0
        private(set) var stops: [Event] = []

        mutating func client(_ processID: Int32, _ isStopped: Bool) -> ClientID {
            if let client = known[processID] { return client }
            count += 1
            let client = ClientID(rawValue: count)
            // Without a process ID, two entries may be of different processes.
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
            // The report does not contain the purpose, so this arbiter asks the presenter also for
            // claims of its own purpose. ``answered(_:_:_:)`` ends these questions.
            purpose: Purpose("presenter \(id.rawValue)"),
            path: presenter.path.flatMap { ItemPath(bytes: $0) }, methods: presenter.methods,
            // A presenter that still has time to answer is awaited without limit.
            answerTimeout: presenter.isUnresponsive ? .zero : nil,
            relinquished: presenter.relinquished)
    }

    /// Returns an arbiter that has handled these events, and its effects, such as questions.
    private static func recovered(_ events: [Event]) -> (arbiter: Arbiter, effects: [Effect]) {
        var arbiter = Arbiter(recovering: true)
        for event in events { _ = arbiter.handle(event) }
        let effects = arbiter.handle(.recoveryFinished)
        return (arbiter, effects)
    }

    /// Returns the arbiter after presenters have answered all questions whose answers, according to
    /// the report, are not awaited.
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
            // A long list is cut, and then it is unknown who is awaited behind its end.
            guard asker.stage == .asking, !isAwaited, asker.waitsForCount <= asker.waitsFor.count
            else { continue }
            effects += arbiter.handle(.presenterAnswered(presenter, for: claim, failure: nil))
        }
        return arbiter
    }

    // MARK: Asking it

    /// The identifier of the access that is tried: the last in the queue.
    private var hypothetical: ClaimID { Self.id(report.claims.count) }

    /// The arbiter after the access was filed, and its effects.
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
        // Presenters that have no time left to answer are passed over at once.
        _ = trial.arbiter.handle(.clockAdvanced(to: Instant(nanoseconds: 1)))
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

    /// Returns what presenters would be told if all of them yielded and the access changed the
    /// item.
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
