// SPDX-License-Identifier: Apache-2.0
//
// Reserves space for files, and copies their contents without reading them.

internal import CFileCoordinationSystem

/// Changes the size of files.
public enum FileSpace {
    /// Makes the file at least `length` bytes long and allocates all of them: writing to them, even
    /// through a mapping, cannot fail for lack of space.
    ///
    /// Throws ``ErrorNumber/noSpace`` if there is none.
    public static func reserve(_ file: Descriptor, length: UInt64) throws(SystemError) {
        try check(fcs_reserve(file.number, length), "reserve \(length) bytes")
    }

    /// Makes the file exactly `length` bytes long; new bytes are zeros that take no space yet.
    public static func truncate(_ file: Descriptor, length: UInt64) throws(SystemError) {
        try check(fcs_truncate(file.number, length), "truncate to \(length) bytes")
    }
}

/// Copies that the kernel makes.
public enum FileCopy {
    /// Makes `to` share all contents of `from` until one of them is written to.
    ///
    /// Throws ``ErrorNumber/notSupported`` or ``ErrorNumber/crossDevice`` if the file system
    /// cannot do that.
    public static func reflink(from: Descriptor, to: Descriptor) throws(SystemError) {
        try check(fcs_reflink(from.number, to.number), "clone file contents")
    }

    /// Copies up to `length` bytes.
    ///
    /// Returns their number; 0 at the end of `from`.
    public static func copyRange(
        from: Descriptor, at fromOffset: UInt64, to: Descriptor, at toOffset: UInt64, length: Int
    ) throws(SystemError) -> Int {
        try check(
            fcs_copy_range(from.number, fromOffset, to.number, toOffset, length),
            "copy file contents")
    }

    /// Copies to the present offset of `to`, for file systems that cannot copy ranges.
    public static func sendFile(
        from: Descriptor, at fromOffset: UInt64, to: Descriptor, length: Int
    ) throws(SystemError) -> Int {
        try check(
            fcs_send_file(from.number, to.number, fromOffset, length), "copy file contents")
    }
}
