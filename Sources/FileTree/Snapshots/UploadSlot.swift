// SPDX-License-Identifier: Apache-2.0
//
// The directory of one temporary copy, and the lock that shows other processes that it is in use.
// The lock belongs to an open file that only a mapping keeps open, so the lock ends with the
// process, and a forked child does not have it.

package import FileCoordinationSystem

/// A new temporary directory, which is locked until it is removed or the process ends.
package final class UploadSlot: Sendable {
    /// The names that belong to a slot.
    struct Name: Hashable, Sendable {
        /// The directory that the accessor sees.
        let directory: String
        /// The lock file, which is locked while the slot is in use.
        var lock: String { directory + ".lock" }
        /// An unfinished copy, if the file system does not support files without names.
        var part: String { directory + ".part" }

        static func fresh() -> Name {
            let token = String(UInt64.random(in: 0 ... .max), radix: 16)
            let zeros = String(repeating: "0", count: 16 - token.count)
            return Name(directory: "\(CurrentProcess.id)-\(zeros)\(token)")
        }

        private init(directory: String) { self.directory = directory }

        /// The slot to which `member` belongs, or nil if it is not the name of a slot.
        init?(member: String) {
            let name = member.split(separator: ".", maxSplits: 1).first ?? ""
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, Int32(parts[0]) != nil, parts[1].utf8.count == 16,
                UInt64(parts[1], radix: 16) != nil
            else { return nil }
            self.init(directory: String(name))
        }

        /// Removes everything with these names as far as possible, the lock file last.
        func remove(from root: Directory) {
            guard TreeRemoval.remove(Array(directory.utf8), from: root.descriptor) else { return }
            // What stays is removed by the next sweep.
            try? root.remove(part)
            try? root.remove(lock)
        }
    }

    let root: UploadRoot
    let name: Name
    package let directory: Directory
    private let lock: Lock<SharedMapping?>
    /// Shows whether this is the process that made the slot, and not a forked child.
    private let processToken = ForkGuard.processToken

    var path: String { root.path + "/" + name.directory }

    private static let attempts = 16

    /// Makes a slot in `root`.
    package init(in root: UploadRoot) throws(SystemError) {
        for _ in 0..<Self.attempts {
            let name = Name.fresh()
            guard let mapping = try Self.lock(name, in: root.directory) else { continue }
            do throws(SystemError) {
                directory = try root.directory.openSubdirectory(
                    name.directory, creatingWithMode: 0o700)
            } catch {
                name.remove(from: root.directory)
                throw error
            }
            self.root = root
            self.name = name
            lock = Lock(mapping)
            return
        }
        throw SystemError(code: ErrorNumber.alreadyExists, operation: "lock a temporary directory")
    }

    /// Makes and locks a slot's lock file.
    ///
    /// Returns nil if another process removed it before it was locked.
    private static func lock(
        _ name: Name, in root: Directory
    ) throws(SystemError) -> SharedMapping? {
        let length = 4096
        var file: Descriptor? = try root.openFile(name.lock, [.read, .write, .create, .exclusive])
        guard let number = file?.number else { preconditionFailure("It was opened just now") }
        // Until the file is mapped and the descriptor closed, a child that inherits the descriptor
        // would have the lock.
        ForkGuard.closeInChild(number)
        defer {
            ForkGuard.holdingForks {
                ForkGuard.keepInChild(number)
                file = nil
            }
        }
        return try file.flatMap { (file) throws(SystemError) -> SharedMapping? in
            do throws(SystemError) {
                try FileSpace.truncate(file, length: UInt64(length))
                guard try FileLock.tryLock(file), try file.status().linkCount > 0 else {
                    return nil
                }
                return try SharedMapping(
                    file: file, length: length, writable: true, inheritedByFork: false)
            } catch {
                // The first error counts; the next sweep removes it.
                try? root.remove(name.lock)
                throw error
            }
        }
    }

    /// Removes the copy and everything beside it.
    ///
    /// Does nothing if called again or in a forked child.
    package func remove() {
        guard processToken == ForkGuard.processToken else { return }
        // The lock is held until the names are gone. Otherwise, a sweep would do the same work.
        guard let mapping = lock.withLock({ $0.take() }) else { return }
        withExtendedLifetime(mapping) { name.remove(from: root.directory) }
    }

    deinit { remove() }
}
