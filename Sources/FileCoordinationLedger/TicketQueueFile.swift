// SPDX-License-Identifier: Apache-2.0
//
// `RUNTIME/queues.EPOCH`: the ticket queues of one server, in memory that it shares with its
// clients. It is the only memory that clients share with each other. A faulty client can cause
// another one to get its turn too early, for an item that both of them write.

public import FileCoordinationSystem

/// The mapped ticket queues of one server.
///
/// May be used from any thread. The memory is not mapped in a forked child, which must not touch
/// it.
public final class TicketQueueFile: Sendable {
    /// The epoch of the server.
    public let epoch: ServerEpoch
    private let mapping: SharedMapping

    /// The number of ticket queues.
    public static let count = SlotWord.ticketQueueCount
    /// The distance of two words, so that each has its own cache line.
    package static let stride = 64
    private static let length = 16384
    private static let prefix = "queues."

    /// Maps the ticket queues of a server.
    ///
    /// Only the server itself creates the file.
    ///
    /// If another process truncates the file, no process crashes, but no client can take a ticket
    /// any more.
    public init(
        directory: Directory, epoch: ServerEpoch, isNew: Bool = false
    ) throws(LedgerError) {
        self.epoch = epoch
        let name = Self.prefix + String(epoch.rawValue)
        let mapping = try LedgerError.wrapping { () throws(SystemError) in
            let options: OpenOptions =
                isNew ? [.read, .write, .create, .truncate] : [.read, .write, .nonBlocking]
            let file = try directory.openFile(name, options)
            if isNew { try FileSpace.reserve(file, length: UInt64(Self.length)) }
            let status = try file.status()
            guard status.kind == .regular, status.ownerUserID == CurrentProcess.effectiveUserID,
                status.size == UInt64(Self.length)
            else { return nil as SharedMapping? }
            let mapping = try SharedMapping(
                file: file, length: Self.length, writable: true, inheritedByFork: false)
            try MappingGuard.protect(mapping)
            return mapping
        }
        guard let mapping else {
            throw .notALedger(name: name, reason: "not a regular file of ours, of the right size")
        }
        self.mapping = mapping
    }

    /// Returns the epoch in the name of such a file, or nil for other names.
    public static func epoch(ofFile name: String) -> UInt32? {
        guard name.hasPrefix(prefix), let epoch = UInt32(name.dropFirst(prefix.count)),
            name == prefix + String(epoch)
        else { return nil }
        return epoch
    }

    /// Removes a server's file.
    ///
    /// Existing mappings stay valid.
    public static func remove(epoch: UInt32, from directory: Directory) {
        // A file that stays is not used any more: its name has the epoch in it.
        try? directory.remove(prefix + String(epoch))
    }

    func word(of ticketQueue: Int) -> AtomicWord { mapping.word(at: ticketQueue * Self.stride) }

    // MARK: Server

    /// Begins or ends a ticket queue: afterwards it is empty, and the turn is the server's.
    ///
    /// Wakes the clients that waited. Returns the server's ticket for ``pass(_:)``, and the number
    /// of turns so far. Returns nil if a faulty client changes the word all the time; the queue
    /// must not be used again then.
    public func renew(_ ticketQueue: Int) -> (turn: QueueTurn, turnsBefore: Int)? {
        run(RenewTicketQueue(ticketQueue)).map { (QueueTurn(ticket: $0.ticket), $0.turnsBefore) }
    }

    /// Whether any client has taken a ticket behind the one that is served.
    public func hasQueue(_ ticketQueue: Int) -> Bool {
        TicketQueueWord(rawValue: word(of: ticketQueue).load()).numbersTaken > 1
    }

    /// Ends all ticket queues of a former server, after every ledger was raised to the new server's
    /// epoch.
    ///
    /// A client that waits finds that the new server decides about its claim.
    public func endAll() {
        for ticketQueue in 0..<Self.count
        where TicketQueueWord(rawValue: word(of: ticketQueue).load()).isBegun {
            _ = renew(ticketQueue)
        }
    }

    // MARK: All processes

    /// Returns the ticket number that is served; nil if the word is used for another queue now.
    func serving(for ticket: QueueTicket) -> UInt32? {
        let word = TicketQueueWord(rawValue: word(of: ticket.ticketQueue).load())
        return word.generation == ticket.generation ? word.serving : nil
    }

    /// Passes the turn to the next client.
    public func pass(_ turn: QueueTurn) { _ = run(PassTurn(turn.ticket)) }

    /// Runs a procedure on ticket queues only; returns nil if its compare-and-swaps fail all the
    /// time.
    private func run<Procedure: LedgerProcedure>(_ procedure: Procedure) -> Procedure.Outcome? {
        var procedure = procedure
        var observed: UInt64 = 0
        for _ in 0..<Self.mostAttempts {
            switch procedure.advance(observing: observed) {
            case .perform(let operation): observed = perform(operation)
            case .finished(let outcome): return outcome
            }
        }
        return nil
    }

    /// The most attempts.
    ///
    /// Correct clients change a word only a few times while another one does.
    private static let mostAttempts = 10_000

    private func perform(_ operation: MemoryOperation) -> UInt64 {
        Failpoint.reach(.before, operation.failpointOperation)
        defer { Failpoint.reach(.after, operation.failpointOperation) }
        switch operation {
        case .load(.ticketQueue(let ticketQueue)):
            return word(of: ticketQueue).load()
        case .compareExchange(.ticketQueue(let ticketQueue), let expected, let desired):
            return word(of: ticketQueue).compareExchange(expected: expected, desired: desired)
                .original
        case .wake(.ticketQueue(let ticketQueue)):
            Futex.wake(word(of: ticketQueue))
            return 0
        case .wakeForTurn(let ticket):
            Futex.wake(word(of: ticket.ticketQueue), bits: ticket.wakeBits)
            return 0
        case .load, .compareExchange, .wake, .sleep, .sleepForTurn:
            preconditionFailure("Not a ticket queue's word")
        }
    }
}

/// A turn in a ticket queue, or a ticket that waits for its turn.
public struct QueueTurn: Hashable, Sendable {
    package let ticket: QueueTicket

    package init(ticket: QueueTicket) { self.ticket = ticket }
}
