// SPDX-License-Identifier: Apache-2.0
//
// Who may do what with a file, computed from its mode and its access control list as acl(5) says.
// Written apart from what the library knows of lists, so that one can judge the other.

import FileCoordination
import Glibc

/// The access that a file gives, as it is on disk.
struct AccessRights {
    /// A process that asks: a user, and the groups that it is in.
    struct Subject: Hashable {
        var user: UInt32
        var groups: [UInt32]
    }

    private struct Entry {
        var tag: UInt16
        var rights: UInt16
        var id: UInt32
    }

    private static let list = "system.posix_acl_access"
    private static let owner: UInt16 = 0x01
    private static let user: UInt16 = 0x02
    private static let group: UInt16 = 0x04
    private static let namedGroup: UInt16 = 0x08
    private static let mask: UInt16 = 0x10
    private static let other: UInt16 = 0x20

    private let ownerUser: UInt32
    private let ownerGroup: UInt32
    private let entries: [Entry]

    /// What the file at a path gives; nil if there is none.
    init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        (ownerUser, ownerGroup) = (status.st_uid, status.st_gid)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let length = Kernel.attribute(Self.list, of: path, &bytes)
        let mode = UInt16(status.st_mode & 0o777)
        guard length > 4 else {
            entries = [
                Entry(tag: Self.owner, rights: mode >> 6, id: 0),
                Entry(tag: Self.group, rights: mode >> 3 & 7, id: 0),
                Entry(tag: Self.other, rights: mode & 7, id: 0),
            ]
            return
        }
        entries = stride(from: 4, to: length, by: 8).map { start in
            let word = { (at: Int) in UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8 }
            return Entry(
                tag: word(start), rights: word(start + 2),
                id: UInt32(word(start + 4)) | UInt32(word(start + 6)) << 16)
        }
    }

    /// What a process may do: reading 4, writing 2, executing 1.
    ///
    /// The first that fits decides: the owner, a named user, any of the groups, others.
    func rights(of subject: Subject) -> UInt16 {
        let most = entries.first { $0.tag == Self.mask }?.rights ?? 7
        if subject.user == ownerUser { return entries.first { $0.tag == Self.owner }?.rights ?? 0 }
        if let named = entries.first(where: { $0.tag == Self.user && $0.id == subject.user }) {
            return named.rights & most
        }
        let fitting = entries.filter {
            $0.tag == Self.group && subject.groups.contains(ownerGroup)
                || $0.tag == Self.namedGroup && subject.groups.contains($0.id)
        }
        guard fitting.isEmpty else { return fitting.reduce(0) { $0 | $1.rights } & most }
        return entries.first { $0.tag == Self.other }?.rights ?? 0
    }

    // MARK: Planting

    /// Users and groups that lists name, and one of each that none does.
    private static let users: [UInt32] = [61_001, 61_002]
    private static let groups: [UInt32] = [62_001, 62_002]

    /// All users whose rights are compared.
    ///
    /// Not the owner, who may give itself any.
    static let subjects: [Subject] = (users + [61_999]).flatMap { user in
        [[], [groups[0]], [groups[1]], groups, [62_999]].map { Subject(user: user, groups: $0) }
    }

    /// Gives a file a random group, mode and list; false where lists are not supported.
    static func plant(on path: String, _ dice: inout Dice) -> Bool {
        if getuid() == 0 { chown(path, uid_t.max, dice.once(in: 2) ? groups[0] : 0) }
        chmod(path, mode_t(0o600 | dice.below(0o100)))
        guard dice.once(in: 2) else {
            Kernel.removeAttribute(list, of: path)
            return true
        }
        var bytes: [UInt8] = [2, 0, 0, 0]
        func add(_ tag: UInt16, _ rights: Int, _ id: UInt32 = .max) {
            for word in [tag, UInt16(rights), UInt16(id & 0xFFFF), UInt16(id >> 16)] {
                bytes += [UInt8(word & 0xFF), UInt8(word >> 8)]
            }
        }
        add(owner, 6)
        for user in users { add(self.user, dice.below(8), user) }
        add(group, dice.below(8))
        for group in groups { add(namedGroup, dice.below(8), group) }
        add(mask, dice.below(8))
        add(other, dice.below(8))
        return Kernel.setAttribute(list, of: path, bytes)
    }
}
