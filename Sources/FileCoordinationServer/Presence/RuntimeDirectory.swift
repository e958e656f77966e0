// SPDX-License-Identifier: Apache-2.0
//
// The directory in which the processes of one user find each other. Two servers that do not know of
// each other would be the worst failure of all (Rule 2.0). So every process must arrive at the same
// directory, and a directory that other users can access is refused.

package import FileCoordinationSystem

/// Why a runtime directory cannot be used; the description says what to do about it.
package enum RuntimeDirectoryError: Error, Hashable, CustomStringConvertible {
    /// `FILECOORDINATION_RUNTIME_DIR` is not an absolute path.
    case notAbsolute(String)
    /// The path is taken by something that is not a directory, such as a symbolic link.
    case notADirectory(String)
    /// It belongs to another user.
    case notOurs(String, owner: UInt32)
    /// Other users can enter it.
    case openToOthers(String, permissions: UInt32)
    /// A system call failed.
    case unusable(String, SystemError)
    /// In this user namespace, the process's user ID cannot be told from those of others.
    case userWithoutNumber

    package var description: String {
        switch self {
        case .notAbsolute(let path):
            """
            the runtime directory "\(path)" is not an absolute path: set \
            FILECOORDINATION_RUNTIME_DIR to one that starts with "/", or unset it
            """
        case .notADirectory(let path):
            "the runtime directory \(path) is not a directory (links are not followed): remove it"
        case .notOurs(let path, let owner):
            owner == CurrentProcess.unmappedUserID && CurrentProcess.missesUsers
                ? """
                the runtime directory \(path) belongs to a user who has no number in this user \
                namespace: map that user into the namespace, or set FILECOORDINATION_RUNTIME_DIR \
                to a directory of your own
                """
                : """
                the runtime directory \(path) belongs to user \(owner), not to you: remove it, or \
                set FILECOORDINATION_RUNTIME_DIR to a directory of your own
                """
        case .openToOthers(let path, let permissions):
            """
            the runtime directory \(path) is open to other users (mode \
            \(String(permissions, radix: 8))): run "chmod 700 \(path)" once you know that no \
            other user put anything into it
            """
        case .unusable(let path, let error):
            "the runtime directory \(path) cannot be used: \(error)"
        case .userWithoutNumber:
            """
            this process's user has no number in its user namespace, so nothing tells its files \
            from those of others: map the user into the namespace
            """
        }
    }
}

