// SPDX-License-Identifier: Apache-2.0
//
// Temporary names in users' directories. Each has a locked file, which shows that the program that
// made it still lives; the kernel releases the lock when that program ends. So the next program
// that works in the same directory can recognize and remove what a killed program left.

import FileCoordinationSystem
import FileTree
import Glibc

/// A temporary name, which is removed when its program has finished or died.
final class TemporaryEntry {
    /// The name under which the caller may create an item.
    let name: [UInt8]
    private let directory: Descriptor
    /// A lock file that this process keeps locked as long as it lives.
    private let lock: Descriptor

    private init(name: [UInt8], directory: Descriptor, lock: Descriptor) {
        self.name = name
        self.directory = directory
        self.lock = lock
    }

    private static let prefix = Array(".filecoord-".utf8)
    private static let lockSuffix = Array(".lock".utf8)
    /// The suffix of files that are locked themselves.
    private static let spoolSuffix = Array(".spool".utf8)
    private static let digits = 16
    /// An attempt only fails if another program removes the lock file before it is locked.
    private static let attempts = 16

    /// Makes a name in `directory`, under which nothing exists.
    static func make(in directory: Descriptor) throws(SystemError) -> TemporaryEntry {
        for _ in 0..<attempts {
            let name = prefix + freshDigits()
            let lock = try directory.openFile(
                name + lockSuffix, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            guard try FileLock.tryLock(lock), try lock.status().linkCount > 0 else { continue }
            return TemporaryEntry(name: name, directory: directory, lock: lock)
        }
        throw SystemError(code: ETIMEDOUT, operation: "make a temporary name")
    }

    /// Makes a name for a file that is locked itself.
    static func spoolName() -> [UInt8] { prefix + freshDigits() + spoolSuffix }

    private static func freshDigits() -> [UInt8] {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return Array((String(repeating: "0", count: digits - text.count) + text).utf8)
    }

    /// Removes the item of this name, and then the lock file.
    ///
    /// Returns whether nothing is left.
    @discardableResult
    func remove() -> Bool {
        guard TreeRemoval.remove(name, from: directory) else { return false }
        // What stays is swept by the next command.
        try? directory.removeEntry(name + Self.lockSuffix)
        return true
    }

    /// Leaves what has the name to the user: the next command will not remove it.
    func giveAway() {
        // If that fails, the directory can no longer be written, and nothing is removed there.
        try? directory.removeEntry(name + Self.lockSuffix)
    }

    // MARK: Sweeping

    /// Removes as far as possible what dead programs of this user have left in `directory`.
    static func sweep(_ directory: Descriptor) {
        // A directory that cannot be listed is swept another time.
        for entry in (try? directory.names()) ?? [] where entry.starts(with: prefix) {
            if let name = stem(entry, lockSuffix), let lock = seize(entry, in: directory) {
                TemporaryEntry(name: name, directory: directory, lock: lock).remove()
            } else if stem(entry, spoolSuffix) != nil, let lock = seize(entry, in: directory) {
                // What stays is swept by the next command.
                withExtendedLifetime(lock) { try? directory.removeEntry(entry) }
            }
        }
    }

    /// The name before `suffix`, or nil if this program did not make such a name.
    private static func stem(_ entry: [UInt8], _ suffix: [UInt8]) -> [UInt8]? {
        let length = prefix.count + digits
        guard entry.count == length + suffix.count, Array(entry[length...]) == suffix,
            entry[prefix.count..<length].allSatisfy({ isDigit($0) })
        else { return nil }
        return Array(entry[..<length])
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    /// Locks a file that a dead program of this user left.
    ///
    /// Returns nil if its program lives, or if another program has removed the file.
    private static func seize(_ entry: [UInt8], in directory: Descriptor) -> Descriptor? {
        // What cannot be opened, examined and locked stays; here and below.
        guard let file = try? directory.openFile(entry, O_RDWR | O_NONBLOCK),
            let status = try? file.status(), status.kind == .regular,
            status.ownerUserID == geteuid(), (try? FileLock.tryLock(file)) == true,
            let now = try? file.status(), now.linkCount > 0
        else { return nil }
        return file
    }
}
