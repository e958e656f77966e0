// SPDX-License-Identifier: Apache-2.0
//
// The handle by which a file server would identify a file. It contains the generation of the inode,
// which changes each time the inode number is reused, so it distinguishes files where other
// attributes do not. It is opaque and of variable length; a digest is sufficient for comparisons.

internal import CFileCoordinationSystem
import Glibc

/// Digests of the kernel's file handles.
public enum HandleDigest {
    /// Returns the digest for the item at `path`, without following a symbolic link at the end;
    /// never 0.
    ///
    /// Throws ``ErrorNumber/notSupported`` if the file system has no handles.
    public static func of(path: [UInt8]) throws(SystemError) -> UInt64 {
        let name = try CName(path, for: "read the handle of")
        var type: Int32 = 0
        var handle = [UInt8](repeating: 0, count: 128)
        let length = unsafe name.withPointer { pointer in
            unsafe handle.withUnsafeMutableBytes { buffer -> Int32 in
                guard let room = buffer.baseAddress else { return -EINVAL }
                return unsafe fcs_handle_at(AT_FDCWD, pointer, &type, room, buffer.count)
            }
        }
        try check(length, "read the handle of \(name)")
        let kind = unsafe withUnsafeBytes(of: type.littleEndian) { unsafe Array($0) }
        return max(1, digest(kind + handle.prefix(Int(length))))
    }

    /// 64-bit FNV-1a, which is sufficient for bytes that no user chooses.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
