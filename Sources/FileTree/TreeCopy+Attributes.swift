// SPDX-License-Identifier: Apache-2.0
//
// What a copy has besides its contents: as far as it can be kept, whole or narrowed and never
// widened.

package import FileCoordinationSystem
import Glibc

extension TreeCopy {
    /// Gives a file or directory what its original has.
    mutating func keepAttributes(
        of original: Descriptor, on copy: Descriptor, _ route: [UInt8]
    ) throws(TreeError) {
        let attributes = try reading(route) { () throws(SystemError) in
            try CarriedAttributes(of: original)
        }
        let lost = try writing(route) { () throws(SystemError) in try attributes.give(to: copy) }
        addLosses(lost, route)
        let status = try reading(route) { () throws(SystemError) in try original.fullStatus() }
        // Last, since everything else changes them.
        try writing(route) { () throws(SystemError) in
            guard futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
                throw SystemError(code: errno, operation: "set the times of a copy")
            }
        }
    }

    /// Makes a pipe, a socket or a device.
    mutating func makeSpecial(
        _ status: stat, of original: TreePlace, as name: [UInt8], in directory: Descriptor,
        _ route: [UInt8]
    ) throws(TreeError) {
        let now = try writing(route) { () throws(SystemError) in
            try directory.call("make", name) {
                mknodat($0, $1, status.kind | 0o600, status.st_rdev)
            }
            keepOwner(status, name, directory)
            return try directory.status(of: name)
        }
        var mode = status.st_mode & 0o1777
        if now.st_uid != status.st_uid { addLosses([.owner(status.st_uid)], route) }
        // No user may gain a right by what cannot be kept: then only the owner has rights.
        if now.st_gid != status.st_gid {
            addLosses([.group(status.st_gid)], route)
            mode &= 0o700
        }
        let parent = "/proc/self/fd/\(original.directory.number)/"
        let path = Array(parent.utf8) + original.name
        if ExtendedAttributes.isPresent("system.posix_acl_access", at: path) {
            addLosses([.accessControlList], route)
            mode &= 0o700
        }
        try writing(route) { () throws(SystemError) in
            try directory.call("set the mode of", name) { fchmodat($0, $1, mode, 0) }
        }
        keepTimes(status, name, directory)
    }

    /// Gives a link or a special file its owner and group, where that is allowed.
    func keepOwner(_ status: stat, _ name: [UInt8], _ directory: Descriptor) {
        // To others than the administrator it seldom is.
        _ = try? directory.call("set the owner of", name) {
            fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Gives a link or a special file its times, where the file system has such.
    func keepTimes(_ status: stat, _ name: [UInt8], _ directory: Descriptor) {
        let times = [status.st_atim, status.st_mtim]
        // Nothing depends on them.
        _ = try? directory.call("set the times of", name) {
            utimensat($0, $1, times, AT_SYMLINK_NOFOLLOW)
        }
    }
}

/// The attributes that programs hang on files for purposes of their own.
package enum UserAttributes {
    /// Gives `target` the `user.` attributes of `source`, as far as they can be kept.
    package static func copy(from source: Descriptor, to target: Descriptor) {
        // Where there are none, or none can be set, nothing is lost that others rely on.
        for name in (try? ExtendedAttributes.names(of: source)) ?? []
        where name.starts(with: "user.".utf8) {
            guard let value = try? ExtendedAttributes.value(of: name, of: source) else { continue }
            try? ExtendedAttributes.set(name, to: value, of: target)
        }
    }
}
