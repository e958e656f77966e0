// SPDX-License-Identifier: Apache-2.0
//
// Stage 2: presenters are asked to yield, and answer (Rules 2.19, 6.10 to 6.13).

extension Arbiter {
    /// Asks a presenter to yield to a claim, or postpones or omits the question.
    mutating func put(
        _ steps: YieldSteps, to presenter: PresenterID, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        // A presenter that did not answer in time is not asked until it answers (Rule 18.3).
        if unresponsive.contains(presenter) {
            return stopAwaiting(presenter, for: id, &reevaluations)
        }
        // The record must not be referenced elsewhere while it is changed, or it would be copied.
        guard let isEarly = registry[presenter].map({ mustPostpone(steps, to: $0, for: id) })
        else { return }
        if isEarly {
            // The claim now waits for these readers. Claims of a reader's purpose need not wait for
            // it (Rule 2.17).
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

    /// Asks a presenter the postponed questions that are possible now.
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

    /// Handles the answer of a presenter.
    mutating func answer(
        _ presenter: PresenterID, _ id: ClaimID, _ failure: PresenterFailure?,
        _ reevaluations: inout ReevaluationQueue
    ) {
        markResponsive(presenter, &reevaluations)
        // The answer is recorded even if the claim that asked is over: other claims may wait until
        // the presenter has relinquished.
        registry[presenter]?.answered(id, now: now)
        discardLateCall(of: presenter, for: id)
        reevaluations.resume(presenter)
        switch records[id]?.asking?.awaited[presenter]?.question {
        case .put: break
        // The answer is for a claim that is over or has continued without it, or for a question
        // that was never asked.
        case .postponed, nil: return
        }
        if let failure {
            // Rules 9.1, 9.3: the first error decides. The other presenters' questions are not
            // withdrawn.
            reevaluations.emit(.fail(id, failure))
            finish(id, &reevaluations)
        } else {
            stopAwaiting(presenter, for: id, &reevaluations)
        }
    }

    // MARK: Missing answers

    private mutating func awaitAnswer(
        _ presenter: PresenterID, _ question: AwaitedAnswer.Question, for id: ClaimID,
        _ reevaluations: inout ReevaluationQueue
    ) {
        guard
            let (purpose, deadline) = registry[presenter].map({ record in
                (record.registration.purpose, self.deadline(of: record, question))
            })
        else { return }
        // The claim waits for this answer, and claims of the presenter's purpose need not wait for
        // the claim (Rule 2.16).
        reevaluations.markNewWaits()
        let answer = AwaitedAnswer(presenter: presenter, question: question, deadline: deadline)
        records[id]?.updateAsking { $0.awaited.insert(answer) }
        let wasPostponed = isPostponed(presenter, for: id)
        if registry[presenter]?.addAwaitingClaim(by: id, question) == true {
            purposeIndex.beginAwaiting(purpose, of: presenter)
        }
        purposeIndex.addPostponed(
            (isPostponed(presenter, for: id) ? 1 : 0) - (wasPostponed ? 1 : 0))
        lowerDeadline(to: deadline)
    }

    /// Records that the claim does not need an answer of this presenter, or no longer.
    mutating func stopAwaiting(
        _ presenter: PresenterID, for id: ClaimID, _ reevaluations: inout ReevaluationQueue
    ) {
        // Of an answer that is not awaited any more, a late call may be known: it stays.
        if records[id]?.asking?.awaited[presenter] != nil { block(presenter, for: id, by: nil) }
        records[id]?.updateAsking { $0.awaited.remove(presenter) }
        reevaluations.reconsiderGrant(id)
        if isPostponed(presenter, for: id) { purposeIndex.addPostponed(-1) }
        guard registry[presenter]?.removeAwaitingClaim(by: id) == true,
            let purpose = registry[presenter]?.registration.purpose
        else { return }
        purposeIndex.endAwaiting(purpose, of: presenter)
        // Claims of this purpose may now wait for what they could pass (Rule 2.16), and others may
        // pass them because of that (Rule 2.17).
        if !purposeIndex.waiting(purpose).isEmpty { reevaluations.markNewWaits() }
    }

    // MARK: Postponed questions

    private func isPostponed(_ presenter: PresenterID, for id: ClaimID) -> Bool {
        registry[presenter]?.postponedFor.contains(id) ?? false
    }

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
        // The question is not postponed for a reader that itself waits for this claim, because that
        // wait would never end.
        return !readers.isEmpty
            && !readers.contains { records[$0].map { waits($0, for: id) } ?? false }
    }

    /// Returns the readers that must end, so that the presenter gets its item back, before it is
    /// asked to relinquish for this claim (Rule 6.11).
    ///
    /// Usually there are none.
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

    /// Whether a claim must not wait for the end of a reader for which a presenter has been
    /// relinquished for too long.
    private func mustJoin(_ id: ClaimID, _ reader: ClaimID, since: UInt64) -> Bool {
        guard let claim = records[id]?.claim, let other = records[reader] else { return false }
        // A read made inside that read must not wait for it, because that wait would never end.
        if claim.isInside(reader) { return true }
        // Rule 2.10, but as in Rule 2.17 only for readers that were filed soon after the
        // presenter relinquished. Otherwise overlapping reads of one purpose could keep the
        // presenter from its item forever.
        return claim.purpose == other.claim.purpose
            && other.filedAt < since + Limits.readerChainNanoseconds
    }
}
