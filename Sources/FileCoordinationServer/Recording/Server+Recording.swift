// SPDX-License-Identifier: Apache-2.0
//
// Records the arbiter's input and its decisions, for the programs that have requested a recording
// (Rule 18.5). Recording has no other effect: no delegation is recalled for it, and no ticket queue
// ends.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    // MARK: Beginning, sending, ending

    /// Begins or ends the recording for a connection.
    mutating func record(_ isWanted: Bool, on connection: Connection) {
        let now = MonotonicClock.now
        guard isWanted else {
            return outgoing.recordings.update(connection.token) { $0.end(at: now) }
        }
        guard !outgoing.recordings.contains(connection.token) else { return }
        guard outgoing.recordings.count < ServerLimits.recordings else {
            return refuse(
                connection, .limitReached,
                "\(ServerLimits.recordings) programs watch or record already: end one of them")
        }
        outgoing.recordings.begin(
            Recording(
                token: connection.token, namespace: namespace(of: connection), at: now))
    }

    /// Sends the slices that are due, as far as the connections accept them without blocking.
    mutating func sendRecordings() {
        guard !outgoing.recordings.isEmpty else { return }
        let now = MonotonicClock.now
        guard outgoing.recordings.mayHaveWork(at: now, connections: connections.count) else {
            return
        }
        var messages: [(Connection, [UInt8])] = []
        outgoing.recordings.update { recording in
            guard let connection = connections[recording.token] else { return false }
            // At most one slice is in the connection's backlog; the others stay in the recording,
            // whose size is bounded.
            if !connection.hasBacklog, let slice = recording.takeSlice(at: now) {
                messages.append((connection, slice))
            }
            return !recording.isOver || !recording.isSent
        }
        for (connection, slice) in messages { send(.trace(slice), on: connection) }
    }

    /// When the next slice is due whose connection has no backlog.
    var nextRecordingDeadline: Instant? {
        var next: Instant?
        // By index, because a copy of each would cost more than all the rest.
        for index in outgoing.recordings.all.indices {
            guard let deadline = outgoing.recordings.all[index].deadline,
                connections[outgoing.recordings.all[index].token]?.hasBacklog == false
            else { continue }
            next = .earlier(next, deadline)
        }
        return next
    }

    // MARK: Recording

    /// Records an event of the arbiter and its effects.
    mutating func record(_ event: Event, _ effects: [Effect]) {
        // The arbiter is told the time in each turn; without effects, that is not worth an entry.
        if case .clockAdvanced = event, effects.isEmpty { return }
        let now = MonotonicClock.now
        // Entries say what the server knows. It cannot be asked while a part of it is changed.
        var recordings = Recordings()
        swap(&recordings, &outgoing.recordings)
        defer { swap(&recordings, &outgoing.recordings) }
        recordings.update { recording in
            record(event, in: &recording, at: now)
            // A claim that is granted at once waits for nothing.
            if case .claimFiled(let claim) = event,
                !effects.contains(where: { $0.grants(claim.id) })
            {
                recording.unchecked.append(claim.id)
            }
            for effect in effects {
                record(effect, because: event.claim, in: &recording, at: now)
            }
            recordWaits(after: event, in: &recording, at: now)
            return true
        }
    }

    /// Records that the unreported claim is over whose record a claim uses now.
    mutating func recordEnd(ofFormer claim: FiledClaim) {
        guard !outgoing.recordings.isEmpty, let former = claim.former,
            let over = delegations.claim(of: former)
        else { return }
        let now = MonotonicClock.now
        outgoing.recordings.update { recording in
            recording.add(.endFound(over.rawValue), at: now)
            return true
        }
    }

    /// Records that a presenter is told of a change by a program that does not coordinate.
    mutating func record(plain notice: Notice, to presenter: PresenterID) {
        let now = MonotonicClock.now
        outgoing.recordings.update { recording in
            recording.add(
                .notified(
                    presenter: presenter.rawValue, TracedNotice(notice), claim: nil,
                    isPlain: true),
                at: now)
            return true
        }
    }

    private func record(_ event: Event, in recording: inout Recording, at now: Instant) {
        switch event {
        case .clockAdvanced, .recoveryFinished, .presenterBlocked,
            .presenterAnsweredLate, .presenterDismissed, .claimReminded:
            break
        case .claimFiled(let claim):
            describe(claim.client, in: &recording, at: now)
            recording.add(.filed(traced(claim)), at: now)
        case .claimRecovered(let claim):
            describe(claim.client, in: &recording, at: now)
            recording.add(.found(traced(claim), age: age(of: claim.id)), at: now)
        case .claimAnnounced(let claim, .moved(let moves)):
            recording.add(
                .announced(claim.rawValue, moves.flatMap { [$0.old, $0.new] }), at: now)
        case .claimAnnounced: break
        case .claimEnded(let claim, let outcomes):
            recording.waiting.remove(claim)
            recording.add(.ended(claim.rawValue, outcomes: outcomes), at: now)
        case .claimCancelled(let claim):
            recording.waiting.remove(claim)
            recording.add(.cancelled(claim.rawValue), at: now)
        case .grantWithdrawn(let claim):
            recording.waiting.add(claim)
            recording.add(.grantWithdrawn(claim.rawValue), at: now)
        case .presenterAdded, .presenterRelocated, .presenterMoved, .presenterRemoved,
            .presenterAnswered:
            recordPresenter(event, in: &recording, at: now)
        case .clientStopped(let client):
            describe(client, in: &recording, at: now)
            recording.addStop(of: client, at: now)
        case .clientContinued(let client):
            describe(client, in: &recording, at: now)
            recording.addContinuation(of: client, at: now)
        case .clientDied(let client):
            describe(client, in: &recording, at: now)
            recording.addDeath(of: client, at: now)
        case .delegationRecalled(let delegation):
            recording.add(.delegationEnded(delegation.rawValue, turns: 0), at: now)
        case .queueOpened(let delegation, let path, let members):
            recordDelegation(
                delegation, .queue, path, members.map(\.client), in: &recording, at: now)
        case .queueClosed(let delegation, _, let turns):
            recording.add(
                .delegationEnded(delegation.rawValue, turns: UInt32(clamping: turns)), at: now)
        }
    }

    private func recordPresenter(
        _ event: Event, in recording: inout Recording, at now: Instant
    ) {
        switch event {
        case .presenterAdded(let presenter):
            describe(presenter.client, in: &recording, at: now)
            recording.add(
                .presenterAdded(
                    presenter.id.rawValue, client: presenter.client.rawValue,
                    path: presenter.path,
                    label: ownLabel(of: records.address(of: presenter.id))),
                at: now)
        case .presenterRelocated(let presenter, let path):
            recording.add(.presenterMoved(presenter.rawValue, path), at: now)
        case .presenterMoved(let presenter, let path):
            recording.add(.presenterMoved(presenter.rawValue, path), at: now)
        case .presenterRemoved(let presenter):
            recording.add(.presenterRemoved(presenter.rawValue), at: now)
        case .presenterAnswered(let presenter, let claim, let failure):
            recording.add(
                .answered(
                    presenter: presenter.rawValue, claim: claim.rawValue,
                    isRefusal: failure != nil),
                at: now)
        case .claimFiled, .claimRecovered, .claimAnnounced, .claimReminded, .claimEnded,
            .claimCancelled, .presenterAnsweredLate, .presenterBlocked, .presenterDismissed,
            .clientStopped, .clientContinued, .grantWithdrawn, .clientDied,
            .clockAdvanced, .recoveryFinished, .delegationRecalled,
            .queueOpened, .queueClosed:
            break
        }
    }

    private func record(
        _ effect: Effect, because cause: ClaimID?, in recording: inout Recording, at now: Instant
    ) {
        func tell(_ presenter: PresenterID, _ notice: TracedNotice) {
            recording.add(
                .notified(
                    presenter: presenter.rawValue, notice, claim: cause?.rawValue,
                    isPlain: false),
                at: now)
        }
        switch effect {
        case .grant(let claim):
            recording.waiting.remove(claim)
            recording.add(.granted(claim.rawValue, isUnreported: false), at: now)
        case .grantUnreported(let claim, _):
            recording.waiting.remove(claim)
            recording.add(.granted(claim.rawValue, isUnreported: true), at: now)
        case .fail(let claim, _):
            recording.waiting.remove(claim)
            recording.add(.refused(claim.rawValue), at: now)
        case .failInCycle(let claim, let steps):
            recording.waiting.remove(claim)
            recording.add(.inCycle(claim.rawValue, steps.map(\.claim.id.rawValue)), at: now)
        case .withdrawQuestions(let claim):
            recording.add(.questionsRecalled(claim.rawValue), at: now)
        case .askToYield(let presenter, let claim, let steps):
            recording.add(
                .asked(
                    presenter: presenter.rawValue, claim: claim.rawValue,
                    message: steps.lastMessageName),
                at: now)
        case .reacquire(let presenter, let kind):
            tell(presenter, kind == .reader ? .reacquireFromReader : .reacquireFromWriter)
        case .notify(let presenter, let notice): tell(presenter, TracedNotice(notice))
        case .retarget(let claim, let items):
            recording.add(.claimMoved(claim.rawValue, items.map(\.path)), at: now)
        case .relocate(let presenter, let path, let isTold):
            recording.add(.presenterMoved(presenter.rawValue, path), at: now)
            if isTold { tell(presenter, .itemDidMove) }
        case .delegate(let delegation): record(delegation, in: &recording, at: now)
        case .recall(let delegation): recording.add(.recalled(delegation.rawValue), at: now)
        case .openQueue, .startQueue: break
        }
    }

    private func record(
        _ delegation: Delegation, in recording: inout Recording, at now: Instant
    ) {
        switch delegation.holding {
        case .place(let client, _, let mode, _):
            recordDelegation(
                delegation.id, mode == .shared ? .shared : .exclusive, delegation.path, [client],
                in: &recording, at: now)
        case .directory(let client, _):
            recordDelegation(
                delegation.id, .directory, delegation.path, [client], in: &recording, at: now)
        // A single claim has its own entries, and a queue is recorded when it is opened.
        case .claim, .queue: break
        }
    }

    private func recordDelegation(
        _ id: DelegationID, _ mode: TracedDelegation, _ path: ItemPath, _ clients: [ClientID],
        in recording: inout Recording, at now: Instant
    ) {
        for client in clients { describe(client, in: &recording, at: now) }
        recording.add(
            .delegated(id.rawValue, mode, path, clients: clients.map(\.rawValue)), at: now)
    }

    // MARK: Details

    /// Records what claims wait for: those that were filed with this event, and after events that
    /// change the order of claims the first of those that wait.
    private func recordWaits(
        after event: Event, in recording: inout Recording, at now: Instant
    ) {
        guard !recording.unchecked.isEmpty || event.mayReorderClaims else { return }
        var claims: [ClaimID] = []
        // While recalls are pending, the arbiter has not put new claims in the queue yet.
        if !recording.unchecked.isEmpty, !arbiter.awaitsRecalls {
            claims = recording.unchecked
            recording.unchecked = []
        } else if event.mayReorderClaims {
            claims = recording.waiting.first(ServerLimits.claimsRecordedAnew)
        }
        for claim in claims {
            guard let stage = arbiter.stage(of: claim) else {
                // Its process has died.
                recording.waiting.remove(claim)
                continue
            }
            guard stage != .granted else { continue }
            recording.waiting.add(claim)
            let found = arbiter.impediments(of: claim, amongFirst: ServerLimits.partiesLookedAt)
            var (holders, presenters): ([UInt64], [UInt64]) = ([], [])
            for impediment in found.prefix(ServerLimits.recordedParties) {
                switch impediment {
                case .claim(let other): holders.append(other.rawValue)
                case .presenter(let presenter, _): presenters.append(presenter.rawValue)
                }
            }
            recording.addWaits(
                of: claim, claims: holders, presenters: presenters, count: found.count, at: now)
        }
    }

    private func describe(
        _ id: ClientID, in recording: inout Recording, at now: Instant
    ) {
        let namespace = recording.namespace
        recording.describe(id, at: now) {
            let client = clients[id]
            return .client(
                id.rawValue, processID: processes.number(of: client, for: namespace),
                name: client?.ledger.programName ?? "",
                label: client.map { String(decoding: $0.ledger.label, as: UTF8.self) } ?? "")
        }
    }

    private func traced(_ claim: FiledClaim) -> TracedClaim {
        TracedClaim(
            claim: claim.id.rawValue, client: claim.client.rawValue, kind: claim.kind,
            label: ownLabel(of: records.address(of: claim.id)), items: claim.items,
            outerClaims: claim.enclosing.isEmpty && claim.surrounding.isEmpty
                ? [] : (claim.enclosing + claim.surrounding).map(\.rawValue))
    }
}

