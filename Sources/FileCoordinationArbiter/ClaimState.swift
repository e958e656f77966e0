// SPDX-License-Identifier: Apache-2.0
//
// The life of one claim (Rule 2.19):
//
//     filed ─► waiting ─► asking ─► granted ─► over (its record is gone)
//          ▲      └──────────┴──── cancelled, failed, its process died ──► over
//          └─► skipped, from any but granted, while its process is stopped (Rule 18.6)

/// What the arbiter knows of one claim.
struct ClaimState: Hashable, Sendable {
    /// Where a claim is in its life.
    enum Phase: Hashable, Sendable {
        /// Not looked at yet: while the arbiter recovers nothing is granted.
        case filed
        /// Stage 1. One claim that it must wait for, and with which it is filed as a watcher.
        ///
        /// There may be more; they are computed when that one is out of the way. So no list of
        /// edges is kept up to date, and yet no wake-up is lost: a claim waits as long as it has
        /// *some* claim to wait for.
        case waiting(behind: ClaimID)
        /// Stage 1, but its process is stopped: it blocks no claim, and is not let on before the
        /// process runs again (Rule 18.6).
        case skipped
        /// Stage 2. It holds its place, and presenters are being asked.
        case asking(Asking)
        /// Its accessor may run.
        case granted(Grant)
    }

    /// What a claim in stage 2 still waits for; never nothing.
    struct Asking: Hashable, Sendable {
        /// Presenters whose answer is missing.
        var awaited: AwaitedAnswers = []
        /// Claims that were let past this one while it waited, and which must end (Rules 2.16,
        /// 2.17).
        var bypassers: OrderedIDs<ClaimID> = []
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

        /// A grant by this arbiter.
        static func now(_ time: UInt64, _ youngestFiled: ClaimID) -> Grant {
            Grant(source: .arbiter, time: time, youngestFiled: youngestFiled)
        }
    }

    /// What is known of it.
    private struct Content: Hashable, Sendable {
        var claim: FiledClaim
        let filedAt: UInt64
        var state: Phase
        var watchers: OrderedIDs<ClaimID> = []
        var passed: OrderedIDs<ClaimID> = []
        var relinquished: OrderedIDs<PresenterID> = []
        var accommodated: OrderedIDs<PresenterID> = []
        var movedItems: [Int: AccessItem] = [:]
        var strays: [AccessItem] = []
        var hasWaited = false
    }

    /// Always one: copies of the record share it until one of them changes, as with any array, so
    /// that to look at a record costs the same however much is known.
    private var content: [Content]

    init(claim: FiledClaim, filedAt: UInt64, state: Phase) {
        content = [Content(claim: claim, filedAt: filedAt, state: state)]
    }

    /// The claim; its items are where they are by now (Rule 11.4).
    var claim: FiledClaim {
        get { content[0].claim }
        _modify { yield &content[0].claim }
    }
    /// When it was filed.
    var filedAt: UInt64 { content[0].filedAt }
    var state: Phase {
        get { content[0].state }
        _modify { yield &content[0].state }
    }
    /// Waiting claims that are filed behind this one.
    var watchers: OrderedIDs<ClaimID> {
        get { content[0].watchers }
        _modify { yield &content[0].watchers }
    }
    /// Claims in stage 2 that this one was let past, and which wait for its end.
    var passed: OrderedIDs<ClaimID> {
        get { content[0].passed }
        _modify { yield &content[0].passed }
    }
    /// Presenters that are relinquished for this claim, or are being asked to be.
    var relinquished: OrderedIDs<PresenterID> {
        get { content[0].relinquished }
        _modify { yield &content[0].relinquished }
    }
    /// Presenters that were asked to accommodate the deletion of their item (Rule 7.6).
    var accommodated: OrderedIDs<PresenterID> {
        get { content[0].accommodated }
        _modify { yield &content[0].accommodated }
    }
    /// Where the accessor has moved its items to, by their index.
    var movedItems: [Int: AccessItem] {
        get { content[0].movedItems }
        _modify { yield &content[0].movedItems }
    }

    /// What the accessor has moved out of the trees that the claim covers (Rule 2.23).
    var strays: [AccessItem] {
        get { content[0].strays }
        _modify { yield &content[0].strays }
    }

    /// Whether it was not granted as soon as it was looked at.
    var hasWaited: Bool {
        get { content[0].hasWaited }
        _modify { yield &content[0].hasWaited }
    }

    /// The claim with everything that it keeps others away from: its items, and, while it is
    /// granted, where its accessor has moved them (Rule 2.20).
    var territory: FiledClaim {
        var result = claim
        for index in movedItems.keys.sorted() {
            if let item = movedItems[index] { result.items.append(item) }
        }
        result.items += strays
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
            // It is the only reference now, so that it is changed where it is.
            state = .filed
            change(&asking)
            state = .asking(asking)
        case .filed, .waiting, .skipped, .granted:
            break
        }
    }
}
