// SPDX-License-Identifier: Apache-2.0
//
// A presenter, and whether it has its item: once for readers and once for writers (Rule 6.10).
//
//     kept ─► relinquishing ─► relinquished ─► kept
//               (asked)         (answered)      (reacquired when the last claim is over)

/// What the arbiter knows of one presenter.
struct PresenterRecord: Hashable, Sendable {
    /// Who has the item, as far as one kind of claim is concerned.
    enum Possession: Hashable, Sendable {
        /// The presenter.
        case kept
        /// The presenter was asked to relinquish for one claim, and has not answered.
        ///
        /// Others of this kind wait for that answer: they may not run before it, and asking twice
        /// would relinquish twice.
        case relinquishing(for: ClaimID)
        /// The presenter has relinquished, at that time, for these claims.
        ///
        /// There is at least one, but during recovery, when it is not known yet for whom it was.
        case relinquished(for: OrderedIDs<ClaimID>, since: UInt64)
    }

    /// What is known of it.
    private struct Content: Hashable, Sendable {
        var registration: RegisteredPresenter
        var packageDepths: [Int] = []
        var toReaders: Possession = .kept
        var toWriters: Possession = .kept
        var awaitedBy: OrderedIDs<ClaimID> = []
        var postponedFor: OrderedIDs<ClaimID> = []
        var blockedBy: ClaimID?
    }

    /// Always one, as in a ``ClaimState``, and for the same reason.
    private var content: [Content]

    init(_ registration: RegisteredPresenter, now: UInt64) {
        content = [Content(registration: registration)]
        self.registration.relinquished = []
        for kind in registration.relinquished { self[kind] = .relinquished(for: [], since: now) }
    }

    /// How it was registered, with its present place.
    var registration: RegisteredPresenter {
        get { content[0].registration }
        _modify { yield &content[0].registration }
    }
    /// The packages on the way to its place, as far as a move has told (Rule 11.7).
    var packageDepths: [Int] {
        get { content[0].packageDepths }
        _modify { yield &content[0].packageDepths }
    }
    /// Towards readers.
    var toReaders: Possession {
        get { content[0].toReaders }
        _modify { yield &content[0].toReaders }
    }
    /// Towards writers.
    var toWriters: Possession {
        get { content[0].toWriters }
        _modify { yield &content[0].toWriters }
    }
    /// Claims in stage 2 that wait for its answer, those with postponed questions included.
    var awaitedBy: OrderedIDs<ClaimID> {
        get { content[0].awaitedBy }
        _modify { yield &content[0].awaitedBy }
    }
    /// Those of them whose questions could not be put yet.
    var postponedFor: OrderedIDs<ClaimID> {
        get { content[0].postponedFor }
        _modify { yield &content[0].postponedFor }
    }
    /// The call of its own process behind which everything waits that it is asked (Rule 18.4).
    var blockedBy: ClaimID? {
        get { content[0].blockedBy }
        _modify { yield &content[0].blockedBy }
    }

    /// Records where it was before a move; the last few places are enough for those of its
    /// coordinators that do not know yet.
    mutating func addFormerPath(_ place: ItemPath) {
        registration.formerPlaces.removeAll { $0 == place }
        registration.formerPlaces.append(place)
        if registration.formerPlaces.count > Limits.formerPlaces {
            registration.formerPlaces.removeFirst()
        }
    }

    /// Who has the item, as far as claims of one kind are concerned.
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

    /// The kinds in which it is relinquished.
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

    /// Records that it is to relinquish for a claim; says in which kinds it must be asked to.
    ///
    /// In others it is relinquished already, and stays so until this claim too is over (Rule 6.11).
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

    /// Adds a claim to those for which it is relinquished, if it is.
    mutating func share(_ kind: Relinquishment, with claim: ClaimID) {
        switch self[kind] {
        case .kept, .relinquishing:
            break
        case .relinquished(var claims, let since):
            // It is the only reference now, so that they are changed where they are.
            self[kind] = .kept
            claims.insertOnce(claim)
            self[kind] = .relinquished(for: claims, since: since)
        }
    }

    /// Records that `claim` waits for its answer to that question; returns whether it did not
    /// before.
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

    /// Records that `claim` does not wait for its answer; returns whether it did.
    mutating func removeAwaitingClaim(by claim: ClaimID) -> Bool {
        postponedFor.remove(claim)
        return awaitedBy.remove(claim)
    }

    /// Whether it knows that `claim` waits for its answer to that question.
    func isAwaited(by claim: ClaimID, _ question: AwaitedAnswer.Question) -> Bool {
        switch question {
        case .put: awaitedBy.contains(claim) && !postponedFor.contains(claim)
        case .postponed: awaitedBy.contains(claim) && postponedFor.contains(claim)
        }
    }

    /// Records that it has done what `claim` asked.
    mutating func answered(_ claim: ClaimID, now: UInt64) {
        for kind in Relinquishment.allCases where self[kind] == .relinquishing(for: claim) {
            self[kind] = .relinquished(for: [claim], since: now)
        }
    }

    /// Records that `claim` is over; says in which kinds it may have its item back now (Rule 8.3).
    ///
    /// That a question was put suffices: what a cancelled claim asked for is done all the same, and
    /// must be undone (Rules 8.4, 12.5).
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
