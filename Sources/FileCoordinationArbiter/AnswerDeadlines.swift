// SPDX-License-Identifier: Apache-2.0
//
// Deadlines for the answers of presenters (Rule 18.3). A presenter can delay one claim until its
// deadline. Then the claim continues without the answer, and the presenter is not asked any more
// until it answers. When it does, it is told to look at its item, which may have changed. A
// coordinated access of the presenter's own purpose extends the deadline: the presenter is busy,
// for example saving.

extension Arbiter {
    /// Returns the time until which the arbiter waits for an answer, or nil if there is no limit.
    func deadline(of record: PresenterRecord, _ question: AwaitedAnswer.Question) -> UInt64? {
        switch question {
        // This presenter waits for other claims and has not been asked yet.
        case .postponed(let steps) where !isBehindPassedOver(record, steps): nil
        case .put, .postponed:
            switch (deadline(after: record.registration.answerTimeout), stoppedDeadline(of: record))
            {
            case (let patient?, let stopped?): min(patient, stopped)
            case (let patient, let stopped): patient ?? stopped
            }
        }
    }

    /// Whether a question is postponed until the presenter answers a claim that has continued
    /// without it.
    ///
    /// That earlier answer has no deadline any more, so this question needs one.
    private func isBehindPassedOver(_ record: PresenterRecord, _ steps: YieldSteps) -> Bool {
        steps.relinquish.contains { kind in
            switch record[kind] {
            case .kept, .relinquished: false
            case .relinquishing(let asker): !record.awaitedBy.contains(asker)
            }
        }
    }

    private func deadline(after answerTimeout: UInt64?) -> UInt64? {
        answerTimeout.map { nanoseconds in
            let (deadline, isBeyond) = now.addingReportingOverflow(nanoseconds)
            return isBeyond ? .max : deadline
        }
    }

    /// Lowers the next deadline to this one.
    mutating func lowerDeadline(to deadline: UInt64?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// Advances the clock and passes over presenters whose deadlines have expired.
    mutating func advanceClock(to time: UInt64, _ reevaluations: inout ReevaluationQueue) {
        now = max(now, time)
        // A claim whose question to a presenter is postponed may now have to wait for readers that
        // have lasted too long (Rule 6.11). Time begins no other wait.
        if purposeIndex.postponedCount > 0 { reevaluations.markNewWaits() }
        guard let next = nextDeadline, next <= now else { return }
        nextDeadline = nil
        var silent: OrderedIDs<PresenterID> = []
        for id in purposeIndex.asking {
            for answer in records[id]?.asking?.awaited ?? [] {
                guard let deadline = answer.deadline else { continue }
                if deadline <= now {
                    silent.insertOnce(answer.presenter)
                } else {
                    lowerDeadline(to: deadline)
                }
            }
        }
        for presenter in silent { passOver(presenter, &reevaluations) }
    }

    /// Lets all claims continue without the presenter's answers, if any claim waits for one.
    mutating func passOver(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        guard let record = registry[presenter], !record.awaitedBy.isEmpty else { return }
        unresponsive.insertOnce(presenter)
        purposeIndex.enterUnresponsive(record.registration)
        for claim in record.awaitedBy {
            let call = records[claim]?.asking?.awaited[presenter]?.blockedBy
            stopAwaiting(presenter, for: claim, &reevaluations)
            if call != nil { block(presenter, for: claim, by: call) }
        }
        reevaluations.resume(presenter)
    }

    /// Handles a sign of life of a presenter that did not answer in time.
    mutating func markResponsive(_ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue)
    {
        guard unresponsive.remove(presenter), let record = registry[presenter] else { return }
        purposeIndex.leaveUnresponsive(record.registration)
        let registration = record.registration
        if let notice = registration.methods.noticeOfAnyChange(at: registration.path) {
            reevaluations.emit(.notify(presenter, notice))
        }
    }

    /// Handles an answer to a question that is not open any more.
    ///
    /// A claim may have continued without the presenter, and still be asking others. It is unknown
    /// whether the presenter has relinquished for that claim, because its client discards questions
    /// when it loses its connection. So the presenter gets its item back, and can be asked again.
    /// An access of its own purpose may have shown before that it is alive.
    mutating func handleLateAnswer(
        of presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        markResponsive(presenter, &reevaluations)
        discardLateCalls(of: presenter)
        for kind in Relinquishment.allCases {
            guard let record = registry[presenter], case .relinquishing(let claim) = record[kind],
                record.isLate(for: claim)
            else { continue }
            for back in registry[presenter]?.release(claim) ?? [] {
                reevaluations.emit(.reacquire(presenter, back))
            }
            records[claim]?.relinquished.remove(presenter)
        }
        reevaluations.resume(presenter)
    }

    /// Handles the beginning or end of an access: the presenters of its purpose are alive, and
    /// those of its items are busy with it.
    mutating func extendAnswerDeadlines(
        with claim: FiledClaim, _ reevaluations: inout ReevaluationQueue
    ) {
        let purpose = claim.purpose
        if !unresponsive.isEmpty {
            for id in purposeIndex.unresponsive(purpose) { markResponsive(id, &reevaluations) }
        }
        guard purposeIndex.isAwaited(purpose) else { return }
        var busy: OrderedIDs<PresenterID> = []
        for id in OrderedIDs(unique: purposeIndex.awaited(purpose)) where isBusy(id, with: claim) {
            busy.insert(id)
        }
        renewDeadlines(busy)
    }

    /// Whether an access concerns the item of a presenter, its contents or a directory around it.
    ///
    /// An access elsewhere does not show that the presenter is about to answer.
    private func isBusy(_ presenter: PresenterID, with claim: FiledClaim) -> Bool {
        guard let place = registry[presenter]?.registration.path else { return true }
        return claim.items.contains { item in
            item.path == place || item.path.contains(place) || place.contains(item.path)
        }
    }

    /// Restarts the deadlines for the answers of these presenters.
    mutating func renewDeadlines(_ presenters: OrderedIDs<PresenterID>) {
        for presenter in presenters {
            guard let record = registry[presenter] else { continue }
            for claim in record.awaitedBy {
                guard var answer = records[claim]?.asking?.awaited[presenter] else { continue }
                answer.deadline = deadline(of: record, answer.question)
                records[claim]?.updateAsking { $0.awaited.insert(answer) }
                lowerDeadline(to: answer.deadline)
            }
        }
    }
}
