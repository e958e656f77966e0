// SPDX-License-Identifier: Apache-2.0
//
// Relays: a place that several clients write one after the other, for a moment each, is delegated
// to all of them, each in its turn. A word in memory that they share says whose turn it is; so a
// handoff takes neither a message nor this server.
//
// A relay begins in the midst of contention, and at first it is the server's turn: until the claims
// are over that it knows there. Any other claim, a presenter, a move or a member's death ends it
// before the arbiter hears of that: the slots are cleared, and what the members' records say is
// what the arbiter is told. As with any delegation, that waits for no client and needs no answer.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

extension Delegations {
    // MARK: Beginning

    /// Begins a relay; returns its name for the arbiter, and what was found where another one ended
    /// for that.
    mutating func beginRelay(
        at path: ItemPath, _ members: [QueueMember], _ ledgers: Ledgers
    ) -> (id: DelegationID?, [Recalled]) {
        guard let file = relayFile() else { return (nil, []) }
        var recalled: [Recalled] = []
        var number = relays.takeNumber()
        if number == nil, let oldest = relays.numbers.first {
            recalled += [endRelay(oldest, ledgers)].compactMap { $0 }
            number = relays.takeNumber()
        }
        // A word that cannot be renewed is not used again.
        guard let number, let turn = file.renew(number)?.turn else { return (nil, recalled) }
        var relay = Relays.Relay(id: relays.makeID(), path: path, hostTurn: turn)
        for member in members {
            // A ledger that its client tampers with is left out, and the relay ended again.
            guard
                let word = try? ledgers(member.client)?.delegate(
                    slot: member.slot, inRelay: number, epoch)
            else { continue }
            relay.members.append(
                Relays.Member(client: member.client, slot: member.slot, word: word))
        }
        relays.insert(relay, as: number)
        guard relay.members.count < members.count else { return (relay.id, recalled) }
        return (nil, recalled + [endRelay(number, ledgers)].compactMap { $0 })
    }

    /// The memory of this server's relays, made when the first one begins.
    private mutating func relayFile() -> RelayFile? {
        if relayMemory == nil, let relayDirectory {
            // Without it places go through the server.
            relayMemory = try? RelayFile(directory: relayDirectory, epoch: epoch, isNew: true)
        }
        return relayDirectory == nil ? nil : relayMemory
    }

    /// Lets the members of a relay have their turns: no claim is left that this server has granted.
    mutating func openRelay(_ id: DelegationID) {
        guard let number = relays.number(of: id), let turn = relays.open(number) else { return }
        relayMemory?.pass(turn)
    }

    /// Whether a claim of a member was under way when its relay began: then it is one of those that
    /// come before the members' turns.
    func wasUnderWay(_ items: [AccessItem], of client: ClientID) -> Bool {
        guard items.count == 1, let number = relay(at: items[0].path), let known = relays[number],
            known.hostTurn != nil, relayMemory?.hasLine(number) == false
        else { return false }
        return items[0].isDelegable && items[0].access.isWriting
            && known.members.contains { $0.client == client }
    }

    // MARK: Ending

    /// Ends all relays; returns what was found.
    mutating func endRelays(_ ledgers: Ledgers) -> [Recalled] {
        relays.numbers.compactMap { endRelay($0, ledgers) }
    }

    /// Ends a relay; returns the claims that have their turn or wait for it.
    mutating func endRelay(
        _ number: Int, except dead: ClientID? = nil, _ ledgers: Ledgers
    ) -> Recalled? {
        guard let relay = relays.remove(number), let file = relayMemory else { return nil }
        var members: [(id: ClientID, ledger: LedgerReader)] = []
        for member in relay.members {
            guard let ledger = ledgers(member.client) else { continue }
            ledger.close(slot: member.slot, member.word)
            if member.client != dead { members.append((member.client, ledger)) }
        }
        // From here on no client gets a turn by a number; the one that has it now has made that
        // known in its record, or will find that it is the server's to decide.
        let turns = file.renew(number)?.turnsBefore
        if turns != nil { relays.giveBack(number) }
        ended.append(.queueClosed(relay.id, at: relay.path, turns: turns ?? 0))
        var recalled = Recalled(isOfRelay: true)
        for (id, ledger) in members {
            // A ledger that its client tampers with is of no use to anybody but the client.
            guard
                let found = try? ledger.careForLocalClaims(
                    epoch, where: { record, _ in ledger.place(ofClaim: record) == relay.path })
            else { continue }
            recalled.held += found.held.map { FoundClaim(id, $0) }
            recalled.waiting += found.waiting.map { FoundClaim(id, $0) }
        }
        return recalled
    }

    /// Whether there are any.
    var hasRelays: Bool { !relays.isEmpty }

    /// The relay at a place.
    func relay(at place: ItemPath?) -> Int? {
        guard !relays.isEmpty, let place else { return nil }
        return relays.number(at: place)
    }

    // MARK: The file

    /// Ends the relays of former servers, and removes their files.
    static func removeFormerRelays(from directory: Directory, before epoch: HostEpoch) {
        // Without a listing they stay, and the next server removes them.
        for name in (try? directory.names()) ?? [] {
            guard let other = RelayFile.epoch(ofFile: name), other < epoch.rawValue else {
                continue
            }
            // All ledgers have been raised: clients that wait there wait for this server. What
            // cannot be mapped is mapped by none of them.
            let former = HostEpoch(truncating: UInt64(other))
            (try? RelayFile(directory: directory, epoch: former))?.endAll()
            RelayFile.remove(epoch: other, from: directory)
        }
    }

    /// Removes this server's file: there is no client left that has it mapped.
    func removeRelays(from directory: Directory) {
        if relayMemory != nil { RelayFile.remove(epoch: epoch.rawValue, from: directory) }
    }

    /// The first relay that is not as it should be, in words; nil if all are.
    func brokenRelay(
        isThere: (ClientID) -> Bool, isClaimed: (ItemPath) -> Bool
    ) -> String? {
        for number in relays.numbers {
            guard let relay = relays[number] else { return "relay \(number) is none" }
            guard relay.members.allSatisfy({ isThere($0.client) }) else {
                return "a member of relay \(number) is gone"
            }
            guard relay.hostTurn != nil || !isClaimed(relay.path) else {
                return "a claim is on the place of relay \(number)"
            }
        }
        return nil
    }
}
