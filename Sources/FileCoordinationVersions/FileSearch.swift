// SPDX-License-Identifier: Apache-2.0
//
// Whether a file that is not at its place any more is somewhere else. The kernel finds no file by
// its number for ordinary users, so the neighbourhood of the place is looked through: its directory
// with all that is in it, then the directory around that, and so on, up to a number of names. A
// file that was moved farther, without an announcement, is not found.

import FileCoordinationArbiter
import FileCoordinationSystem
import Glibc

/// Looking for a file by its identity.
enum FileSearch {
    /// How many names are looked at: some milliseconds.
    static let nameLimit = 4096

    /// Whether the file is near `place`, under another name than that.
    static func finds(_ identity: ItemIdentity, around place: ItemPath) -> Bool {
        guard let device = Self.device(of: place.parent.bytes) else { return false }
        var search = Search(identity: identity, place: place.bytes, device: device)
        var directory = place
        while directory.depth > 0, search.rest > 0 {
            let inner = directory
            directory = directory.parent
            guard Self.device(of: directory.bytes) == device else { return false }
            if search.looks(through: directory.bytes, except: inner.bytes) { return true }
        }
        return false
    }

    /// Which file system a directory is on; nil where that cannot be told.
    private static func device(of path: [UInt8]) -> UInt64? {
        (try? FileStatus(path: path, followLinks: false))?.device
    }

    private struct Search {
        let identity: ItemIdentity
        let place: [UInt8]
        /// The file system of the place: the file is on no other, and others may be slow.
        let device: UInt64
        /// How many names may still be looked at.
        var rest = FileSearch.nameLimit

        /// Looks through a directory and all that is in it, but for `seen`; breadth first.
        mutating func looks(through top: [UInt8], except seen: [UInt8]) -> Bool {
            var next = [top]
            while !next.isEmpty, rest > 0 {
                let directory = next.removeFirst()
                let entries = (try? RawDirectory.entries(at: directory, limit: rest)) ?? []
                rest -= entries.count
                let prefix = directory.count > 1 ? directory + [UInt8(ascii: "/")] : directory
                for entry in entries {
                    let path = prefix + entry.name
                    if entry.inode == identity.inode, path != place, isIt(path) { return true }
                    guard entry.isDirectory, path != seen else { continue }
                    if FileSearch.device(of: path) == device { next.append(path) }
                }
            }
            return false
        }

        private func isIt(_ path: [UInt8]) -> Bool {
            guard let place = ItemPath(bytes: path), let found = ItemIdentity(of: place) else {
                return false
            }
            switch found.compared(with: identity) {
            case .same, .sameElsewhere: return true
            // Where files have nothing but numbers, those are used again.
            case .perhaps, .different: return false
            }
        }
    }
}
