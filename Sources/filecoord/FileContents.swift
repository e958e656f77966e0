// SPDX-License-Identifier: Apache-2.0
//
// The contents of one file, brought into another one: shared where the file system can, else copied
// by the kernel, else read and written. Holes stay holes.

import FileCoordinationSystem
import Foundation

/// Copying what is in a file.
enum FileContents {
    // <unistd.h> shows them to GNU sources only; they are part of the kernel's interface.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4

    /// How much is copied before anybody is asked whether to go on.
    private static let stretch: UInt64 = 1 << 28

    /// Copies all that is in `original` into `copy`, which is empty.
    ///
    /// - Parameter isUnwanted: asked now and then; yes makes it fail.
    static func copy(
        _ original: Descriptor, to copy: Descriptor, unless isUnwanted: () -> Bool = { false }
    ) throws(SystemError) {
        if (try? FileCopy.reflink(from: original, to: copy)) != nil { return }
        let size = try original.status().size
        var offset: UInt64 = 0
        while let data = nextData(in: original, from: offset, to: size) {
            guard !isUnwanted() else { throw SystemError(code: ECANCELED, operation: "copy") }
            offset = data.lowerBound
            let end = min(data.upperBound, offset + stretch)
            while offset < end,
                let count = try? FileCopy.copyRange(
                    from: original, at: offset, to: copy, at: offset, length: Int(end - offset)),
                count > 0
            {
                offset += UInt64(count)
            }
            // Whatever the reason was, reading and writing finds the rest, or the error.
            let reached = try copyThroughMemory(original, to: copy, offset..<end)
            guard reached == end else {
                // It is shorter than it says, as files in /sys are, or has become so.
                return try FileSpace.truncate(copy, length: reached)
            }
            offset = end
        }
        if offset < size, try !hasByte(original, at: size - 1) {
            // No hole, but nothing.
            let end = try copyThroughMemory(original, to: copy, offset..<UInt64.max)
            return try FileSpace.truncate(copy, length: end)
        }
        try FileSpace.truncate(copy, length: size)
        // What says that it is empty may not be; what grows meanwhile is taken as far as it comes.
        _ = try copyThroughMemory(original, to: copy, size..<UInt64.max)
    }

    private static func hasByte(
        _ file: Descriptor, at offset: UInt64
    ) throws(SystemError) -> Bool {
        var byte: UInt8 = 0
        return try withUnsafeMutableBytes(of: &byte) { buffer throws(SystemError) in
            try file.read(into: buffer, at: offset) > 0
        }
    }

    /// The next bytes from `position` on that are not a hole; nil when there are none before `end`.
    private static func nextData(
        in file: Descriptor, from position: UInt64, to end: UInt64
    ) -> Range<UInt64>? {
        guard position < end else { return nil }
        let start = lseek(file.number, off_t(position), seekData)
        // A file system without such knowledge, as opposed to a file without more data.
        guard start >= 0 else { return errno == ENXIO ? nil : position..<end }
        guard start < end else { return nil }
        let stop = lseek(file.number, start, seekHole)
        return UInt64(start)..<(stop > start ? min(UInt64(stop), end) : end)
    }

    /// Returns where the original ended, or else the end of `range`.
    private static func copyThroughMemory(
        _ original: Descriptor, to copy: Descriptor, _ range: Range<UInt64>
    ) throws(SystemError) -> UInt64 {
        guard !range.isEmpty else { return range.upperBound }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            let length = min(buffer.count, Int(clamping: range.upperBound - offset))
            let count = try original.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<length]), at: offset)
            guard count > 0 else { return offset }
            try copy.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += UInt64(count)
        }
        return offset
    }
}
