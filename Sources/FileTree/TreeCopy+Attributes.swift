// SPDX-License-Identifier: Apache-2.0
//
// Copies attributes. An attribute that cannot be preserved is reduced, so that no user gets more
// access.

package import FileCoordinationSystem
import Glibc

extension TreeCopy {
    /// Gives the copy of a file or directory the attributes of its original.
    mutating func keepAttributes(
        of original: Descriptor, on copy: Descriptor, _ route: [UInt8]
    ) throws(TreeError) {
        if options.isTopPrivate, route.isEmpty {
            UserAttributes.copy(from: original, to: copy)
        } else {
            let attributes = try reading(route) { () throws(SystemError) in
                try CarriedAttributes(of: original)
            }
            let lost = try writing(route) { () throws(SystemError) in
                try attributes.give(to: copy)
            }
            addLosses(lost, route)
        }
        let status = try reading(route) { () throws(SystemError) in try original.fullStatus() }
        // The times are set last because the other calls change them.
        try writing(route) { () throws(SystemError) in
            guard unsafe futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
                throw SystemError(code: errno, operation: "set the times of a copy")
            }
        }
    }

    /// Creates a pipe, a socket or a device.
    mutating func makeSpecial(
        _ status: stat, of original: TreePlace, as name: [UInt8], in directory: Descriptor,
        _ route: [UInt8]
    ) throws(TreeError) {
        let now = try writing(route) { () throws(SystemError) in
            try unsafe directory.call("make", name) {
                unsafe mknodat($0, $1, status.kind | 0o600, status.st_rdev)
            }
            keepOwner(status, name, directory)
            return try directory.status(of: name)
        }
        var mode = status.st_mode & 0o1777
        if now.st_uid != status.st_uid { addLosses([.owner(status.st_uid)], route) }
        // If the group or the access control list cannot be preserved, only the owner gets access,
        // so that the copy gives no user more rights than the original.
        if now.st_gid != status.st_gid {
            addLosses([.group(status.st_gid)], route)
            mode &= 0o700
        }
        let parent = "/proc/thread-self/fd/\(original.directory.number)/"
        let path = Array(parent.utf8) + original.name
        if ExtendedAttributes.isPresent("system.posix_acl_access", at: path) {
            addLosses([.accessControlList], route)
            mode &= 0o700
        }
        try writing(route) { () throws(SystemError) in
            try unsafe directory.call("set the mode of", name) { unsafe fchmodat($0, $1, mode, 0) }
        }
        keepTimes(status, name, directory)
    }

    /// Gives a link or a special file the owner and group of its original, if permitted.
    func keepOwner(_ status: stat, _ name: [UInt8], _ directory: Descriptor) {
        // Usually only root is permitted to do this, so an error is ignored.
        _ = try? unsafe directory.call("set the owner of", name) {
            unsafe fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Gives a link or a special file the times of its original, if the file system stores them.
    func keepTimes(_ status: stat, _ name: [UInt8], _ directory: Descriptor) {
        let times = [status.st_atim, status.st_mtim]
        // No program depends on these times, so an error is ignored.
        _ = try? unsafe directory.call("set the times of", name) {
            unsafe utimensat($0, $1, times, AT_SYMLINK_NOFOLLOW)
        }
    }
}

/// The attributes that programs attach to files for purposes of their own.
package enum UserAttributes {
    /// Gives `target` the `user.` attributes of `source`, as far as possible.
    package static func copy(from source: Descriptor, to target: Descriptor) {
        // If attributes cannot be read or set, nothing is lost that other programs rely on.
        for name in (try? ExtendedAttributes.names(of: source)) ?? []
        where name.starts(with: "user.".utf8) {
            // An attribute that cannot be read is left out.
            guard let value = try? ExtendedAttributes.value(of: name, of: source) else { continue }
            try? ExtendedAttributes.set(name, to: value, of: target)
        }
    }
}
