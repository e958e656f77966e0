// SPDX-License-Identifier: Apache-2.0
//
// Judges whether watching keeps its promises (Rules 7.9, 7.14, 11.9), fact by fact. A program that
// looks again at whatever it was told knows the tree as it is at each quiet moment: that is "never
// missing". So the checker keeps, for each presenter, what such a program knew of the places that
// have changed since it last looked there.

/// A checker of one history, which begins with an empty tree.
package struct WatchingChecker {
    /// What was wrong, in the order in which it was found.
    package private(set) var violations: [WatchingViolation] = []
    /// How many changes and messages there were so far.
    package var tally = WatchingTally()

    /// Whether each echo is a violation, to find where they come from.
    package var blamesEchoes = false

    var places = WatchedPlaces()
    var presenters: [PresenterKey: WatchedLife] = [:]
    var claims: [ClaimKey: WatchedClaim] = [:]
    /// The places that plain programs have touched since the last quiet moment: no temporaries.
    private var plain: Set<String> = []
    /// Temporaries of short claims that have ended since the last quiet moment.
    var temporaries: Set<String> = []
    /// Directories that have left what is watched, so that no one knows their place; they may be
    /// watched still.
    private var lost: Set<UInt64> = []
    /// The items that have, or had, several names.
    private var linked: Set<UInt64> = []
    /// Whether notifications were lost since the last quiet moment.
    private(set) var isExcused = false
    private var areWatchesLost = false
    /// The places of the claims that ran since the last quiet moment.
    private var claimed: Set<String> = []
    /// Whether a presenter was removed since the last quiet moment, so that less is watched.
    private var hasFewerPresenters = false

    /// A checker of nothing so far.
    package init() {}

    /// Takes the next fact in, which happened at a time in nanoseconds.
    package mutating func take(_ fact: WatchingFact, at time: UInt64) {
        switch fact {
        case .created(let place, let item, let isDirectory, let claim):
            // Whoever makes or removes a directory knows that nothing is inside.
            touch([place], by: claim, isReplaced: isDirectory)
            places[place] = PlaceState(item: item, isDirectory: isDirectory)
            for (key, life) in presenters {
                let isDuring = claims.values.contains { $0.purpose == life.presenter.purpose }
                if isDuring { presenters[key]?.duringOwn.insert(item) }
            }
            recordItems()
        case .changed(let place, let claim):
            touch([place], besides: otherNames(of: place), by: claim)
            places[place]?.version += 1
        case .linked(let place, let other, let claim):
            touch([other], besides: [place] + otherNames(of: place), by: claim)
            places[other] = places[place]
            if let item = places[place]?.item { linked.insert(item) }
            recordItems()
        case .removed(let place, let claim):
            touch([place], besides: otherNames(of: place), by: claim, isReplaced: true)
            places[place] = nil
            for key in presenters.keys { presenters[key]?.remove(place) }
        case .moved(let place, let other, let isPaired, let claim):
            move([(place, other)], isPaired: isPaired, by: claim)
        case .exchanged(let place, let other, let isPaired, let claim):
            move([(place, other), (other, place)], isPaired: isPaired, by: claim)
        case .claimBegan(let claim, let purpose, let places):
            claimed.formUnion(places)
            for key in presenters.keys where presenters[key]?.presenter.purpose == purpose {
                presenters[key]?.claim(places, self.places)
            }
            claims[claim] = WatchedClaim(purpose: purpose, places: places, began: time)
        case .claimEnded(let claim): end(claim, at: time)
        case .presented(let presenter): presenters[presenter.key] = WatchedLife(presenter)
        case .listening(let key): listen(key)
        case .told(let key, let message): tell(key, message)
        case .unpresented(let key):
            presenters[key] = nil
            hasFewerPresenters = true
        case .notificationsLost: isExcused = true
        case .watchesLost: (areWatchesLost, isExcused) = (true, true)
        case .quiet:
            rest()
            isExcused = areWatchesLost
        }
    }

    /// Enters something that is wrong.
    mutating func blame(_ kind: WatchingViolation.Kind, _ text: String) {
        if violations.count < 100 { violations.append(WatchingViolation(kind, text)) }
    }

    // MARK: Changes

    /// The other names of a file, by which the change may be seen, too.
    private func otherNames(of place: String) -> [String] {
        guard let item = places[place]?.item, let names = places.names[item], names.count > 1
        else { return [] }
        return names.filter { $0 != place }
    }

    /// Enters that places are about to change; `besides` are those that need not be told.
    private mutating func touch(
        _ touched: [String], besides others: [String] = [], by claim: ClaimKey?,
        isReplaced: Bool = false
    ) {
        let purpose = claim.flatMap { claims[$0]?.purpose }
        // A claim for a directory tells that this has changed, too (Rule 7.7).
        let claimed = claim.flatMap { claims[$0]?.places } ?? []
        let others =
            others
            + claimed.filter { place in
                touched.contains { isInside($0, place) } && !touched.contains(place)
            }
        enter(touched, into: claim)
        for key in presenters.keys {
            guard let life = presenters[key], life.isListening else { continue }
            let own = life.presenter.purpose
            if own != nil, claims.values.contains(where: { $0.purpose == own }) {
                presenters[key]?.duringOwn.formUnion(touched.compactMap { places[$0]?.item })
            }
            let seen = touched.filter(life.isInView)
            let besides = others.filter(life.isConcerned)
            let concerned = touched.filter(life.isConcerned) + besides
            guard !concerned.isEmpty else { continue }
            presenters[key]?.foreign.formUnion(besides)
            if let own, own == purpose {
                if let claim { claims[claim]?.concerned.insert(key) }
                presenters[key]?.own.formUnion(concerned)
                // By their other names, no one knows whose the changes are.
                presenters[key]?.changes += besides.count
                for place in seen { presenters[key]?.forget(place, isReplaced: isReplaced) }
                continue
            }
            presenters[key]?.changes += concerned.count
            presenters[key]?.stirred.formUnion(concerned)
            tally.changes += concerned.count
            for place in seen {
                // A plain change of what an own claim covers may count as the claim's.
                if let own, isCovered(place, by: own) {
                    presenters[key]?.stale[place] = nil
                    presenters[key]?.own.insert(place)
                } else if presenters[key]?.stale[place] == nil {
                    presenters[key]?.stale[place] = .some(places[place])
                }
                presenters[key]?.foreign.insert(place)
                presenters[key]?.touched.insert(place)
            }
        }
    }

    private func isCovered(_ place: String, by purpose: String) -> Bool {
        claims.values.contains { claim in
            claim.purpose == purpose && claim.places.contains { isWithin(place, $0) }
        }
    }

    /// Enters changes into the life of their claim, and those of others into the lives of all.
    private mutating func enter(_ touched: [String], into author: ClaimKey?) {
        temporaries.subtract(touched)
        if author == nil { plain.formUnion(touched) }
        for key in claims.keys {
            for place in touched where claims[key]?.wasAbsent[place] == nil {
                // What another one touches first is no temporary of this claim.
                claims[key]?.wasAbsent[place] =
                    key == author && places[place] == nil && !plain.contains(place)
            }
            if key != author {
                for place in touched { claims[key]?.wasAbsent[place] = false }
            }
        }
    }

    /// Moves items, all at once, with everything inside them.
    private mutating func move(
        _ moves: [(from: String, to: String)], isPaired: Bool, by claim: ClaimKey?
    ) {
        let isPaired = isPaired && !moves.contains { isLost($0.from) || isLost($0.to) }
        if !isPaired { lost.formUnion(moves.compactMap { places[$0.from]?.item }) }
        let purpose = claim.flatMap { claims[$0]?.purpose }
        let carriedPlaces = moves.flatMap { move in
            ([move.from] + places.inside(move.from)).map {
                (from: $0, to: carried($0, from: move.from, to: move.to))
            }
        }
        let touched = carriedPlaces.flatMap { [$0.from, $0.to] }
        // A move that is told as one is one change for those who see both its ends.
        let isWhole = isPaired && moves.allSatisfy { places[$0.from] != nil }
        let inner = presenters.keys.filter { key in
            isWhole
                && moves.allSatisfy { move in
                    presenters[key].map { $0.isInView(move.from) && $0.isInView(move.to) } ?? false
                }
        }
        let others = moves.flatMap { otherNames(of: $0.from) + otherNames(of: $0.to) }
        touch(touched, besides: others, by: claim, once: Set(inner), as: moves.count)
        for key in presenters.keys {
            let own = presenters[key]?.presenter.purpose
            presenters[key]?.move(
                moves, places, isPaired: isPaired, isClaimed: claim != nil,
                isOwn: own != nil && own == purpose)
        }
        // What is moved into a directory that is on its way to where no one looks may be lost.
        for (from, to) in moves where places[from]?.isDirectory == true {
            let isInView = presenters.values.contains {
                $0.presenter.kind != .file && $0.isInView(to)
            }
            if !isInView, let item = places[from]?.item { lost.insert(item) }
        }
        let states = carriedPlaces.map { places[$0.from] }
        for place in touched { places[place] = nil }
        for (move, state) in zip(carriedPlaces, states) { places[move.to] = state }
        recordItems()
    }

    /// Enters what is at the presented places now.
    private mutating func recordItems() {
        for key in presenters.keys where presenters[key]?.isListening == true {
            presenters[key]?.recordItem(places)
        }
    }

    /// Whether a place is in a directory of which no one knows the place.
    private func isLost(_ place: String) -> Bool {
        lost.contains { item in
            places.names[item]?.contains { isInside(place, $0) } ?? false
        }
    }

    private mutating func touch(
        _ touched: [String], besides others: [String], by claim: ClaimKey?,
        once inner: Set<PresenterKey>, as count: Int
    ) {
        let before = inner.map { ($0, presenters[$0]?.changes ?? 0) }
        touch(touched, besides: others, by: claim, isReplaced: true)
        for (key, changes) in before {
            guard let now = presenters[key]?.changes, now > changes else { continue }
            tally.changes -= now - changes - count
            presenters[key]?.changes = changes + count
        }
    }

    // MARK: Claims

    private mutating func end(_ key: ClaimKey, at time: UInt64) {
        guard let claim = claims.removeValue(forKey: key) else { return }
        tally.ownSaves += claim.concerned.count
        guard time < claim.began + 1_000_000_000 else { return }
        for (place, wasAbsent) in claim.wasAbsent where wasAbsent && places[place] == nil {
            temporaries.insert(place)
            tally.temporaries += 1
            if let presenter = claim.told[place] { blameTemporary(place, presenter) }
        }
    }

    /// Whether the directory of a place is there still; else a message by the old path is a chance.
    private func isReachable(_ place: String) -> Bool {
        guard let end = place.lastIndex(of: "/"), end > place.startIndex else { return true }
        return places[String(place[..<end])] != nil
    }

    private mutating func blameTemporary(_ place: String, _ presenter: PresenterKey) {
        blame(
            .temporary, "presenter \(presenter) was told of \(place), a temporary of a short claim")
    }

    // MARK: Messages

    private mutating func listen(_ key: PresenterKey) {
        guard var life = presenters.removeValue(forKey: key) else { return }
        life.begin(places, but: plain)
        presenters[key] = life
    }

    private mutating func tell(_ key: PresenterKey, _ message: WatchingMessage) {
        guard var life = presenters.removeValue(forKey: key) else {
            return blame(.missing, "presenter \(key) was told something, and is not there")
        }
        tally.messages += 1
        let about = message.places
        for place in about {
            // It must be told that what it knows there is gone.
            if life.isNew || life.mayKnow(place) { continue }
            if temporaries.contains(place), !isExcused, isReachable(place) {
                blameTemporary(place, key)
            }
            for claim in claims.keys where claims[claim]?.wasAbsent[place] == true {
                claims[claim]?.told[place] = key
            }
        }
        if case .lookAtAll(let place) = message {
            tally.wholes += 1
            // The item itself has changed: then the message is about the item.
            let isFile = life.presenter.kind == .file
            if !isExcused, !isFile, !life.isNew, !life.hasReturned,
                !life.stirred.contains(where: { isWithin(place, $0) }),
                !life.own.contains(where: { isWithin(place, $0) })
            {
                blame(.whole, "presenter \(key) was told to look at all of \(place)")
            }
        }
        func concerns(_ place: String) -> Bool { about.contains { isWithin(place, $0) } }
        let isForeign = life.foreign.contains(where: concerns)
        let isOwn = life.own.contains { own in
            concerns(own) || about.contains { isInside($0, own) }
        }
        life.foreign = life.foreign.filter { !concerns($0) }
        // What is done by a file's other name changes its times, which may be seen later.
        let isLinked = about.contains { place in
            places[place].map { linked.contains($0.item) } ?? false
        }
        if !isForeign, isOwn {
            if !isLinked, !isExcused, life.isUndisturbed {
                tally.echoes += 1
                if blamesEchoes {
                    blame(
                        .echo, "presenter \(key) was told of \(about), which its own side changed")
                }
            }
        } else if isLinked {
            life.changes += 1
            life.messages += 1
        } else if life.presenter.kind != .package || about != [life.presenter.place] {
            life.messages += 1
        }
        life.hear(message, places, claimed)
        presenters[key] = life
    }

    // MARK: Quiet moments

    private mutating func rest() {
        for key in presenters.keys.sorted() {
            guard var life = presenters[key], life.isListening else { continue }
            for text in life.missing(places, but: temporaries, claimed) {
                blame(.missing, text)
            }
            if life.messages > 2 * life.changes, !isExcused, !life.isNew {
                blame(
                    .tooMany,
                    "presenter \(key) was sent \(life.messages) messages about \(life.changes) "
                        + "changes")
            }
            if !isExcused {
                let (kept, broken) = life.movesNotTold(places)
                tally.moves += kept
                for text in broken { blame(.notAMove, text) }
            }
            let isWatched = { (place: String) in
                presenters.values.contains { !$0.isNew && $0.isInView(place) }
            }
            if life.hasFollowed { tally.followed += 1 }
            if let text = life.misplacement(
                places, isExcused: isExcused, isPairedEnough: !hasFewerPresenters, isWatched)
            {
                blame(.wrongPlace, text)
            }
            life.settle(places)
            presenters[key] = life
        }
        (temporaries, plain) = ([], [])
        hasFewerPresenters = false
        claimed = Set(claims.values.flatMap(\.places))
        lost = lost.filter { item in
            guard let place = places.place(of: item) else { return false }
            return !presenters.values.contains { $0.isInView(place) }
        }
    }
}

extension WatchingMessage {
    /// What it is about.
    var places: [String] {
        switch self {
        case .look(let place), .lookInside(let place), .lookAtAll(let place): [place]
        case .moved(let place, let other): [place, other]
        }
    }
}

/// A coordinated write that runs.
struct WatchedClaim {
    let purpose: String
    let places: [String]
    let began: UInt64
    /// Whether a place that the claim has touched was empty before, and no one else has touched it.
    var wasAbsent: [String: Bool] = [:]
    /// Which presenter was told of such a place.
    var told: [String: PresenterKey] = [:]
    /// The presenters of its purpose of whose items it has changed something.
    var concerned: Set<PresenterKey> = []

    init(purpose: String, places: [String], began: UInt64) {
        self.purpose = purpose
        self.places = places
        self.began = began
    }
}
