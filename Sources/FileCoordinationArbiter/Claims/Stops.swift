// SPDX-License-Identifier: Apache-2.0
//
// Processes that are stopped (Rule 18.6) by a signal, a debugger or their cgroup. A waiting claim
// of a stopped process is skipped: it blocks no other claim, and keeps its serial number. A
// presenter in a stopped process is passed over much sooner than one that is only slow. A claim
// that is granted keeps its position.

import MonotonicTime

extension Arbiter {
    /// Whether the client's process was seen stopped, and not seen running since.
    func isStopped(_ client: ClientID) -> Bool {
        // In most cases no client is stopped.
        !stoppedClients.isEmpty && stoppedClients.contains(client)
    }

    /// Whether the client has claims or presenters, and its process is not known to be stopped.
    ///
    /// The arbiter grants nothing to a client that it knows to be stopped, so the server need not
    /// repeat what it has told.
    public func mustBeToldOfStop(of client: ClientID) -> Bool {
        clientStates[client] != nil && !isStopped(client)
    }

    /// Handles a client process that was seen stopped.
    mutating func stop(_ client: ClientID, _ reevaluations: inout ReevaluationQueue) {
        guard let left = clientStates[client], !stoppedClients.contains(client) else { return }
        stoppedClients.insert(client)
        clientStates[client]?.stoppedSince = now
        for id in left.claims { skip(id, &reevaluations) }
        renewDeadlines(left.presenters)
    }

    /// Handles a client process that runs again.
    mutating func resume(_ client: ClientID, _ reevaluations: inout ReevaluationQueue) {
        guard stoppedClients.remove(client), let left = clientStates[client] else { return }
        clientStates[client]?.stoppedSince = nil
        for id in left.claims {
            guard let record = records[id] else { continue }
            switch record.state {
            case .skipped: readmit(record, &reevaluations)
            case .filed, .waiting, .asking, .granted: continue
            }
        }
        for presenter in left.presenters { markResponsive(presenter, &reevaluations) }
        renewDeadlines(left.presenters)
    }

    /// Handles the withdrawal of a provisional grant.
    ///
    /// The accessor has not run, so presenters need not be notified.
    mutating func withdrawGrant(of id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard records[id]?.grant != nil else { return }
        // A presenter that was passed over may still answer the former question.
        reevaluations.emit(.withdrawQuestions(id))
        returnToFirstStage(id, &reevaluations)
        guard let record = records[id], !isStopped(record.claim.client) else { return }
        readmit(record, &reevaluations)
    }

    /// Puts a skipped claim into the queue again, at its old position.
    private mutating func readmit(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        records[record.claim.id]?.state = .filed
        reevaluations.evaluate(record.claim)
    }

    /// Takes a waiting claim of a stopped process out of its queue, so that it blocks no claim.
    private mutating func skip(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        switch records[id]?.state {
        case .waiting(let other):
            records[other]?.watchers.remove(id)
            records[id]?.state = .skipped
            reconsider(records[id]?.watchers ?? [], &reevaluations)
        case .asking:
            // The questions to presenters are withdrawn, as if the claim were cancelled. They are
            // asked again when the claim gets to stage 2 again.
            reevaluations.emit(.withdrawQuestions(id))
            returnToFirstStage(id, &reevaluations)
        case .filed, .skipped, .granted, nil:
            // `filed`: the arbiter is recovering and evaluates the claim afterwards.
            return
        }
    }

    /// Returns a claim to stage 1 and takes it out of its queue, so that it blocks no claim.
    private mutating func returnToFirstStage(
        _ id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        unblockQuestions(for: id)
        guard let record = records[id] else { return }
        advance(id, to: .skipped)
        letGo(record, &reevaluations)
        records[id]?.watchers = []
        records[id]?.passed = []
        records[id]?.relinquished = []
        records[id]?.accommodated = []
        records[id]?.askedBeforeMove = nil
    }

    /// Returns the time until which the arbiter waits for the answer of a presenter in a stopped
    /// process.
    func stoppedDeadline(of record: PresenterRecord) -> Instant? {
        guard isStopped(record.registration.client) else { return nil }
        return clientStates[record.registration.client]?.stoppedSince
            .map { $0 + Limits.stoppedPresenter }
    }

    /// Whether other claims pass this one because its process is stopped.
    public func isSkipped(_ claim: ClaimID) -> Bool {
        switch records[claim]?.state {
        case .skipped: true
        case .filed, .waiting, .asking, .granted, nil: false
        }
    }

    // MARK: Processes to check

    /// Whether any claim waits.
    public var hasWaitingClaims: Bool { purposeIndex.hasWaiting || !purposeIndex.asking.isEmpty }

    /// The clients that a claim waits for now, and those that were seen stopped, ascending.
    ///
    /// The server must check whether their processes are stopped.
    public var clientsToLookAt: [ClientID] {
        var result = stoppedClients
        for id in records.ids {
            guard let record = records[id] else { continue }
            switch record.state {
            case .waiting(let other):
                if let client = records[other]?.claim.client { result.insertOnce(client) }
            case .asking(let asking):
                for answer in asking.awaited {
                    guard let presenter = registry[answer.presenter] else { continue }
                    result.insertOnce(presenter.registration.client)
                }
                for bypasser in claimsAwaited(by: id, asking) {
                    if let client = records[bypasser]?.claim.client { result.insertOnce(client) }
                }
            case .filed, .skipped, .granted:
                continue
            }
        }
        return Array(result)
    }
}
