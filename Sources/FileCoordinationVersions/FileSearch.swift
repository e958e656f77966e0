// SPDX-License-Identifier: Apache-2.0
//
// Looks for a file that is no longer at its path. The kernel does not let ordinary users find a
// file by its inode number. So this searches the file's directory with everything in it, then the
// directory above, and so on, up to a limit. It does not find a file that was moved farther without
// an announcement. A file on a disk that is not mounted may still exist, so it does not count as
// deleted.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc

/// Looks for a file by its identity.
enum FileSearch {
    /// The greatest number of names to look at, which takes some milliseconds.
    static let nameLimit = 4096

    /// Whether the file is near `place` under another path, or may be where nothing can be seen
    /// now.
    static func finds(_ identity: ItemIdentity, around place: ItemPath) -> Bool {
        var directory = place
        var (found, isParent) = (Self.device(of: place.parent.bytes), true)
        // The directory itself may have been moved.
        while found == nil, directory.depth > 1 {
            directory = directory.parent
            (found, isParent) = (Self.device(of: directory.parent.bytes), false)
        }
        guard let device = found else { return false }
        // A device number may change at a reboot. But where the directory is missing or empty, its
        // disk is not mounted.
        if device != identity.device, !isParent || isEmpty(directory.parent.bytes) { return true }
        var search = Search(identity: identity, place: place.bytes, device: device)
        while directory.depth > 0, search.rest > 0 {
            let inner = directory
            directory = directory.parent
            guard Self.device(of: directory.bytes) == device else { return false }
            if search.finds(in: directory.bytes, except: inner.bytes) { return true }
        }
        return false
    }

    /// The device number of a directory, or nil if it cannot be determined.
    private static func device(of path: [UInt8]) -> UInt64? {
        // This is what the caller is told.
        (try? FileStatus(path: path, followLinks: false))?.device
    }

    private static func isEmpty(_ path: [UInt8]) -> Bool {
        // A directory that cannot be read is not known to be empty.
        (try? Descriptor.entries(at: path, limit: 1))?.isEmpty ?? false
    }

    private struct Search {
        let identity: ItemIdentity
        let place: [UInt8]
        /// The device of the path.
        ///
        /// The file is on no other one, and other ones may be slow.
        let device: UInt64
        /// Where other file systems are mounted, which may not answer at all.
        let mounts = Set(MountInformation.mounts(parsing: MountInformation.lines).map(\.point))
        /// How many names may still be looked at.
        var rest = FileSearch.nameLimit

        /// Searches a directory with everything in it except `seen`, breadth first.
        mutating func finds(in top: [UInt8], except seen: [UInt8]) -> Bool {
            var next = [top]
            while !next.isEmpty, rest > 0 {
                let directory = next.removeFirst()
                // What the process may not read is not searched.
                let entries = (try? Descriptor.entries(at: directory, limit: rest)) ?? []
                rest -= entries.count
                let prefix = directory.count > 1 ? directory + [UInt8(ascii: "/")] : directory
                for entry in entries {
                    let path = prefix + entry.name
                    if entry.inode == identity.inode, path != place, !mounts.contains(path),
                        isFile(path)
                    {
                        return true
                    }
                    guard entry.isDirectory, path != seen, !mounts.contains(path) else { continue }
                    if FileSearch.device(of: path) == device { next.append(path) }
                }
            }
            return false
        }

        private func isFile(_ path: [UInt8]) -> Bool {
            guard let place = ItemPath(bytes: path), let found = ItemIdentity(of: place) else {
                return false
            }
            switch found.compared(with: identity) {
            case .same, .sameElsewhere: return true
            // If the file system only has inode numbers, they may have been used again.
            case .perhaps, .different: return false
            }
        }
    }
}
