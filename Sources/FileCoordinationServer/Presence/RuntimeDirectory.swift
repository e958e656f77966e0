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
    /// Another process is creating or removing a file there.
    case busy(String)
    /// Other processes of this user meet in a directory that this process cannot reach.
    case elsewhere(String)
    /// Processes of this user meet in two directories.
    case divided(String, String)

    /// Whether a later attempt may succeed.
    var isPassing: Bool {
        switch self {
        case .busy, .elsewhere, .notADirectory: true
        case .notAbsolute, .notOurs, .openToOthers, .unusable, .userWithoutNumber, .divided:
            false
        }
    }

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
        case .busy(let path):
            "the runtime directory \(path) is about to be taken by another program: try again"
        case .elsewhere(let path):
            """
            your other programs meet in \(path), to which no path leads from here: make that \
            directory visible here under the same path, or set FILECOORDINATION_RUNTIME_DIR to a \
            directory that all of them can reach
            """
        case .divided(let path, let other):
            """
            programs of yours meet in \(other) and know nothing of those in \(path): end the \
            former (they are of an older version, or in a container), or set \
            FILECOORDINATION_RUNTIME_DIR for all of them to one directory
            """
        }
    }
}

/// The runtime directory, opened and checked.
package struct RuntimeDirectory: Sendable {
    /// The path of the directory, as it was chosen.
    package let path: String
    /// The directory itself.
    package let directory: Directory
    /// Its `ledgers` folder: one file for each client.
    package let ledgers: Directory
    /// All places where the processes of this user may look for the directory.
    package let places: RuntimePlaces
    /// A message for standard error about a better place that cannot be used (Rule 2.0).
    package private(set) var warning: String?

    /// Names inside the directory; the article Takeover says what each is for.
    package enum Name {
        package static let socket = "socket"
        package static let serverLock = "host.lock"
        package static let electionLock = "election.lock"
        package static let epoch = "epoch"
        package static let ledgers = "ledgers"
        package static let log = "log"
    }

    /// Opens the directory that `environment` leads to; creates it if it does not exist.
    package static func open(environment: [String: String]) throws(RuntimeDirectoryError) -> Self {
        try RuntimePlaces(variable: { environment[$0] }).open()
    }

    /// Opens the directory that this process's environment leads to; creates it if it does not
    /// exist.
    package static func openOwn() throws(RuntimeDirectoryError) -> Self {
        // A program with the rights of another user is started by a user who must not choose where.
        let isChosenByUser = !CurrentProcess.hasBorrowedRights
        return try RuntimePlaces { name in
            isChosenByUser ? CurrentProcess.environmentVariable(name) : nil
        }.open()
    }

    /// Opens the directory at `path`, as the only possible place; creates it if it does not exist.
    package static func open(path: String) throws(RuntimeDirectoryError) -> Self {
        try open(path, of: RuntimePlaces(chosen: path))
    }

    /// Opens the directory at one of several places; creates it if it does not exist.
    static func open(
        _ path: String, of places: RuntimePlaces
    ) throws(RuntimeDirectoryError) -> Self {
        try open(path, of: places, creatingWithMode: 0o700)
    }

    /// Opens the directory at one of several places, if it exists.
    static func openExisting(
        _ path: String, of places: RuntimePlaces
    ) throws(RuntimeDirectoryError) -> Self {
        try open(path, of: places, creatingWithMode: nil)
    }

    private static func open(
        _ path: String, of places: RuntimePlaces, creatingWithMode mode: UInt32?
    ) throws(RuntimeDirectoryError) -> Self {
        guard !CurrentProcess.hasNoUserID else { throw .userWithoutNumber }
        let directory: Directory
        do {
            directory = try openDirectory(path, creatingWithMode: mode)
        } catch {
            if error.code == ErrorNumber.accessDenied,
                // Without a known owner, the first error counts.
                let owner = try? FileStatus(path: path, followLinks: false).ownerUserID,
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
            return Self(path: path, directory: directory, ledgers: ledgers, places: places)
        } catch let error as RuntimeDirectoryError {
            throw error
        } catch let error as SystemError {
            throw .unusable(path, error)
        } catch {
            preconditionFailure("An error of a third kind: \(error)")
        }
    }

    private init(path: String, directory: Directory, ledgers: Directory, places: RuntimePlaces) {
        self.path = path
        self.directory = directory
        self.ledgers = ledgers
        self.places = places
    }

    /// Returns a copy with a warning for standard error.
    func with(warning: String?) -> Self {
        var copy = self
        copy.warning = warning
        return copy
    }

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

    /// Returns this directory, or the one in which the user's processes must meet now.
    package func renewed() throws(RuntimeDirectoryError) -> Self {
        isInPlace ? self : try places.open()
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
