// SPDX-License-Identifier: Apache-2.0
//
// The directory in which the processes of one user find each other. Two arbiters that do not know
// of each other are the worst failure there is (Rule 2.0), so every process must come to the same
// directory, and a directory that is not wholly ours is refused.

package import FileCoordinationSystem

/// Why a runtime directory cannot be used; the description says what to do about it.
package enum RuntimeDirectoryError: Error, Hashable, CustomStringConvertible {
    /// `FILECOORDINATION_RUNTIME_DIR` is not an absolute path.
    case notAbsolute(String)
    /// Something that is not a directory (a link counts) has its name.
    case notADirectory(String)
    /// It belongs to another user.
    case notOurs(String, owner: UInt32)
    /// Other users can enter it.
    case openToOthers(String, permissions: UInt32)
    /// A system call failed.
    case unusable(String, SystemError)
    /// In this user namespace the process's user cannot be told from others.
    case userWithoutNumber
    /// A file there is being written, or its maker is giving it up.
    case busy(String)
    /// Other processes of this user meet in a directory to which no path leads from here.
    case elsewhere(String)
    /// Processes of this user meet in two directories.
    case divided(String, String)

    /// Whether the same attempt may succeed soon.
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
    /// The directory's path, as it was chosen.
    package let path: String
    /// The directory itself.
    package let directory: Directory
    /// Its `ledgers` folder: one file for each client.
    package let ledgers: Directory
    /// Where else the processes of this user may look for it.
    package let places: RuntimePlaces
    /// A sentence about a better place that cannot be used, for standard error (Rule 2.0).
    package private(set) var warning: String?

    /// Names inside the directory; ARCHITECTURE.md says what each is for.
    package enum Name {
        package static let socket = "socket"
        package static let serverLock = "host.lock"
        package static let electionLock = "election.lock"
        package static let epoch = "epoch"
        package static let ledgers = "ledgers"
        package static let log = "log"
    }

    /// Opens the directory that `environment` leads to, making it when it is not there.
    package static func open(environment: [String: String]) throws(RuntimeDirectoryError) -> Self {
        try RuntimePlaces(variable: { environment[$0] }).open()
    }

    /// Opens the directory that this process's environment leads to, making it when it is not
    /// there.
    package static func openOwn() throws(RuntimeDirectoryError) -> Self {
        try RuntimePlaces(variable: CurrentProcess.environmentVariable).open()
    }

    /// Opens the directory at `path`, the only place there is, making it when it is not there.
    package static func open(path: String) throws(RuntimeDirectoryError) -> Self {
        try open(path, of: RuntimePlaces(chosen: path))
    }

    /// Opens the directory at one of several places, making it when it is not there.
    static func open(
        _ path: String, of places: RuntimePlaces
    ) throws(RuntimeDirectoryError) -> Self {
        try open(path, of: places, creatingWithMode: 0o700)
    }

    /// Opens the directory at one of several places if it is there.
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

    /// The same with a sentence for standard error.
    func with(warning: String?) -> Self {
        var copy = self
        copy.warning = warning
        return copy
    }

    /// Whether the path still leads here, and what has to be in here still is.
    package var isInPlace: Bool {
        guard let there = try? FileStatus(path: path, followLinks: false),
            let ours = try? directory.status(),
            there.inode == ours.inode, there.device == ours.device
        else { return false }
        // Emptied is as good as removed: who comes new would lock another file.
        let found = try? directory.status(of: Name.ledgers)
        return found != nil && found?.inode == (try? ledgers.status())?.inode
    }

    /// This directory, or the one in which the user's processes meet by now, or have to.
    package func renewed() throws(RuntimeDirectoryError) -> Self {
        isInPlace ? self : try places.open()
    }

    /// Opens the directory itself, never what a link of its name leads to.
    private static func openDirectory(
        _ path: String, creatingWithMode mode: UInt32?
    ) throws(SystemError) -> Directory {
        guard let (parent, name) = parentAndName(of: path) else { return try Directory.open("/") }
        return try Directory.open(parent).openSubdirectory(name, creatingWithMode: mode)
    }

    /// What an absolute path names, and where; nil for the root.
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
