// SPDX-License-Identifier: Apache-2.0
//
// Ticket queues. When several clients write an item in turn, for a short time each, the server
// delegates the item to all of them. A word in shared memory says whose turn it is, so a handoff
// needs neither a message nor the server.
//
// A ticket queue is created under contention. At first the turn is the server's, until the claims
// that the arbiter has granted there are over. Any other claim, presenter or move there, and the
// death of a member, ends the queue before the arbiter learns of the event: the server clears the
// slots and then tells the arbiter what the members' records say. Like any recall, this waits for
// no client and needs no answer.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

extension Delegations {
    // MARK: Creating

    /// Creates a ticket queue.
    ///
    /// Returns its ID for the arbiter, and the claims that were found if another queue had to end
    /// for it.
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
        // A word that cannot be renewed is never used again.
        guard let number, let turn = file.renew(number)?.turn else { return (nil, recalled) }
        var ticketQueue = TicketQueues.TicketQueue(
            id: ticketQueues.makeID(), path: path, serverTurn: turn)
        for member in members {
            // If a client has tampered with its ledger, it cannot take part, and the queue is ended
            // again.
            guard
                // This fails for a ledger that its client has tampered with.
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

    /// The file with this server's ticket queues, created with the first queue.
    private mutating func ticketQueueFile() -> TicketQueueFile? {
        if ticketQueueMemory == nil, let ticketQueueDirectory {
            // Without the file, items go through the server as usual.
            ticketQueueMemory = try? TicketQueueFile(
                directory: ticketQueueDirectory, epoch: epoch, isNew: true)
        }
        return ticketQueueDirectory == nil ? nil : ticketQueueMemory
    }

    /// Passes the turn from the server to the members: all claims that the server has granted are
    /// over.
    mutating func openTicketQueue(_ id: DelegationID) {
        guard let number = ticketQueues.number(of: id), let turn = ticketQueues.open(number) else {
            return
        }
        ticketQueueMemory?.pass(turn)
    }

    /// Whether a member filed this claim before it knew of the ticket queue.
    ///
    /// Such claims come before the members' turns.
    func wasUnderWay(_ items: [AccessItem], of client: ClientID) -> Bool {
        guard items.count == 1, let number = ticketQueue(at: items[0].path),
            let known = ticketQueues[number],
            known.serverTurn != nil, ticketQueueMemory?.hasQueue(number) == false
        else { return false }
        return items[0].isDelegable && items[0].access.isWriting
            && known.members.contains { $0.client == client }
    }

    // MARK: Ending

    /// Ends all ticket queues, and returns the claims that were found.
    mutating func endTicketQueues(_ ledgers: Ledgers) -> [Recalled] {
        ticketQueues.numbers.compactMap { endTicketQueue($0, ledgers) }
    }

    /// Ends a ticket queue, and returns the claims that have the turn or wait for it.
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
        // From here on no ticket gives a client the turn. The client that has the turn has marked
        // its record already, or it will find that the server must decide about its claim.
        let turns = file.renew(number)?.turnsBefore
        if turns != nil { ticketQueues.giveBack(number) }
        var recalled = Recalled(
            queueClosed: .queueClosed(ticketQueue.id, at: ticketQueue.path, turns: turns ?? 0))
        for (id, ledger) in members {
            // A ledger that its client has tampered with contains no valid claims.
            guard
                // This, too, fails for a ledger that its client has tampered with.
                let found = try? ledger.requestReleaseReports(
                    epoch, where: { record, _ in ledger.place(ofClaim: record) == ticketQueue.path }
                )
            else { continue }
            recalled.held += found.held.map { FoundClaim(id, $0) }
            recalled.waiting += found.waiting.map { FoundClaim(id, $0) }
        }
        return recalled
    }

    /// Whether there are any ticket queues.
    var hasTicketQueues: Bool { !ticketQueues.isEmpty }

    /// Returns the number of the ticket queue at a path.
    func ticketQueue(at place: ItemPath?) -> Int? {
        guard !ticketQueues.isEmpty, let place else { return nil }
        return ticketQueues.number(at: place)
    }

    // MARK: The file

    /// Ends the ticket queues of former servers, and removes their files.
    static func removeFormerTicketQueues(from directory: Directory, before epoch: ServerEpoch) {
        // If the directory cannot be listed, the files stay, and the next server removes them.
        for name in (try? directory.names()) ?? [] {
            guard let other = TicketQueueFile.epoch(ofFile: name), other < epoch.rawValue else {
                continue
            }
            // All ledgers have this server's epoch, so clients that wait in these queues wait for
            // this server. A file that cannot be mapped here is not mapped by any client.
            let former = ServerEpoch(truncating: UInt64(other))
            // A file that cannot be mapped has no waiting client.
            (try? TicketQueueFile(directory: directory, epoch: former))?.endAll()
            TicketQueueFile.remove(epoch: other, from: directory)
        }
    }

    /// Removes this server's file, because no client has it mapped any more.
    func removeTicketQueues(from directory: Directory) {
        if ticketQueueMemory != nil {
            TicketQueueFile.remove(epoch: epoch.rawValue, from: directory)
        }
    }

    /// Describes the first ticket queue that violates an invariant; nil if there is none.
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
