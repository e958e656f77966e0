// SPDX-License-Identifier: Apache-2.0
//
// `RUNTIME/relays.EPOCH`: one host's relays, in memory that it shares with those of its clients
// that have one. It is the only memory that two clients share; what one of them does wrong in it
// can let another one have its turn early, at a place that both of them write.

public import FileCoordinationSystem

/// The words of one host's relays, mapped.
///
/// May be used from any thread. A forked child has no such memory and must not touch it.
public final class RelayFile: Sendable {
    /// The host whose relays they are.
    public let epoch: HostEpoch
    private let mapping: SharedMapping

    /// How many relays there are.
    public static let count = SlotWord.relayCount
    /// Each has a cache line of its own.
    package static let stride = 64
    private static let length = 16384
    private static let prefix = "relays."

    /// Maps the relays of a host, whose file is there; its host makes it.
    ///
    /// Whoever cuts the file off ends no process by that: nobody takes a number there any more.
    public init(
        directory: Directory, epoch: HostEpoch, isNew: Bool = false
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

    /// The epoch of the host whose file has this name; nil if it is no such file.
    public static func epoch(ofFile name: String) -> UInt32? {
        guard name.hasPrefix(prefix), let epoch = UInt32(name.dropFirst(prefix.count)),
            name == prefix + String(epoch)
        else { return nil }
        return epoch
    }

    /// Removes a host's file; who has it mapped keeps that.
    public static func remove(epoch: UInt32, from directory: Directory) {
        try? directory.remove(prefix + String(epoch))
    }

    func word(of relay: Int) -> AtomicWord { mapping.word(at: relay * Self.stride) }

    // MARK: The host's side

    /// Begins or ends a relay: its line is empty, and it is the host's turn.
    ///
    /// Who waited is woken.
    ///
    /// Returns the host's number for ``pass(_:)``, and how many turns there were before; nil if a
    /// client changes the word all the time, as none of ours does: then it is not to be used again.
    public func renew(_ relay: Int) -> (turn: RelayTurn, turnsBefore: Int)? {
        run(RenewRelay(relay)).map { (RelayTurn(ticket: $0.ticket), $0.turnsBefore) }
    }

    /// Whether anybody has taken a number behind the one whose turn it is.
    public func hasLine(_ relay: Int) -> Bool {
        RelayWord(rawValue: word(of: relay).load()).numbersTaken > 1
    }

    /// Ends all relays of a host that is gone, once every ledger is the next one's: whoever waits
    /// finds that its claim is decided of by that.
    public func endAll() {
        for relay in 0..<Self.count where RelayWord(rawValue: word(of: relay).load()).isBegun {
            _ = renew(relay)
        }
    }

    // MARK: Everybody's

    /// Which number has its turn; nil if the word is not used for what the ticket is of any more.
    func serving(for ticket: RelayTicket) -> UInt32? {
        let word = RelayWord(rawValue: word(of: ticket.relay).load())
        return word.generation == ticket.generation ? word.serving : nil
    }

    /// Lets whoever comes next have its turn.
    public func pass(_ turn: RelayTurn) { _ = run(PassTurn(turn.ticket)) }

    /// Runs a procedure that touches relays alone; nil if its swaps fail all the time.
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

    /// Honest clients change a word a few times while somebody else does.
    private static let patience = 10_000

    private func perform(_ operation: MemoryOperation) -> UInt64 {
        Failpoint.reach(.before, operation.deed)
        defer { Failpoint.reach(.after, operation.deed) }
        switch operation {
        case .load(.relay(let relay)):
            return word(of: relay).load()
        case .compareExchange(.relay(let relay), let expected, let desired):
            return word(of: relay).compareExchange(expected: expected, desired: desired).original
        case .wake(.relay(let relay)):
            Futex.wake(word(of: relay).futexAddress)
            return 0
        case .wakeForTurn(let ticket):
            Futex.wake(word(of: ticket.relay).futexAddress, bits: ticket.wakeBits)
            return 0
        case .load, .store, .storeReleasing, .compareExchange, .wake, .sleep, .sleepForTurn:
            preconditionFailure("Not a relay's word")
        }
    }
}

/// One's turn in a relay, or the number with which one waits for it.
public struct RelayTurn: Hashable, Sendable {
    package let ticket: RelayTicket

    package init(ticket: RelayTicket) { self.ticket = ticket }
}
