// SPDX-License-Identifier: Apache-2.0
//
// The handle by which a file server would name a file. It holds the generation of the inode, which
// changes whenever the number is used again, so it tells files apart where nothing else does. It is
// opaque and of any length: a digest is enough for comparing.

internal import CFileCoordinationSystem
import Glibc

/// Digests of the kernel's file handles.
public enum HandleDigest {
    /// The digest for what is at `path`, a final link itself; never 0.
    ///
    /// ``ErrorNumber/notSupported`` where the file system has no handles.
    public static func of(path: [UInt8]) throws(SystemError) -> UInt64 {
        let name = try CName(path, for: "read the handle of")
        var type: Int32 = 0
        var handle = [UInt8](repeating: 0, count: 128)
        let length = name.withPointer { pointer in
            handle.withUnsafeMutableBytes { buffer -> Int32 in
                guard let room = buffer.baseAddress else { return -EINVAL }
                return fcs_handle_at(AT_FDCWD, pointer, &type, room, buffer.count)
            }
        }
        try check(length, "read the handle of \(name)")
        let kind = withUnsafeBytes(of: type.littleEndian) { Array($0) }
        return max(1, digest(kind + handle.prefix(Int(length))))
    }

    /// FNV-1a with 64 bits: good enough for bytes that no user chooses.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
