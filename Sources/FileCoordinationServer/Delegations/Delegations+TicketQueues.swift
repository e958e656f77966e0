// SPDX-License-Identifier: Apache-2.0
//
// Ticket queues: a place that several clients write one after the other, for a moment each, is
// delegated to all of them, each in its turn. A word in memory that they share says whose turn it
// is; so a handoff takes neither a message nor this server.
//
// A ticket queue begins in the midst of contention, and at first it is the server's turn: until the
// claims are over that it knows there. Any other claim, a presenter, a move or a member's death
// ends it before the arbiter is told of that: the slots are cleared, and what the members' records
// say is what the arbiter is told. As with any delegation, that waits for no client and needs no
// answer.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

extension Delegations {
    // MARK: Beginning

    /// Begins a ticket queue; returns its name for the arbiter, and what was found where another
    /// one ended for that.
    mutating func beginTicketQueue(
        at path: ItemPath, _ members: [QueueMember], _ ledgers: Ledgers
    ) -> (id: DelegationID?, [Recalled]) {
        guard let file = ticketQueueFile() else { return (nil, []) }
        var recalled: [Recalled] = []
        var number = ticketQueues.takeNumber()
        if number == nil, let oldest = ticketQueues.numbers.first {
            recalled += [endTicketQueue(oldest, ledgers)].compactMap { $0 }
            number = ticketQueues.takeNumber()
        }
        // A word that cannot be renewed is not used again.
        guard let number, let turn = file.renew(number)?.turn else { return (nil, recalled) }
        var ticketQueue = TicketQueues.TicketQueue(
            id: ticketQueues.makeID(), path: path, serverTurn: turn)
        for member in members {
            // A ledger that its client tampers with is left out, and the ticket queue ended again.
            guard
                let word = try? ledgers(member.client)?.delegate(
                    slot: member.slot, inTicketQueue: number, epoch)
            else { continue }
            ticketQueue.members.append(
                TicketQueues.Member(client: member.client, slot: member.slot, word: word))
        }
        ticketQueues.insert(ticketQueue, as: number)
        guard ticketQueue.members.count < members.count else { return (ticketQueue.id, recalled) }
        return (nil, recalled + [endTicketQueue(number, ledgers)].compactMap { $0 })
    }

    /// The memory of this server's ticket queues, made when the first one begins.
    private mutating func ticketQueueFile() -> TicketQueueFile? {
        if ticketQueueMemory == nil, let ticketQueueDirectory {
            // Without it places go through the server.
            ticketQueueMemory = try? TicketQueueFile(
                directory: ticketQueueDirectory, epoch: epoch, isNew: true)
        }
        return ticketQueueDirectory == nil ? nil : ticketQueueMemory
    }

    /// Lets the members of a ticket queue have their turns: no claim is left that this server has
    /// granted.
    mutating func openTicketQueue(_ id: DelegationID) {
        guard let number = ticketQueues.number(of: id), let turn = ticketQueues.open(number) else {
            return
        }
        ticketQueueMemory?.pass(turn)
    }

    /// Whether a claim of a member was under way when its ticket queue began: then it is one of
    /// those that come before the members' turns.
    func wasUnderWay(_ items: [AccessItem], of client: ClientID) -> Bool {
        guard items.count == 1, let number = ticketQueue(at: items[0].path),
            let known = ticketQueues[number],
            known.serverTurn != nil, ticketQueueMemory?.hasQueue(number) == false
        else { return false }
        return items[0].isDelegable && items[0].access.isWriting
            && known.members.contains { $0.client == client }
    }

    // MARK: Ending

    /// Ends all ticket queues; returns what was found.
    mutating func endTicketQueues(_ ledgers: Ledgers) -> [Recalled] {
        ticketQueues.numbers.compactMap { endTicketQueue($0, ledgers) }
    }

    /// Ends a ticket queue; returns the claims that have their turn or wait for it.
    mutating func endTicketQueue(
        _ number: Int, except dead: ClientID? = nil, _ ledgers: Ledgers
    ) -> Recalled? {
        guard let ticketQueue = ticketQueues.remove(number), let file = ticketQueueMemory else {
            return nil
        }
        var members: [(id: ClientID, ledger: LedgerReader)] = []
        for member in ticketQueue.members {
            guard let ledger = ledgers(member.client) else { continue }
            ledger.close(slot: member.slot, member.word)
            if member.client != dead { members.append((member.client, ledger)) }
        }
        // From here on no client gets a turn by a number; the one that has it now has made that
        // known in its record, or will find that it is the server's to decide.
        let turns = file.renew(number)?.turnsBefore
        if turns != nil { ticketQueues.giveBack(number) }
        ended.append(.queueClosed(ticketQueue.id, at: ticketQueue.path, turns: turns ?? 0))
        var recalled = Recalled(isOfTicketQueue: true)
        for (id, ledger) in members {
            // A ledger that its client tampers with is of no use to anybody but the client.
            guard
                let found = try? ledger.requestReleaseReports(
                    epoch, where: { record, _ in ledger.place(ofClaim: record) == ticketQueue.path }
                )
            else { continue }
            recalled.held += found.held.map { FoundClaim(id, $0) }
            recalled.waiting += found.waiting.map { FoundClaim(id, $0) }
        }
        return recalled
    }

    /// Whether there are any.
    var hasTicketQueues: Bool { !ticketQueues.isEmpty }

    /// The ticket queue at a place.
    func ticketQueue(at place: ItemPath?) -> Int? {
        guard !ticketQueues.isEmpty, let place else { return nil }
        return ticketQueues.number(at: place)
    }

    // MARK: The file

    /// Ends the ticket queues of former servers, and removes their files.
    static func removeFormerTicketQueues(from directory: Directory, before epoch: ServerEpoch) {
        // Without a listing they stay, and the next server removes them.
        for name in (try? directory.names()) ?? [] {
            guard let other = TicketQueueFile.epoch(ofFile: name), other < epoch.rawValue else {
                continue
            }
            // All ledgers have been raised: clients that wait there wait for this server. What
            // cannot be mapped is mapped by none of them.
            let former = ServerEpoch(truncating: UInt64(other))
            (try? TicketQueueFile(directory: directory, epoch: former))?.endAll()
            TicketQueueFile.remove(epoch: other, from: directory)
        }
    }

    /// Removes this server's file: there is no client left that has it mapped.
    func removeTicketQueues(from directory: Directory) {
        if ticketQueueMemory != nil {
            TicketQueueFile.remove(epoch: epoch.rawValue, from: directory)
        }
    }

    /// The first ticket queue that is not as it should be, in words; nil if all are.
    func brokenTicketQueue(
        isThere: (ClientID) -> Bool, isClaimed: (ItemPath) -> Bool
    ) -> String? {
        for number in ticketQueues.numbers {
            guard let ticketQueue = ticketQueues[number] else {
                return "ticket queue \(number) is none"
            }
            guard ticketQueue.members.allSatisfy({ isThere($0.client) }) else {
                return "a member of ticket queue \(number) is gone"
            }
            guard ticketQueue.serverTurn != nil || !isClaimed(ticketQueue.path) else {
                return "a claim is on the place of ticket queue \(number)"
            }
        }
        return nil
    }
}
