// SPDX-License-Identifier: Apache-2.0
//
// The log of a claim: the announcements of its accessor and, at the end, the outcomes for its
// items. The client appends entries to the claim's ledger record and never changes them. A reader
// remembers how many bytes it has handled.

public import FileCoordinationArbiter

/// The status of an item that a claimant saw at one instant.
public struct ItemProperties: Hashable, Sendable {
    /// The device number of the file system.
    public var device: UInt64
    /// The inode number.
    public var inode: UInt64
    /// The file type and permissions.
    public var mode: UInt32
    /// The user ID of the owner.
    public var owner: UInt32
    /// The group ID of the owner.
    public var group: UInt32
    /// The size in bytes.
    public var size: UInt64
    /// The time of the last modification, in nanoseconds since 1970.
    public var modified: Int64
    /// The time of the last status change, in nanoseconds since 1970.
    public var changed: Int64
    /// The number of hard links.
    public var linkCount: UInt64

    /// Whether the item is a directory.
    public var isDirectory: Bool { mode & 0o170000 == 0o040000 }

    /// Creates a status.
    public init(
        device: UInt64, inode: UInt64, mode: UInt32, owner: UInt32, group: UInt32, size: UInt64,
        modified: Int64, changed: Int64, linkCount: UInt64
    ) {
        self.device = device
        self.inode = inode
        self.mode = mode
        self.owner = owner
        self.group = group
        self.size = size
        self.modified = modified
        self.changed = changed
        self.linkCount = linkCount
    }
}

/// The status of an item before and after the accessor; nil if the item did not exist.
public struct ItemChange: Hashable, Sendable {
    /// The status before the accessor ran.
    public var before: ItemProperties?
    /// The status after the accessor returned.
    public var after: ItemProperties?

    /// Creates a pair of statuses.
    public init(before: ItemProperties?, after: ItemProperties?) {
        self.before = before
        self.after = after
    }
}

/// An item at a path to which an accessor has moved it, and which its claim does not cover.
public struct ItemArrival: Hashable, Sendable {
    /// The new path.
    public var path: ItemPath
    /// The status after the accessor returned; nil if nothing was there.
    public var after: ItemProperties?

    /// Creates the description of an arrival.
    public init(path: ItemPath, after: ItemProperties?) {
        self.path = path
        self.after = after
    }
}

/// One entry of a claim's log.
public enum ClaimLogEntry: Hashable, Sendable {
    /// An announcement of the accessor.
    case announced(Announcement)
    /// The accessor has returned.
    ///
    /// One outcome for each item; the last entry that is required.
    case outcomes([ItemOutcome])
    /// The statuses of each item, after the outcomes; nil for an item that was not examined.
    ///
    /// They help the watcher to explain changes; a server may ignore them.
    case itemChanges([ItemChange?])
    /// The same of an access that has moved items: what was and is at the paths that its items had
    /// when the accessor began.
    case pathChanges([ItemChange?])
    /// Where moved items are, as far as the claim does not cover those paths; the last entry.
    case arrivals([ItemArrival])

    /// Encodes the entry; throws if a server would reject it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.log, limit: WireLimits.bodyBytes)
    }

    /// Returns the length of the encoding of this many outcomes.
    public static func outcomesLength(_ count: Int) -> Int { 1 + 4 + count }

    /// Decodes the consecutive entries in `bytes`, each with its length.
    ///
    /// An entry that cannot be decoded ends the list; the entries before it are valid.
    public static func entries(
        decoding bytes: [UInt8]
    ) -> [(entry: ClaimLogEntry, length: Int)] {
        // Bytes that are no log contain no entries.
        guard var decoder = try? MessageDecoder(bytes, .log, limit: WireLimits.bodyBytes) else {
            return []
        }
        var entries: [(entry: ClaimLogEntry, length: Int)] = []
        var left = decoder.left
        // The first invalid entry ends the list.
        while !decoder.isAtEnd, let entry = try? ClaimLogEntry(from: &decoder) {
            entries.append((entry, left - decoder.left))
            left = decoder.left
        }
        return entries
    }
}

// MARK: - Coding

