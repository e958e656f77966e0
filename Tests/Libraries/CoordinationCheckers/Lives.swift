// SPDX-License-Identifier: Apache-2.0
//
// Reads a history once, and collects the life of every claim and
// presenter: the numbers of the facts that begin and end its parts.
// Checkers ask here when something was, and what of that is certain.

/// The life of one claim.
struct ClaimLife {
    /// A time in which it held a place.
    struct Tenure {
        /// When it took the place, or was granted, if that was all that was seen.
        var start: Int
        /// When it was granted.
        var granted: Int?
        /// When it gave the place up, whether it was over then or in the queue again.
        var end: Int?
    }

    let claim: Claim
    let filed: Int
    var tenures: [Tenure] = []
    var over: Int?
    /// Its items, each time since a fact; the last that is not later counts.
    var places: [(since: Int, items: [Item])]
    /// The items where its accessor has moved them, if it has; the claim holds these, too.
    var holdsAlso: [Item]?
    /// The grant that named other items than the claim should have had, if there was one.
    var mistold: Int?

    func items(at fact: Int) -> [Item] {
        (places.last { $0.since <= fact } ?? places[0]).items
    }
}

/// The life of one presenter.
struct PresenterLife {
    let presenter: Presenter
    let added: Int
    var removed: Int?
    var places: [(since: Int, place: String?)]
    /// What it was asked, in order.
    var questions: [Question] = []
    /// When it got its item back.
    var reacquired: [(fact: Int, step: RequiredStep)] = []
    /// When a claim began to keep it from answering: the
    /// question of one claim, or, without one, all questions.
    var blockings: [(since: Int, question: ClaimKey?, claim: ClaimKey?)] = []

    /// Something it was asked.
    struct Question {
        let asked: Int
        let claim: ClaimKey?
        let steps: [RequiredStep]
        var answered: Int?
        var succeeds = true
        /// When the question was discarded, because the
        /// arbiter that had asked was replaced, for example.
        private(set) var void: Int?

        /// Discards the question, unless it was answered or discarded before.
        mutating func discard(_ fact: Int) {
            if answered == nil { void = void ?? fact }
        }
    }

    func place(at fact: Int) -> String? {
        (places.last { $0.since <= fact } ?? places[0]).place
    }
}

/// The lives of all.
struct Lives {
    let entries: [History.Entry]
    private(set) var claims: [ClaimLife] = []
    private(set) var presenters: [PresenterLife] = []
    /// When clients were stopped, and when they ran again.
    private(set) var stops: [(client: ClientKey, from: Int, to: Int?)] = []
    /// When another arbiter took over.
    private(set) var replacements: [Int] = []
    /// Facts about a claim, presenter or client that does not exist, or exists already.
    private(set) var contradictions: [Int] = []
    private var claimIndex: [ClaimKey: Int] = [:]
    private var presenterIndex: [PresenterKey: Int] = [:]

    init(_ history: History) {
        entries = history.entries
        for fact in entries.indices { note(entries[fact].fact, fact) }
    }

    func claim(_ key: ClaimKey) -> ClaimLife? { claimIndex[key].map { claims[$0] } }

    func presenter(_ key: PresenterKey) -> PresenterLife? {
        presenterIndex[key].map { presenters[$0] }
    }

    /// Whether one fact certainly happened before another; a fact that never happened comes last.
    func isBefore(_ one: Int?, _ other: Int?) -> Bool {
        guard let one else { return false }
        guard let other else { return true }
        return entries[one].moment.isBefore(entries[other].moment)
    }

    /// The same, but of two facts at one exact instant, the one recorded first is before the other.
    func isBeforeInOrder(_ one: Int?, _ other: Int?) -> Bool {
        if isBefore(one, other) { return true }
        guard let one, let other, entries[one].moment.isExact,
            entries[one].moment == entries[other].moment
        else { return false }
        return one < other
    }

    // MARK: Reading

    private mutating func note(_ fact: Fact, _ number: Int) {
        switch fact {
        case .filed(let claim):
            guard claimIndex[claim.key] == nil else { return contradictions.append(number) }
            claimIndex[claim.key] = claims.count
            claims.append(
                ClaimLife(claim: claim, filed: number, places: [(number, claim.items)]))
        case .holding(let key): changeClaim(key, number) { $0.take(number) }
        case .granted(let key, let items):
            changeClaim(key, number) {
                $0.take(number)
                $0.tenures[$0.tenures.count - 1].granted = number
                guard let items else { return }
                if items != $0.items(at: number) { $0.mistold = number }
                $0.places.append((number, items))
            }
        case .returned(let key):
            changeClaim(key, number) { $0.close(number) }
            discardQuestions(for: key, number)
        case .ended(let key), .cancelled(let key), .failed(let key), .foundInCycle(let key, _):
            changeClaim(key, number) {
                $0.close(number)
                $0.over = number
            }
        case .moved(let key, let moves): follow(moves, by: key, number)
        case .presenterAdded, .presenterRemoved, .presenterRelocated, .asked, .answered,
            .reacquired,
            .blocked:
            trackPresenter(fact, number)
        case .died, .stopped, .continued, .arbiterReplaced: trackProcess(fact, number)
        case .rested: break
        }
    }

