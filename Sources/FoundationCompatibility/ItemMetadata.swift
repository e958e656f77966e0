// SPDX-License-Identifier: Apache-2.0
//
// Copies the metadata of an item to the item that replaces it: permissions, access control list,
// group and user attributes. This never grants more access: what cannot be copied completely is
// reduced.

#if !canImport(Darwin)
import FileCoordinationSystem
import FileTree
import Glibc

/// Copies metadata from an item to its replacement.
enum ItemMetadata {
    private static let accessList = AccessControlList.attribute

    /// Copies the metadata of an item to another one.
    ///
    /// Does nothing unless both are files or both are directories.
    static func carry(
        from name: [UInt8], in directory: Descriptor, _ status: stat, to newName: [UInt8],
        in newDirectory: Descriptor
    ) throws(SystemError) {
        let kind = try newDirectory.status(of: newName).kind
        guard kind == status.kind, [S_IFREG, S_IFDIR].contains(kind) else { return }
        let new = try newDirectory.openFile(newName, O_RDONLY | O_NONBLOCK)
        // From a file without read permission, only the status is available.
        let old = try? directory.openFile(name, O_RDONLY | O_NONBLOCK)
        if let old { UserAttributes.copy(from: old, to: new) }
        try carryAccess(status, from: old, to: new)
    }

    private static func carryAccess(
        _ status: stat, from old: Descriptor?, to new: Descriptor
    ) throws(SystemError) {
        let mode = carryOwner(status, to: new)
        let isOthers = mode != status.st_mode & 0o7777
        // If there is no access control list, only the permissions count.
        let list = old.flatMap { try? ExtendedAttributes.value(of: accessList, of: $0) }
        var narrowed = mode
        // If the list cannot be set, the permissions are reduced below.
        if let list, !isOthers, (try? ExtendedAttributes.set(accessList, to: list, of: new)) != nil
        {
            // The group bits are the mask of the access control list.
        } else {
            // If there is a list, or it could not be read, the group bits may exceed the group's
            // permissions.
            if list != nil || old == nil { narrowed = withoutMoreForGroup(mode) }
            dropList(of: new, for: narrowed)
        }
        guard fchmod(new.number, narrowed) != 0 else { return }
        let code = errno
        let now = try new.fullStatus()
        // On file systems that do not support permissions, the present ones are accepted if they
        // are sufficient.
        guard now.st_mode & 0o7777 & ~narrowed == 0 else {
            throw SystemError(code: code, operation: "set the permissions of the new item")
        }
    }

    /// Sets owner and group as far as possible.
    ///
    /// Returns the permissions that are appropriate for the result.
    private static func carryOwner(_ status: stat, to new: Descriptor) -> mode_t {
        let mode = status.st_mode & 0o7777
        // The owner is not known, so no other user is given more.
        guard var now = try? new.fullStatus() else { return withoutMoreForGroup(mode) & 0o777 }
        if now.st_uid != status.st_uid { _ = fchown(new.number, status.st_uid, uid_t.max) }
        if now.st_gid != status.st_gid { _ = fchown(new.number, uid_t.max, status.st_gid) }
        // If the new status cannot be read, the one before counts. It can only result in fewer
        // rights.
        now = (try? new.fullStatus()) ?? now
        let isSameGroup = now.st_gid == status.st_gid
        if isSameGroup, now.st_uid == status.st_uid { return mode }
        return (isSameGroup ? mode : withoutMoreForGroup(mode)) & 0o1777
    }

    /// Returns the permissions, with no more for the group than for others.
    private static func withoutMoreForGroup(_ mode: mode_t) -> mode_t {
        mode & ~0o070 | mode & 0o070 & (mode & 0o007) << 3
    }

    /// Removes an access control list that the new item may have inherited from its directory.
    ///
    /// The kernel removes a list that is equivalent to the permissions.
    private static func dropList(of new: Descriptor, for mode: mode_t) {
        // File systems without lists have none to drop.
        guard let list = try? ExtendedAttributes.value(of: accessList, of: new), !list.isEmpty
        else { return }
        // The list then stays, and its mask is what the permissions say.
        try? ExtendedAttributes.set(
            accessList, to: AccessControlList(mode: mode).attributeValue, of: new)
    }
}
#endif
