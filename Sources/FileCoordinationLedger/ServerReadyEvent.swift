// SPDX-License-Identifier: Apache-2.0
//
// Wakes clients that wait for a server when one begins to listen. The file system does not tell
// them without a watch, of which each user has only few. So a server that begins to listen
// increments a word in every ledger that it has found, and wakes the threads that sleep on it.
// A server may die before it does this; a waiting thread therefore also polls.

internal import FileCoordinationSystem
public import MonotonicTime

/// A counter in a ledger, which a server increments when it begins to listen.
public struct ServerReadyEvent: Sendable {
    /// Retained, so that the word stays valid.
    private let mapping: SharedMapping
    private let word: AtomicWord

    init(_ memory: LedgerMemory) {
        mapping = memory.mapping
        word = mapping.word(at: LedgerLayout.Header.service)
    }

    /// The present count; must be read before looking for a server.
    public var count: UInt32 { UInt32(truncatingIfNeeded: word.load()) }

    /// Sleeps until the count differs from `count`, or until `deadline`.
    public func wait(since count: UInt32, until deadline: Instant) {
        _ = Futex.wait(word, expected: count, deadline: deadline)
    }

    /// Increments the count and wakes the client.
    ///
    /// Only servers call this. Usually one server at a time writes the word; a lost increment of a
    /// deposed one costs only another check.
    func ring() {
        word.store(word.load() &+ 1)
        Futex.wake(word)
    }
}

extension LedgerWriter {
    /// The event of this process's ledger.
    public var serverReadyEvent: ServerReadyEvent { ServerReadyEvent(memory) }
}

extension LedgerReader {
    /// Tells the client that a server listens.
    public func signalService() { ServerReadyEvent(memory).ring() }
}
