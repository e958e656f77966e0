// SPDX-License-Identifier: Apache-2.0
//
// What the reconciler is told. Inputs are facts: what the kernel's queue said, what a look or a
// list found, which claims began and ended. The clock comes with each of them.

public import FileCoordinationArbiter

/// Names one node of the reconciler's tree; never used again for another node.
public struct WatchNodeID: Hashable, Sendable, Comparable {
    let index: UInt32
    let generation: UInt32

    /// Orders nodes by their place in the table: any order will do, if it is always the same.
    public static func < (one: Self, other: Self) -> Bool {
        (one.index, one.generation) < (other.index, other.generation)
    }
}

/// What is presented.
public enum PresentedKind: Hashable, Sendable {
    /// A file: the presenter is told about it alone.
    case file
    /// A directory: the presenter is told about everything inside.
    case directory
    /// A package: the presenter is told about everything inside, and that its item has changed.
    case package

    var isTree: Bool { self != .file }
}

/// A notification of the kernel.
public struct KernelEvent: Hashable, Sendable {
    /// What a notification can say; the rest of the kernel's bits does not matter here.
    public struct What: OptionSet, Hashable, Sendable {
        /// The bits.
        public let rawValue: UInt16
        /// Makes a set.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// A name was created.
        public static let created = What(rawValue: 1)
        /// A name was removed.
        public static let removed = What(rawValue: 2)
        /// A name was moved away.
        public static let movedFrom = What(rawValue: 4)
        /// A name was moved here.
        public static let movedTo = What(rawValue: 8)
        /// Contents or attributes were changed.
        public static let changed = What(rawValue: 16)
        /// The watched item itself was removed, moved, or its file system unmounted.
        public static let itselfGone = What(rawValue: 32)
        /// The watch has ended.
        public static let ended = What(rawValue: 64)
    }

    /// The watch's number.
    public var watch: Int32
    /// What happened.
    public var what: What
    /// Equal in the two notifications of one move; else 0.
    public var cookie: UInt32
    /// The name in the watched directory; empty if it is about the watched item.
    public var name: [UInt8]

    /// Makes a notification.
    public init(watch: Int32, what: What, cookie: UInt32 = 0, name: [UInt8] = []) {
        self.watch = watch
        self.what = what
        self.cookie = cookie
        self.name = name
    }
}

/// What a look at a name, or a list of a directory, found.
public enum Found<Value: Sendable>: Sendable {
    /// What was asked for.
    case seen(Value)
    /// The path of the directory leads to another one by now, or nowhere.
    case elsewhere
    /// The file system refused; what is there is not known.
    case refused
}

extension Found: Equatable where Value: Equatable {}
extension Found: Hashable where Value: Hashable {}

/// How adding a watch ended.
public enum WatchOutcome: Hashable, Sendable {
    /// The kernel notifies under this number.
    case watching(Int32)
    /// The kernel notifies of what is done on this machine only: the file system is another's.
    case deaf(Int32)
    /// There is no watch.
    case failed(WatchTrouble)
    /// The path leads to another item by now, or nowhere.
    case elsewhere
}

/// Why changes are looked for at intervals instead of being notified.
public enum WatchTrouble: Hashable, Sendable, CaseIterable {
    /// The user's limit of watches is reached.
    case limit
    /// The item may not be read.
    case permission
    /// The file system belongs to the network or to another process.
    case remote
    /// The kernel's notifications do not arrive.
    case silent
}

/// What a claim did to one of its items.
public struct ClaimedChange: Hashable, Sendable {
    /// The item.
    public var path: ItemPath
    /// What was there when the access was granted; nil if nothing.
    public var before: FileSight?
    /// What was there when the accessor had returned; nil if nothing.
    public var after: FileSight?

    /// Makes an outcome.
    public init(path: ItemPath, before: FileSight?, after: FileSight?) {
        self.path = path
        self.before = before
        self.after = after
    }
}

/// A fact for the reconciler.
public enum WatchInput: Hashable, Sendable {
    /// A presenter was added. `since` is what it knows of its item; nil if it has not looked.
    /// `changedAfter`: it is told if anything was changed later than this, in nanoseconds since
    /// 1970.
    case presented(
        UInt64, ItemPath, PresentedKind, since: FileSight?, changedAfter: Int64? = nil)
    /// A presenter was removed.
    case unpresented(UInt64)
    /// A presenter follows a move that a coordinated writer announced.
    case relocated(UInt64, ItemPath)
    /// The kernel notified.
    case notified(KernelEvent)
    /// The kernel dropped notifications.
    case overflowed
    /// The kernel's queue was found empty.
    case drained
    /// A look at a node's name is done.
    case looked(WatchNodeID, Found<FileSight?>)
    /// A list of a directory is done.
    case listed(WatchNodeID, Found<[[UInt8]]>)
    /// An attempt to watch is done.
    case watched(WatchNodeID, WatchOutcome)
    /// Whether the kernel's notifications arrive at all, as the watcher's own test event showed.
    case hearing(Bool)
    /// A coordinated writer was granted access to these items.
    case claimBegan(UInt64, [ItemPath])
    /// A coordinated writer was found, which was granted access to these items before: presenters
    /// may have been told of what it did in part.
    case claimFound(UInt64, [ItemPath])
    /// That access is over. An item without an outcome may have changed in any way.
    case claimEnded(UInt64, [ClaimedChange])
}

/// What the reconciler wants done.
public enum WatchOrder: Hashable, Sendable {
    /// Which notifications a watch is for.
    public enum Mode: Int, Hashable, Sendable, Comparable {
        /// What happens to the item itself.
        case item = 1
        /// Names in a directory on the way to something presented.
        case names = 2
        /// The same of a directory that a file's presenter presents: it has taken a file's name.
        case itemAndNames = 3
        /// Names and changes in a directory that is presented, at any depth.
        case tree = 4

        /// A greater mode is notified of more.
        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// Watch the item at a path, if it is the expected one.
    case watch(WatchNodeID, ItemPath, expected: FileIdentity, Mode)
    /// End a watch.
    case unwatch(Int32)
    /// List a directory, if it is the expected one.
    case list(WatchNodeID, ItemPath, expected: FileIdentity)
    /// Look at a name in a directory, if it is the expected one.
    case look(WatchNodeID, name: [UInt8], directory: ItemPath, expected: FileIdentity)
}
