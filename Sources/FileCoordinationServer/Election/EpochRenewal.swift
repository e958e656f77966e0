// SPDX-License-Identifier: Apache-2.0
//
// Each server takes a number, and a word of a record has 24 bits for it: enough for six days at
// thirty servers a second. So the count begins anew when it has come far and no program
// coordinates. Before a program makes its ledger is the time for that: afterwards there always is
// one.

package import FileCoordinationLedger
import FileCoordinationSystem

/// Beginning to count epochs anew.
package enum EpochRenewal {
    /// From here on it is looked whether that can be done.
    private static let threshold: UInt32 = 1 << 23
    /// From here on also ledgers go that no server has read since their programs died: whatever
    /// these have made known at last is lost.
    private static let end: UInt32 = 0xFF_FF00

    /// Begins to count anew if that is due, and can be done now.
    package static func renewIfDue(_ epochs: EpochFile, in runtime: RuntimeDirectory) {
        guard epochs.load().rawValue >= threshold,
            let role = try? RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
        else { return }
        let isNew = epochs.beginAnew { isUsed(runtime, removingDead: epochs) }
        // What servers have left for those with higher numbers.
        if isNew { RelocationLog.removeAll(from: runtime.directory) }
        withExtendedLifetime(role) {}
    }

    /// Whether there is a program that coordinates, or may be, as far as can be told.
    private static func isUsed(_ runtime: RuntimeDirectory, removingDead epochs: EpochFile) -> Bool
    {
        guard let prefix = FallbackName.prefix(of: runtime),
            SequencedSocket.abstractNames(beginningWith: prefix)?.isEmpty == true,
            let names = try? runtime.ledgers.names()
        else { return true }
        for name in names where LedgerName.isFinal(name) || LedgerName.isTemporary(name) {
            guard epochs.load().rawValue >= end || epochs.load() == .none,
                LedgerName.isFinal(name),
                let file = try? runtime.ledgers.openFile(name, [.read, .write, .nonBlocking]),
                (try? FileLock.isHeldByAnother(file)) == false
            else { return true }
            try? runtime.ledgers.remove(name)
        }
        return false
    }
}
