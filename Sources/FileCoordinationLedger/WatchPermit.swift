// SPDX-License-Identifier: Apache-2.0
//
// Who may have a watch of directories. The kernel gives each user a hundred or so of them, for all
// programs; the server gives a part of those to its clients, the first that come. A word in the
// ledger says so: it outlives the server, and goes with the client.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Whether a server has allowed this process a watch of directories.
    public var mayWatch: Bool {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).load() != 0
    }
}

extension LedgerReader {
    /// Whether the client was allowed a watch of directories.
    public var mayWatch: Bool {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).load() != 0
    }

    /// Allows the client a watch of directories.
    public func permitWatching() {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).store(1)
    }
}
