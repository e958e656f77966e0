// SPDX-License-Identifier: Apache-2.0
//
// Calls on names of any bytes in open directories: what is looked up by descriptor is not looked up
// by a path that leads somewhere else by now.

import FileCoordinationSystem
import Foundation

extension Descriptor {
    /// Runs a call with `name` as C wants it, again if a signal interrupts it; a negative result is
    /// an error.
    @discardableResult
    func call(
        _ operation: String, _ name: [UInt8], _ body: (Int32, UnsafePointer<CChar>) -> Int32
    ) throws(SystemError) -> Int32 {
        let path = NativePath(name)
        while true {
            let result = path.withCString { body(number, $0) }
            if result >= 0 { return result }
            let code = errno
            guard code == EINTR else {
                throw SystemError(code: code, operation: "\(operation) \(path)")
            }
        }
    }

    /// Opens `name` in this directory, which may not be a link.
    func openEntry(
        _ name: [UInt8], _ flags: Int32, mode: mode_t = 0
    ) throws(SystemError) -> Descriptor {
        Descriptor(
            adopting: try call("open", name) {
                openat($0, $1, flags | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, mode)
            })
    }

    /// Removes `name` from this directory; `flags` as for unlinkat().
    func removeEntry(_ name: [UInt8], flags: Int32 = 0) throws(SystemError) {
        try call("remove", name) { unlinkat($0, $1, flags) }
    }

    /// What `name` stands for in this directory, a link itself.
    func statusOfEntry(_ name: [UInt8]) throws(SystemError) -> stat {
        var status = stat()
        try call("read the status of", name) { fstatat($0, $1, &status, AT_SYMLINK_NOFOLLOW) }
        return status
    }

    /// The names in this directory, in no order.
    func entryNames() throws(SystemError) -> [[UInt8]] {
        try Directory.open("/proc/self/fd/\(number)").rawNames()
    }
}
