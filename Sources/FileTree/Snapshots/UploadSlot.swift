// SPDX-License-Identifier: Apache-2.0
//
// The place of one temporary copy, and the lock by which others know that it is in use: kept by a
// mapping, so that it ends with the process, and a forked child does not have it.

package import FileCoordinationSystem

/// A fresh temporary directory, locked until it is removed or the process ends.
package final class UploadSlot: Sendable {
    /// The names that belong to a slot.
    struct Name: Hashable, Sendable {
        /// The directory that the accessor sees.
        let directory: String
        /// Says, by being locked, that the slot is in use.
        var lock: String { directory + ".lock" }
        /// An unfinished copy, where the file system knows no nameless files.
        var part: String { directory + ".part" }

        static func fresh() -> Name {
            let token = String(UInt64.random(in: 0 ... .max), radix: 16)
            let zeros = String(repeating: "0", count: 16 - token.count)
            return Name(directory: "\(CurrentProcess.id)-\(zeros)\(token)")
        }

        private init(directory: String) { self.directory = directory }

        /// The slot to which `member` belongs; nil if that is no name of ours.
        init?(member: String) {
            let name = member.split(separator: ".", maxSplits: 1).first ?? ""
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 2, Int32(parts[0]) != nil, parts[1].utf8.count == 16,
                UInt64(parts[1], radix: 16) != nil
            else { return nil }
            self.init(directory: String(name))
        }

        /// Removes all that has these names, as far as it can be removed, the lock last.
        func remove(from root: Directory) {
            guard TreeRemoval.remove(Array(directory.utf8), from: root.descriptor) else { return }
            try? root.remove(part)
            try? root.remove(lock)
        }
    }

    let root: UploadRoot
    let name: Name
    package let directory: Directory
    private let lock: Lock<SharedMapping?>
    /// Tells whether this is still the process that made the slot (and not a forked child).
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

    /// Makes and locks a slot's lock file; nil if another process swept it away before it was
    /// locked.
    private static func lock(
        _ name: Name, in root: Directory
    ) throws(SystemError) -> SharedMapping? {
        let length = 4096
        var file: Descriptor? = try root.openFile(name.lock, [.read, .write, .create, .exclusive])
        guard let number = file?.number else { preconditionFailure("It was opened just now") }
        // Until it is mapped and closed: a child that has the descriptor has the lock.
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
                try? root.remove(name.lock)
                throw error
            }
        }
    }

    /// Removes the copy, and all that was put beside it; does nothing the second time, nor in a
    /// forked child.
    package func remove() {
        guard processToken == ForkGuard.processToken else { return }
        // Locked until the names are gone: a sweep would do the same work.
        guard let mapping = lock.withLock({ $0.take() }) else { return }
        withExtendedLifetime(mapping) { name.remove(from: root.directory) }
    }

    deinit { remove() }
}
