// SPDX-License-Identifier: Apache-2.0
//
// Removes runtime directories that no process uses: a server does so with those in its way, and a
// user who removes the programs with all of them.

import FileCoordinationSystem

extension RuntimeDirectory {
    /// Removes the directory; returns false if a living process uses it, and leaves it then.
    ///
    /// Throws ``ErrorNumber/noSuchFile`` if it was removed meanwhile.
    func removeIfUnused() throws(SystemError) -> Bool {
        guard let (around, name) = Self.parentAndName(of: path) else { return false }
        let aside = name + ".old-" + String(UInt64.random(in: .min ... .max), radix: 36)
        let parent = try Directory.open(around)
        try parent.rename(name, to: aside, ifTaken: .refuse)
        // A process that arrives now creates its ledger first and then checks whether it is in
        // place.
        if isServed || isInhabited {
            try parent.rename(aside, to: name, ifTaken: .refuse)
            return false
        }
        // The directory has no name any more, which is what counts; here and below.
        for entry in try ledgers.names() { try? ledgers.remove(entry) }
        try? directory.removeSubdirectory(Name.ledgers)
        for entry in try directory.names() { try? directory.remove(entry) }
        try? parent.removeSubdirectory(aside)
        return true
    }

    /// The process that took the server role here last, as far as its number means something here.
    package var lastServer: Int32? {
        RoleHolder.read(Name.serverLock, in: directory)?.processID
    }
}

extension RuntimePlaces {
    /// Returns the directories with a living server.
    package func served() -> [RuntimeDirectory] {
        paths.compactMap { path in
            guard case .served(let directory) = PlaceState(path, of: self) else { return nil }
            return directory
        }
    }

    /// Removes what servers have left in all places that no living process uses.
    ///
    /// Returns the paths of the places that are still used.
    package func removeUnused() -> [String] {
        paths.filter { path in
            switch PlaceState(path, of: self) {
            case .served, .inhabited, .standIn(_, isHeld: true): return true
            case .deserted(let directory):
                do throws(SystemError) {
                    return try !directory.removeIfUnused()
                } catch {
                    return error.code != ErrorNumber.noSuchFile
                }
            case .standIn(_, isHeld: false):
                do throws(RuntimeDirectoryError) {
                    try StandIn.removeIfDead(path)
                    return false
                } catch {
                    return true
                }
            // What belongs to others is not removed.
            case .vacant, .unusable: return false
            }
        }
    }
}
