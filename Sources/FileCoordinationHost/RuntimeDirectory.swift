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
            """
            the runtime directory \(path) belongs to user \(owner), not to you: remove it, or set \
            FILECOORDINATION_RUNTIME_DIR to a directory of your own
            """
        case .openToOthers(let path, let permissions):
            """
            the runtime directory \(path) is open to other users (mode \
            \(String(permissions, radix: 8))): run "chmod 700 \(path)" once you know that nobody \
            else put anything into it
            """
        case .unusable(let path, let error):
            "the runtime directory \(path) cannot be used: \(error)"
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
    /// A sentence about something that smells of two arbiters, for standard error (Rule 2.0).
    package let warning: String?

    /// Names inside the directory; ARCHITECTURE.md says what each is for.
    package enum Name {
        package static let socket = "socket"
        package static let hostLock = "host.lock"
        package static let electionLock = "election.lock"
        package static let epoch = "epoch"
        package static let ledgers = "ledgers"
        package static let log = "log"
    }

    /// Opens the directory that `environment` leads to, making it when it is not there.
    package static func open(environment: [String: String]) throws(RuntimeDirectoryError) -> Self {
        let (path, warning) = try location(environment: environment)
        return try open(path: path, warning: warning)
    }

    /// Opens the directory that this process's environment leads to, making it when it is not
    /// there.
    package static func openOwn() throws(RuntimeDirectoryError) -> Self {
        let (path, warning) = try location(variable: CurrentProcess.environmentVariable)
        return try open(path: path, warning: warning)
    }

    /// Opens the directory at `path`, making it when it is not there.
    package static func open(
        path: String, warning: String? = nil
    ) throws(RuntimeDirectoryError) -> Self {
        let directory: Directory
        do {
            directory = try openOrCreate(path)
        } catch {
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
            return Self(path: path, directory: directory, ledgers: ledgers, warning: warning)
        } catch let error as RuntimeDirectoryError {
            throw error
        } catch let error as SystemError {
            throw .unusable(path, error)
        } catch {
            preconditionFailure("An error of a third kind: \(error)")
        }
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

    /// This directory, or the one that is there, or has to be made, in its place.
    package func renewed() throws(RuntimeDirectoryError) -> Self {
        isInPlace ? self : try Self.open(path: path)
    }

    /// Opens the directory itself, never what a link of its name leads to.
    private static func openOrCreate(_ path: String) throws(SystemError) -> Directory {
        guard let (parent, name) = parentAndName(of: path) else { return try Directory.open("/") }
        return try Directory.open(parent).openSubdirectory(name, creatingWithMode: 0o700)
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

    /// Where the directory is, by the order that makes all environments of one login agree.
    static func location(
        environment: [String: String], userID: UInt32 = CurrentProcess.effectiveUserID,
        exists: (String) -> Bool = { (try? FileStatus(path: $0)) != nil }
    ) throws(RuntimeDirectoryError) -> (path: String, warning: String?) {
        try location(variable: { environment[$0] }, userID: userID, exists: exists)
    }

    /// The same, for who knows variables one by one.
    private static func location(
        variable: (String) -> String?, userID: UInt32 = CurrentProcess.effectiveUserID,
        exists: (String) -> Bool = { (try? FileStatus(path: $0)) != nil }
    ) throws(RuntimeDirectoryError) -> (path: String, warning: String?) {
        if let chosen = variable("FILECOORDINATION_RUNTIME_DIR"), !chosen.isEmpty {
            guard chosen.hasPrefix("/") else { throw .notAbsolute(chosen) }
            return (chosen, nil)
        }
        let login = "/run/user/\(userID)"
        let session = variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        if exists(login) {
            let differs = session.map { $0 != login && $0 != login + "/" } ?? false
            let warning = """
                XDG_RUNTIME_DIR is \(session ?? ""), but file coordination meets in \(login), \
                where your other programs are
                """
            return (login + "/filecoordination", differs ? warning : nil)
        }
        if let session { return (session + "/filecoordination", nil) }
        return ("/tmp/filecoordination-\(userID)", nil)
    }
}
