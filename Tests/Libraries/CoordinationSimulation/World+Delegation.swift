// SPDX-License-Identifier: Apache-2.0
//
// Delegations: clients grant claims themselves. The arbiter is told of these claims only when it
// recalls the delegation, or when the end of a write is reported. A recall is answered at any later
// time; until then, the client may continue to use the delegation in its slot.

import CoordinationCheckers
import FileCoordinationArbiter

/// An event that the arbiter holds back until recalls are answered.
struct DeferredEvent {
    /// What is recorded when the arbiter acts on it.
    let fact: Fact?
    /// What it makes known.
    ///
    /// The next arbiter must be told, if this one dies before it has acted on it.
    let announced: (claim: ClaimID, announcement: Announcement)?
}

extension DeferredEvent {
    /// Whether it says where a presenter's item is.
    func places(_ presenter: PresenterID) -> Bool {
        switch fact {
        case .presenterAdded(let added): added.key == presenter.key
        case .presenterRelocated(let key, _): key == presenter.key
        default: false
        }
    }
}

/// A claim that was granted without a report.
struct Unreported {
    let claim: ClaimID
    let client: ClientID?
}

/// What the parties know of delegations.
struct SimulatedDelegations {
    /// What the slots of clients say.
    var standing: [Delegation] = []
    /// Recalls that are not answered.
    var recalls: [DelegationID] = []
    /// Claims granted without a report: each is hidden, or over.
    var unreported: [DelegationID: Unreported] = [:]
    /// Writes that are over and have to be reported.
    var reports: [(claim: SimulatedClaim, outcomes: [ItemOutcome])] = []
    /// What waits for a recall.
    var deferred: [DeferredEvent] = []
    var queues: [DelegationID: [QueueMember]] = [:]
    var openQueues: [DelegationID] = []
    var lastQueue: UInt64 = 1 << 40
    /// Where queues are.
    var queuePaths: [DelegationID: ItemPath] = [:]
    /// Queues that are put in place, of which the arbiter has to be told.
    var toOpen: [(id: DelegationID, path: ItemPath, members: [QueueMember])] = []
    /// Presenters that are owed a message about a change.
    var owed: [PresenterID] = []
}

extension World {
    /// Whether the arbiter waits for the answer to a recall.
    var isRecalling: Bool { !delegations.recalls.isEmpty }

    // MARK: What the arbiter wants

    mutating func delegate(_ delegation: Delegation) {
        coverage.count(.delegations)
        if case .place(_, _, .shared, _) = delegation.holding { coverage.count(.shares) }
        if case .place(_, _, _, true) = delegation.holding { coverage.count(.reportingSlots) }
        delegations.standing.append(delegation)
    }

    mutating func recall(_ id: DelegationID) {
        coverage.count(.recalls)
        delegations.recalls.append(id)
    }

    mutating func openQueue(at path: ItemPath, _ members: [QueueMember]) {
        guard isIdleForServer, members.allSatisfy({ isRunning($0.client) }) else { return }
        coverage.count(.queues)
        delegations.lastQueue += 1
        let id = DelegationID(rawValue: delegations.lastQueue)
        delegations.queues[id] = members
        delegations.toOpen.append((id, path, members))
    }

    mutating func startQueue(_ id: DelegationID) {
        if delegations.queues[id] != nil { delegations.openQueues.append(id) }
    }

    private var isIdleForServer: Bool { !isRecalling && delegations.toOpen.isEmpty }

    /// Tells the arbiter of queues that were put in place.
    mutating func tellOfQueues() {
        while !delegations.toOpen.isEmpty {
            let (id, path, members) = delegations.toOpen.removeFirst()
            delegations.queuePaths[id] = path
            tell(.queueOpened(id, at: path, members))
        }
    }

    // MARK: What clients do by themselves

    /// A client grants itself a claim where its slot lets it, and nothing else of its own is in
    /// the way.
    mutating func claimLocally() {
        let own = delegations.standing.filter { $0.client.map(isRunning) == true }
        guard let delegation = dice.one(of: own), let client = delegation.client,
            let item = localItem(in: delegation), isFree(item, for: client)
        else { return }
        coverage.count(item.access.isWriting ? .localWrites : .localReads)
        var claim = hidden(item, of: client)
        if case .place(_, _, _, reportsWrites: true) = delegation.holding {
            claim.isReported = item.access.isWriting
        }
        begin(claim)
    }

