// SPDX-License-Identifier: Apache-2.0
//
// Where the temporary copies of one user are: a directory that no other user can look into, with
// one slot for each copy. A slot is locked for as long as its process lives, so the next process
// can tell what a dead process has left, and removes it.
//
//     ROOT/4711-89abcdef01234567.lock     locked by the process
//     ROOT/4711-89abcdef01234567/         what the accessor sees, with one file in it
//     ROOT/4711-89abcdef01234567.part     an unfinished copy, where files cannot be nameless

package import FileCoordinationSystem
import Glibc

/// The directory for temporary copies, opened and checked.
package struct UploadRoot: Sendable {
    /// The directory's path, absolute.
    package let path: String
    package let directory: Directory

    // MARK: Opening

    /// Opens the directory that `environment` leads to, making it when it is not there.
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
        // A user who starts a program with more rights than their own does not choose where it
        // writes.
        guard !CurrentProcess.hasBorrowedRights, let chosen = environment["TMPDIR"],
            chosen.hasPrefix("/")
        else { return ("/tmp", name) }
        return ("/" + chosen.split(separator: "/").joined(separator: "/"), name)
    }

    // MARK: Sweeping

    /// Removes what processes that died have left in the directory that `environment` leads to.
    ///
    /// Costs one look if no copy was ever made there, and makes nothing.
    package static func sweep(environment: [String: String]) {
        let (parent, name) = location(environment: environment)
        guard (try? Directory.open(parent).status(of: name))?.kind == .directory else { return }
        try? open(environment: environment).sweep()
    }

    /// Removes what processes that died have left; looks away from what cannot be removed.
    package func sweep() {
        guard let names = try? directory.names() else { return }
        for slot in Set(names.compactMap(UploadSlot.Name.init(member:))) { sweep(slot) }
    }

    private func sweep(_ name: UploadSlot.Name) {
        do throws(SystemError) {
            let lock = try directory.openFile(name.lock, [.read, .write])
            guard try FileLock.tryLock(lock) else { return }
            // The process that locked and removed it meanwhile has done the work.
            guard try lock.status().linkCount > 0 else { return }
            // A forked child that got the descriptor just now blocks no other process: the names go
            // first.
            name.remove(from: directory)
        } catch {
            // A slot gets its lock before anything else, and loses it last.
            if error.code == ErrorNumber.noSuchFile { name.remove(from: directory) }
        }
    }
}