    private mutating func trackPresenter(_ fact: Fact, _ number: Int) {
        switch fact {
        case .presenterAdded(let presenter):
            guard presenterIndex[presenter.key] == nil else { return contradictions.append(number) }
            presenterIndex[presenter.key] = presenters.count
            presenters.append(
                PresenterLife(
                    presenter: presenter, added: number, places: [(number, presenter.place)]))
        case .presenterRemoved(let key): changePresenter(key, number) { $0.removed = number }
        case .presenterRelocated(let key, let place):
            changePresenter(key, number) { $0.places.append((number, place)) }
        case .asked(let key, let claim, let steps):
            changePresenter(key, number) {
                $0.questions.append(
                    PresenterLife.Question(asked: number, claim: claim, steps: steps))
            }
        case .answered(let key, let claim, let succeeds):
            changePresenter(key, number) { life in
                // An answer to a question that was withdrawn is an ordinary race.
                guard
                    let index = life.questions.lastIndex(where: {
                        $0.answered == nil && $0.claim == claim
                    })
                else { return }
                life.questions[index].answered = number
                life.questions[index].succeeds = succeeds
            }
        case .reacquired(let key, let step):
            changePresenter(key, number) { $0.reacquired.append((number, step)) }
        case .blocked(let key, let asking, let claim):
            changePresenter(key, number) { $0.blockings.append((number, asking, claim)) }
        default: break
        }
    }

    private mutating func trackProcess(_ fact: Fact, _ number: Int) {
        switch fact {
        case .died(let client):
            for index in claims.indices
            where claims[index].claim.client == client && claims[index].over == nil {
                claims[index].close(number)
                claims[index].over = number
            }
            for index in presenters.indices where presenters[index].presenter.client == client {
                if presenters[index].removed == nil { presenters[index].removed = number }
            }
            resume(client, number)
        case .stopped(let client): stops.append((client, number, nil))
        case .continued(let client): resume(client, number)
        case .arbiterReplaced:
            replacements.append(number)
            for index in claims.indices where claims[index].tenures.last?.granted == nil {
                claims[index].close(number)
            }
            for index in presenters.indices {
                // The next arbiter does not know yet which
                // claim keeps which presenter from answering.
                if !presenters[index].blockings.isEmpty {
                    presenters[index].blockings.append((number, nil, nil))
                }
                for question in presenters[index].questions.indices {
                    presenters[index].questions[question].discard(number)
                }
            }
        default: break
        }
    }

    /// Discards what was asked for a claim that is in the queue again: it will be asked anew.
    private mutating func discardQuestions(for claim: ClaimKey, _ number: Int) {
        for index in presenters.indices {
            for question in presenters[index].questions.indices
            where presenters[index].questions[question].claim == claim {
                presenters[index].questions[question].discard(number)
            }
        }
    }

    private mutating func resume(_ client: ClientKey, _ number: Int) {
        for index in stops.indices where stops[index].client == client && stops[index].to == nil {
            stops[index].to = number
        }
    }

    private mutating func follow(_ moves: [Move], by mover: ClaimKey, _ number: Int) {
        guard let own = claimIndex[mover], claims[own].tenures.last?.granted != nil else { return }
        for index in presenters.indices where presenters[index].removed == nil {
            guard let old = presenters[index].place(at: number) else { continue }
            let new = moves.destination(of: old)
            if new != old { presenters[index].places.append((number, new)) }
        }
        for index in claims.indices
        where claims[index].over == nil && index != own && !claims[index].claim.isBatch {
            let isRunning = claims[index].tenures.last.map { $0.granted != nil && $0.end == nil }
            if isRunning == true { continue }
            let old = claims[index].items(at: number)
            let new = moves.destination(of: old)
            if new != old { claims[index].places.append((number, new)) }
        }
        for index in [own] + claims[own].claim.enclosing.compactMap({ claimIndex[$0] }) {
            hold(index, moves, number)
        }
    }

    /// Until it is over, a claim holds what was moved inside its accessor in both places, whether
    /// it or a claim inside it moved that (Rules 2.8a, 2.20).
    private mutating func hold(_ index: Int, _ moves: [Move], _ number: Int) {
        guard claims[index].over == nil, claims[index].grant != nil else { return }
        let filed = claims[index].holdsAlso ?? claims[index].items(at: number)
        let new = moves.destination(of: filed, isOwn: true) + moves.itemsMovedOut(from: filed)
        guard new != filed else { return }
        let first = claims[index].places.last { $0.since <= claims[index].grant ?? number }
        claims[index].holdsAlso = new
        claims[index].places.append((number, (first?.items ?? []) + new))
    }

    private mutating func changeClaim(
        _ key: ClaimKey, _ number: Int, _ change: (inout ClaimLife) -> Void
    ) {
        guard let index = claimIndex[key], claims[index].over == nil else {
            return contradictions.append(number)
        }
        change(&claims[index])
    }

    private mutating func changePresenter(
        _ key: PresenterKey, _ number: Int, _ change: (inout PresenterLife) -> Void
    ) {
        guard let index = presenterIndex[key], presenters[index].removed == nil else {
            return contradictions.append(number)
        }
        change(&presenters[index])
    }
}

extension ClaimLife {
    /// Its last grant.
    var grant: Int? { tenures.last?.granted }

    fileprivate mutating func take(_ number: Int) {
        guard tenures.last.map({ $0.end != nil }) ?? true else { return }
        tenures.append(Tenure(start: number, granted: nil, end: nil))
    }

    fileprivate mutating func close(_ number: Int) {
        guard !tenures.isEmpty, tenures[tenures.count - 1].end == nil else { return }
        tenures[tenures.count - 1].end = number
    }
}