extension Event {
    /// The claim that the event is about, if it causes the effects.
    fileprivate var claim: ClaimID? {
        switch self {
        case .claimFiled(let claim), .claimRecovered(let claim): claim.id
        case .claimAnnounced(let claim, _), .claimReminded(let claim, _),
            .claimEnded(let claim, _), .claimCancelled(let claim), .grantWithdrawn(let claim),
            .presenterAnswered(_, let claim, _):
            claim
        case .presenterAdded, .presenterRelocated, .presenterMoved, .presenterRemoved,
            .presenterAnsweredLate, .presenterBlocked, .presenterDismissed, .clientStopped,
            .clientContinued, .clientDied, .clockAdvanced, .recoveryFinished, .delegationRecalled,
            .queueOpened, .queueClosed:
            nil
        }
    }

    /// Whether claims may now wait for others than when they were filed, without being granted.
    fileprivate var mayReorderClaims: Bool {
        switch self {
        case .claimRecovered, .claimAnnounced, .clientStopped, .clientContinued, .grantWithdrawn,
            .presenterMoved:
            true
        case .claimFiled, .claimReminded, .claimEnded, .claimCancelled, .presenterAdded,
            .presenterRelocated, .presenterRemoved, .presenterAnswered, .presenterAnsweredLate,
            .presenterBlocked, .presenterDismissed, .clientDied, .clockAdvanced,
            .recoveryFinished, .delegationRecalled,
            .queueOpened, .queueClosed:
            false
        }
    }
}

extension TracedNotice {
    /// Converts a notice to its kind, without its contents.
    fileprivate init(_ notice: Notice) {
        switch notice {
        case .itemDidChange: self = .itemDidChange
        case .subitemDidAppear: self = .subitemDidAppear
        case .subitemDidChange: self = .subitemDidChange
        case .subitemDidMove: self = .subitemDidMove
        case .itemVersion: self = .itemVersion
        case .subitemVersion: self = .subitemVersion
        case .ubiquityAttributes: self = .ubiquityAttributes
        }
    }
}

extension Effect {
    /// Whether the effect grants this claim.
    func grants(_ claim: ClaimID) -> Bool {
        switch self {
        case .grant(let granted): granted == claim
        case .grantUnreported(let granted, _): granted == claim
        case .fail, .failInCycle, .withdrawQuestions, .askToYield, .reacquire, .notify, .retarget,
            .relocate, .delegate, .recall, .openQueue, .startQueue:
            false
        }
    }
}
