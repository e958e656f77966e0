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
            _ = try writing(route) { () throws(SystemError) in
                try attributes.give(to: copy)
            }
        }
        let status = try reading(route) { () throws(SystemError) in try original.fullStatus() }
        // The times are set last because the other calls change them.
        try writing(route) { () throws(SystemError) in
            guard unsafe futimens(copy.number, [status.st_atim, status.st_mtim]) == 0 else {
                throw SystemError(code: errno, operation: "set the times of a copy")
            }
        }
    }

    /// Gives a link the owner and group of its original, if permitted.
    func keepOwner(_ status: stat, _ name: [UInt8], _ directory: Descriptor) {
        // Usually only root is permitted to do this, so an error is ignored.
        _ = try? unsafe directory.call("set the owner of", name) {
            unsafe fchownat($0, $1, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW)
        }
    }

    /// Gives a link the times of its original, if the file system stores them.
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
