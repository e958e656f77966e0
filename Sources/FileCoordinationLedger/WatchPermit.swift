// SPDX-License-Identifier: Apache-2.0
//
// The permission of a client to use an inotify instance. The kernel allows each user about a
// hundred for all programs. The server gives a part of these to its first clients. The permission
// is a word in the ledger, so it survives a change of servers and ends with the client.

internal import FileCoordinationSystem

extension LedgerWriter {
    /// Whether a server has permitted this process to use an inotify instance.
    public var mayWatch: Bool {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).load() != 0
    }
}

extension LedgerReader {
    /// Whether the client may use an inotify instance.
    public var mayWatch: Bool {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).load() != 0
    }

    /// Permits the client to use an inotify instance.
    public func permitWatching() {
        memory.mapping.word(at: LedgerLayout.Header.mayWatch).store(1)
    }
}
