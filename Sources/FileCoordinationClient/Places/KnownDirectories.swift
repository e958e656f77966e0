// SPDX-License-Identifier: Apache-2.0
//
// Directories of which it is known where they are: of an item in one of them only the item has to
// be looked at. Where many are looked at, all are at once: what was a plain file then is one until
// the watch of the directory tells something of that name.

import FileCoordinationArbiter
import FileCoordinationSystem

/// A directory whose place is known, and for how long.
struct KnownDirectory {
    /// Those of the packages that are or contain it.
    let packageDepths: [Int]
    let watch: Int32
    /// In monotonic nanoseconds.
    let expires: UInt64
}

/// Those of a cache.
struct KnownDirectories {
    /// By path.
    private var directories: [[UInt8]: KnownDirectory] = [:]
    /// The one that was asked for last.
    private var recent: (path: [UInt8], directory: KnownDirectory)?
    /// The plain files in a directory, by its watch; none if there are too many.
    private var listings: [Int32: Listing] = [:]
    /// How many items of a directory were looked at by themselves.
    private var looks: [Int32: Int] = [:]
    /// Directories in which one item was looked for, and of which nothing is known.
    private var usedOnce: Set<HashedKey<[UInt8]>> = []
    /// How often something was told that may concern what is listed.
    private(set) var tellings = 0

    private struct Listing {
        var files: Set<HashedKey<[UInt8]>>
        /// What a watch does not tell is looked at again after a moment.
        let expires: UInt64
    }

    /// How many items of a directory are looked at before it is read as a whole.
    private static let fewLooks = 32
    /// Of a directory with more, nothing is listed.
    static let nameLimit = 16_384
    private static let listingLimit = 8
    private static let usedOnceLimit = 4096

    mutating func insert(_ directory: KnownDirectory, at path: [UInt8]) {
        directories[path] = directory
        recent = nil
    }

    /// The directory that the item at a path is in.
    ///
    /// - Parameter now: the monotonic time.
    mutating func directory(of path: ItemPath, now: UInt64) -> KnownDirectory? {
        if let recent, path.isNamed(in: recent.path) {
            return now < recent.directory.expires ? recent.directory : nil
        }
        let bytes = path.directoryBytes
        guard let known = directories[bytes], now < known.expires else { return nil }
        recent = (bytes, known)
        return known
    }

    /// Records that an item is looked for in a directory of which nothing is known; returns whether
    /// that is the first time.
    mutating func recordFirstLook(inDirectoryAt path: [UInt8]) -> Bool {
        if usedOnce.count >= Self.usedOnceLimit { usedOnce = [] }
        return usedOnce.insert(HashedKey(path)).inserted
    }

    // MARK: Listings

    /// Whether there is a plain file at a path in this directory, and that is known.
    ///
    /// - Parameter now: the monotonic time.
    func isFile(_ path: ItemPath, in directory: KnownDirectory, now: UInt64) -> Bool {
        guard let listing = listings[directory.watch], now < listing.expires else { return false }
        return listing.files.contains(HashedKey(path.nameBytes))
    }

    /// Records that an item was looked at by itself; returns whether to read the whole directory.
    mutating func countLook(in directory: KnownDirectory, now: UInt64) -> Bool {
        if let listing = listings[directory.watch], now < listing.expires { return false }
        looks[directory.watch, default: 0] += 1
        return looks[directory.watch, default: 0] % Self.fewLooks == 0
    }

    /// Records what was listed; nil for too many.
    mutating func store(_ names: [[UInt8]]?, in directory: KnownDirectory, until expires: UInt64) {
        if listings.count >= Self.listingLimit { listings = [:] }
        let files = Set((names ?? []).map { HashedKey($0) })
        listings[directory.watch] = Listing(files: files, expires: expires)
        looks[directory.watch] = nil
    }

    /// Forgets what an event may concern.
    mutating func forget(_ name: [UInt8], in watch: Int32) {
        tellings &+= 1
        listings[watch]?.files.remove(HashedKey(name))
    }
}

extension ItemPath {
    /// The path of the directory that it is in; not of the root.
    var directoryBytes: [UInt8] {
        let bytes = bytes
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return end == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<end])
    }

    /// Whether it is directly inside the directory of this path.
    fileprivate func isNamed(in directory: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { own in
            directory.withUnsafeBufferPointer { directory in
                own.count > directory.count && own[directory.count] == UInt8(ascii: "/")
                    && directory.count > 1 && own[..<directory.count].elementsEqual(directory)
                    && !own[(directory.count + 1)...].contains(UInt8(ascii: "/"))
            }
        }
    }

    /// The last component; not of the root.
    var nameBytes: [UInt8] {
        let bytes = bytes
        return Array(bytes[((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...])
    }
}
