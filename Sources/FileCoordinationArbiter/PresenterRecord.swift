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

    /// How it was registered, with its present place.
    var registration: RegisteredPresenter
    /// The packages on the way to its place, as far as a move has told (Rule 11.7).
    var packageDepths: [Int] = []
    /// Towards readers.
    var toReaders: Possession = .kept
    /// Towards writers.
    var toWriters: Possession = .kept
    /// Claims in stage 2 that wait for its answer, those with postponed questions included.
    var awaitedBy: OrderedIDs<ClaimID> = []
    /// The call of its own process behind which everything waits that it is asked (Rule 18.4).
    var hinderedBy: ClaimID?

    init(_ registration: RegisteredPresenter, now: UInt64) {
        self.registration = registration
        self.registration.relinquished = []
        for kind in registration.relinquished { self[kind] = .relinquished(for: [], since: now) }
    }

    /// Notes where it was before a move; the last few places are enough for those of its
    /// coordinators that do not know yet.
    mutating func noteFormerPlace(_ place: ItemPath) {
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

    /// Adds a claim to those for which it is relinquished, if it is.
    mutating func share(_ kind: Relinquishment, with claim: ClaimID) {
        switch self[kind] {
        case .kept, .relinquishing:
            break
        case .relinquished(var claims, let since):
            claims.insertOnce(claim)
            self[kind] = .relinquished(for: claims, since: since)
        }
    }

    /// Notes that it has done what `claim` asked.
    mutating func answered(_ claim: ClaimID, now: UInt64) {
        for kind in Relinquishment.allCases where self[kind] == .relinquishing(for: claim) {
            self[kind] = .relinquished(for: [claim], since: now)
        }
    }

    /// Notes that `claim` is over; says in which kinds it may have its item back now (Rule 8.3).
    ///
    /// That a question was put suffices: what a cancelled claim asked for is done all the same, and
    /// must be undone (Rules 8.4, 12.5).
    mutating func release(_ claim: ClaimID) -> [Relinquishment] {
        var back: [Relinquishment] = []
        for kind in Relinquishment.allCases {
            switch self[kind] {
            case .kept:
                break
            case .relinquishing(let asker):
                guard asker == claim else { break }
                self[kind] = .kept
                back.append(kind)
            case .relinquished(var claims, let since):
                guard claims.remove(claim) else { break }
                self[kind] = claims.isEmpty ? .kept : .relinquished(for: claims, since: since)
                if claims.isEmpty { back.append(kind) }
            }
        }
        return back
    }
}
