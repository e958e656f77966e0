// SPDX-License-Identifier: Apache-2.0
//
// `RUNTIME/epoch`: the epoch of the newest server, in shared memory. Servers raise it, and clients
// read it when they create a ledger.

public import FileCoordinationSystem

/// The global epoch in a mapped file.
///
/// May be used from any thread. The memory is not mapped in a forked child, which must not touch
/// it.
public final class EpochFile: Sendable {
    private let mapping: SharedMapping

    private static let length = 4096

    /// Maps `name` in the runtime directory, and creates it with epoch zero if it does not exist.
    ///
    /// If another process truncates the file, the processes that have it mapped do not crash.
    public init(directory: Directory, name: String = "epoch") throws(LedgerError) {
        mapping = try LedgerError.wrapping { () throws(SystemError) in
            let file = try directory.openFile(name, [.read, .write, .create])
            // Zeros are a valid state, so two processes may create the file at once.
            try FileSpace.reserve(file, length: UInt64(Self.length))
            let mapping = try SharedMapping(
                file: file, length: Self.length, writable: true, inheritedByFork: false)
            try MappingGuard.protect(mapping)
            return mapping
        }
    }

    var word: AtomicWord { mapping.word(at: 0) }

    /// A random number that changes when the epochs are reset; 0 if they never were.
    private var eraWord: AtomicWord { mapping.word(at: 8) }

    /// Identifies the present sequence of epochs; 0 for the first one.
    package var era: UInt64 { eraWord.load() }

    /// Whether a server with this epoch, of that era, has been deposed.
    package func isPast(_ epoch: ServerEpoch, era former: UInt64) -> Bool {
        let era = era
        // In a truncated file everything is zero, which says nothing about the era.
        return load() > epoch || era != former && era != 0
    }

    /// Resets the epochs to zero, if `isUsed` returns twice that no ledger is in use.
    ///
    /// Returns whether it did.
    ///
    /// The caller holds the server lock. A client reads the epoch after its ledger has a name. So
    /// either `isUsed` sees the ledger, or the client reads the new epoch.
    package func beginAnew(unless isUsed: () -> Bool) -> Bool {
        if isUsed() { return false }
        let (former, formerEra) = (word.load(), eraWord.load())
        // The era comes first: if this process dies in between, no server of the former era takes
        // the new epochs for its own. If the epochs stay, so does the era: else the server that
        // has them would think that it is deposed.
        let era = UInt64.random(in: 1 ... .max)
        guard eraWord.compareExchange(expected: formerEra, desired: era).exchanged else {
            return false
        }
        if word.compareExchange(expected: former, desired: 0).exchanged {
            if !isUsed() { return true }
            _ = word.compareExchange(expected: 0, desired: former)
        }
        _ = eraWord.compareExchange(expected: era, desired: formerEra)
        return false
    }

    /// Reads the newest server's epoch.
    public func load() -> ServerEpoch { ServerEpoch(truncating: word.load()) }

    /// Lets the next server's epoch be greater than `epoch`.
    package func advance(to epoch: ServerEpoch) {
        while true {
            let seen = word.load()
            guard ServerEpoch(truncating: seen) < epoch else { return }
            _ = word.compareExchange(expected: seen, desired: UInt64(epoch.rawValue))
        }
    }

    /// Takes the next epoch for a new server.
    ///
    /// The caller holds the server lock and has not looked for ledgers yet.
    public func raise() throws(LedgerError) -> ServerEpoch {
        var procedure = RaiseGlobalEpoch()
        var observed: UInt64 = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .finished(let epoch):
                guard let epoch else { throw .epochsExhausted }
                return epoch
            case .perform(.compareExchange(.globalEpoch, let expected, let desired)):
                observed = word.compareExchange(expected: expected, desired: desired).original
            case .perform(let operation):
                precondition(operation == .load(.globalEpoch), "Raising touches one word only")
                observed = word.load()
            }
        }
    }
}
