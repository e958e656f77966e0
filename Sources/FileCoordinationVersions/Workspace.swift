// SPDX-License-Identifier: Apache-2.0
//
// The directory for unfinished work on the store. It belongs to the process that made it as long as
// that process lives. Afterwards, a process that finds it finishes or removes it.

import FileCoordinationSystem
import FileTree

/// A directory in the store's `work`, and the lock file beside it.
///
/// If a workspace is released without ``discard()``, it remains as after the death of its process.
final class Workspace: Sendable {
    /// A unique name.
    let id: String
    /// The directory with the unfinished work.
    let directory: Directory
    private let work: Directory
    private let lock: LifeLock

    private init(id: String, directory: Directory, work: Directory, lock: LifeLock) {
        self.id = id
        self.directory = directory
        self.work = work
        self.lock = lock
    }

    private static let lockSuffix = ".lock"

    /// Makes a new workspace.
    static func make(in work: Directory) throws(SystemError) -> Workspace {
        // An attempt only fails if another process that cleans up locks the file first.
        for _ in 0..<16 {
            let id = StoredItemID().text
            guard let lock = try LifeLock.make(id + lockSuffix, in: work) else { continue }
            // The lock is made first and removed last, so that no directory is without one.
            let directory = try work.openSubdirectory(id, creatingWithMode: 0o700)
            return Workspace(id: id, directory: directory, work: work, lock: lock)
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "make room for a version")
    }

    /// Takes over the workspaces of dead processes.
    static func seizeAll(in work: Directory) throws(SystemError) -> [Workspace] {
        var seized: [Workspace] = []
        for name in try work.names() {
            guard let id = id(ofLock: name), let lock = try LifeLock.seize(name, in: work)
            else { continue }
            do {
                let directory = try work.openSubdirectory(id)
                seized.append(Workspace(id: id, directory: directory, work: work, lock: lock))
            } catch let error where error.code == ErrorNumber.noSuchFile {
                // A lock that cannot be removed is removed the next time.
                try? work.remove(name)
            }
        }
        return seized
    }

    // MARK: Looking

    /// The ID of the workspace with this lock file, or nil if the file is not a workspace's lock.
    static func id(ofLock name: String) -> String? {
        name.hasSuffix(lockSuffix) ? String(name.dropLast(lockSuffix.count)) : nil
    }

    /// Whether the workspace's process has died.
    ///
    /// Returns false if that cannot be determined.
    static func isAbandoned(_ id: String, in root: Directory) -> Bool {
        // The workspace is finished, or its state cannot be determined.
        guard let lock = try? root.openFile(StoreName.work + "/" + id + lockSuffix, .read) else {
            return false
        }
        // A lock that cannot be examined may be held.
        return (try? FileLock.isHeldByAnother(lock)) == false
    }

    /// Removes the workspace with everything in it.
    func discard() throws(SystemError) {
        try TreeRemoval.removeAll(id, from: work)
        try work.remove(id + Self.lockSuffix)
    }
}
