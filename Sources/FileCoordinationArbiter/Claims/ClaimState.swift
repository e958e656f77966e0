// SPDX-License-Identifier: Apache-2.0
//
// The life of one claim (Rule 2.19):
//
//     filed ─► waiting ─► asking ─► granted ─► over (its record is gone)
//          ▲      └──────────┴──── cancelled, failed, its process died ──► over
//          └─► skipped, from any but granted, while its process is stopped (Rule 18.6)

import MonotonicTime

/// What the arbiter knows of one claim.
struct ClaimState: Hashable, Sendable {
    /// The stage of a claim.
    enum Phase: Hashable, Sendable {
        /// The claim has not been evaluated, because a recovering arbiter grants nothing.
        case filed
        /// Stage 1.
        ///
        /// The claim waits for this one, and perhaps for others, and is one of its watchers.
        ///
        /// Other claims to wait for are computed when this one is out of the way. So no list of all
        /// waits has to be maintained, and yet no wake-up is lost: a claim waits as long as there
        /// is some claim to wait for.
        case waiting(behind: ClaimID)
        /// Stage 1, but the claim's process is stopped: the claim blocks no other, and does not
        /// advance until the process runs again (Rule 18.6).
        case skipped
        /// Stage 2.
        ///
        /// The claim holds its position, and presenters are being asked.
        case asking(Asking)
        /// The claim's accessor may run.
        case granted(Grant)
    }

    /// What a claim in stage 2 still waits for; at least one of these is there.
    struct Asking: Hashable, Sendable {
        /// The presenters whose answers are missing.
        var awaited: AwaitedAnswers = []
        /// Claims that were let past this one and must end before it is granted (Rules 2.16, 2.17).
        var bypassers: OrderedIDs<ClaimID> = []
        /// Until when it waits for a provider to be started, because it needs contents that are not
        /// here (Rule 15.4); nil if it does not.
        var providerDeadline: Instant?
    }

    /// The facts about a grant that the arbiter remembers.
    struct Grant: Hashable, Sendable {
        /// Which process granted the claim.
        enum Source: Hashable, Sendable {
            /// This arbiter's server.
            case arbiter
            /// A former server or the client itself: the claim was found granted in its ledger.
            case ledger
        }

        var source: Source
        /// The time of the grant.
        var time: Instant
        /// The youngest claim at that time; later claims were filed after the grant.
        var youngestFiled: ClaimID

        /// A grant by this arbiter.
        static func now(_ time: Instant, _ youngestFiled: ClaimID) -> Grant {
            Grant(source: .arbiter, time: time, youngestFiled: youngestFiled)
        }
    }

    /// The stored properties, kept behind one reference.
    private struct Content: Hashable, Sendable {
        var claim: FiledClaim
        let filedAt: Instant
        var state: Phase
        var watchers: OrderedIDs<ClaimID> = []
        var passed: OrderedIDs<ClaimID> = []
        var relinquished: OrderedIDs<PresenterID> = []
        var accommodated: OrderedIDs<PresenterID> = []
        var movedItems: [Int: AccessItem] = [:]
        var itemsMovedOut: [AccessItem] = []
        var isMovedByOthers = false
        var hasWaited = false
        var askedBeforeMove: [PresenterID: YieldSteps]?
    }

    /// An array with exactly one element.
    ///
    /// Copies of the struct share it until one of them changes, so copying a claim state costs the
    /// same however large the contents are.
    private var content: [Content]

    init(claim: FiledClaim, filedAt: Instant, state: Phase) {
        content = [Content(claim: claim, filedAt: filedAt, state: state)]
    }

    /// The claim, with the present paths of its items (Rule 11.4).
    var claim: FiledClaim {
        get { content[0].claim }
        _modify { yield &content[0].claim }
    }
    /// When the claim was filed.
    var filedAt: Instant { content[0].filedAt }
    var state: Phase {
        get { content[0].state }
        _modify { yield &content[0].state }
    }
    /// Waiting claims that are reevaluated when this one ends.
    var watchers: OrderedIDs<ClaimID> {
        get { content[0].watchers }
        _modify { yield &content[0].watchers }
    }
    /// Claims in stage 2 that let this claim past and wait for its end.
    var passed: OrderedIDs<ClaimID> {
        get { content[0].passed }
        _modify { yield &content[0].passed }
    }
    /// Presenters that relinquished their items for this claim or are being asked to.
    var relinquished: OrderedIDs<PresenterID> {
        get { content[0].relinquished }
        _modify { yield &content[0].relinquished }
    }
    /// Presenters that were asked to accommodate the deletion of their item (Rule 7.6).
    var accommodated: OrderedIDs<PresenterID> {
        get { content[0].accommodated }
        _modify { yield &content[0].accommodated }
    }
    /// The new paths of items that the accessor has moved, by item index.
    var movedItems: [Int: AccessItem] {
        get { content[0].movedItems }
        _modify { yield &content[0].movedItems }
    }

    /// Items that the accessor has moved out of directories that the claim covers (Rule 2.23).
    var itemsMovedOut: [AccessItem] {
        get { content[0].itemsMovedOut }
        _modify { yield &content[0].itemsMovedOut }
    }

    /// Whether a claim of another process inside the accessor may have moved the items.
    ///
    /// The claim's own client does not know that, and says at the end what is at the former paths.
    var isMovedByOthers: Bool {
        get { content[0].isMovedByOthers }
        _modify { yield &content[0].isMovedByOthers }
    }

    /// What the claim, in stage 2, required of presenters before its items moved; nil unless it has
    /// yet to ask the presenters of the new paths (Rule 11.6).
    ///
    /// Used for lookup only, never iterated in its order.
    var askedBeforeMove: [PresenterID: YieldSteps]? {
        get { content[0].askedBeforeMove }
        _modify { yield &content[0].askedBeforeMove }
    }

    /// Whether the claim was not granted when it was first evaluated.
    var hasWaited: Bool {
        get { content[0].hasWaited }
        _modify { yield &content[0].hasWaited }
    }

    /// The claim with everything that it keeps other claims away from: its items and, while it is
    /// granted, their new paths (Rule 2.20).
    var territory: FiledClaim {
        if movedItems.isEmpty, itemsMovedOut.isEmpty { return claim }
        var result = claim
        for index in movedItems.keys.sorted() {
            if let item = movedItems[index] { result.items.append(item) }
        }
        result.items += itemsMovedOut
        return result
    }

    /// The stage, for status reports.
    var stage: ClaimStage {
        switch state {
        case .filed, .waiting, .skipped: .waiting
        case .asking: .asking
        case .granted: .granted
        }
    }

    /// What the claim waits for in stage 2, or nil.
    var asking: Asking? {
        switch state {
        case .asking(let asking): asking
        case .filed, .waiting, .skipped, .granted: nil
        }
    }

    /// The grant, or nil.
    var grant: Grant? {
        switch state {
        case .granted(let grant): grant
        case .filed, .waiting, .skipped, .asking: nil
        }
    }

    /// Changes what the claim waits for in stage 2; does nothing in another stage.
    mutating func updateAsking(_ change: (inout Asking) -> Void) {
        switch state {
        case .asking(var asking):
            // No other reference to the value exists now, so it is changed in place without a copy.
            state = .filed
            change(&asking)
            state = .asking(asking)
        case .filed, .waiting, .skipped, .granted:
            break
        }
    }
}