extension ClaimLogEntry: WireCoded {
    /// The first byte of an entry.
    private enum Kind: UInt8 {
        case outcomes = 1
        case moved = 2
        case versionChanged = 3
        case ubiquityAttributesChanged = 4
        case itemChanges = 5
        case pathChanges = 6
        case arrivals = 7
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .outcomes(let outcomes):
            encoder.raw(Kind.outcomes)
            encoder.count(outcomes.count, .outcomes, limit: WireLimits.items)
            for outcome in outcomes { encoder.raw(outcome) }
        case .itemChanges(let changes):
            encoder.raw(Kind.itemChanges)
            encoder.changes(changes)
        case .pathChanges(let changes):
            encoder.raw(Kind.pathChanges)
            encoder.changes(changes)
        case .arrivals(let arrivals):
            encoder.raw(Kind.arrivals)
            encoder.list(arrivals, .moves, limit: WireLimits.moves)
        case .announced(.moved(let moves)):
            encoder.raw(Kind.moved)
            encoder.list(moves, .moves, limit: WireLimits.moves)
        case .announced(.versionChanged(let path, let news)):
            encoder.raw(Kind.versionChanged)
            encoder.value(path)
            encoder.value(news)
        case .announced(.ubiquityAttributesChanged(let path, let attributes)):
            encoder.raw(Kind.ubiquityAttributesChanged)
            encoder.value(path)
            encoder.attributes(attributes)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .log) {
        case .outcomes:
            var outcomes: [ItemOutcome] = []
            for _ in 0..<(try decoder.count(.outcomes, limit: WireLimits.items)) {
                // An invalid outcome counts as changed, because an unnecessary notice does no harm.
                outcomes.append(ItemOutcome(rawValue: try decoder.integer(UInt8.self)) ?? .changed)
            }
            self = .outcomes(outcomes)
        case .itemChanges: self = .itemChanges(try decoder.changes())
        case .pathChanges: self = .pathChanges(try decoder.changes())
        case .arrivals:
            self = .arrivals(
                try decoder.list(of: ItemArrival.self, .moves, limit: WireLimits.moves))
        case .moved:
            self = .announced(
                .moved(try decoder.list(of: ItemMove.self, .moves, limit: WireLimits.moves)))
        case .versionChanged:
            self = .announced(
                .versionChanged(
                    try decoder.value(ItemPath.self), try decoder.value(VersionNews.self)))
        case .ubiquityAttributesChanged:
            self = .announced(
                .ubiquityAttributesChanged(
                    try decoder.value(ItemPath.self), try decoder.attributes()))
        }
    }
}

extension ItemProperties: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        unsafe encoder.block(60) { block in
            unsafe block.storeBytes(of: device.littleEndian, toByteOffset: 0, as: UInt64.self)
            unsafe block.storeBytes(of: inode.littleEndian, toByteOffset: 8, as: UInt64.self)
            unsafe block.storeBytes(of: mode.littleEndian, toByteOffset: 16, as: UInt32.self)
            unsafe block.storeBytes(of: owner.littleEndian, toByteOffset: 20, as: UInt32.self)
            unsafe block.storeBytes(of: group.littleEndian, toByteOffset: 24, as: UInt32.self)
            unsafe block.storeBytes(of: size.littleEndian, toByteOffset: 28, as: UInt64.self)
            unsafe block.storeBytes(of: modified.littleEndian, toByteOffset: 36, as: Int64.self)
            unsafe block.storeBytes(of: changed.littleEndian, toByteOffset: 44, as: Int64.self)
            unsafe block.storeBytes(of: linkCount.littleEndian, toByteOffset: 52, as: UInt64.self)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        device = try decoder.integer(UInt64.self)
        inode = try decoder.integer(UInt64.self)
        mode = try decoder.integer(UInt32.self)
        owner = try decoder.integer(UInt32.self)
        group = try decoder.integer(UInt32.self)
        size = try decoder.integer(UInt64.self)
        modified = Int64(bitPattern: try decoder.integer(UInt64.self))
        changed = Int64(bitPattern: try decoder.integer(UInt64.self))
        linkCount = try decoder.integer(UInt64.self)
    }
}

extension ItemArrival: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(path)
        encoder.optional(after) { $0.value($1) }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        path = try decoder.value(ItemPath.self)
        after = try decoder.optional { (decoder) throws(WireError) in
            try decoder.value(ItemProperties.self)
        }
    }
}

extension ItemMove: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(old)
        encoder.packageDepths(oldPackageDepths, of: old)
        encoder.value(new)
        encoder.packageDepths(newPackageDepths, of: new)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let old = try decoder.value(ItemPath.self)
        let oldPackageDepths = try decoder.packageDepths(of: old)
        let new = try decoder.value(ItemPath.self)
        self.init(
            from: old, oldPackageDepths: oldPackageDepths, to: new,
            newPackageDepths: try decoder.packageDepths(of: new))
    }
}

extension VersionNews: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.raw(fate)
        encoder.blob(identifier, .identifier, limit: WireLimits.identifierBytes)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        self.init(
            try decoder.raw(VersionFate.self, .versionFate),
            identifier: try decoder.blob(.identifier, limit: WireLimits.identifierBytes))
    }
}

extension MessageEncoder {
    mutating func changes(_ changes: [ItemChange?]) {
        count(changes.count, .outcomes, limit: WireLimits.items)
        for change in changes {
            optional(change) {
                $0.optional($1.before) { $0.value($1) }
                $0.optional($1.after) { $0.value($1) }
            }
        }
    }

    mutating func attributes(_ names: [[UInt8]]) {
        count(names.count, .attributes, limit: WireLimits.attributes)
        for name in names { blob(name, .attributes, limit: WireLimits.identifierBytes) }
    }
}

extension MessageDecoder {
    mutating func changes() throws(WireError) -> [ItemChange?] {
        var changes: [ItemChange?] = []
        for _ in 0..<(try count(.outcomes, limit: WireLimits.items)) {
            changes.append(
                try optional { (decoder) throws(WireError) in
                    ItemChange(
                        before: try decoder.optional { (decoder) throws(WireError) in
                            try decoder.value(ItemProperties.self)
                        },
                        after: try decoder.optional { (decoder) throws(WireError) in
                            try decoder.value(ItemProperties.self)
                        })
                })
        }
        return changes
    }

    mutating func attributes() throws(WireError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for _ in 0..<(try count(.attributes, limit: WireLimits.attributes)) {
            names.append(try blob(.attributes, limit: WireLimits.identifierBytes))
        }
        return names
    }
}
