// SPDX-License-Identifier: Apache-2.0
//
// Resets the epoch counter. Each server takes a new epoch, and a record word has 24 bits for it:
// enough for six days at thirty servers a second. So the counter starts again when it is high and
// no program coordinates. The right time is before a program creates its ledger, because afterwards
// there is always a program.

package import FileCoordinationLedger
import FileCoordinationSystem

/// Resets the epoch counter when it is high and no program uses it.
package enum EpochRenewal {
    /// From this epoch on, a reset is tried.
    static let threshold: UInt32 = 1 << 23
    /// From this epoch on, the ledgers of dead programs are removed even if no server has read
    /// them.
    ///
    /// The last announcements of those programs are then lost.
    private static let end: UInt32 = 0xFF_FF00

    /// Resets the counter if that is due and possible now.
    package static func renewIfDue(_ epochs: EpochFile, in runtime: RuntimeDirectory) {
        guard epochs.load().rawValue >= threshold,
            // Without the role, it is for the next server to do.
            let role = try? RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
        else { return }
        let isNew = epochs.beginAnew { isUsed(runtime, removingDead: epochs) }
        // The relocation logs of former servers have higher epochs than the servers to come.
        if isNew { RelocationLog.removeAll(from: runtime.directory) }
        withExtendedLifetime(role) {}
    }

    /// Whether a program coordinates.
    ///
    /// True also if that cannot be determined.
    private static func isUsed(
        _ runtime: RuntimeDirectory, removingDead epochs: EpochFile
    ) -> Bool {
        // A program's ledger may have no name here.
        guard runtime.isSettled,
            // A directory that cannot be listed counts as being in use; here and below.
            let names = try? runtime.ledgers.names()
        else { return true }
        for name in names where LedgerName.isFinal(name) || LedgerName.isTemporary(name) {
            guard epochs.load().rawValue >= end || epochs.load() == .none,
                LedgerName.isFinal(name),
                // A ledger that cannot be examined may be in use.
                let file = try? runtime.ledgers.openFile(name, [.read, .write, .nonBlocking]),
                (try? FileLock.isHeldByAnother(file)) == false
            else { return true }
            // A dead process's file that stays is examined again.
            try? runtime.ledgers.remove(name)
        }
        return false
    }
}
