// SPDX-License-Identifier: Apache-2.0
//
// The state of a presenter. In particular, whether it has its item or has relinquished it,
// separately for readers and writers (Rule 6.10):
//
//     kept ─► relinquishing ─► relinquished ─► kept
//               (asked)         (answered)      (reacquired when the last claim is over)

import MonotonicTime

/// What the arbiter knows of one presenter.
struct PresenterRecord: Hashable, Sendable {
    /// Whether a presenter has its item, with respect to readers or to writers.
    enum Possession: Hashable, Sendable {
        /// The presenter has it.
        case kept
        /// The presenter was asked to relinquish it for one claim, and has not answered.
        ///
        /// Other claims of this kind wait for the same answer. If they asked again, the presenter
        /// would relinquish twice.
        case relinquishing(for: ClaimID)
        /// The presenter relinquished it, at that time, for these claims.
        ///
        /// There is at least one claim, except during recovery, when the claims are not known yet.
        case relinquished(for: OrderedIDs<ClaimID>, since: Instant)
    }

    /// A call of the presenter's own process in its callback for a claim.
    struct LateCall: Hashable, Sendable {
        /// The claim, which has continued without the presenter's answer.
        let asker: ClaimID
        let call: ClaimID
    }

    /// The stored properties, kept behind one reference.
    private struct Content: Hashable, Sendable {
        var registration: RegisteredPresenter
        var packageDepths: [Int] = []
        var toReaders: Possession = .kept
        var toWriters: Possession = .kept
        var awaitedBy: OrderedIDs<ClaimID> = []
        var postponedFor: OrderedIDs<ClaimID> = []
        var lateCalls: [LateCall] = []
    }

    /// An array with exactly one element; see ``ClaimState``.
    private var content: [Content]

    init(_ registration: RegisteredPresenter, now: Instant) {
        content = [Content(registration: registration)]
        self.registration.relinquished = []
        for kind in registration.relinquished { self[kind] = .relinquished(for: [], since: now) }
    }

    /// The registration, with the present path.
    var registration: RegisteredPresenter {
        get { content[0].registration }
        _modify { yield &content[0].registration }
    }
    /// The depths of packages in its path, as far as an announced move has told (Rule 11.7).
    var packageDepths: [Int] {
        get { content[0].packageDepths }
        _modify { yield &content[0].packageDepths }
    }
    /// The possession with respect to readers.
    var toReaders: Possession {
        get { content[0].toReaders }
        _modify { yield &content[0].toReaders }
    }
    /// The possession with respect to writers.
    var toWriters: Possession {
        get { content[0].toWriters }
        _modify { yield &content[0].toWriters }
    }
    /// Claims in stage 2 that wait for its answer, including those with postponed questions.
    var awaitedBy: OrderedIDs<ClaimID> {
        get { content[0].awaitedBy }
        _modify { yield &content[0].awaitedBy }
    }
    /// The claims whose questions are postponed.
    var postponedFor: OrderedIDs<ClaimID> {
        get { content[0].postponedFor }
        _modify { yield &content[0].postponedFor }
    }

    /// What keeps it from the answers that claims have not waited for (Rule 18.4), at most one for
    /// each claim.
    ///
    /// Postponed questions wait for those answers.
    var lateCalls: [LateCall] {
        get { content[0].lateCalls }
        _modify { yield &content[0].lateCalls }
    }

    /// Whether it is relinquishing for a claim that has continued without its answer.
    func isLate(for claim: ClaimID) -> Bool {
        !awaitedBy.contains(claim)
            && Relinquishment.allCases.contains { self[$0] == .relinquishing(for: claim) }
    }

    /// Remembers the path before a move.
    ///
    /// A few paths suffice for coordinators that do not know of the moves yet.
    mutating func addFormerPath(_ place: ItemPath) {
        registration.formerPlaces.removeAll { $0 == place }
        registration.formerPlaces.append(place)
        if registration.formerPlaces.count > Limits.formerPlaces {
            registration.formerPlaces.removeFirst()
        }
    }

