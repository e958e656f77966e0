// SPDX-License-Identifier: Apache-2.0
//
// Processes that are stopped (Rule 18.6): by a signal, a debugger, or with their cgroup. One that
// waits is skipped: it blocks no claim, and keeps its number. A presenter that does not answer
// because its process is stopped is passed over much sooner than one that is only slow. A
// claim that holds its place keeps it.

extension Arbiter {
    /// Whether the process was seen stopped, and not seen to run since.
    func isStopped(_ client: ClientID) -> Bool {
        // As a rule there is none.
        !stoppedClients.isEmpty && stoppedClients.contains(client)
    }

    /// A client process was seen to be stopped.
    mutating func stop(_ client: ClientID, _ reevaluations: inout ReevaluationQueue) {
        guard let left = clientStates[client], !stoppedClients.contains(client) else { return }
        stoppedClients.insert(client)
        clientStates[client]?.stoppedSince = now
        for id in left.claims { skip(id, &reevaluations) }
        renewDeadlines(left.presenters, &reevaluations)
    }

    /// A client process runs again.
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
        renewDeadlines(left.presenters, &reevaluations)
    }

    /// A grant that was not taken up was taken back.
    ///
    /// Nothing was done under it, so there is nothing to tell anybody.
    mutating func withdrawGrant(of id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard records[id]?.grant != nil else { return }
        // A presenter that was passed over may still answer what it was asked then.
        reevaluations.emit(.recallQuestions(id))
        retreat(id, &reevaluations)
        guard let record = records[id], !isStopped(record.claim.client) else { return }
        readmit(record, &reevaluations)
    }

    /// Lets a claim that was skipped into the line again, at its old place.
    private mutating func readmit(_ record: ClaimState, _ reevaluations: inout ReevaluationQueue) {
        records[record.claim.id]?.state = .filed
        reevaluations.evaluate(record.claim)
    }

    /// Takes a claim that waits out of the way of all others.
    private mutating func skip(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        switch records[id]?.state {
        case .waiting(let other):
            records[other]?.watchers.remove(id)
            records[id]?.state = .skipped
            reconsider(records[id]?.watchers ?? [], &reevaluations)
        case .asking:
            // What presenters were asked is taken back, as if the claim were cancelled; they are
            // asked anew when its turn comes again.
            reevaluations.emit(.recallQuestions(id))
            retreat(id, &reevaluations)
        case .filed, .skipped, .granted, nil:
            // `filed`: while a former arbiter's claims are read. It is looked at when they are.
            return
        }
    }

    /// Takes a claim back to stage 1, and there out of the way of all others.
    private mutating func retreat(_ id: ClaimID, _ reevaluations: inout ReevaluationQueue) {
        guard let record = records[id] else { return }
        advance(id, to: .skipped)
        letGo(record, &reevaluations)
        records[id]?.watchers = []
        records[id]?.passed = []
        records[id]?.relinquished = []
        records[id]?.accommodated = []
    }

    /// Until when the answer of a presenter whose process is stopped is waited for.
    func stoppedDeadline(of record: PresenterRecord) -> UInt64? {
        guard isStopped(record.registration.client) else { return nil }
        return clientStates[record.registration.client]?.stoppedSince
            .map { $0 + Limits.stoppedPresenterNanoseconds }
    }

    /// Whether the claim is stepped over because its process is stopped.
    public func isSkipped(_ claim: ClaimID) -> Bool {
        switch records[claim]?.state {
        case .skipped: true
        case .filed, .waiting, .asking, .granted, nil: false
        }
    }

    // MARK: Whom to look at

    /// Whether anybody waits for anything.
    public var hasWaitingClaims: Bool { purposeIndex.hasWaiting || !purposeIndex.asking.isEmpty }

    /// The processes that a claim waits for just now, and those that were seen stopped: the
    /// server, which knows what processes do, is to look at these; ascending.
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
