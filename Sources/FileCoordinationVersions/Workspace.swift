// SPDX-License-Identifier: Apache-2.0
//
// Where what is not finished lies. A workspace belongs to the process that made it for as long as
// that lives; a process that finds one of a dead process finishes or removes it.

import FileCoordinationSystem
import FileTree

/// A directory in the store's `work`, and the lock beside it that says whose it is.
///
/// Letting go of a workspace without ``discard()`` leaves it as a killed process would.
final class Workspace: Sendable {
    /// Never used again.
    let id: String
    /// What is in the making.
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

    /// Makes a new one.
    static func make(in work: Directory) throws(SystemError) -> Workspace {
        // Each turn is lost only to another process that cleans up at this very instant.
        for _ in 0..<16 {
            let id = StoredItemID().text
            guard let lock = try LifeLock.make(id + lockSuffix, in: work) else { continue }
            // The lock comes first and goes last, so there is no directory without one.
            let directory = try work.openSubdirectory(id, creatingWithMode: 0o700)
            return Workspace(id: id, directory: directory, work: work, lock: lock)
        }
        throw SystemError(code: ErrorNumber.timedOut, operation: "make room for a version")
    }

    /// Takes over those whose processes are dead.
    static func seizeAll(in work: Directory) throws(SystemError) -> [Workspace] {
        var seized: [Workspace] = []
        for name in try work.names() {
            guard let id = id(ofLock: name), let lock = try LifeLock.seize(name, in: work)
            else { continue }
            do {
                let directory = try work.openSubdirectory(id)
                seized.append(Workspace(id: id, directory: directory, work: work, lock: lock))
            } catch let error where error.code == ErrorNumber.noSuchFile {
                try? work.remove(name)
            }
        }
        return seized
    }

    // MARK: Looking

    /// The workspace whose lock has this name; nil if it is no lock's.
    static func id(ofLock name: String) -> String? {
        name.hasSuffix(lockSuffix) ? String(name.dropLast(lockSuffix.count)) : nil
    }

    /// Whether its process has died; false also if that cannot be told.
    static func isAbandoned(_ id: String, in root: Directory) -> Bool {
        guard let lock = try? root.openFile(StoreName.work + "/" + id + lockSuffix, .read) else {
            return false
        }
        return (try? FileLock.isHeldByAnother(lock)) == false
    }

    /// Removes it with all that it holds.
    func discard() throws(SystemError) {
        try TreeRemoval.removeAll(id, from: work)
        try work.remove(id + Self.lockSuffix)
    }
}
