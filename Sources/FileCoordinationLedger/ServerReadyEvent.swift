// SPDX-License-Identifier: Apache-2.0
//
// How a client that waits for a server is told that one listens. Nothing in the file system tells
// it without a watch, of which a user has few; so a server that begins to listen says it in a word
// of every ledger that it found, and wakes the threads that sleep there. A server that knows
// nothing of this word tells no client: a thread that waits looks now and then all the same.

internal import FileCoordinationSystem

/// Rings when a server begins to listen.
public struct ServerReadyEvent: Sendable {
    /// Held, so that the word stays valid.
    private let mapping: SharedMapping
    private let word: AtomicWord

    init(_ memory: LedgerMemory) {
        mapping = memory.mapping
        word = mapping.word(at: LedgerLayout.Header.service)
    }

    /// How often it has rung: to be read before one looks for a server.
    public var count: UInt32 { UInt32(truncatingIfNeeded: word.load()) }

    /// Sleeps until it has rung since `count` was read, or until `deadline`, in nanoseconds of
    /// ``MonotonicClock``.
    public func wait(since count: UInt32, until deadline: UInt64) {
        _ = Futex.wait(word.futexAddress, expected: count, deadline: deadline)
    }

    /// Rings.
    ///
    /// For servers: one at a time writes the word, and what a deposed one writes costs a look.
    func ring() {
        word.store(word.load() &+ 1)
        Futex.wake(word.futexAddress)
    }
}

extension LedgerWriter {
    /// Rings when a server begins to listen.
    public var serverReadyEvent: ServerReadyEvent { ServerReadyEvent(memory) }
}

extension LedgerReader {
    /// Tells the client that a server listens.
    public func ringForService() { ServerReadyEvent(memory).ring() }
}
