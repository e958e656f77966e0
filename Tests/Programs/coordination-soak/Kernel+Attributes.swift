// SPDX-License-Identifier: Apache-2.0
//
// Extended attributes, by the functions of libc that Swift's module of it does not have.

import FileCoordination
import Glibc

extension Kernel {
    private static func function<Function>(_ name: String, as kind: Function.Type) -> Function? {
        dlsym(UnsafeMutableRawPointer(bitPattern: 0), name).map { unsafeBitCast($0, to: kind) }
    }

    /// Reads an attribute; returns its length, or -1.
    static func attribute(_ name: String, of path: String, _ value: inout [UInt8]) -> Int {
        typealias Get =
            @convention(c) (
                UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer, Int
            ) -> Int
        return function("lgetxattr", as: Get.self)?(path, name, &value, value.count) ?? -1
    }

    /// Sets an attribute; whether that was possible.
    static func setAttribute(_ name: String, of path: String, _ value: [UInt8]) -> Bool {
        typealias Set =
            @convention(c) (
                UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32
            ) -> Int32
        return function("lsetxattr", as: Set.self)?(path, name, value, value.count, 0) == 0
    }

    /// Removes an attribute, if it is there.
    static func removeAttribute(_ name: String, of path: String) {
        typealias Remove = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
        _ = function("lremovexattr", as: Remove.self)?(path, name)
    }
}