/// The runtime directory, opened and checked.
package struct RuntimeDirectory: Sendable {
    /// The path of the directory.
    package var path: String { place.path }
    /// The directory itself.
    package let directory: Directory
    /// Its `ledgers` folder: one file for each client.
    package let ledgers: Directory
    /// Where the directory is.
    package let place: RuntimePlace

    /// Names inside the directory; the article Takeover says what each is for.
    package enum Name {
        package static let socket = "socket"
        package static let serverLock = "server.lock"
        package static let electionLock = "election.lock"
        package static let epoch = "epoch"
        package static let ledgers = "ledgers"
        package static let log = "log"
        /// In the folder of ledgers: the file whose absence is the mark of a new folder.
        package static let settled = "settled"
    }

    /// Opens the directory that `environment` leads to; creates it if it does not exist.
    package static func open(environment: [String: String]) throws(RuntimeDirectoryError) -> Self {
        try RuntimePlace(variable: { environment[$0] }).open()
    }

    /// Opens the directory that this process's environment leads to; creates it if it does not
    /// exist.
    package static func openOwn() throws(RuntimeDirectoryError) -> Self {
        // A program with the rights of another user is started by a user who must not choose where.
        let isChosenByUser = !CurrentProcess.hasBorrowedRights
        return try RuntimePlace { name in
            isChosenByUser ? CurrentProcess.environmentVariable(name) : nil
        }.open()
    }

    /// Opens the directory at `path`; creates it if it does not exist.
    package static func open(path: String) throws(RuntimeDirectoryError) -> Self {
        try RuntimePlace(chosen: path).open()
    }

    /// Opens the directory at a place; with a mode, creates it if it does not exist.
    static func open(
        _ place: RuntimePlace, creatingWithMode mode: UInt32?
    ) throws(RuntimeDirectoryError) -> Self {
        let path = place.path
        guard !CurrentProcess.hasNoUserID else { throw .userWithoutNumber }
        let directory: Directory
        do {
            directory = try openDirectory(path, creatingWithMode: mode)
        } catch {
            // Whatever the error is, another owner explains it. Without a known one, it counts.
            if let owner = try? FileStatus(path: path, followLinks: false).ownerUserID,
                owner != CurrentProcess.effectiveUserID
            {
                throw .notOurs(path, owner: owner)
            }
            let isWrongKind =
                error.code == ErrorNumber.notADirectory || error.code == ErrorNumber.symbolicLink
            throw isWrongKind ? .notADirectory(path) : .unusable(path, error)
        }
        do {
            let status = try directory.status()
            guard status.ownerUserID == CurrentProcess.effectiveUserID else {
                throw RuntimeDirectoryError.notOurs(path, owner: status.ownerUserID)
            }
            guard status.permissions & 0o077 == 0 else {
                throw RuntimeDirectoryError.openToOthers(path, permissions: status.permissions)
            }
            let ledgers = try directory.openSubdirectory(Name.ledgers, creatingWithMode: 0o700)
            return Self(place: place, directory: directory, ledgers: ledgers)
        } catch let error as RuntimeDirectoryError {
            throw error
        } catch let error as SystemError {
            throw .unusable(path, error)
        } catch {
            preconditionFailure("An error of a third kind: \(error)")
        }
    }

    private init(place: RuntimePlace, directory: Directory, ledgers: Directory) {
        self.place = place
        self.directory = directory
        self.ledgers = ledgers
    }

    // MARK: The mark

    /// Whether a server knows that each living client's ledger has its name here.
    ///
    /// A folder of ledgers that was made just now is not settled, and neither is one that was
    /// emptied. No process writes that down, so none can die before it has.
    package var isSettled: Bool {
        // This is the question.
        (try? ledgers.status(of: Name.settled)) != nil
    }

    /// Removes the mark of a new folder: a server has waited for clients whose ledgers lost their
    /// names, and none of these is left.
    package func settle() {
        // The next server waits once more.
        _ = try? ledgers.openFile(Name.settled, [.write, .create], mode: 0o600)
    }

    /// Puts the mark back, because there is a client whose ledger has no name here.
    func unsettle() {
        // It may not be there.
        try? ledgers.remove(Name.settled)
    }

    // MARK: Where it is

    /// Whether the path still refers to this directory, and its `ledgers` folder is still there.
    package var isInPlace: Bool {
        // A path that cannot be followed does not lead here.
        guard let there = try? FileStatus(path: path, followLinks: false),
            let ours = try? directory.status(),
            there.inode == ours.inode, there.device == ours.device
        else { return false }
        // An emptied directory is as bad as a removed one: new processes would lock other files.
        let found = try? directory.status(of: Name.ledgers)
        return found != nil && found?.inode == (try? ledgers.status())?.inode
    }

    /// Returns this directory, or the one that has its path now.
    package func renewed() throws(RuntimeDirectoryError) -> Self {
        isInPlace ? self : try place.open()
    }

    /// Opens the directory itself and follows no link in its last path component.
    private static func openDirectory(
        _ path: String, creatingWithMode mode: UInt32?
    ) throws(SystemError) -> Directory {
        guard let (parent, name) = parentAndName(of: path) else { return try Directory.open("/") }
        return try Directory.open(parent).openSubdirectory(name, creatingWithMode: mode)
    }

    /// Returns the parent path and the last name of an absolute path, or nil for the root.
    static func parentAndName(of path: String) -> (parent: String, name: String)? {
        var parts = path.split(separator: "/")
        guard let name = parts.popLast() else { return nil }
        var parent = parts.isEmpty ? "/" : ""
        for part in parts {
            parent += "/"
            parent += String(part)
        }
        return (parent, String(name))
    }
}
