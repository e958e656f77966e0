// SPDX-License-Identifier: Apache-2.0
//
// A simulated world around one arbiter: processes that claim, present, stop and die, a clock, and
// an observer that records a history of what is visible from outside. One number, the seed,
// determines everything.

package import CoordinationCheckers
import FileCoordinationArbiter

/// A small world.
package struct World {
    var dice: Dice
    let faults: FaultSchedule
    var arbiter: Arbiter
    /// What was seen.
    package internal(set) var history = History()
    /// How much of everything there was.
    package internal(set) var coverage = Coverage()
    /// The monotonic time, in nanoseconds.
    var now: UInt64 = 1_000_000_000
    /// ``now``, for the arbiter.
    var instant: Instant { Instant(nanoseconds: now) }
    /// The youngest serial number, of claims and of presenters.
    var serial: UInt64 = 0
    /// How many processes there have been.
    var births: UInt32 = 0
    var clients: [SimulatedClient] = []
    /// By their serial numbers, ascending.
    var claims: [SimulatedClaim] = []
    /// By their numbers, ascending.
    var presenters: [SimulatedPresenter] = []
    /// Whether the arbiter dies while it does what the next event leads to.
    var isCrashing = false
    /// The claims that the event at hand ends, so that another arbiter can be told of them.
    var departing: [SimulatedClaim] = []
    var delegations = SimulatedDelegations()

    /// A world in which nothing has happened yet.
    init(_ faults: FaultSchedule, _ dice: Dice) {
        self.faults = faults
        self.dice = dice
        arbiter = Arbiter(policy: faults.policy)
        for _ in 0..<faults.clients { clients.append(newborn()) }
    }

    mutating func newborn() -> SimulatedClient {
        births += 1
        return SimulatedClient(id: ClientID(rawValue: births))
    }

    // MARK: Writing down

    mutating func record(_ fact: Fact) { history.append(fact, at: Moment(at: now)) }

    // MARK: Telling the arbiter

    /// Has the arbiter handle an event, and does what it wants done.
    mutating func tell(_ event: Event, _ fact: Fact? = nil) {
        now += 1
        coverage.count(.events)
        let crashes = isCrashing
        isCrashing = false
        let before = arbiter.heldEventCount
        let effects = arbiter.handle(event)
        let after = arbiter.heldEventCount
        if crashes {
            // The arbiter dies before it has carried out the events that waited for recalls.
            guard after >= before else { return restartAmidRecalls() }
            return crash(during: event, fact, effects, isHeld: after > before)
        }
        if after > before {
            hold(event, fact)
        } else {
            recordDeferred(before - after)
            if let fact { record(fact) }
        }
        follow(effects)
        tellOfQueues()
    }

    /// Keeps a fact until the arbiter acts on it: its moment is that of the event's position in the
    /// queue of held events.
    private mutating func hold(_ event: Event, _ fact: Fact?) {
        coverage.count(.held)
        var announced: (ClaimID, Announcement)?
        if case .claimAnnounced(let claim, let announcement) = event {
            announced = (claim, announcement)
        }
        delegations.deferred.append(DeferredEvent(fact: fact, announced: announced))
    }

    /// Writes down what has waited for recalls.
    mutating func recordDeferred(_ count: Int) {
        for event in delegations.deferred.prefix(count) {
            if let fact = event.fact { record(fact) }
        }
        delegations.deferred.removeFirst(count)
    }

    /// Records what the arbiter has decided, and does it.
    mutating func follow(_ effects: [Effect]) {
        recordPlaces()
        for effect in effects { apply(effect) }
    }

    /// Lets time go on, and the arbiter know.
    mutating func pass(_ nanoseconds: UInt64) {
        now += nanoseconds
        let wasCrashing = isCrashing
        isCrashing = false
        tell(.clockAdvanced(to: instant))
        isCrashing = wasCrashing
        tellBlocked()
    }

    /// Records who has taken a place or lost it.
    mutating func recordPlaces() {
        for index in claims.indices {
            let claim = claims[index]
            switch (claim.stage, arbiter.stage(of: claim.id)) {
            case (.waiting, .asking), (.waiting, .granted):
                claims[index].stage = .asking
                record(.holding(claim.id.key))
            case (.asking, .waiting), (.granted, .waiting):
                claims[index].stage = .waiting
                claims[index].isTaken = false
                coverage.count(.returned)
                record(.returned(claim.id.key))
            case (.waiting, .waiting), (.asking, .asking), (.asking, .granted), (.granted, _),
                (_, nil):
                continue
            }
        }
    }

    /// Tells which waiting calls keep presenters from answering, where that has changed.
    mutating func tellBlocked() {
        for id in presenters.map(\.id) {
            guard let index = index(id) else { continue }
            if let occupant = presenters[index].occupant, claim(occupant) == nil {
                presenters[index].occupant = nil
            }
            let asked = Set(presenters[index].questions.map(\.claim))
            presenters[index].blockers = presenters[index].blockers.filter {
                asked.contains($0.key)
            }
            for question in presenters[index].questions { tellBlocked(id, question.claim) }
        }
    }

    private mutating func tellBlocked(_ id: PresenterID, _ asking: ClaimID) {
        guard let index = index(id),
            presenters[index].questions.contains(where: { $0.claim == asking })
        else { return }
        let presenter = presenters[index]
        let isOccupied = presenter.occupiedQuestion.map { $0 == asking } ?? true
        let blocker = isOccupied ? blocker(of: presenter) : nil
        guard blocker != presenter.blockers[asking] else { return }
        presenters[index].blockers[asking] = blocker
        coverage.count(.blockings)
        tell(
            .presenterBlocked(id, for: asking, by: blocker),
            .blocked(id.key, for: asking.key, by: blocker?.key))
    }

    /// The waiting call that occupies the presenter's queue, or that was made inside such a call.
    private func blocker(of presenter: SimulatedPresenter) -> ClaimID? {
        guard let occupant = presenter.occupant else { return nil }
        return claims.last { claim in
            !claim.isGranted && claim.filed.blocksCaller
                && (claim.id == occupant || claim.filed.enclosing.contains(occupant))
        }?.id
    }

    // MARK: Looking

    func index(_ id: ClaimID) -> Int? { claims.firstIndex { $0.id == id } }

    func claim(_ id: ClaimID) -> SimulatedClaim? { claims.first { $0.id == id } }

    func index(_ id: PresenterID) -> Int? { presenters.firstIndex { $0.id == id } }

    func isRunning(_ client: ClientID) -> Bool {
        clients.contains { $0.id == client && !$0.isStopped }
    }

    /// Whether an accessor waits for a call that was made inside.
    func isHeldUp(_ id: ClaimID) -> Bool {
        claims.contains { $0.filed.blocksCaller && $0.filed.enclosing.contains(id) }
    }

    /// Forgets a claim that is over; presenters that were asked for it need not answer any more.
    mutating func forget(_ id: ClaimID) {
        claims.removeAll { $0.id == id }
        for index in presenters.indices { recall(id, index) }
    }

    mutating func recall(_ id: ClaimID, _ index: Int) {
        guard presenters[index].questions.contains(where: { $0.claim == id }) else { return }
        presenters[index].questions.removeAll { $0.claim == id }
        presenters[index].forgotten.append(id)
    }
}

extension ClaimID {
    var key: ClaimKey { ClaimKey(rawValue) }
}

extension PresenterID {
    var key: PresenterKey { PresenterKey(rawValue) }
}

extension ClientID {
    var key: ClientKey { ClientKey(UInt64(rawValue)) }
}
