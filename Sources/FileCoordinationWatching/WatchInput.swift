// SPDX-License-Identifier: Apache-2.0
//
// The input of the reconciler: the kernel's notifications, and the results of checks and listings.
// The watcher's thread passes these facts to the reconciler together with the time. The orders that
// the reconciler returns are at the end of this file.

public import FileCoordinationArbiter

/// Identifies a node of the reconciler's tree.
///
/// The ID of a removed node is never given to another.
public struct WatchNodeID: Hashable, Sendable, Comparable {
    let index: UInt32
    let generation: UInt32

    /// Orders nodes by their index in the table.
    ///
    /// Any order would do, but it must always be the same.
    public static func < (one: Self, other: Self) -> Bool {
        (one.index, one.generation) < (other.index, other.generation)
    }
}

/// What a presenter presents.
public enum PresentedKind: Hashable, Sendable {
    /// A file: its presenter is told about this file only.
    case file
    /// A directory: its presenter is told about every item inside.
    case directory
}

/// An inotify event, reduced to what the reconciler needs.
public struct KernelEvent: Hashable, Sendable {
    /// What an event reports.
    ///
    /// The kernel's other bits do not matter here.
    public struct What: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16
        /// Makes a set.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A name was created.
        public static let created = What(rawValue: 1)
        /// A name was removed.
        public static let removed = What(rawValue: 2)
        /// A name was moved out of the directory.
        public static let movedFrom = What(rawValue: 4)
        /// A name was moved into the directory.
        public static let movedTo = What(rawValue: 8)
        /// Contents or attributes were changed.
        public static let changed = What(rawValue: 16)
        /// A program that could write the contents has closed the file.
        public static let closed = What(rawValue: 128)
        /// The watched item itself was removed, moved, or its file system unmounted.
        public static let itselfGone = What(rawValue: 32)
        /// The kernel has ended the watch.
        public static let ended = What(rawValue: 64)
    }

    /// The kernel's number of the watch.
    public var watch: Int32
    /// The kinds of changes that the event reports.
    public var what: What
    /// A number that is equal in the two events of one move; 0 in all other events.
    public var cookie: UInt32
    /// The name in the watched directory, or empty if the event is about the watched item itself.
    public var name: [UInt8]

    /// Makes an event.
    public init(watch: Int32, what: What, cookie: UInt32 = 0, name: [UInt8] = []) {
        self.watch = watch
        self.what = what
        self.cookie = cookie
        self.name = name
    }
}

/// The result of looking at a name or listing a directory.
public enum Found<Value: Sendable>: Sendable {
    /// What was found.
    case seen(Value)
    /// The path no longer leads to the expected directory.
    case elsewhere
    /// The file system reported an error, so what is there is unknown.
    case refused
}

extension Found: Equatable where Value: Equatable {}
extension Found: Hashable where Value: Hashable {}

/// The result of adding a watch.
public enum WatchOutcome: Hashable, Sendable {
    /// The watch was added; this is its number.
    case watching(Int32)
    /// The watch was added, but it only reports changes made on this machine, because the files
    /// belong, for example, to a network file system.
    case watchingLocalChanges(Int32)
    /// The watch could not be added.
    case failed(WatchTrouble)
    /// The path no longer leads to the expected item.
    case elsewhere
}

/// Why an item is polled instead of watched.
public enum WatchTrouble: Hashable, Sendable, CaseIterable {
    /// The user has as many watches as the kernel allows.
    case limit
    /// The user may not read the item.
    case permission
    /// The file system belongs to the network or to another process.
    case remote
    /// The kernel's events do not arrive, as the watcher's test shows.
    case silent
}

/// The changes before watching began that a presenter must be told of.
public struct MissedChanges: Hashable, Sendable {
    /// The changes after this real time are meant, in nanoseconds since 1970.
    public let after: Int64
    /// Whether the item existed at that time: then its absence is one of them.
    public let existed: Bool

    /// Creates a description of such changes.
    public init(after: Int64, existed: Bool) {
        self.after = after
        self.existed = existed
    }
}

/// A fact for the reconciler.
public enum WatchInput: Hashable, Sendable {
    /// A presenter was added.
    ///
    /// `since` is what it knows of its item, or nil if it has not looked at it.
    case presented(
        UInt64, ItemPath, PresentedKind, since: ObservedFile?, missed: MissedChanges? = nil)
    /// A presenter was removed.
    case unpresented(UInt64)
    /// A coordinated writer announced a move, and the presenter's item is at this path now.
    case relocated(UInt64, ItemPath)
    /// The kernel sent an event.
    case notified(KernelEvent)
    /// The kernel dropped events because its queue was full.
    case overflowed
    /// The kernel's queue was found empty.
    case drained
    /// The kernel's queue is not empty at the end of the turn.
    ///
    /// Then it may say where an item is that is missing at its name.
    case behind
    /// A check of a node's name was carried out.
    ///
    /// `isRecent` tells that the item was changed so recently that its times may be the same after
    /// another change; `goneBy` is the time of the directory in which nothing was found.
    case checked(
        WatchNodeID, Found<ObservedFile?>, isRecent: Bool = false, goneBy: Int64? = nil)
    /// A directory was listed.
    case listed(WatchNodeID, Found<[[UInt8]]>)
    /// Adding a watch was attempted in this mode.
    case watched(WatchNodeID, WatchOutcome, WatchOrder.Mode)
    /// The watcher changed its test file; the value says whether the kernel's event arrived.
    case eventsArrive(Bool)
    /// Answer when all changes up to now have been told.
    ///
    /// The number of the question is greater than those of earlier ones.
    case asked(UInt64)
}

/// What the reconciler wants the watcher to do.
public enum WatchOrder: Hashable, Sendable {
    /// Which events a watch asks for.
    public enum Mode: Int, Hashable, Sendable, Comparable {
        /// Events of the item itself.
        case item = 1
        /// Changes of names, in a directory on the path to a presented item.
        case names = 2
        /// Both, for a directory that has taken the name of a presented file.
        case itemAndNames = 3
        /// Names and changes in a directory that is presented, at any depth.
        case tree = 4

        /// Orders the modes so that a greater one asks for more events.
        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Watch the item at a path if it is the expected one.
    case watch(WatchNodeID, ItemPath, expected: FileIdentity, Mode)
    /// Remove a watch.
    case unwatch(Int32)
    /// List the directory at a path if it is the expected one.
    case list(WatchNodeID, ItemPath, expected: FileIdentity)
    /// Look at a name in the directory at a path if that is the expected one.
    case check(WatchNodeID, name: [UInt8], directory: ItemPath, expected: FileIdentity)
}
