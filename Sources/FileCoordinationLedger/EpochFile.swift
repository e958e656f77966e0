// SPDX-License-Identifier: Apache-2.0
//
// `RUNTIME/epoch`: the number of the newest server, in shared memory.

public import FileCoordinationSystem

/// The global epoch, mapped.
///
/// May be used from any thread. A forked child has no such memory and must not touch it.
public final class EpochFile: Sendable {
    private let mapping: SharedMapping

    private static let length = 4096

    /// Maps `name` in the runtime directory, and creates it if need be, at epoch zero.
    ///
    /// A process that truncates it ends none of those that have it mapped.
    public init(directory: Directory, name: String = "epoch") throws(LedgerError) {
        mapping = try LedgerError.wrapping { () throws(SystemError) in
            let file = try directory.openFile(name, [.read, .write, .create])
            // Zeros are a valid state, so two who create it at once do no harm.
            try FileSpace.reserve(file, length: UInt64(Self.length))
            let mapping = try SharedMapping(
                file: file, length: Self.length, writable: true, inheritedByFork: false)
            try MappingGuard.protect(mapping)
            return mapping
        }
    }

    var word: AtomicWord { mapping.word(at: 0) }

    /// Tells the epochs before they began anew from those after; 0 where they never did.
    private var eraWord: AtomicWord { mapping.word(at: 8) }

    /// Which count of epochs this is; 0 for the first.
    package var era: UInt64 { eraWord.load() }

    /// Whether a server of this epoch, in that era, reigns no longer.
    package func isPast(_ epoch: ServerEpoch, era former: UInt64) -> Bool {
        let era = era
        // Zeros are what is left of a file that was truncated: they tell nothing.
        return load() > epoch || era != former && era != 0
    }

    /// Begins to count anew, if `isUsed` says twice that no ledger is in use; returns whether it
    /// did.
    ///
    /// Under the server lock. A client looks at the epoch after its ledger has a name: so either
    /// `isUsed` sees that, or the client has the new epoch.
    package func beginAnew(unless isUsed: () -> Bool) -> Bool {
        if isUsed() { return false }
        let former = word.load()
        eraWord.store(.random(in: 1 ... .max))
        guard word.compareExchange(expected: former, desired: 0).exchanged else { return false }
        if !isUsed() { return true }
        _ = word.compareExchange(expected: 0, desired: former)
        return false
    }

    /// The newest server's epoch.
    public func load() -> ServerEpoch { ServerEpoch(truncating: word.load()) }

    /// Begins a new server's reign, under the server lock and before it looks for ledgers.
    public func raise() throws(LedgerError) -> ServerEpoch {
        guard let epoch = raise(fault: nil) else { throw .epochsExhausted }
        return epoch
    }

    package func raise(fault: LedgerFault?) -> ServerEpoch? {
        var procedure = RaiseGlobalEpoch(fault: fault)
        var observed: UInt64 = 0
        while true {
            switch procedure.advance(observing: observed) {
            case .finished(let epoch):
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
