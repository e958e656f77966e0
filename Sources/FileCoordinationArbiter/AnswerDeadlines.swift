// SPDX-License-Identifier: Apache-2.0
//
// Presenters that do not answer (Rule 18.3). One delays one claim by its bound; then it is passed
// over, and asked nothing more until it answers again: then it is told to look at its item,
// which may have changed behind its back. A presenter that is busy saving asks for more time by
// making a coordinated access of its own.

extension Arbiter {
    /// Until when an answer is waited for.
    func deadline(of record: PresenterRecord, _ question: AwaitedAnswer.Question) -> UInt64? {
        switch question {
        // It waits for other claims, and has not been asked.
        case .postponed(let steps) where !isBehindPassedOver(record, steps): nil
        case .put, .postponed:
            switch (deadline(after: record.registration.patience), stoppedDeadline(of: record)) {
            case (let patient?, let stopped?): min(patient, stopped)
            case (let patient, let stopped): patient ?? stopped
            }
        }
    }

    /// Whether a question is postponed until the presenter has answered a claim that has gone on
    /// without it: for that answer there is no other bound.
    private func isBehindPassedOver(_ record: PresenterRecord, _ steps: YieldSteps) -> Bool {
        steps.relinquish.contains { kind in
            switch record[kind] {
            case .kept, .relinquished: false
            case .relinquishing(let asker): !record.awaitedBy.contains(asker)
            }
        }
    }

    private func deadline(after patience: UInt64?) -> UInt64? {
        patience.map { patience in
            let (deadline, isBeyond) = now.addingReportingOverflow(patience)
            return isBeyond ? .max : deadline
        }
    }

    /// Records when an answer is waited for no longer.
    mutating func lowerDeadline(to deadline: UInt64?) {
        guard let deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    /// The time has gone on.
    mutating func advanceClock(to time: UInt64, _ reevaluations: inout ReevaluationQueue) {
        now = max(now, time)
        // Who asks may have to wait for readers by now that have lasted too long (Rule 6.11).
        if !purposeIndex.asking.isEmpty { reevaluations.markNewWaits() }
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

    /// No claim waits for the presenter's answers any more.
    private mutating func passOver(
        _ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue
    ) {
        unresponsive.insertOnce(presenter)
        for claim in registry[presenter]?.awaitedBy ?? [] {
            stopAwaiting(presenter, for: claim, &reevaluations)
        }
        reevaluations.resume(presenter)
    }

    /// A presenter has said something, or its coordinators have.
    mutating func markResponsive(_ presenter: PresenterID, _ reevaluations: inout ReevaluationQueue)
    {
        guard unresponsive.remove(presenter), let record = registry[presenter] else { return }
        if record.registration.methods.contains(.itemDidChange) {
            reevaluations.emit(.notify(presenter, .itemDidChange))
        }
    }

    /// An access of this purpose begins or ends: its presenters live, and are busy.
    mutating func extendPatience(with purpose: Purpose, _ reevaluations: inout ReevaluationQueue) {
        for id in unresponsive where registry[id]?.registration.purpose == purpose {
            markResponsive(id, &reevaluations)
        }
        guard purposeIndex.isAwaited(purpose) else { return }
        renewDeadlines(OrderedIDs(unique: purposeIndex.awaited(purpose)), &reevaluations)
    }

    /// Counts anew until when answers of these presenters are waited for.
    mutating func renewDeadlines(
        _ presenters: OrderedIDs<PresenterID>, _ reevaluations: inout ReevaluationQueue
    ) {
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