    /// A member of an open queue has its turn, if no other has it.
    mutating func takeTurn() {
        guard let id = dice.one(of: delegations.openQueues), let path = delegations.queuePaths[id],
            let members = delegations.queues[id],
            let member = dice.one(of: members.map(\.client).filter(isRunning))
        else { return }
        if let holder = claims.first(where: { $0.queue == id }) {
            // If the arbiter knows of the holder's claim,
            // the turn is passed on when the claim ends.
            if holder.isHidden, isRunning(holder.filed.client) { endHidden(holder, [.changed]) }
            return
        }
        let item = Place(path).item(.writing(.plain))
        guard isFree(item, for: member) else { return }
        coverage.count(.turns)
        var claim = hidden(item, of: member)
        claim.queue = id
        begin(claim)
    }

    private func localItem(in delegation: Delegation) -> AccessItem? {
        var dice = Dice(seed: now ^ delegation.id.rawValue)
        switch delegation.holding {
        case .place(_, _, let mode, let reportsWrites):
            let writes =
                mode == .exclusive
                && (reportsWrites ? !dice.one(in: 4) : dice.below(10) >= faults.reads)
            return Place(delegation.path).item(writes ? .writing(.plain) : .reading([]))
        case .directory:
            let inside = Place.all.filter {
                delegation.path.isDirectory(of: $0.path) && $0.packageDepths.isEmpty
            }
            let writes = dice.below(10) >= faults.reads
            return dice.one(of: inside)?.item(writes ? .writing(.plain) : .reading([]))
        case .claim, .queue: return nil
        }
    }

    /// Whether a process has no claim of its own that would conflict with a local one there.
    private func isFree(_ item: AccessItem, for client: ClientID) -> Bool {
        claims.allSatisfy { other in
            guard other.filed.client == client else { return true }
            return other.filed.items.allSatisfy { theirs in
                let isApart =
                    theirs.path != item.path && !theirs.path.contains(item.path)
                    && !item.path.contains(theirs.path)
                return isApart
                    || other.isHidden && !theirs.access.isWriting && !item.access.isWriting
            }
        }
    }

    private mutating func hidden(_ item: AccessItem, of client: ClientID) -> SimulatedClaim {
        serial += 1
        let filed = FiledClaim(
            id: ClaimID(rawValue: serial), client: client, purpose: Purpose("call \(serial)"),
            items: [item])
        var claim = SimulatedClaim(filed: filed, stage: .granted)
        claim.isTaken = true
        claim.isHidden = true
        return claim
    }

    private mutating func begin(_ claim: SimulatedClaim) {
        claims.append(claim)
        record(.filed(Claim(claim.filed)))
        record(.granted(claim.id.key, items: claim.filed.items.map { Item($0) }))
    }

    // MARK: What becomes known

    /// The arbiter is told of a hidden claim: something is made inside it, or of it.
    mutating func makeKnown(_ id: ClaimID) {
        guard let index = index(id), claims[index].isHidden else { return }
        coverage.count(.madeKnown)
        claims[index].isHidden = false
        tell(.claimRecovered(claims[index].filed))
    }

    /// A hidden claim is over: no report of it is sent, unless it is to be reported.
    mutating func endHidden(_ claim: SimulatedClaim, _ outcomes: [ItemOutcome]) {
        forget(claim.id)
        record(.ended(claim.id.key))
        if claim.isReported { delegations.reports.append((claim, outcomes)) }
    }

    /// The server is told that a write is over which is to be reported.
    mutating func receiveReport() {
        guard !isRecalling, !delegations.reports.isEmpty else { return }
        tellReport(of: delegations.reports[dice.below(delegations.reports.count)].claim.id)
    }

    /// Tells the arbiter of a write that is over.
    ///
    /// Its record stays as it is until that is done, so an arbiter that takes over meanwhile finds
    /// it, too.
    mutating func tellReport(of id: ClaimID) {
        guard let (claim, _) = delegations.reports.first(where: { $0.claim.id == id }) else {
            return
        }
        coverage.count(.reports)
        tell(.claimRecovered(claim.filed))
        guard let index = delegations.reports.firstIndex(where: { $0.claim.id == id }) else {
            return
        }
        let outcomes = delegations.reports.remove(at: index).outcomes
        owe(claim, outcomes)
        departing = [claim]
        tell(.claimEnded(claim.id, outcomes: outcomes))
    }

    /// The server sees that a claim is over which was granted without a report.
    mutating func seeEndOfUnreported() {
        guard let id = dice.one(of: entriesOfOver) else { return }
        delegations.unreported[id] = nil
        tell(.delegationRecalled(id))
    }

