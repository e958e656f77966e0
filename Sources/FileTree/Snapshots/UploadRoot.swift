// SPDX-License-Identifier: Apache-2.0
//
// The directory with the temporary copies of one user, which no other user can read. It has one
// slot for each copy. A process keeps the slots that it uses locked as long as it lives, so another
// process can recognize and remove the slots of a dead one.
//
//     ROOT/4711-89abcdef01234567.lock     locked by the process
//     ROOT/4711-89abcdef01234567/         the directory that the accessor sees, with one file
//     ROOT/4711-89abcdef01234567.part     an unfinished copy, if files need names

package import FileCoordinationSystem
import Glibc

/// The directory for temporary copies, open and checked.
package struct UploadRoot: Sendable {
    /// The absolute path of the directory.
    package let path: String
    package let directory: Directory

    // MARK: Opening

    /// Opens the directory that `environment` determines, and makes it if it does not exist.
    package static func open(
        environment: [String: String]
    ) throws(UploadError) -> UploadRoot {
        let (parent, name) = location(environment: environment)
        let path = (parent == "/" ? "" : parent) + "/" + name
        let directory: Directory
        let status: FileStatus
        do throws(SystemError) {
            directory = try Directory.open(parent)
                .openSubdirectory(name, creatingWithMode: 0o700)
            status = try directory.status()
        } catch {
            guard error.code != ErrorNumber.notADirectory, error.code != ErrorNumber.symbolicLink
            else { throw .unsafeTemporaries(path: path, reason: "is not a directory") }
            throw .noTemporaries(path: path, error)
        }
        guard status.ownerUserID == CurrentProcess.effectiveUserID else {
            throw .unsafeTemporaries(
                path: path, reason: "belongs to user \(status.ownerUserID), not to you")
        }
        guard status.permissions & 0o077 == 0 else {
            throw .unsafeTemporaries(
                path: path,
                reason: "is open to others (mode \(String(status.permissions, radix: 8)))")
        }
        return UploadRoot(path: path, directory: directory)
    }

    private static func location(
        environment: [String: String]
    ) -> (parent: String, name: String) {
        let name = "filecoordination-uploads-\(CurrentProcess.effectiveUserID)"
        // If a program has more rights than its user, the user must not choose where it writes.
        guard !CurrentProcess.hasBorrowedRights, let chosen = environment["TMPDIR"],
            chosen.hasPrefix("/")
        else { return ("/tmp", name) }
        return ("/" + chosen.split(separator: "/").joined(separator: "/"), name)
    }

    // MARK: Sweeping

    /// Removes what dead processes have left in the directory that `environment` determines.
    ///
    /// If no copy was ever made there, this makes one system call and creates nothing.
    package static func sweep(environment: [String: String]) {
        let (parent, name) = location(environment: environment)
        // Where no directory can be seen, there is nothing to sweep.
        guard (try? Directory.open(parent).status(of: name))?.kind == .directory else { return }
        // It is swept the next time.
        try? open(environment: environment).sweep()
    }

    /// Removes what dead processes have left.
    ///
    /// Errors are ignored.
    package func sweep() {
        // A directory that cannot be listed is swept the next time.
        guard let names = try? directory.names() else { return }
        for slot in Set(names.compactMap(UploadSlot.Name.init(member:))) { sweep(slot) }
    }

    private func sweep(_ name: UploadSlot.Name) {
        do throws(SystemError) {
            let lock = try directory.openFile(name.lock, [.read, .write])
            guard try FileLock.tryLock(lock) else { return }
            // Another process has locked and removed the slot meanwhile.
            guard try lock.status().linkCount > 0 else { return }
            // The names are removed while the lock is held. If a forked child has just inherited
            // the descriptor and so keeps the lock, no other process needs it any more.
            name.remove(from: directory)
        } catch {
            // The lock of a slot is made first and removed last, so a slot without one is unused.
            if error.code == ErrorNumber.noSuchFile { name.remove(from: directory) }
        }
    }
}
