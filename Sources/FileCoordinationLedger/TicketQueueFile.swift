// SPDX-License-Identifier: Apache-2.0
//
// `RUNTIME/relays.EPOCH`, a name from older versions: one server's ticket queues, in memory that it
// shares with those of its clients that have one. It is the only memory that two clients share;
// what one of them does wrong in it can let another one have its turn early, at a place that both
// of them write.

public import FileCoordinationSystem

/// The words of one server's ticket queues, mapped.
///
/// May be used from any thread. A forked child has no such memory and must not touch it.
public final class TicketQueueFile: Sendable {
    /// The server whose ticket queues they are.
    public let epoch: ServerEpoch
    private let mapping: SharedMapping

    /// How many ticket queues there are.
    public static let count = SlotWord.ticketQueueCount
    /// Each has a cache line of its own.
    package static let stride = 64
    private static let length = 16384
    private static let prefix = "relays."

    /// Maps the ticket queues of a server, whose file is there; its server makes it.
    ///
    /// Cutting the file off ends no process: no client takes a number there any more.
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

    /// The epoch of the server whose file has this name; nil if it is no such file.
    public static func epoch(ofFile name: String) -> UInt32? {
        guard name.hasPrefix(prefix), let epoch = UInt32(name.dropFirst(prefix.count)),
            name == prefix + String(epoch)
        else { return nil }
        return epoch
    }

    /// Removes a server's file; who has it mapped keeps that.
    public static func remove(epoch: UInt32, from directory: Directory) {
        try? directory.remove(prefix + String(epoch))
    }

    func word(of ticketQueue: Int) -> AtomicWord { mapping.word(at: ticketQueue * Self.stride) }

    // MARK: The server's side

    /// Begins or ends a ticket queue: its line is empty, and it is the server's turn.
    ///
    /// Who waited is woken.
    ///
    /// Returns the server's number for ``pass(_:)``, and how many turns there were before; nil if a
    /// client changes the word all the time, as none of ours does: then it is not to be used again.
    public func renew(_ ticketQueue: Int) -> (turn: QueueTurn, turnsBefore: Int)? {
        run(RenewTicketQueue(ticketQueue)).map { (QueueTurn(ticket: $0.ticket), $0.turnsBefore) }
    }

    /// Whether anybody has taken a number behind the one whose turn it is.
    public func hasQueue(_ ticketQueue: Int) -> Bool {
        TicketQueueWord(rawValue: word(of: ticketQueue).load()).numbersTaken > 1
    }

    /// Ends all ticket queues of a server that is gone, once every ledger is the next one's: a
    /// client that waits finds that the next server decides about its claim.
    public func endAll() {
        for ticketQueue in 0..<Self.count
        where TicketQueueWord(rawValue: word(of: ticketQueue).load()).isBegun {
            _ = renew(ticketQueue)
        }
    }

    // MARK: Of all processes

    /// Which number has its turn; nil if the word is not used for what the ticket is of any more.
    func serving(for ticket: QueueTicket) -> UInt32? {
        let word = TicketQueueWord(rawValue: word(of: ticket.ticketQueue).load())
        return word.generation == ticket.generation ? word.serving : nil
    }

    /// Gives the turn to the next one.
    public func pass(_ turn: QueueTurn) { _ = run(PassTurn(turn.ticket)) }

    /// Runs a procedure that touches ticket queues alone; nil if its swaps fail all the time.
    private func run<Procedure: LedgerProcedure>(_ procedure: Procedure) -> Procedure.Outcome? {
        var procedure = procedure
        var observed: UInt64 = 0
        for _ in 0..<Self.patience {
            switch procedure.advance(observing: observed) {
            case .perform(let operation): observed = perform(operation)
            case .finished(let outcome): return outcome
            }
        }
        return nil
    }

    /// Honest clients change a word a few times while another one does.
    private static let patience = 10_000

    private func perform(_ operation: MemoryOperation) -> UInt64 {
        Failpoint.reach(.before, operation.deed)
        defer { Failpoint.reach(.after, operation.deed) }
        switch operation {
        case .load(.ticketQueue(let ticketQueue)):
            return word(of: ticketQueue).load()
        case .compareExchange(.ticketQueue(let ticketQueue), let expected, let desired):
            return word(of: ticketQueue).compareExchange(expected: expected, desired: desired)
                .original
        case .wake(.ticketQueue(let ticketQueue)):
            Futex.wake(word(of: ticketQueue).futexAddress)
            return 0
        case .wakeForTurn(let ticket):
            Futex.wake(word(of: ticket.ticketQueue).futexAddress, bits: ticket.wakeBits)
            return 0
        case .load, .store, .storeReleasing, .compareExchange, .wake, .sleep, .sleepForTurn:
            preconditionFailure("Not a ticket queue's word")
        }
    }
}

/// One's turn in a ticket queue, or the number with which one waits for it.
public struct QueueTurn: Hashable, Sendable {
    package let ticket: QueueTicket

    package init(ticket: QueueTicket) { self.ticket = ticket }
}
