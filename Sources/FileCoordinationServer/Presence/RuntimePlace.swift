// SPDX-License-Identifier: Apache-2.0
//
// The one place where the processes of a user meet (Rule 18.14). Each process finds it alone, from
// what it sees. The usual place does not depend on a login, the environment or a private /tmp.

import FileCoordinationLedger
import FileCoordinationSystem

/// The path of the runtime directory, and why it is this one.
package struct RuntimePlace: Hashable, Sendable {
    /// The absolute path.
    package let path: String
    /// Whether `FILECOORDINATION_RUNTIME_DIR` names it.
    package let isChosen: Bool

    /// The file system in memory that all processes of a machine share, as a rule.
    private static let usual = "/dev/shm"
    /// Where a process meets others that cannot use ``usual``, either.
    private static let substitute = "/tmp"

    /// The place that the user has named.
    package init(chosen path: String) {
        // The system would follow a link in front of a slash at the end.
        let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        self.init(end.map { String(path[...$0]) } ?? "/", isChosen: true)
    }

    private init(_ path: String, isChosen: Bool) { (self.path, self.isChosen) = (path, isChosen) }

    /// Finds the place by environment variables and by what this process sees.
    ///
    /// - Parameters:
    ///   - variable: returns the value of an environment variable.
    ///   - userID: the user's number; nil for that of this process.
    ///   - root: is put before the paths of the system, for tests.
    /// - Throws: ``RuntimeDirectoryError/notAbsolute(_:)``.
    package init(
        variable: (String) -> String?, userID: UInt32? = nil, root: String = ""
    ) throws(RuntimeDirectoryError) {
        if let chosen = variable("FILECOORDINATION_RUNTIME_DIR"), !chosen.isEmpty {
            guard chosen.hasPrefix("/") else { throw .notAbsolute(chosen) }
            self.init(chosen: chosen)
            return
        }
        let name = "/filecoordination-\(userID ?? CurrentProcess.outerUserID)"
        let usual = root + Self.usual
        let isUsual =
            // Where it exists, it may be usable although nothing else can be made beside it.
            (try? FileStatus(path: usual + name, followLinks: false)) != nil
            // The error says that nothing can be made there.
            || (try? Directory.open(usual).requireWritable()) != nil
        self.init((isUsual ? usual : root + Self.substitute) + name, isChosen: false)
    }

    /// Whether it is where processes that see a usable `/dev/shm` do not meet.
    package var isSubstitute: Bool { !isChosen && path.hasPrefix(Self.substitute) }

    /// Opens the directory; creates it if it does not exist.
    package func open() throws(RuntimeDirectoryError) -> RuntimeDirectory {
        // Another process may remove the directory before this one has opened it.
        for _ in 1...9 {
            do throws(RuntimeDirectoryError) {
                return try RuntimeDirectory.open(self, creatingWithMode: 0o700)
            } catch {
                guard case .unusable(_, let cause) = error, cause.code == ErrorNumber.noSuchFile
                else { throw error }
            }
        }
        return try RuntimeDirectory.open(self, creatingWithMode: 0o700)
    }

    /// Opens the directory, if it exists.
    package func openExisting() throws(RuntimeDirectoryError) -> RuntimeDirectory {
        try RuntimeDirectory.open(self, creatingWithMode: nil)
    }
}

// MARK: - Looking

/// How the place is used.
package enum PlaceUse: Sendable {
    /// A server is there.
    case served(RuntimeDirectory)
    /// Programs use the place, without a server at present.
    case inhabited(RuntimeDirectory)
    /// The directory exists, but no program uses it.
    case deserted(RuntimeDirectory)
    /// No program has met there; a private directory of this user may exist.
    case vacant
    /// Programs of this user must not use what is there; why, and what to do.
    case unusable(RuntimeDirectoryError)
}

extension RuntimePlace {
    /// How the place is used; changes nothing.
    package var use: PlaceUse {
        do throws(RuntimeDirectoryError) {
            guard let directory = try look() else { return .vacant }
            return directory.isServed
                ? .served(directory)
                : directory.isInhabited
                    ? .inhabited(directory)
                    : .deserted(directory)
        } catch {
            return .unusable(error)
        }
    }

    /// Opens the directory if programs have met in it, and creates nothing.
    ///
    /// - Returns: nil if programs would have to make it.
    /// - Throws: what ``open()`` would throw.
    package func look() throws(RuntimeDirectoryError) -> RuntimeDirectory? {
        guard !CurrentProcess.hasNoUserID else { throw .userWithoutNumber }
        // To open an empty directory would make it one in which programs meet.
        let isEmpty = isEmpty
        if !isEmpty {
            do throws(RuntimeDirectoryError) {
                return try openExisting()
            } catch {
                guard case .unusable(_, let cause) = error, cause.code == ErrorNumber.noSuchFile
                else { throw error }
            }
        }
        let parent = RuntimeDirectory.parentAndName(of: path)?.parent ?? "/"
        do throws(SystemError) {
            try Directory.open(isEmpty ? path : parent).requireWritable()
        } catch {
            throw .unusable(path, error)
        }
        return nil
    }

    /// Whether a private directory of this user exists in which no program has met yet.
    private var isEmpty: Bool {
        // If the directory cannot be examined, opening it reports why.
        guard let status = try? FileStatus(path: path, followLinks: false),
            status.kind == .directory, status.permissions & 0o077 == 0,
            status.ownerUserID == CurrentProcess.effectiveUserID
        else { return false }
        do {
            _ = try FileStatus(
                path: path + "/" + RuntimeDirectory.Name.ledgers, followLinks: false)
            return false
        } catch {
            return error.code == ErrorNumber.noSuchFile
        }
    }
}

extension RuntimeDirectory {
    /// Whether a process has the server role here.
    package var isServed: Bool { Self.isLocked(Name.serverLock, in: directory) }

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

    /// The process that took the server role here last, as far as its number means something here.
    package var lastServer: Int32? {
        RoleHolder.read(Name.serverLock, in: directory)?.processID
    }

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
