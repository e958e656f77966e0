// SPDX-License-Identifier: Apache-2.0
//
// Removes the runtime directory when the programs are removed, unless a process uses it.

import FileCoordinationLedger
package import FileCoordinationSystem

extension RuntimeDirectory {
    /// Removes the directory; returns false if a living process uses it, and leaves it then.
    ///
    /// Files that are not of coordination are never removed: a user may have chosen a directory
    /// that has other contents. It stays then, without what servers and clients have left.
    ///
    /// Throws ``ErrorNumber/noSuchFile`` if it was removed meanwhile.
    package func removeIfUnused() throws(SystemError) -> Bool {
        guard let (around, name) = Self.parentAndName(of: path) else { return false }
        let aside = name + ".old-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let parent = try Directory.open(around)
        try parent.rename(name, to: aside, ifTaken: .refuse)
        // A process that opened the directory before the rename creates its ledger first, and then
        // checks whether the directory still has its path.
        let entries: [String]
        do throws(SystemError) {
            let isSame = try parent.status(of: aside).inode == directory.status().inode
            // Another directory has taken the path meanwhile, and has not been examined.
            guard isSame, !isServed, !isInhabited else {
                try parent.rename(aside, to: name, ifTaken: .refuse)
                return false
            }
            entries = try ledgers.names()
        } catch {
            // Nothing has been removed yet. If the path is taken, the directory stays aside.
            try? parent.rename(aside, to: name, ifTaken: .refuse)
            throw error
        }
        // The directory has no name any more, which is what counts; here and below.
        for entry in entries where Self.isOurs(inLedgers: entry) { try? ledgers.remove(entry) }
        try? directory.removeSubdirectory(Name.ledgers)
        // It has no name any more.
        for entry in try directory.names() where isOurs(entry) { try? directory.remove(entry) }
        do throws(SystemError) {
            try parent.removeSubdirectory(aside)
        } catch {
            // It has other contents. In a place of the system no user keeps files, and the place
            // is needed.
            if place.isChosen { try parent.rename(aside, to: name, ifTaken: .refuse) }
        }
        return true
    }

    private static func isOurs(inLedgers name: String) -> Bool {
        LedgerName.isFinal(name) || LedgerName.isTemporary(name) || name == Name.settled
    }

    /// Whether a file in the directory was made by a server, a client or a daemon.
    private func isOurs(_ name: String) -> Bool {
        switch name {
        case Name.socket, Name.serverLock, Name.electionLock, Name.epoch, Name.log: true
        case _ where RelocationLog.epoch(ofFile: name) != nil: true
        case _ where TicketQueueFile.epoch(ofFile: name) != nil: true
        // A socket that has not got its final name.
        // What cannot be examined stays.
        case _: name.hasPrefix(".s") && (try? directory.status(of: name))?.kind == .socket
        }
    }
}
