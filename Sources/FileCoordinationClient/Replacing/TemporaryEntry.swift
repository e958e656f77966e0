// SPDX-License-Identifier: Apache-2.0
//
// Temporary names in users' directories, for files that their program keeps locked; the kernel
// releases the lock when that program ends. So the next program that works in the same directory
// can recognize and remove what a killed program left.

import FileCoordinationSystem
import Glibc

/// Temporary names of locked files.
enum TemporaryEntry {
    private static let prefix = Array(".filecoord-".utf8)
    private static let suffix = Array(".spool".utf8)
    private static let digits = 16

    /// Makes a name for a file that is locked.
    static func spoolName() -> [UInt8] {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return prefix + Array((String(repeating: "0", count: digits - text.count) + text).utf8)
            + suffix
    }

    /// Removes as far as possible what dead programs of this user have left in `directory`.
    static func sweep(_ directory: Descriptor) {
        // A directory that cannot be listed is swept another time.
        for entry in (try? directory.names()) ?? [] where isSpoolName(entry) {
            guard let lock = seize(entry, in: directory) else { continue }
            // What stays is swept by the next command.
            withExtendedLifetime(lock) { try? directory.removeEntry(entry) }
        }
    }

    private static func isSpoolName(_ entry: [UInt8]) -> Bool {
        entry.count == prefix.count + digits + suffix.count && entry.starts(with: prefix)
            && entry.suffix(suffix.count).elementsEqual(suffix)
            && entry.dropFirst(prefix.count).prefix(digits).allSatisfy { isDigit($0) }
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
