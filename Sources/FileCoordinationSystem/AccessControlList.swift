// SPDX-License-Identifier: Apache-2.0
//
// POSIX access control lists of files. A plain mode is equivalent to a list of three entries. What
// cannot be kept of a list is removed in such a way that no user gains a right: an entry may also
// forbid what a more general one would allow.

/// The access that a file gives to its owner, its group, named users and groups, and others.
package struct AccessControlList: Hashable, Sendable {
    /// The kind of an entry, with the kernel's number.
    package enum Tag: UInt16, Sendable {
        case owner = 0x01
        case user = 0x02
        case group = 0x04
        case namedGroup = 0x08
        case mask = 0x10
        case other = 0x20
    }

    /// One entry of the list.
    package struct Entry: Hashable, Sendable {
        package var tag: Tag
        /// Read is 4, write is 2, execute is 1.
        package var rights: UInt16
        /// The user or group ID; only for named entries.
        package var id: UInt32

        package init(_ tag: Tag, _ rights: UInt16, id: UInt32 = .max) {
            self.tag = tag
            self.rights = rights & 7
            self.id = id
        }
    }

    /// The entries in the kernel's order.
    package private(set) var entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// Creates the list that is equivalent to the nine bits of `mode`.
    package init(mode: UInt32) {
        entries = [
            Entry(.owner, UInt16(mode >> 6 & 7)), Entry(.group, UInt16(mode >> 3 & 7)),
            Entry(.other, UInt16(mode & 7)),
        ]
    }

    // MARK: Encoding

    /// The attribute that contains a file's list, if a mode cannot express it.
    package static let attribute = Array("system.posix_acl_access".utf8)
    /// The attribute that contains the list for new files in a directory.
    package static let defaultAttribute = Array("system.posix_acl_default".utf8)
    private static let version: UInt32 = 2

    /// Parses an attribute's value; returns nil if it is invalid.
    package init?(attribute bytes: [UInt8]) {
        guard bytes.count >= 4, (bytes.count - 4) % 8 == 0,
            Self.number(bytes[0..<4]) == Self.version
        else { return nil }
        entries = []
        for start in stride(from: 4, to: bytes.count, by: 8) {
            let tag = Tag(rawValue: UInt16(Self.number(bytes[start..<start + 2])))
            guard let tag else { return nil }
            let rights = UInt16(Self.number(bytes[start + 2..<start + 4]))
            entries.append(Entry(tag, rights, id: Self.number(bytes[start + 4..<start + 8])))
        }
        guard [.owner, .group, .other].allSatisfy({ entry($0) != nil }) else { return nil }
    }

    /// The list as an attribute's value.
    package var attributeValue: [UInt8] {
        func bytes(_ number: UInt32, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) }
        }
        return entries.reduce(into: bytes(Self.version, 4)) { result, entry in
            result += bytes(UInt32(entry.tag.rawValue), 2) + bytes(UInt32(entry.rights), 2)
            result += bytes(entry.id, 4)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }

    // MARK: Queries

    /// Whether the list contains more than a mode can express.
    package var isExtended: Bool { entries.count > 3 }

    /// The nine bits of the equivalent mode.
    ///
    /// If the list has a mask, the group's bits are the mask.
    package var mode: UInt32 {
        let group = entry(.mask) ?? entry(.group) ?? 0
        return UInt32(entry(.owner) ?? 0) << 6 | UInt32(group) << 3 | UInt32(entry(.other) ?? 0)
    }

    private func entry(_ tag: Tag) -> UInt16? { entries.first { $0.tag == tag }?.rights }

    /// The rights that all entries of this kind have after the mask is applied; all rights if there
    /// are none.
    private func common(_ tag: Tag) -> UInt16 {
        let mask = entry(.mask) ?? 7
        return entries.filter { $0.tag == tag }.reduce(7) { $0 & $1.rights & mask }
    }

    // MARK: Reducing rights

    /// Sets the rights of the entry of this kind, of which there is one.
    package mutating func set(_ tag: Tag, to rights: UInt16) {
        for index in entries.indices where entries[index].tag == tag {
            entries[index].rights = rights & 7
        }
    }

    /// The list to use if the file gets another group.
    ///
    /// The members of the new group counted as others, or as members of a named group, until now.
    /// The members of the old group become others.
    package var forAnotherGroup: AccessControlList {
        let others = common(.group) & (entry(.other) ?? 0)
        var result = self
        result.set(.group, to: others & common(.namedGroup))
        result.set(.other, to: others)
        return result
    }

    /// The list to use if named users and groups cannot be kept.
    ///
    /// A named user then counts as a member of the group or as other; members of a named group
    /// count as others.
    package var withoutNames: AccessControlList {
        let owner = UInt32(entry(.owner) ?? 0)
        let group = UInt32(common(.group) & common(.user))
        let other = UInt32((entry(.other) ?? 0) & common(.user) & common(.namedGroup))
        return AccessControlList(mode: owner << 6 | group << 3 | other)
    }

    /// Returns the list of a new file that is created with `mode` in a directory with this default
    /// list.
    package func ofNewFile(mode: UInt32) -> AccessControlList {
        var result = self
        result.set(.owner, to: common(.owner, limit: mode >> 6))
        let isMasked = entry(.mask) != nil
        let group: Tag = isMasked ? .mask : .group
        result.set(group, to: (entry(group) ?? 0) & UInt16(mode >> 3 & 7))
        result.set(.other, to: common(.other, limit: mode))
        return result
    }

    private func common(_ tag: Tag, limit: UInt32) -> UInt16 {
        (entry(tag) ?? 0) & UInt16(limit & 7)
    }
}
