// SPDX-License-Identifier: Apache-2.0
//
// One presenter in a history: what it has still to be told, and where its item is.

struct WatchedLife {
    /// The presenter, where it was told that its item is.
    private(set) var presenter: WatchingPresenter
    private(set) var isListening = false
    /// Whether it began to listen after the last quiet moment.
    private(set) var isNew = true
    /// What was known of the places that have changed since they were looked at.
    var stale: [String: PlaceState?] = [:]
    /// The changed places of which it has not been told since, by others and by its own side.
    var foreign: Set<String> = []
    var own: Set<String> = []
    /// The places that were changed since the last quiet moment.
    var touched: Set<String> = []
    /// Where its own side had claims since then, and the items that were changed meanwhile: inside
    /// these places, changes may count as the claims'.
    private var ownClaimed: Set<String> = []
    var duringOwn: Set<UInt64> = []
    /// The places inside those at which nothing was any more when such a claim began.
    private var goneBeforeOwn: Set<String> = []
    /// The places that were changed since then and concern its item, also those above it.
    var stirred: Set<String> = []
    /// The directories of which it was told to look at everything inside, since then.
    private var lookedInside: Set<String> = []
    /// Since the last quiet moment.
    var changes = 0
    var messages = 0

    /// The items that were at the presented place since the last quiet moment.
    private var candidates: [UInt64: Candidate] = [:]
    /// Where its item was at the last quiet moment.
    private var start = ""
    /// Where claims have moved what was at its path.
    private var announced: Set<String> = []
    /// The places from which it has followed its item.
    private var formerPlaces: Set<String> = []
    /// Whether it has gone back to one of them since the last quiet moment.
    private(set) var hasReturned = false
    /// Where the item was told to be since, and has never been.
    private var misplaced: [String] = []
    /// What was in view at the last quiet moment, or when it began to listen.
    private var formerItems: Set<UInt64> = []
    private var startPlaces: Set<String> = []
    /// The places that were named in messages when something was there.
    private var named: Set<String> = []
    private var moves: [UInt64: MoveLife] = [:]
    private var toldMoves: [(from: String, to: String)] = []
    /// The places of the claims since the last quiet moment.
    private var claimed: Set<String> = []

    /// An item that may be the presented one.
    private struct Candidate {
        /// Nil if it is gone.
        var place: String?
        /// Where it has been.
        var places: [String]
        /// Whether the kernel has paired all its moves.
        var isPaired = true
        /// Whether the presenter was told of it, or has read it when all was quiet.
        var isKnown = false
    }

    /// An item that was moved inside what is presented.
    private struct MoveLife {
        var start: String
        var current: String
        /// Where it has been.
        var places: [String]
        /// Whether the kernel has paired all its moves, and all were in view.
        var isWhole = true

        mutating func carry(_ from: String, _ to: String) {
            if isInside(start, from) { start = carried(start, from: from, to: to) }
            guard isInside(current, from) else { return }
            current = carried(current, from: from, to: to)
            places.append(current)
        }
    }

    init(_ presenter: WatchingPresenter) { self.presenter = presenter }

    /// Whether a place is the presented one or, of a directory, inside it.
    func isInView(_ place: String) -> Bool {
        presenter.kind == .file
            ? place == presenter.place : isWithin(place, presenter.place)
    }

    /// Whether its item has been moved, and it was told so.
    var hasFollowed: Bool { presenter.place != start }

    /// Whether a change at a place concerns it: of its item, of one inside that, or of a directory
    /// above it.
    func isConcerned(by place: String) -> Bool {
        isInView(place) || isInside(presenter.place, place)
            || candidates.values.contains { candidate in
                guard let item = candidate.place else { return false }
                return presenter.kind == .file ? place == item : isWithin(place, item)
            }
    }

    /// Whether only its own side has changed anything since the last quiet moment.
    ///
    /// What others do just before may be told once more with that.
    var isUndisturbed: Bool { !isNew && stirred.isEmpty && !hasFollowed }

    // MARK: Quiet moments

    /// Begins to listen, having read everything.
    ///
    /// What plain programs have just `touched`, the watcher may not have seen.
    mutating func begin(_ places: WatchedPlaces, but touched: Set<String>) {
        isListening = true
        settle(places)
        isNew = true
        startPlaces.subtract(touched)
    }

    /// Begins to count anew.
    mutating func settle(_ places: WatchedPlaces) {
        isNew = false
        (stale, foreign, own, named, touched, stirred) = ([:], [], [], [], [], [])
        (changes, messages, lookedInside) = (0, 0, [])
        (ownClaimed, duringOwn, goneBeforeOwn) = ([], [], [])
        (moves, toldMoves) = ([:], [])
        start = presenter.place
        (misplaced, hasReturned) = ([], false)
        (candidates, announced) = ([:], [])
        recordItem(places, isKnown: true)
        startPlaces = Set(places.states.keys.filter(isInView))
        formerItems = Set(places.states.filter { isInView($0.key) }.map(\.value.item))
    }