    /// The entries of unreported claims that are over, which the arbiter has not been told.
    private var entriesOfOver: [DelegationID] {
        delegations.unreported.keys.sorted().filter { id in
            !delegations.recalls.contains(id)
                && !claims.contains { $0.id == delegations.unreported[id]?.claim && $0.isHidden }
        }
    }

    /// Takes the entry of an unreported claim whose record the client uses for its next one.
    mutating func takeFormer(of client: ClientID) -> DelegationID? {
        let own = entriesOfOver.filter { delegations.unreported[$0]?.client == client }
        guard let id = dice.one(of: own), !dice.one(in: 4) else { return nil }
        coverage.count(.formers)
        delegations.unreported[id] = nil
        return id
    }

    // MARK: Recalls

    /// The server answers a recall: it clears the slot and tells of what runs by it.
    mutating func answerRecall() {
        guard !delegations.recalls.isEmpty else { return }
        let id = delegations.recalls.remove(at: dice.below(delegations.recalls.count))
        let found = takeBack(id)
        for claim in dice.shuffled(found) {
            coverage.count(.found)
            tell(.claimRecovered(claim))
        }
        let path = delegations.standing.first { $0.id == id }?.path
        delegations.standing.removeAll { $0.id == id }
        let reports = delegations.reports.filter { $0.claim.filed.items.first?.path == path }
        for report in reports { tellReport(of: report.claim.id) }
        if delegations.queues[id] != nil {
            delegations.queues[id] = nil
            delegations.openQueues.removeAll { $0 == id }
            if let place = delegations.queuePaths[id] {
                tell(.queueClosed(id, at: place, turns: dice.below(200)))
            }
        } else {
            tell(.delegationRecalled(id))
        }
    }

    /// The hidden claims that run by a delegation; they are known from now on.
    private mutating func takeBack(_ id: DelegationID) -> [FiledClaim] {
        let delegation = delegations.standing.first { $0.id == id }
        let single = delegations.unreported.removeValue(forKey: id)
        var found: [FiledClaim] = []
        for index in claims.indices where claims[index].isHidden {
            let claim = claims[index]
            guard
                claim.id == single?.claim || claim.queue == id
                    || delegation?.covers(claim) == true
            else { continue }
            claims[index].isHidden = false
            claims[index].queue = nil
            found.append(claim.filed)
        }
        return found
    }

    /// Answers all recalls.
    mutating func answerRecalls() {
        while isRecalling { answerRecall() }
    }

    /// Discards all delegations after an arbiter's death: the next one's epoch has ended them.
    mutating func forgetDelegations() {
        delegations.standing = []
        delegations.recalls = []
        delegations.unreported = [:]
        delegations.queues = [:]
        delegations.openQueues = []
        delegations.owed = []
        delegations.toOpen = []
        for index in claims.indices {
            claims[index].isHidden = false
            claims[index].queue = nil
        }
    }

    // MARK: What presenters are owed

    /// Records which presenters must be told of a write (Rules 7.3, 7.8).
    mutating func owe(_ claim: SimulatedClaim, _ outcomes: [ItemOutcome]) {
        guard claim.heard.isEmpty, !claim.isAroundMover, claim.filed.kind == .access else { return }
        for (index, item) in claim.filed.items.enumerated()
        where item.access.isWriting && index < outcomes.count {
            switch outcomes[index] {
            case .unchanged, .deleted: continue
            case .changed, .created: break
            }
            // A presenter whose registration, or new path, still waits for a recall came after the
            // end of the write.
            for presenter in presenters
            where !delegations.deferred.contains(where: { $0.places(presenter.id) })
                && presenter.registered.path == item.path
                && presenter.registered.purpose != claim.filed.purpose
                && presenter.registered.methods.contains(.itemDidChange)
            {
                delegations.owed.append(presenter.id)
            }
        }
    }

    /// Presenters that had to be told and were not, when everything has come to rest.
    var debts: [Violation] {
        delegations.owed.filter { id in presenters.contains { $0.id == id } }.map {
            Violation(.rest, "presenter \($0.rawValue) never heard of a write")
        }
    }
}

extension Delegation {
    /// Whether its client may have granted itself this claim by the delegation.
    fileprivate func covers(_ claim: SimulatedClaim) -> Bool {
        guard client == claim.filed.client, let item = claim.filed.items.first else { return false }
        switch holding {
        case .place: return item.path == path
        case .directory: return path.isDirectory(of: item.path)
        case .claim, .queue: return false
        }
    }
}
