// SPDX-License-Identifier: Apache-2.0
//
// The places where the processes of one user may meet, and the search for the one that they use
// (Rule 18.14). The first place does not depend on a login, the environment or a private /tmp, so
// all processes of a machine normally meet there. The other places are searched as well, because a
// process may be unable to reach the first one, or may be of an older version.

import FileCoordinationLedger
import FileCoordinationSystem

/// The candidates for the runtime directory, best first.
package struct RuntimePlaces: Hashable, Sendable {
    /// Absolute paths; at least one.
    package let paths: [String]
    /// Whether `FILECOORDINATION_RUNTIME_DIR` names the only place.
    package var isChosen: Bool { paths.count == 1 }

    /// The pause between two searches, in nanoseconds.
    private static let pause: UInt64 = 5_000_000

    /// Creates a list of one directory, which the user has named.
    package init(chosen path: String) {
        // The system would follow a link in front of a slash at the end.
        let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        paths = [end.map { String(path[...$0]) } ?? "/"]
    }

    /// Creates a list of several directories, best first.
    init(paths: [String]) { self.paths = paths }

    /// Creates the list of places from environment variables.
    package init(
        variable: (String) -> String?, userID: UInt32? = nil
    ) throws(RuntimeDirectoryError) {
        if let chosen = variable("FILECOORDINATION_RUNTIME_DIR"), !chosen.isEmpty {
            guard chosen.hasPrefix("/") else { throw .notAbsolute(chosen) }
            self.init(chosen: chosen)
            return
        }
        let userID = userID ?? CurrentProcess.outerUserID
        let login = "/run/user/\(userID)/filecoordination"
        var paths = ["/dev/shm/filecoordination-\(userID)", login]
        if let session = variable("XDG_RUNTIME_DIR"), session.hasPrefix("/") {
            let path = session + "/filecoordination"
            let parts = RuntimeDirectory.parentAndName(of: path)
            let plain = parts.map { $0.parent == "/" ? "/" + $0.name : $0.parent + "/" + $0.name }
            if let plain, plain != login { paths.append(plain) }
        }
        self.init(paths: paths + ["/tmp/filecoordination-\(userID)"])
    }

    /// Opens the directory in which the user's processes meet; creates one if there is none.
    ///
    /// - Parameter patience: how long to wait for a server that is moving, in nanoseconds.
    /// - Returns: the directory.
    /// - Throws: ``RuntimeDirectoryError`` if no directory can be used.
    package func open(patience: UInt64 = 500_000_000) throws(RuntimeDirectoryError)
        -> RuntimeDirectory
    {
        if isChosen { return try RuntimeDirectory.open(path: paths[0]) }
        // Nearly always a server runs at the first path, and the others need not be examined.
        if let usual = try? RuntimeDirectory.openExisting(paths[0], of: self), usual.isServed {
            return usual
        }
        return try searching(patience) { () throws(RuntimeDirectoryError) in
            let states = paths.map { PlaceState($0, of: self) }
            return try choose(among: states, { $0 }) {
                path, state, warning throws(RuntimeDirectoryError) in
                if case .standIn(_, isHeld: false) = state { try StandIn.removeIfDead(path) }
                return try RuntimeDirectory.open(path, of: self).with(warning: warning)
            }
        }
    }

    /// Runs `search`, and runs it again while a server may be moving from one place to another.
    func searching<Result>(
        _ patience: UInt64 = 500_000_000, _ search: () throws(RuntimeDirectoryError) -> Result
    ) throws(RuntimeDirectoryError) -> Result {
        let end = MonotonicClock.now + patience
        while true {
            do throws(RuntimeDirectoryError) {
                return try search()
            } catch {
                guard error.isPassing, MonotonicClock.now < end else { throw error }
                Pause.sleep(nanoseconds: Self.pause)
            }
        }
    }

    /// Chooses the directory that has a server, or else clients, or else the best available place.
    ///
    /// - Parameters:
    ///   - states: what is at the places.
    ///   - found: what is returned for a directory that is in use.
    ///   - take: what is returned for another place; throws if it is not available. It gets the
    ///     path, what is there, and a warning about a better place that cannot be used.
    /// - Returns: what `found` or `take` returns.
    /// - Throws: ``RuntimeDirectoryError`` if no place is available.
    func choose<Choice>(
        among states: [PlaceState], _ found: (RuntimeDirectory) -> Choice,
        _ take: (String, PlaceState, String?) throws(RuntimeDirectoryError) -> Choice
    ) throws(RuntimeDirectoryError) -> Choice {
        for case .served(let directory) in states { return found(directory) }
        for case .standIn(let home, isHeld: true) in states {
            guard home.isVisible else { throw .elsewhere(home.path) }
            return try take(home.path, .standIn(home, isHeld: true), nil)
        }
        for case .inhabited(let directory) in states { return found(directory) }
        var failure: RuntimeDirectoryError?
        var warning: RuntimeDirectoryError?
        for (path, state) in zip(paths, states) {
            do throws(RuntimeDirectoryError) {
                if case .unusable(let error) = state { throw error }
                return try take(path, state, warning.map { "\($0); meeting in \(path) instead" })
            } catch {
                failure = failure ?? error
                switch error {
                // Processes of this user may use the directory, and other users may have changed
                // it.
                case .openToOthers: throw error
                case .notOurs, .notADirectory: warning = warning ?? error
                case .notAbsolute, .unusable, .userWithoutNumber, .busy, .elsewhere, .divided:
                    break
                }
            }
        }
        throw failure ?? .notADirectory(paths[0])
    }
}

