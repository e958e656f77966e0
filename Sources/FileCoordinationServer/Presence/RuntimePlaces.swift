// SPDX-License-Identifier: Apache-2.0
//
// The places where the processes of one user may meet, and the search for the one in which they do
// (Rule 18.14). The first place depends on no login, no environment and no private /tmp: all
// processes of a machine meet there, whenever they start. The others are looked at as well, because
// a process may be shut off from the first one, or be of an older version.

import FileCoordinationLedger
import FileCoordinationSystem

/// The candidates for the runtime directory, best first.
package struct RuntimePlaces: Hashable, Sendable {
    /// Absolute paths; at least one.
    package let paths: [String]
    /// Whether `FILECOORDINATION_RUNTIME_DIR` names the only one.
    package var isChosen: Bool { paths.count == 1 }

    /// From one search to the next, in nanoseconds.
    private static let pause: UInt64 = 5_000_000

    /// One directory that the user has named.
    package init(chosen path: String) { paths = [path] }

    private init(paths: [String]) { self.paths = paths }

    /// The places that environment variables lead to.
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

    /// Opens the directory in which the user's processes meet, making it if there is none.
    ///
    /// - Parameter patience: How long to wait for a server that has just moved, in nanoseconds.
    package func open(patience: UInt64 = 500_000_000) throws(RuntimeDirectoryError)
        -> RuntimeDirectory
    {
        if isChosen { return try RuntimeDirectory.open(path: paths[0]) }
        // Where it is as a rule: one look.
        if let usual = try? RuntimeDirectory.openExisting(paths[0], of: self), usual.isServed {
            return usual
        }
        let end = MonotonicClock.now + patience
        while true {
            do throws(RuntimeDirectoryError) {
                return try search()
            } catch {
                // A server may be on its way from one place to another.
                guard error.isPassing, MonotonicClock.now < end else { throw error }
                Pause.sleep(nanoseconds: Self.pause)
            }
        }
    }

    private func search() throws(RuntimeDirectoryError) -> RuntimeDirectory {
        let looks = paths.map { PlaceLook($0, of: self) }
        for look in looks { if case .served(let directory) = look { return directory } }
        for case .standIn(let home, isHeld: true) in looks {
            guard home.isVisible else { throw .elsewhere(home.path) }
            return try RuntimeDirectory.open(home.path, of: self)
        }
        for look in looks { if case .inhabited(let directory) = look { return directory } }
        return try make(looks)
    }

    /// Makes the directory in the best place that can be had.
    private func make(_ looks: [PlaceLook]) throws(RuntimeDirectoryError) -> RuntimeDirectory {
        var failure: RuntimeDirectoryError?
        var warning: RuntimeDirectoryError?
        for (path, look) in zip(paths, looks) {
            do throws(RuntimeDirectoryError) {
                switch look {
                case .unusable(let error): throw error
                case .standIn: try StandIn.removeIfDead(path)
                case .served, .inhabited, .deserted, .vacant: break
                }
                let directory = try RuntimeDirectory.open(path, of: self)
                return directory.with(warning: warning.map { "\($0); meeting in \(path) instead" })
            } catch {
                failure = failure ?? error
                switch error {
                // Processes of this user may be in there, and others may have been.
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

/// What is in one of the places.
enum PlaceLook {
    /// A directory with a server.
    case served(RuntimeDirectory)
    /// A directory without a server, in which processes live.
    case inhabited(RuntimeDirectory)
    /// A directory that no living process uses.
    case deserted(RuntimeDirectory)
    /// A file that says where the server is, or was.
    case standIn(StandIn.Home, isHeld: Bool)
    /// Nothing; perhaps nothing can be made there.
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
            self = StandIn.look(at: path) ?? .unusable(.notADirectory(path))
        case .symbolicLink, .socket, .other:
            self = .unusable(.notADirectory(path))
        }
    }
}

extension RuntimeDirectory {
    /// Whether a process has the role here.
    var isServed: Bool { Self.isLocked(Name.serverLock, in: directory) }

    /// Whether a living process has its ledger here.
    var isInhabited: Bool {
        let names = (try? ledgers.names()) ?? []
        return names.contains { LedgerName.isFinal($0) && Self.isLocked($0, in: ledgers) }
    }

    private static func isLocked(_ name: String, in directory: Directory) -> Bool {
        guard let file = try? directory.openFile(name, [.read, .write, .nonBlocking]) else {
            return false
        }
        return (try? FileLock.isHeldByAnother(file)) ?? true
    }
}
