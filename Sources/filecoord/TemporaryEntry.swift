// SPDX-License-Identifier: Apache-2.0
//
// Names beside users' files that are not to stay. A locked file says that their maker lives, and
// the kernel gives the lock back however that ends: so what a killed program has left is known at
// once, and swept away by the next one that works in the same directory.

import FileCoordinationSystem
import FileTree
import Glibc

/// A name that goes when its maker is done with it, or is dead.
final class TemporaryEntry {
    /// What may be made under it.
    let name: [UInt8]
    private let directory: Descriptor
    /// Locked for as long as this process lives.
    private let lock: Descriptor

    private init(name: [UInt8], directory: Descriptor, lock: Descriptor) {
        self.name = name
        self.directory = directory
        self.lock = lock
    }

    private static let prefix = Array(".filecoord-".utf8)
    private static let lockSuffix = Array(".lock".utf8)
    /// Marks files that are locked themselves.
    private static let spoolSuffix = Array(".spool".utf8)
    private static let digits = 16
    /// Each is lost only to a sweep between the making and the locking.
    private static let attempts = 16

    /// Makes a name in `directory`; nothing of that name exists.
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

    /// A name for a file whose own lock says that its maker lives.
    static func spoolName() -> [UInt8] { prefix + freshDigits() + spoolSuffix }

    private static func freshDigits() -> [UInt8] {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return Array((String(repeating: "0", count: digits - text.count) + text).utf8)
    }

    /// Removes what has the name, and then the lock; returns whether nothing is left.
    @discardableResult
    func remove() -> Bool {
        guard TreeRemoval.remove(name, from: directory) else { return false }
        try? directory.removeEntry(name + Self.lockSuffix)
        return true
    }

    // MARK: Sweeping

    /// Removes what dead programs of this user have left in `directory`, as far as it can.
    static func sweep(_ directory: Descriptor) {
        for entry in (try? directory.names()) ?? [] where entry.starts(with: prefix) {
            if let name = stem(entry, lockSuffix), let lock = seize(entry, in: directory) {
                TemporaryEntry(name: name, directory: directory, lock: lock).remove()
            } else if stem(entry, spoolSuffix) != nil, let lock = seize(entry, in: directory) {
                withExtendedLifetime(lock) { try? directory.removeEntry(entry) }
            }
        }
    }

    /// The name before `suffix`, if it is one of ours.
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

    /// Takes the lock over from a dead program of this user; nil if its owner lives, or another
    /// sweep was quicker.
    private static func seize(_ entry: [UInt8], in directory: Descriptor) -> Descriptor? {
        guard let file = try? directory.openFile(entry, O_RDWR | O_NONBLOCK),
            let status = try? file.status(), status.kind == .regular,
            status.ownerUserID == geteuid(), (try? FileLock.tryLock(file)) == true,
            let now = try? file.status(), now.linkCount > 0
        else { return nil }
        return file
    }
}
