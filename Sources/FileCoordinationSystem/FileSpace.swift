// SPDX-License-Identifier: Apache-2.0
//
// Making room for a file's contents, and copying them without reading them.

internal import CFileCoordinationSystem

/// The room that a file takes.
public enum FileSpace {
    /// Makes the file at least `length` bytes long, all of them really there: writing to them, also
    /// through a mapping, cannot fail for lack of space.
    ///
    /// ``ErrorNumber/noSpace`` if there is none.
    public static func reserve(_ file: Descriptor, length: UInt64) throws(SystemError) {
        try check(fcs_reserve(file.number, length), "reserve \(length) bytes")
    }

    /// Makes the file exactly `length` bytes long; new bytes are zeros that take no room yet.
    public static func truncate(_ file: Descriptor, length: UInt64) throws(SystemError) {
        try check(fcs_truncate(file.number, length), "truncate to \(length) bytes")
    }
}

/// Copies that the kernel makes.
public enum FileCopy {
    /// Makes `to` share all contents of `from`, until either is written to.
    ///
    /// ``ErrorNumber/notSupported`` or ``ErrorNumber/crossDevice`` where the file system cannot.
    public static func reflink(from: Descriptor, to: Descriptor) throws(SystemError) {
        try check(fcs_reflink(from.number, to.number), "clone file contents")
    }

    /// Copies up to `length` bytes; returns how many, 0 at the end of `from`.
    public static func copyRange(
        from: Descriptor, at fromOffset: UInt64, to: Descriptor, at toOffset: UInt64, length: Int
    ) throws(SystemError) -> Int {
        try check(
            fcs_copy_range(from.number, fromOffset, to.number, toOffset, length),
            "copy file contents")
    }

    /// The same to where `to` would be written to next, for file systems that cannot copy ranges.
    public static func sendFile(
        from: Descriptor, at fromOffset: UInt64, to: Descriptor, length: Int
    ) throws(SystemError) -> Int {
        try check(
            fcs_send_file(from.number, to.number, fromOffset, length), "copy file contents")
    }
}

/// Files that have no name anywhere, and are gone with their last descriptor and mapping.
public enum MemoryFile {
    /// Creates an empty file in memory; `name` is only for people who look at /proc.
    public static func create(name: String) throws(SystemError) -> Descriptor {
        let label = try CName(name, for: "create memory file")
        return Descriptor(
            adopting: try check(
                label.withPointer { fcs_memory_file($0) }, "create memory file \(label)"))
    }
}
