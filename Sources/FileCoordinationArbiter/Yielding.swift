// SPDX-License-Identifier: Apache-2.0
//
// Stage 2: presenters are asked to make way, and answer (Rules 2.19, 6.10 to 6.13).

extension Arbiter {
    /// Puts a claim's question to a presenter, or finds that it need not or cannot be put now.
    mutating func put(
        _ steps: YieldSteps, to presenter: PresenterID, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        // It costs nothing until it answers again (Rule 18.3).
        if unresponsive.contains(presenter) {
            return stopAwaiting(presenter, for: id, &reevaluations)
        }
        // There may be no other reference to the record while it is changed: it would be copied.
        guard let isEarly = registry[presenter].map({ mustPostpone(steps, to: $0, for: id) })
        else { return }
        if isEarly {
            // Now this claim waits for those readers, and need not be waited for by their likes
            // (Rule 2.17).
            for reader in readersToOutlast(presenter, steps, for: id) {
                guard let purpose = records[reader]?.claim.purpose else { continue }
                reconsider(purposeIndex.waiting(purpose), &reevaluations)
            }
            return awaitAnswer(presenter, .postponed(steps), for: id, &reevaluations)
        }

        var remaining = steps
        if !steps.relinquish.isEmpty {
            records[id]?.relinquished.insertOnce(presenter)
            remaining.relinquish =
                registry[presenter]?.relinquish(steps.relinquish, for: id) ?? []
        }
        if remaining.accommodateDeletion { records[id]?.accommodated.insertOnce(presenter) }
        if remaining.isEmpty {
            stopAwaiting(presenter, for: id, &reevaluations)
        } else {
            awaitAnswer(presenter, .put(remaining), for: id, &reevaluations)
            reevaluations.emit(.askToYield(presenter, for: id, remaining))
        }
    }

    /// Puts the questions that had to wait, as far as they can be put now.
    mutating func putPostponedQuestions(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        for id in registry[presenter]?.postponedFor ?? [] {
            switch records[id]?.asking?.awaited[presenter]?.question {
            case .postponed(let steps): put(steps, to: presenter, for: id, &reevaluations)
            case .put, nil: continue
            }
        }
    }

    /// A presenter has done what a claim asked of it, or failed to.
    mutating func answer(
        _ presenter: PresenterID, _ id: ClaimID, _ failure: PresenterFailure?,
        _ reevaluations: inout ReevaluationQueue
    ) {
        markResponsive(presenter, &reevaluations)
        // Also if no claim waited for it any longer: others may wait until it has relinquished.
        registry[presenter]?.answered(id, now: now)
        reevaluations.resume(presenter)
        switch records[id]?.asking?.awaited[presenter]?.question {
        case .put: break
        // An answer to a claim that is over or has gone on without it, or to a question that was
        // never put.
        case .postponed, nil: return
        }
        if let failure {
            // Rules 9.1, 9.3: the first error decides, and the others are not un-asked.
            reevaluations.emit(.fail(id, failure))
            finish(id, &reevaluations)
        } else {
            stopAwaiting(presenter, for: id, &reevaluations)
        }
    }

    // MARK: Whose answer is missing

    private mutating func awaitAnswer(
        _ presenter: PresenterID, _ question: AwaitedAnswer.Question, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard
            let (purpose, deadline) = registry[presenter].map({ record in
                (record.registration.purpose, self.deadline(of: record, question))
            })
        else { return }
        // The claim waits for that, and its likes need not wait for the claim (Rule 2.16).
        reevaluations.markNewWaits()
        let answer = AwaitedAnswer(presenter: presenter, question: question, deadline: deadline)
        records[id]?.updateAsking { $0.awaited.insert(answer) }
        if registry[presenter]?.addAwaitingClaim(by: id, question) == true {
            purposeIndex.beginAwaiting(purpose, of: presenter)
        }
        lowerDeadline(to: deadline)
    }

    /// Records that the claim needs no answer of this presenter, or no more.
    mutating func stopAwaiting(
        _ presenter: PresenterID, for id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        records[id]?.updateAsking { $0.awaited.remove(presenter) }
        reevaluations.reconsiderGrant(id)
        guard registry[presenter]?.removeAwaitingClaim(by: id) == true,
            let purpose = registry[presenter]?.registration.purpose
        else { return }
        purposeIndex.endAwaiting(purpose, of: presenter)
    }

    // MARK: Postponing

    /// Whether the presenter cannot be asked for this claim now.
    private func mustPostpone(
        _ steps: YieldSteps, to record: PresenterRecord, for id: ClaimID
    ) -> Bool {
        for kind in steps.relinquish {
            switch record[kind] {
            case .kept, .relinquished: continue
            case .relinquishing(let asker): if asker != id { return true }
            }
        }
        let readers = readersToOutlast(record.registration.id, steps, for: id)
        // Never for one that itself waits until this claim is over: it never would be.
        return !readers.isEmpty
            && !readers.contains { records[$0].map { waits($0, for: id) } ?? false }
    }

    /// The readers after which the presenter must have its item back before it is asked to
    /// relinquish for this claim (Rule 6.11); none as a rule.
    func readersToOutlast(
        _ presenter: PresenterID, _ steps: YieldSteps, for id: ClaimID
    ) -> OrderedIDs<ClaimID> {
        guard steps.relinquish.contains(.reader), let record = registry[presenter] else {
            return []
        }
        switch record.toReaders {
        case .kept, .relinquishing:
            return []
        case .relinquished(let readers, let since):
            guard now - since >= Limits.readerChainNanoseconds else { return [] }
            return readers.contains { mustJoin(id, $0, since: since) } ? [] : readers
        }
    }

    /// Whether a claim must not wait until a reader is over, for which a presenter has been
    /// relinquished for too long.
    private func mustJoin(_ id: ClaimID, _ reader: ClaimID, since: UInt64) -> Bool {
        guard let claim = records[id]?.claim, let other = records[reader] else { return false }
        // A read inside that read: the wait would never end.
        if claim.isInside(reader) { return true }
        // Rule 2.10. But as under Rule 2.17 only for one from before: or overlapping reads of one
        // purpose could lock an editor out for ever.
        return claim.purpose == other.claim.purpose
            && other.filedAt < since + Limits.readerChainNanoseconds
    }
}