/// What is at one of the places.
enum PlaceState {
    /// A directory with a server.
    case served(RuntimeDirectory)
    /// A directory without a server, in which clients live.
    case inhabited(RuntimeDirectory)
    /// A directory that no living process uses.
    case deserted(RuntimeDirectory)
    /// A stand-in, which says where a server is or was.
    case standIn(StandIn.Home, isHeld: Bool)
    /// Nothing exists there; perhaps nothing can be created there.
    case vacant
    /// Something that this user's processes must not use.
    case unusable(RuntimeDirectoryError)

    init(_ path: String, of places: RuntimePlaces) {
        let status: FileStatus
        do {
            status = try FileStatus(path: path, followLinks: false)
        } catch {
            let isMissing = error.code == ErrorNumber.noSuchFile
            self = isMissing ? .vacant : .unusable(.unusable(path, error))
            return
        }
        guard status.ownerUserID == CurrentProcess.effectiveUserID else {
            self = .unusable(.notOurs(path, owner: status.ownerUserID))
            return
        }
        switch status.kind {
        case .directory:
            do throws(RuntimeDirectoryError) {
                let directory = try RuntimeDirectory.openExisting(path, of: places)
                self =
                    directory.isServed
                    ? .served(directory)
                    : directory.isInhabited ? .inhabited(directory) : .deserted(directory)
            } catch {
                self = .unusable(error)
            }
        case .regular:
            self = StandIn.read(at: path) ?? .unusable(.notADirectory(path))
        case .symbolicLink, .socket, .other:
            self = .unusable(.notADirectory(path))
        }
    }
}

extension RuntimeDirectory {
    /// Whether a process has the server role here.
    var isServed: Bool { Self.isLocked(Name.serverLock, in: directory) }

    /// Whether a living process has its ledger here.
    package var isInhabited: Bool {
        do throws(SystemError) {
            return try ledgers.names().contains {
                LedgerName.isFinal($0) && isInhabited(by: $0)
            }
        } catch {
            // A directory that cannot be read cannot be used by any process of this user. But this
            // process may only have no descriptor left.
            return ErrorNumber.wants.contains(error.code)
        }
    }

    /// Whether the process of a ledger lives.
    func isInhabited(by ledger: String) -> Bool { Self.isLocked(ledger, in: ledgers) }

    private static func isLocked(_ name: String, in directory: Directory) -> Bool {
        do throws(SystemError) {
            let file = try directory.openFile(name, [.read, .write, .nonBlocking])
            return try FileLock.isHeldByAnother(file)
        } catch {
            // If it has not just been removed, and it cannot be determined, the process is taken to
            // live.
            return error.code != ErrorNumber.noSuchFile
        }
    }
}