    /// What it should know by now and was not told.
    ///
    /// What came and went beside a claim, and was told to nobody, may have been a temporary: that
    /// the presenter saw it when it read the directory is chance.
    func missing(
        _ places: WatchedPlaces, but temporaries: Set<String>, _ claimed: Set<String>
    ) -> [String] {
        stale.keys.sorted().compactMap { place in
            guard let known = stale[place], known != places[place] else { return nil }
            if places[place] == nil, place != presenter.place, temporaries.contains(place) {
                return nil
            }
            if places[place] == nil, goneBeforeOwn.contains(place) { return nil }
            if let item = places[place]?.item, duringOwn.contains(item),
                ownClaimed.contains(where: { isInside(place, $0) })
            {
                return nil
            }
            if places[place] == nil, !formerPlaces.contains(place), !named.contains(place),
                !startPlaces.contains(place), claimed.contains(where: { isBeside($0, place) })
            {
                return nil
            }
            let what = places[place] == nil ? "is gone" : known == nil ? "has come" : "has changed"
            return "presenter \(presenter.key) of \(presenter.place) was not told that \(place) "
                + what
        }
    }

    /// Whether a claim concerns a place: its directory, one above or below, or an item beside it.
    private func isBeside(_ claim: String, _ place: String) -> Bool {
        func directory(_ place: String) -> Substring {
            place[..<(place.lastIndex(of: "/") ?? place.startIndex)]
        }
        return isWithin(place, claim) || isInside(claim, place)
            || directory(claim) == directory(place)
    }

    /// Whether it knows, or was told, that something is at a place, or may have seen it.
    func mayKnow(_ place: String) -> Bool {
        if lookedInside.contains(where: { isInside(place, $0) }) { return true }
        if case .some(.some) = stale[place] { return true }
        return named.contains(place) || startPlaces.contains(place)
    }

    // MARK: Messages

    /// Takes a message in; `claimed` are the places of the claims since the last quiet moment.
    mutating func hear(
        _ message: WatchingMessage, _ places: WatchedPlaces, _ claimed: Set<String> = []
    ) {
        self.claimed = claimed
        switch message {
        case .look(let place): look(at: place, places)
        case .lookInside(let place), .lookAtAll(let place): lookAtAll(place, places)
        case .moved(let place, let other):
            toldMoves.append((place, other))
            guard place != presenter.place else {
                follow(to: other, places)
                return
            }
            look(at: place, places)
            lookAtAll(other, places)
        }
    }

    /// Follows the item, and reads everything.
    private mutating func follow(to place: String, _ places: WatchedPlaces) {
        // If the item is gone, what has taken a place of it may be presented there again.
        if formerPlaces.contains(place), !candidates.values.contains(where: { $0.place == place }) {
            changes += 1
            hasReturned = true
        } else if !hasReturned, !mayBe(at: place, places) {
            misplaced.append(place)
        }
        if touched.contains(presenter.place) { touched.insert(place) }
        if stirred.contains(where: { isWithin(presenter.place, $0) }) { stirred.insert(place) }
        // It may be told of everything inside what it presents now.
        changes += places.inside(place).count
        formerPlaces.insert(presenter.place)
        presenter.place = place
        stale = [:]
        named.insert(place)
        recordItem(places, isKnown: !isClaimed)
    }

    private mutating func look(at place: String, _ places: WatchedPlaces) {
        let known = stale.removeValue(forKey: place) ?? places[place]
        goneBeforeOwn.remove(place)
        if places[place] == nil { named.remove(place) } else { named.insert(place) }
        if place == presenter.place {
            recordItem(places, isKnown: !isClaimed)
            // It may be told as gone, unless the kernel has said where it is.
            if places[place] == nil {
                for item in candidates.keys where candidates[item]?.isPaired == false {
                    candidates[item]?.isKnown = false
                }
            }
        }
        // What has come is read with everything inside; with what is gone, everything inside is.
        if places[place] == nil || known?.item != places[place]?.item { forgetInside(place) }
    }

    private mutating func lookAtAll(_ place: String, _ places: WatchedPlaces) {
        look(at: place, places)
        forgetInside(place)
        lookedInside.insert(place)
    }

    /// Takes note that the own side claims places: what was removed inside just before may count as
    /// removed by the claim.
    mutating func claim(_ claimed: [String], _ places: WatchedPlaces) {
        ownClaimed.formUnion(claimed)
        for place in stale.keys where places[place] == nil {
            // If the item comes back untold, no one has missed it.
            if claimed.contains(where: { isInside(place, $0) }) { goneBeforeOwn.insert(place) }
        }
    }

    /// Takes note that the own side has changed a place, and knows what is there now.
    mutating func forget(_ place: String, isReplaced: Bool) {
        stale[place] = nil
        if isReplaced { forgetInside(place) }
    }

    private mutating func forgetInside(_ place: String) {
        for key in stale.keys where isInside(key, place) { stale[key] = nil }
    }

    // MARK: Moves

