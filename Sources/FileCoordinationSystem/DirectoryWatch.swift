// SPDX-License-Identifier: Apache-2.0
//
// The kernel's notifications about changes in directories.

internal import CFileCoordinationSystem
import Glibc

/// Watched directories and files (inotify).
///
/// May be used from any thread.
public final class DirectoryWatch: Sendable {
    /// Kinds of changes.
    public struct Changes: OptionSet, Hashable, Sendable {
        /// The kernel's bits.
        public let rawValue: UInt32

        /// Creates a set from bits.
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// A name was created in the directory.
        public static let created = Changes(rawValue: UInt32(IN_CREATE))
        /// A name was removed.
        public static let removed = Changes(rawValue: UInt32(IN_DELETE))
        /// A name was moved away; ``Event/cookie`` connects the event with ``movedTo``.
        public static let movedFrom = Changes(rawValue: UInt32(IN_MOVED_FROM))
        /// A name was moved here.
        public static let movedTo = Changes(rawValue: UInt32(IN_MOVED_TO))
        /// Contents were written.
        public static let modified = Changes(rawValue: UInt32(IN_MODIFY))
        /// A file that was open for writing was closed.
        public static let closedAfterWriting = Changes(rawValue: UInt32(IN_CLOSE_WRITE))
        /// Permissions, times, owner or the number of links changed.
        public static let attributes = Changes(rawValue: UInt32(IN_ATTRIB))
        /// The watched item itself was removed.
        public static let itselfRemoved = Changes(rawValue: UInt32(IN_DELETE_SELF))
        /// The watched item itself was moved.
        public static let itselfMoved = Changes(rawValue: UInt32(IN_MOVE_SELF))
        /// Reported only: the name belongs to a directory.
        public static let isDirectory = Changes(rawValue: UInt32(IN_ISDIR))
        /// Reported only: the watch has ended.
        public static let watchEnded = Changes(rawValue: UInt32(IN_IGNORED))
        /// Reported only: the file system was unmounted.
        public static let unmounted = Changes(rawValue: UInt32(IN_UNMOUNT))
        /// Requested only: fail if the item is not a directory.
        public static let onlyOfDirectory = Changes(rawValue: UInt32(IN_ONLYDIR))
        static let overflow = Changes(rawValue: UInt32(IN_Q_OVERFLOW))
    }

    /// One event.
    public struct Event: Hashable, Sendable {
        /// The watch, as returned by ``DirectoryWatch/add(_:_:)-(String,_)``.
        public let watch: Int32
        /// The kinds of changes that the event reports.
        public let changes: Changes
        /// A number that is equal in the two events of one move; otherwise 0.
        public let cookie: UInt32
        /// The name in the watched directory; empty for an event of the watched item itself.
        public let name: [UInt8]
    }

    /// Events in order, and whether some were lost.
    public struct Batch: Hashable, Sendable {
        /// The events.
        public var events: [Event] = []
        /// Whether the kernel has dropped events; everything watched must be examined again then.
        public var overflowed = false
    }

    /// Readable while there are events, for a ``Poller``.
    public let descriptor: Descriptor

    /// Creates an instance without watches.
    ///
    /// Throws ``ErrorNumber/tooManyOpenFiles`` also if the user has too many instances.
    public init() throws(SystemError) {
        // A child that read events would take them from its parent.
        descriptor = Descriptor(
            adopting: try check(fcs_watch(), "make a directory watch"), inForkedChild: .closed)
    }

    /// Watches the item at `path`.
    ///
    /// Returns the number of the watch.
    ///
    /// Watching an item again replaces the kinds of changes. Throws ``ErrorNumber/noSpace`` if the
    /// user has too many watches.
    public func add(_ path: [UInt8], _ changes: Changes) throws(SystemError) -> Int32 {
        let name = try CName(path, for: "watch")
        let result = unsafe name.withPointer {
            unsafe fcs_watch_add(descriptor.number, $0, changes.rawValue)
        }
        return try check(result, "watch \(name)")
    }

    /// Watches the item at a path in a string.
    public func add(_ path: String, _ changes: Changes) throws(SystemError) -> Int32 {
        try add(Array(path.utf8), changes)
    }

    /// Watches an open directory, whatever its present path is.
    public func add(_ directory: Directory, _ changes: Changes) throws(SystemError) -> Int32 {
        try add("/proc/thread-self/fd/\(directory.descriptor.number)/.", changes)
    }

    /// Ends a watch; a last event, ``Changes/watchEnded``, follows.
    public func remove(_ watch: Int32) throws(SystemError) {
        try check(fcs_watch_remove(descriptor.number, watch), "end watch \(watch)")
    }

    /// Whether there are unread events; takes one short system call.
    ///
    /// Callers that ask very often use a ``ReadinessCheck`` of the descriptor. A change that is
    /// complete has an event: the kernel adds it before the system call that caused the change
    /// returns.
    public var hasNews: Bool { descriptor.hasInput }

    /// Whether all changes at `path` are made by this kernel, so that none can escape a watch.
    ///
    /// False for network file systems and those of another process.
    ///
    /// Blocks as long as the file system does.
    public static func seesEverything(at path: [UInt8]) -> Bool {
        // A path with a null byte leads nowhere.
        guard let name = try? CName(path, for: "look at the file system of") else { return false }
        return unsafe name.withPointer { unsafe fcs_is_local($0) } == 1
    }

    /// Reads the events, without waiting.
    public func read() throws(SystemError) -> Batch {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 8)
        defer { unsafe buffer.deallocate() }
        guard let base = buffer.baseAddress else { return Batch() }
        let filled = unsafe fcs_read_now(descriptor.number, base, buffer.count)
        guard filled != -Int(EAGAIN) else { return Batch() }
        try check(filled, "read notices")
        return unsafe Self.parse(UnsafeRawBufferPointer(start: base, count: filled))
    }

    /// Parses `struct inotify_event`s: watch, mask, cookie, length of the name, name.
    private static func parse(_ bytes: UnsafeRawBufferPointer) -> Batch {
        let header = 16
        var batch = Batch()
        var offset = 0
        while offset + header <= bytes.count {
            func word(_ index: Int) -> UInt32 {
                unsafe bytes.loadUnaligned(fromByteOffset: offset + index * 4, as: UInt32.self)
            }
            let next = offset + header + Int(word(3))
            guard next <= bytes.count else { break }
            let changes = Changes(rawValue: word(1))
            if changes.contains(.overflow) {
                batch.overflowed = true
            } else {
                let name = unsafe Array(bytes[offset + header..<next].prefix { $0 != 0 })
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
