// SPDX-License-Identifier: Apache-2.0
//
// Directories whose place is cached. To find an item in such a directory, only the item itself has
// to be examined. If many items of a directory are used, the whole directory is listed once: a name
// that was a plain file then still is one until the directory's watch reports an event about it.

import FileCoordinationArbiter
import FileCoordinationSystem

/// A directory whose place is cached.
struct KnownDirectory {
    /// The depths of the packages that are or contain it.
    let packageDepths: [Int]
    let watch: Int32
    /// When the entry expires.
    let expires: Instant
}

/// The directories of one cache.
struct KnownDirectories {
    /// By path.
    private var directories: [HashedKey<[UInt8]>: KnownDirectory] = [:]
    /// The directory that was used last.
    private var recent: (path: [UInt8], directory: KnownDirectory)?
    /// The names of plain files in a directory, by its watch; empty if there are too many.
    private var listings: [Int32: Listing] = [:]
    /// The number of items of a directory that were examined one by one.
    private var examined: [Int32: Int] = [:]
    /// Directories that are not cached and in which one item was looked up.
    private var usedOnce: Set<HashedKey<[UInt8]>> = []
    /// The number of events so far that may concern listings.
    private(set) var tellings = 0

    private struct Listing {
        var files: Set<HashedKey<[UInt8]>>
        /// When the listing expires, because a watch does not report everything.
        let expires: Instant
    }

    /// The number of items of a directory that are examined one by one before it is listed.
    private static let itemsBeforeListing = 32
    /// A directory with more names is not listed.
    static let nameLimit = 16_384
    /// The most directories whose names are kept.
    private static let listingLimit = 8
    /// The most directories that were used once; beyond that, they are forgotten.
    private static let usedOnceLimit = 4096

    mutating func insert(_ directory: KnownDirectory, at path: [UInt8]) {
        directories[HashedKey(bytes: path)] = directory
        recent = nil
    }

    /// Looks up the cached directory that contains the item at a path.
    ///
    /// - Parameters:
    ///   - path: the path of the item.
    ///   - now: the monotonic time.
    /// - Returns: the directory; nil if it is not cached, or its entry has expired.
    mutating func directory(of path: ItemPath, now: Instant) -> KnownDirectory? {
        if let recent, path.isNamed(in: recent.path) {
            return now < recent.directory.expires ? recent.directory : nil
        }
        let bytes = path.directoryBytes
        guard let known = directories[HashedKey(bytes: bytes)], now < known.expires else {
            return nil
        }
        recent = (bytes, known)
        return known
    }

    /// Records the lookup of an item in a directory that is not cached.
    ///
    /// Returns whether it is the first one there.
    mutating func recordFirstLookup(inDirectoryAt path: [UInt8]) -> Bool {
        if usedOnce.count >= Self.usedOnceLimit { usedOnce = [] }
        return usedOnce.insert(HashedKey(bytes: path)).inserted
    }

    // MARK: Listings

    /// Whether it is known that a plain file is at a path in this directory.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - directory: the cached directory that contains it.
    ///   - now: the monotonic time.
    /// - Returns: false also if the directory was not listed, or the listing has expired.
    func isFile(_ path: ItemPath, in directory: KnownDirectory, now: Instant) -> Bool {
        guard let listing = listings[directory.watch], now < listing.expires else { return false }
        return listing.files.contains(HashedKey(bytes: path.nameBytes))
    }

    /// Counts an item that was examined by itself.
    ///
    /// Returns whether the directory should be listed.
    mutating func countLookup(in directory: KnownDirectory, now: Instant) -> Bool {
        if let listing = listings[directory.watch], now < listing.expires { return false }
        examined[directory.watch, default: 0] += 1
        return examined[directory.watch, default: 0] % Self.itemsBeforeListing == 0
    }

    /// Stores the names of plain files in a directory; nil if there are too many.
    mutating func store(_ names: [[UInt8]]?, in directory: KnownDirectory, until expires: Instant) {
        if listings.count >= Self.listingLimit { listings = [:] }
        let files = Set((names ?? []).map { HashedKey(bytes: $0) })
        listings[directory.watch] = Listing(files: files, expires: expires)
        examined[directory.watch] = nil
    }

    /// Discards what an event may concern.
    mutating func forget(_ name: [UInt8], in watch: Int32) {
        tellings &+= 1
        listings[watch]?.files.remove(HashedKey(bytes: name))
    }
}

extension ItemPath {
    /// The path of the directory that contains the item.
    ///
    /// Not for the root.
    var directoryBytes: [UInt8] {
        let bytes = bytes
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return end == 0 ? [UInt8(ascii: "/")] : Array(bytes[..<end])
    }

    /// Whether the item is directly inside the directory with this path.
    fileprivate func isNamed(in directory: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { own in
            unsafe directory.withUnsafeBufferPointer { directory in
                unsafe own.count > directory.count && own[directory.count] == UInt8(ascii: "/")
                    && directory.count > 1 && own[..<directory.count].elementsEqual(directory)
                    && !own[(directory.count + 1)...].contains(UInt8(ascii: "/"))
            }
        }
    }

    /// The last component.
    ///
    /// Not for the root.
    var nameBytes: [UInt8] {
        let bytes = bytes
        return Array(bytes[((bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)...])
    }
}
