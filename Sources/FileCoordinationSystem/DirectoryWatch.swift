// SPDX-License-Identifier: Apache-2.0
//
// The kernel's notices about changes in directories.

internal import CFileCoordinationSystem
import Glibc

/// Watched directories and files (inotify).
///
/// May be used from any thread.
public final class DirectoryWatch: Sendable {
    /// Kinds of change.
    public struct Changes: OptionSet, Hashable, Sendable {
        /// The kernel's bits.
        public let rawValue: UInt32

        /// Makes a set of bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A name was created in the directory.
        public static let created = Changes(rawValue: UInt32(IN_CREATE))
        /// A name was removed.
        public static let removed = Changes(rawValue: UInt32(IN_DELETE))
        /// A name was moved away; ``Event/cookie`` pairs it with ``movedTo``.
        public static let movedFrom = Changes(rawValue: UInt32(IN_MOVED_FROM))
        /// A name was moved to here.
        public static let movedTo = Changes(rawValue: UInt32(IN_MOVED_TO))
        /// Contents were written.
        public static let modified = Changes(rawValue: UInt32(IN_MODIFY))
        /// A file that was open for writing was closed.
        public static let closedAfterWriting = Changes(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Permissions, times, owner or the number of names changed.
        public static let attributes = Changes(rawValue: UInt32(IN_ATTRIB))
        /// The watched item itself was removed.
        public static let itselfRemoved = Changes(rawValue: UInt32(IN_DELETE_SELF))
        /// The watched item itself was moved.
        public static let itselfMoved = Changes(rawValue: UInt32(IN_MOVE_SELF))
        /// Reported only: the name is a directory's.
        public static let isDirectory = Changes(rawValue: UInt32(IN_ISDIR))
        /// Reported only: the watch is over.
        public static let watchEnded = Changes(rawValue: UInt32(IN_IGNORED))
        /// Reported only: the file system was unmounted.
        public static let unmounted = Changes(rawValue: UInt32(IN_UNMOUNT))
        /// Asked for only: fail for what is no directory.
        public static let onlyOfDirectory = Changes(rawValue: UInt32(IN_ONLYDIR))
        static let overflow = Changes(rawValue: UInt32(IN_Q_OVERFLOW))
    }

    /// One notice.
    public struct Event: Hashable, Sendable {
        /// What ``DirectoryWatch/add(_:_:)-(String,_)`` returned.
        public let watch: Int32
        /// What happened.
        public let changes: Changes
        /// Equal in the two notices of one move; else 0.
        public let cookie: UInt32
        /// The name in the watched directory; empty if the notice is about the watched item itself.
        public let name: [UInt8]
    }

    /// Notices in order, and whether some are missing.
    public struct Batch: Hashable, Sendable {
        /// What was read.
        public var events: [Event] = []
        /// The kernel dropped notices: everything watched must be looked at anew.
        public var overflowed = false
    }

    /// Readable while there are notices, for a ``Poller``.
    public let descriptor: Descriptor

    /// Makes a watch of nothing.
    ///
    /// ``ErrorNumber/tooManyOpenFiles`` also if the user has too many.
    public init() throws(SystemError) {
        // A child that read notices would take them from the parent.
        descriptor = Descriptor(
            adopting: try check(fcs_watch(), "make a directory watch"), inForkedChild: .closed)
    }

    /// Watches the item at `path`; returns the watch's number.
    ///
    /// Watching it again changes what for.
    ///
    /// ``ErrorNumber/noSpace`` if the user has too many watches.
    public func add(_ path: [UInt8], _ changes: Changes) throws(SystemError) -> Int32 {
        let name = try CName(path, for: "watch")
        let result = name.withPointer {
            fcs_watch_add(descriptor.number, $0, changes.rawValue)
        }
        return try check(result, "watch \(name)")
    }

    /// The same for a path in a string.
    public func add(_ path: String, _ changes: Changes) throws(SystemError) -> Int32 {
        try add(Array(path.utf8), changes)
    }

    /// Watches an open directory, whatever its path is by now.
    public func add(_ directory: Directory, _ changes: Changes) throws(SystemError) -> Int32 {
        try add("/proc/self/fd/\(directory.descriptor.number)/.", changes)
    }

    /// Stops a watch; a last notice, ``Changes/watchEnded``, follows.
    public func remove(_ watch: Int32) throws(SystemError) {
        try check(fcs_watch_remove(descriptor.number, watch), "end watch \(watch)")
    }

    /// Whether there is anything to read: one short call to the kernel.
    ///
    /// A ``ReadinessCheck`` of the descriptor is for those who ask very often. What was
    /// changed in a watched directory, and is done, has left its notice: the kernel makes that
    /// before the call which changed something returns.
    public var hasNews: Bool { descriptor.hasInput }

    /// Whether all changes at `path` are made by this kernel, so that none can pass a watch by: not
    /// on file systems of a network, or of another process.
    ///
    /// Blocks as long as the file system does.
    public static func seesEverything(at path: [UInt8]) -> Bool {
        guard let name = try? CName(path, for: "look at the file system of") else { return false }
        return name.withPointer { fcs_is_local($0) } == 1
    }

    /// Reads what has come, without waiting.
    public func read() throws(SystemError) -> Batch {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 8)
        defer { buffer.deallocate() }
        guard let base = buffer.baseAddress else { return Batch() }
        let filled = fcs_read_now(descriptor.number, base, buffer.count)
        guard filled != -Int(EAGAIN) else { return Batch() }
        try check(filled, "read notices")
        return Self.parse(UnsafeRawBufferPointer(start: base, count: filled))
    }

    /// Reads a row of `struct inotify_event`s: watch, mask, cookie, length of the name, name.
    private static func parse(_ bytes: UnsafeRawBufferPointer) -> Batch {
        let header = 16
        var batch = Batch()
        var offset = 0
        while offset + header <= bytes.count {
            func word(_ index: Int) -> UInt32 {
                bytes.loadUnaligned(fromByteOffset: offset + index * 4, as: UInt32.self)
            }
            let next = offset + header + Int(word(3))
            guard next <= bytes.count else { break }
            let changes = Changes(rawValue: word(1))
            if changes.contains(.overflow) {
                batch.overflowed = true
            } else {
                let name = Array(bytes[offset + header..<next].prefix { $0 != 0 })
                batch.events.append(
                    Event(
                        watch: Int32(bitPattern: word(0)), changes: changes, cookie: word(2),
                        name: name))
            }
            offset = next
        }
        return batch
    }
}
