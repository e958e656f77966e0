// SPDX-License-Identifier: Apache-2.0
//
// Relays: a place that several clients write one after the other, for a moment each, is delegated
// to all of them, each in its turn. A word in memory that they share says whose turn it is; so a
// handoff takes neither a message nor this host.
//
// A relay begins in the midst of contention, and at first it is the host's turn: until the claims
// are over that it knows there. Whatever else comes near ends the relay before the arbiter hears of
// it: a claim by a stranger, or one of a member that does not write the place plainly, or has
// waited for longer than a moment; a presenter; a move; a member's death. Then the slots are
// cleared, and what the members' records say is what the arbiter is told: claims that run, and
// claims that wait, which come into line before whatever was filed later (Rule 2.14). As with any
// delegation, that waits for nobody and needs no answer.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    // MARK: Beginning

    /// Notes that a claim at a place is over for which others wait; begins a relay, if it is handed
    /// over often enough for that.
    func noteHandover(of wanted: WantedDelegation, by client: Client) {
        guard !wanted.slot.isForDirectory, client.ledger.waitsInRelays,
            contested.isHandedOverOften(
                wanted.path, by: client.id, at: MonotonicClock.now,
                within: configuration.handoverTime),
            let members = members(at: wanted, besides: client)
        else { return }
        beginRelay(at: wanted.path, members)
    }

    /// Who has to do with a place, and by which slots; nil if it is not to be handed over among
    /// them.
    private func members(
        at wanted: WantedDelegation, besides client: Client
    ) -> [(client: Client, slot: Int)]? {
        guard let contenders = arbiter.contenders(at: wanted.path) else { return nil }
        var slots = [client.id: wanted.slot.number]
        for id in contenders {
            guard let address = claims[id], let other = wantedDelegations[id],
                other.path == wanted.path, !other.slot.isForDirectory
            else { return nil }
            slots[address.client] = other.slot.number
        }
        guard slots.count > 1 else { return nil }
        var members: [(client: Client, slot: Int)] = []
        for id in slots.keys.sorted() {
            guard let slot = slots[id], let member = clients[id], member.connection != nil,
                member.ledger.waitsInRelays, !stoppedClients.contains(id)
            else { return nil }
            members.append((member, slot))
        }
        return members
    }

    private func beginRelay(at path: ItemPath, _ members: [(client: Client, slot: Int)]) {
        for id in delegations.book.overlapping(path) where !isOver(id) { return }
        guard let file = relayFile(), let number = relayNumber() else { return }
        // A word that cannot be renewed is not used again.
        guard let turn = file.renew(number)?.turn else { return }
        var relay = Relays.Relay(path: path, hostTurn: turn)
        for member in members {
            guard
                let word = try? member.client.ledger.delegate(
                    slot: member.slot, inRelay: number, epoch)
            else { continue }
            let subject = Delegations.Subject.turn(slot: member.slot, word)
            relay.members.append(
                delegations.insert(subject, of: member.client.id, at: path))
        }
        relays.insert(relay, as: number)
    }

    /// The number of a relay that is to begin, if need be that of the oldest one.
    private func relayNumber() -> Int? {
        if let number = relays.takeNumber() { return number }
        if let oldest = relays.numbers.first { endRelay(oldest) }
        return relays.takeNumber()
    }

    /// The memory of this host's relays, made when the first one begins.
    private func relayFile() -> RelayFile? {
        if relayMemory == nil, !hasMoved {
            relayMemory = try? RelayFile(
                directory: runtime.directory, epoch: epoch, isNew: true)
        }
        return relayMemory
    }

    /// Lets the members have their turns where the claims are over that this host has granted.
    func openRelays() {
        for number in relays.held {
            guard let relay = relays[number], arbiter.isUncontested(relay.path),
                let turn = relays.open(number)
            else { continue }
            relayMemory?.pass(turn)
        }
    }

    /// Whether a claim of a member was under way when its relay began: then it is one of those that
    /// come before the members' turns.
    func wasUnderWay(_ relay: Int, _ items: [AccessItem], of client: Client) -> Bool {
        guard let known = relays[relay], known.hostTurn != nil, relayMemory?.hasLine(relay) == false
        else { return false }
        return items.count == 1 && items[0].path == known.path && items[0].isDelegable
            && items[0].access.isWriting
            && known.members.contains { delegations[$0]?.client == client.id }
    }

    // MARK: Ending

    /// Ends all relays of a client that is dead: nothing that its own records say counts any more.
    func endRelays(ofDead client: Client) {
        for id in delegations.delegations(of: client.id) {
            if let number = delegations[id]?.relay { endRelay(number, except: client) }
        }
    }

    /// Ends all relays.
    func endRelays() {
        for number in relays.numbers { endRelay(number) }
    }

    /// Ends a relay, and tells the arbiter of those who have their turn or wait for it.
    func endRelay(_ number: Int, except dead: Client? = nil) {
        guard let relay = relays.remove(number), let file = relayMemory else { return }
        var members: [Client] = []
        for id in relay.members {
            guard let entry = delegations.remove(id),
                case .turn(let slot, let word) = entry.subject, let client = clients[entry.client]
            else { continue }
            client.ledger.close(slot: slot, word)
            if client !== dead { members.append(client) }
        }
        // From here on nobody gets a turn by a number; whoever has it now has made that known in
        // its record, or will find that it is the host's to decide.
        if let (_, turns) = file.renew(number) {
            relays.giveBack(number)
            contested.noteRelay(at: relay.path, turns: turns)
        }
        var waiting: [(client: Client, snapshot: RecordSnapshot)] = []
        var held: [(client: Client, snapshot: RecordSnapshot)] = []
        for client in members {
            // A ledger that its client tampers with is of no use to anybody but the client.
            guard let found = try? client.ledger.careForLocalClaims(epoch) else { continue }
            held += found.held.map { (client, $0) }
            waiting += found.waiting.map { (client, $0) }
        }
        // One that was over before all had been looked at is not told of.
        for (client, snapshot) in held { look(at: snapshot.reference.index, of: client) }
        waiting.sort { ($0.snapshot.filedAt, $0.client.id) < ($1.snapshot.filedAt, $1.client.id) }
        for (client, snapshot) in waiting {
            if let filing = filingSince, snapshot.filedAt > filing {
                filedLater.append((client, snapshot.reference))
            } else {
                lookAtWaiting(snapshot.reference, of: client)
            }
        }
    }

    /// Tells the arbiter of a claim that has waited in a relay: its process may have been stopped
    /// meanwhile (Rule 18.6).
    private func lookAtWaiting(_ record: RecordReference, of client: Client) {
        let outer = hasWaitedInRelay
        hasWaitedInRelay = true
        look(at: record.index, of: client)
        hasWaitedInRelay = outer
    }

    /// What is to be thought of a record, if it is one of a relay: that ends, because somebody has
    /// come to care; nil if nothing is left of it then.
    func outsideOfRelays(_ snapshot: RecordSnapshot, of client: Client) -> RecordSnapshot? {
        let waits = snapshot.state == .asked && snapshot.flags.contains(.inRelay)
        let runs = snapshot.state == .granted && snapshot.flags == .local
        guard waits || runs && !relays.isEmpty, snapshot.kind == .claim else { return snapshot }
        if let relay = relay(of: snapshot, client) {
            endRelay(relay)
        } else if runs {
            return snapshot
        }
        if waits { _ = try? client.ledger.care(for: snapshot.reference, epoch) }
        let now = client.ledger.snapshot(ofRecord: snapshot.reference.index)
        return now?.flags.contains(.inRelay) == true ? nil : now
    }

    private func relay(of snapshot: RecordSnapshot, _ client: Client) -> Int? {
        guard !relays.isEmpty, let bytes = client.ledger.body(snapshot.reference),
            let body = try? ClaimBody(decoding: bytes), let item = body.items.first
        else { return nil }
        return delegations.book.overlapping(item.path).lazy
            .compactMap { self.delegations[$0]?.relay }.first
    }

    /// Tells the arbiter of claims that waited in a relay and were filed after the one that has
    /// ended it.
    func fileLater() {
        guard !filedLater.isEmpty else { return }
        let later = filedLater
        filedLater = []
        for (client, record) in later { lookAtWaiting(record, of: client) }
    }

    // MARK: The file

    /// Removes the files of former hosts.
    func removeFormerRelays() {
        for name in (try? runtime.directory.names()) ?? [] {
            if let other = RelayFile.epoch(ofFile: name), other < epoch.rawValue {
                RelayFile.remove(epoch: other, from: runtime.directory)
            }
        }
    }

    /// Removes this host's file: who waits in a relay has it mapped.
    func removeRelays() {
        if relayMemory != nil { RelayFile.remove(epoch: epoch.rawValue, from: runtime.directory) }
    }
}