    /// Takes note of moves that happen at once; `places` are those before.
    mutating func move(
        _ all: [(from: String, to: String)], _ places: WatchedPlaces, isPaired: Bool,
        isClaimed: Bool, isOwn: Bool
    ) {
        // The server moves presenters along with what a claim has moved, by their paths.
        if isClaimed {
            for (from, to) in all where isWithin(presenter.place, from) {
                announced.insert(carried(presenter.place, from: from, to: to))
            }
        }
        if isOwn { takeAlong(all, places) }
        guard isListening else { return }
        followItem(all, isPaired: isPaired)
        let ends = moves.keys.filter { item in
            all.contains { isWithin(moves[item]?.current ?? "", $0.from) }
        }
        var carriedItems: Set<UInt64> = []
        for (from, to) in all {
            for item in ends where !carriedItems.contains(item) {
                guard let life = moves[item], isInside(life.current, from) else { continue }
                carriedItems.insert(item)
                moves[item]?.carry(from, to)
                if !isPaired || !isInView(from) || !isInView(to) { moves[item]?.isWhole = false }
            }
            guard let state = places[from], formerItems.contains(state.item) else { continue }
            var life = moves[state.item] ?? MoveLife(start: from, current: from, places: [from])
            let isInside =
                from != presenter.place && to != presenter.place && isInView(from) && isInView(to)
            if !isPaired || !isInside || isOwn { life.isWhole = false }
            life.current = to
            life.places.append(to)
            moves[state.item] = life
        }
    }

    /// Whether a claim may have told of the item, which the watcher may not have seen there.
    private var isClaimed: Bool { claimed.contains { isWithin(presenter.place, $0) } }

    /// Takes note of what is at the presented place.
    mutating func recordItem(_ places: WatchedPlaces, isKnown: Bool = false) {
        guard let item = places[presenter.place]?.item else { return }
        if candidates[item] == nil {
            candidates[item] = Candidate(place: presenter.place, places: [presenter.place])
        }
        if isKnown { candidates[item]?.isKnown = true }
    }

    /// Whether its item is at a place, or was there.
    private func mayBe(at place: String, _ places: WatchedPlaces) -> Bool {
        if announced.contains(place) { return true }
        return candidates.values.contains { $0.places.contains(place) }
            // A file with several names may be found by any.
            || places[place].map { candidates[$0.item] != nil } ?? false
    }

    /// Takes note of a removal.
    mutating func remove(_ place: String) {
        for item in candidates.keys where candidates[item]?.place == place {
            candidates[item]?.place = nil
        }
    }

    private mutating func followItem(_ all: [(from: String, to: String)], isPaired: Bool) {
        for item in candidates.keys {
            guard let place = candidates[item]?.place else { continue }
            if let (from, to) = all.first(where: { isWithin(place, $0.from) }) {
                let next = carried(place, from: from, to: to)
                candidates[item]?.place = next
                candidates[item]?.places.append(next)
                if !isPaired { candidates[item]?.isPaired = false }
            } else if all.contains(where: { $0.to == place }) {
                candidates[item]?.place = nil
            }
        }
    }

    /// The presenter's own side moves the item, and knows that.
    private mutating func takeAlong(
        _ all: [(from: String, to: String)], _ places: WatchedPlaces
    ) {
        for (from, to) in all where isWithin(presenter.place, from) {
            presenter.place = carried(presenter.place, from: from, to: to)
            stale = [:]
            own.formUnion(([from] + places.inside(from)).map { carried($0, from: from, to: to) })
            return
        }
    }

    /// How many moves had to be told as moves, and those that were not.
    func movesNotTold(_ places: WatchedPlaces) -> (due: Int, broken: [String]) {
        guard presenter.kind != .file, !isNew else { return (0, []) }
        var (due, broken) = (0, [String]())
        for (item, life) in moves.sorted(by: { $0.key < $1.key }) {
            guard life.isWhole, let place = places.place(of: item), place != life.start,
                place == life.current, isInView(place)
            else { continue }
            due += 1
            if toldMoves.contains(where: { life.places.dropFirst().contains($0.to) }) { continue }
            broken.append(
                "presenter \(presenter.key) of \(presenter.place) was not told that \(life.start) "
                    + "was moved to \(place)")
        }
        return (due, broken)
    }

    /// Says why the presenter is not where its item is, or nil.
    func misplacement(
        _ places: WatchedPlaces, isExcused: Bool, isPairedEnough: Bool,
        _ isWatched: (String) -> Bool
    ) -> String? {
        guard !isNew else { return nil }
        if let place = misplaced.first {
            return "presenter \(presenter.key) was told that its item moved from \(start) to "
                + "\(place), where it has never been"
        }
        // If there were several, any may be the presented one.
        guard candidates.count == 1, let (item, candidate) = candidates.first, candidate.isKnown,
            let place = candidate.place, places.names[item]?.count == 1,
            place != presenter.place, places[presenter.place] == nil, !isExcused,
            // A claim moves presenters by their paths; a plain move just before is not seen yet.
            announced.isSubset(of: candidate.places),
            candidate.isPaired && isPairedEnough || isWatched(place)
        else { return nil }
        return "presenter \(presenter.key) of \(presenter.place) was not told that its item is at "
            + place
    }
}
