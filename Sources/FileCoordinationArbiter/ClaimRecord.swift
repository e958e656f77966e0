// SPDX-License-Identifier: Apache-2.0
//
// The life of one claim (Rule 2.19):
//
//     filed ─► waiting ─► asking ─► granted ─► over (its record is gone)
//          ▲      └──────────┴──── cancelled, failed, its process died ──► over
//          └─► skipped, from any but granted, while its process is stopped (Rule 18.6)

/// What the arbiter knows of one claim.
struct ClaimRecord: Hashable, Sendable {
    /// Where a claim is in its life.
    enum State: Hashable, Sendable {
        /// Not looked at yet: while the arbiter recovers nothing is granted.
        case filed
        /// Stage 1. One claim that it must wait for, and with which it is filed as a watcher.
        ///
        /// There may be more; they are computed when that one is out of the way. So no list of
        /// edges is kept up to date, and yet no wake-up is lost: a claim waits as long as it has
        /// *some* claim to wait for.
        case waiting(behind: ClaimID)
        /// Stage 1, but its process is stopped: it is in nobody's way, and is not let on before the
        /// process runs again (Rule 18.6).
        case skipped
        /// Stage 2. It holds its place, and presenters are being asked.
        case asking(Asking)
        /// Its accessor may run.
        case granted(Grant)
    }

    /// What a claim in stage 2 still waits for; never nothing.
    struct Asking: Hashable, Sendable {
        /// Presenters whose answer is missing; ascending.
        var awaited: [AwaitedAnswer] = []
        /// Claims that were let past this one while it waited, and which must end (Rules 2.16,
        /// 2.17).
        var passers: OrderedIDs<ClaimID> = []
    }

    /// What is remembered of a grant.
    struct Grant: Hashable, Sendable {
        /// Who granted.
        enum Source: Hashable, Sendable {
            /// This arbiter.
            case arbiter
            /// A former one, or the claimant itself: the claim was found in its ledger.
            case ledger
        }

        var source: Source
        /// The time.
        var time: UInt64
        /// The youngest claim that had been filed by then; later ones were filed after the grant.
        var youngestFiled: ClaimID
    }

    /// The claim; its items are where they are by now (Rule 11.4).
    var claim: FiledClaim
    /// When it was filed.
    let filedAt: UInt64
    var state: State
    /// Waiting claims that are filed behind this one.
    var watchers: OrderedIDs<ClaimID> = []
    /// Claims in stage 2 that this one was let past, and which wait for its end.
    var passed: OrderedIDs<ClaimID> = []
    /// Presenters that are relinquished for this claim, or are being asked to be.
    var relinquished: OrderedIDs<PresenterID> = []
    /// Presenters that were asked to accommodate the deletion of their item (Rule 7.6).
    var accommodated: OrderedIDs<PresenterID> = []
    /// Where the accessor has moved its items to, by their index.
    var movedItems: [Int: AccessItem] = [:]

    /// The claim with everything that it keeps others away from: its items, and, while it is
    /// granted, where its accessor has moved them (Rule 2.20).
    var territory: FiledClaim {
        var result = claim
        for index in movedItems.keys.sorted() {
            if let item = movedItems[index] { result.items.append(item) }
        }
        return result
    }

    /// The state for status.
    var stage: ClaimStage {
        switch state {
        case .filed, .waiting, .skipped: .waiting
        case .asking: .asking
        case .granted: .granted
        }
    }

    /// What it waits for in stage 2, or nil.
    var asking: Asking? {
        switch state {
        case .asking(let asking): asking
        case .filed, .waiting, .skipped, .granted: nil
        }
    }

    /// Its grant, or nil.
    var grant: Grant? {
        switch state {
        case .granted(let grant): grant
        case .filed, .waiting, .skipped, .asking: nil
        }
    }

    /// Changes what it waits for in stage 2; does nothing in another stage.
    mutating func updateAsking(_ change: (inout Asking) -> Void) {
        switch state {
        case .asking(var asking):
            change(&asking)
            state = .asking(asking)
        case .filed, .waiting, .skipped, .granted:
            break
        }
    }
}

/// One presenter's missing answer.
struct AwaitedAnswer: Hashable, Sendable {
    /// How far the question has got.
    enum Question: Hashable, Sendable {
        /// It was put, and has these steps.
        case put(YieldSteps)
        /// It cannot be put yet: the presenter is still on its way to relinquish for another claim,
        /// or must have its item back first (Rule 6.11). These steps are to be taken.
        case postponed(YieldSteps)

        /// What is asked, or will be at most.
        var steps: YieldSteps {
            switch self {
            case .put(let steps), .postponed(let steps): steps
            }
        }
    }

    let presenter: PresenterID
    var question: Question
    /// When it is waited for no longer (Rule 18.3); nil: without end.
    var deadline: UInt64?
}

extension ClaimRecord.Asking {
    /// Notes that an answer is missing.
    mutating func await(
        _ presenter: PresenterID, _ question: AwaitedAnswer.Question, until deadline: UInt64?
    ) {
        let index = awaited.firstIndex { $0.presenter >= presenter } ?? awaited.endIndex
        let answer = AwaitedAnswer(
            presenter: presenter, question: question, deadline: deadline)
        if index < awaited.endIndex, awaited[index].presenter == presenter {
            awaited[index] = answer
        } else {
            awaited.insert(answer, at: index)
        }
    }

    /// What is asked of `presenter`, if its answer is missing.
    func question(to presenter: PresenterID) -> AwaitedAnswer.Question? {
        awaited.first { $0.presenter == presenter }?.question
    }

    /// An item has moved: what has not been asked yet is asked by its new name.
    mutating func renamePostponed(_ old: ItemPath, to new: ItemPath) {
        for index in awaited.indices {
            switch awaited[index].question {
            case .put:
                continue
            case .postponed(var steps):
                steps.accommodateSubitemDeletions = steps.accommodateSubitemDeletions.map {
                    $0 == old ? new : $0
                }
                awaited[index].question = .postponed(steps)
            }
        }
    }
}