    /// The possession with respect to one kind of claim.
    subscript(kind: Relinquishment) -> Possession {
        get {
            switch kind {
            case .reader: toReaders
            case .writer: toWriters
            }
        }
        set {
            switch kind {
            case .reader: toReaders = newValue
            case .writer: toWriters = newValue
            }
        }
    }

    /// The kinds of access to which it has relinquished its item.
    var relinquished: Relinquishments {
        var result: Relinquishments = []
        for kind in Relinquishment.allCases {
            switch self[kind] {
            case .kept, .relinquishing: break
            case .relinquished: result.insert(kind)
            }
        }
        return result
    }

    /// Records that it must relinquish for a claim.
    ///
    /// Returns the kinds for which it must be asked.
    ///
    /// For the other kinds it has relinquished already, and stays so until this claim is over, too
    /// (Rule 6.11).
    mutating func relinquish(_ kinds: Relinquishments, for claim: ClaimID) -> Relinquishments {
        var remaining: Relinquishments = []
        for kind in kinds {
            switch self[kind] {
            case .kept:
                self[kind] = .relinquishing(for: claim)
                remaining.insert(kind)
            case .relinquished, .relinquishing:
                share(kind, with: claim)
            }
        }
        return remaining
    }

    /// Adds a claim to those for which it has relinquished, if it has.
    mutating func share(_ kind: Relinquishment, with claim: ClaimID) {
        switch self[kind] {
        case .kept, .relinquishing:
            break
        case .relinquished(var claims, let since):
            // No other reference to the collection exists now, so it is changed in place without a
            // copy.
            self[kind] = .kept
            claims.insertOnce(claim)
            self[kind] = .relinquished(for: claims, since: since)
        }
    }

    /// Records that `claim` waits for its answer.
    ///
    /// Returns whether it did not wait before.
    mutating func addAwaitingClaim(
        by claim: ClaimID, _ question: AwaitedAnswer.Question
    ) -> Bool {
        switch question {
        case .put: postponedFor.remove(claim)
        case .postponed: postponedFor.insertOnce(claim)
        }
        guard !awaitedBy.contains(claim) else { return false }
        awaitedBy.insert(claim)
        return true
    }

    /// Records that `claim` does not wait for its answer.
    ///
    /// Returns whether it did.
    mutating func removeAwaitingClaim(by claim: ClaimID) -> Bool {
        postponedFor.remove(claim)
        return awaitedBy.remove(claim)
    }

    /// Whether `claim` is recorded as waiting for its answer to that question.
    func isAwaited(by claim: ClaimID, _ question: AwaitedAnswer.Question) -> Bool {
        switch question {
        case .put: awaitedBy.contains(claim) && !postponedFor.contains(claim)
        case .postponed: awaitedBy.contains(claim) && postponedFor.contains(claim)
        }
    }

    /// Records that it has taken the steps that `claim` required.
    mutating func answered(_ claim: ClaimID, now: Instant) {
        for kind in Relinquishment.allCases where self[kind] == .relinquishing(for: claim) {
            self[kind] = .relinquished(for: [claim], since: now)
        }
    }

    /// Records that `claim` is over.
    ///
    /// Returns the kinds for which it has its item back now (Rule 8.3).
    ///
    /// A question that was asked suffices: the presenter relinquishes even for a cancelled claim,
    /// which must be undone (Rules 8.4, 12.5).
    mutating func release(_ claim: ClaimID) -> Relinquishments {
        var back: Relinquishments = []
        for kind in Relinquishment.allCases {
            switch self[kind] {
            case .kept:
                break
            case .relinquishing(let asker):
                guard asker == claim else { break }
                self[kind] = .kept
                back.insert(kind)
            case .relinquished(var claims, let since):
                guard claims.contains(claim) else { break }
                self[kind] = .kept
                claims.remove(claim)
                if claims.isEmpty {
                    back.insert(kind)
                } else {
                    self[kind] = .relinquished(for: claims, since: since)
                }
            }
        }
        return back
    }
}
