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
        // Who never has to wait contends with nobody.
        guard wanted.hasWaited, !wanted.slot.isForDirectory, client.ledger.waitsInRelays,
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
            guard let slot = slots[id], delegations.delegation(of: id, in: slot) == nil,
                let member = clients[id], member.connection != nil, member.ledger.waitsInRelays,
                !stoppedClients.contains(id)
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
        if relay.members.count < members.count { endRelay(number) }
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
            guard
                let found = try? client.ledger.careForLocalClaims(
                    epoch, where: { record, _ in place(of: record, client) == relay.path })
            else { continue }
            held += found.held.map { (client, $0) }
            waiting += found.waiting.map { (client, $0) }
        }
        // One that was over before all had been looked at, and has nothing to say, is not told of.
        // What has been announced is heard later: whoever waits is sent on by it (Rule 11.4).
        for (client, snapshot) in held { makeKnown(snapshot, of: client) }
        filedLater += waiting
        fileLater()
        for (client, snapshot) in held where snapshot.state == .released {
            consider(snapshot, of: client)
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
        guard snapshot.kind == .claim, waits || !relays.isEmpty && isNews(snapshot, of: client)
        else { return snapshot }
        if let relay = relay(of: snapshot, client) {
            makeKnown(snapshot, of: client)
            keepingOrder(since: waits ? snapshot.filedAt : .max) { endRelay(relay) }
        } else if !waits {
            return snapshot
        }
        if waits { _ = try? client.ledger.care(for: snapshot.reference, epoch) }
        let now = client.ledger.snapshot(ofRecord: snapshot.reference.index)
        return now?.flags.contains(.inRelay) == true ? nil : now
    }

    /// Whether it is, or was, a claim that was not this host's to decide, or is one that it has not
    /// heard of.
    private func isNews(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        switch snapshot.state {
        case .granted, .released: snapshot.flags.contains(.local)
        case .cancelled:
            client.known[snapshot.reference.index]?.generation != snapshot.reference.generation
        case .asked, .draft, .free: false
        }
    }

    private func relay(of snapshot: RecordSnapshot, _ client: Client) -> Int? {
        guard !relays.isEmpty, let place = place(of: snapshot.reference, client) else { return nil }
        return delegations.book.overlapping(place).lazy
            .compactMap { self.delegations[$0]?.relay }.first
    }

    /// What the claim in a record is about, if that is one item.
    private func place(of record: RecordReference, _ client: Client) -> ItemPath? {
        guard let bytes = client.ledger.body(record), let body = try? ClaimBody(decoding: bytes),
            body.items.count == 1
        else { return nil }
        return body.items[0].path
    }

    /// Does something about a claim that was filed at `time`; those from relays that end meanwhile,
    /// and were filed later, come after it (Rule 2.14).
    func keepingOrder(since time: UInt64, _ action: () -> Void) {
        let outer = filingSince
        filingSince = min(outer ?? .max, time)
        action()
        filingSince = outer
        fileLater()
    }

    /// Tells the arbiter of claims that waited in a relay which has ended; not yet of those that
    /// were filed after what is being looked at.
    private func fileLater() {
        guard !filedLater.isEmpty else { return }
        let bound = filingSince ?? .max
        var now = filedLater.filter { $0.snapshot.filedAt <= bound }
        filedLater.removeAll { $0.snapshot.filedAt <= bound }
        now.sort { ($0.snapshot.filedAt, $0.client.id) < ($1.snapshot.filedAt, $1.client.id) }
        for (client, snapshot) in now { lookAtWaiting(snapshot.reference, of: client) }
    }

    // MARK: The file

    /// Removes the files of former hosts.
    func removeFormerRelays() {
        for name in (try? runtime.directory.names()) ?? [] {
            if let other = RelayFile.epoch(ofFile: name), other < epoch.rawValue {
                // All ledgers have been raised: who waits there waits for this host.
                let epoch = HostEpoch(truncating: UInt64(other))
                (try? RelayFile(directory: runtime.directory, epoch: epoch))?.endAll()
                RelayFile.remove(epoch: other, from: runtime.directory)
            }
        }
    }

    /// Removes this host's file: who waits in a relay has it mapped.
    func removeRelays() {
        if relayMemory != nil { RelayFile.remove(epoch: epoch.rawValue, from: runtime.directory) }
    }
}
