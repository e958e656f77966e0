// SPDX-License-Identifier: Apache-2.0
//
// POSIX access control lists: who may do what with a file. A plain mode is a list of three entries.
// What cannot be kept of a list is left out in such a way that no user gains a right by it: an
// entry may also forbid what a more general one would allow.

/// The access that a file gives to its owner, its group, named users and groups, and others.
package struct AccessControlList: Hashable, Sendable {
    /// Whom an entry is about, as the kernel numbers it.
    package enum Tag: UInt16, Sendable {
        case owner = 0x01
        case user = 0x02
        case group = 0x04
        case namedGroup = 0x08
        case mask = 0x10
        case other = 0x20
    }

    /// One line of the list.
    package struct Entry: Hashable, Sendable {
        package var tag: Tag
        /// Reading 4, writing 2, executing 1.
        package var rights: UInt16
        /// The user or group; only of named ones.
        package var id: UInt32

        package init(_ tag: Tag, _ rights: UInt16, id: UInt32 = .max) {
            self.tag = tag
            self.rights = rights & 7
            self.id = id
        }
    }

    /// In the kernel's order.
    package private(set) var entries: [Entry]

    package init(_ entries: [Entry]) { self.entries = entries }

    /// What the nine bits of `mode` say.
    package init(mode: UInt32) {
        entries = [
            Entry(.owner, UInt16(mode >> 6 & 7)), Entry(.group, UInt16(mode >> 3 & 7)),
            Entry(.other, UInt16(mode & 7)),
        ]
    }

    // MARK: As the kernel has it

    /// The attribute that holds a file's list, where it is more than a mode.
    package static let attribute = Array("system.posix_acl_access".utf8)
    /// The attribute that holds the list which new files in a directory get.
    package static let defaultAttribute = Array("system.posix_acl_default".utf8)
    private static let version: UInt32 = 2

    /// Reads an attribute's value; nil if it is none.
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

    /// The attribute's value.
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

    // MARK: Looking

    /// Whether it says more than a mode can.
    package var isExtended: Bool { entries.count > 3 }

    /// The nine bits of the mode that go with it: of a list with a mask, the group's are the mask.
    package var mode: UInt32 {
        let group = entry(.mask) ?? entry(.group) ?? 0
        return UInt32(entry(.owner) ?? 0) << 6 | UInt32(group) << 3 | UInt32(entry(.other) ?? 0)
    }

    private func entry(_ tag: Tag) -> UInt16? { entries.first { $0.tag == tag }?.rights }

    /// What all entries of that kind give, the mask applied; everything if there are none.
    private func common(_ tag: Tag) -> UInt16 {
        let mask = entry(.mask) ?? 7
        return entries.filter { $0.tag == tag }.reduce(7) { $0 & $1.rights & mask }
    }

    // MARK: Narrowing

    /// Gives these rights to an entry of which there is one.
    package mutating func set(_ tag: Tag, to rights: UInt16) {
        for index in entries.indices where entries[index].tag == tag {
            entries[index].rights = rights & 7
        }
    }

    /// What remains when a file of this list comes to another group.
    ///
    /// The new group's members were others, or a named group's members, until now; the old group's
    /// members become others.
    package var forAnotherGroup: AccessControlList {
        let others = common(.group) & (entry(.other) ?? 0)
        var result = self
        result.set(.group, to: others & common(.namedGroup))
        result.set(.other, to: others)
        return result
    }

    /// What remains when the named users and groups cannot be kept.
    ///
    /// A named user becomes one of the group's or of the others, a named group's members become
    /// others.
    package var withoutNames: AccessControlList {
        let owner = UInt32(entry(.owner) ?? 0)
        let group = UInt32(common(.group) & common(.user))
        let other = UInt32((entry(.other) ?? 0) & common(.user) & common(.namedGroup))
        return AccessControlList(mode: owner << 6 | group << 3 | other)
    }

    /// What a new file gets from a directory's default list, when it is created with `mode`.
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
