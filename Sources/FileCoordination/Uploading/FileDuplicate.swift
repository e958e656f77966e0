// SPDX-License-Identifier: Apache-2.0
//
// The copy of one file. The file system's own way first: a reflink shares the contents and takes
// no time. Else the kernel copies, without the bytes passing through us; holes stay holes.

#if !canImport(Darwin)
package import FileCoordinationSystem
import Glibc

/// A copy of `source`'s contents into an empty file.
package struct FileDuplicate {
    /// How bytes are copied, from the best way to the one that always works.
    package enum Way: Hashable, CaseIterable {
        /// The contents become shared.
        case reflink
        /// The file system copies, or its server does.
        case copyRange
        /// The kernel copies, also from one file system to another.
        case sendFile
        /// Through our own memory.
        case readAndWrite
    }

    let source: SourceFile
    let target: Descriptor
    /// The way that works, as far as it is known.
    package private(set) var way: Way

    /// - Parameter way: the best way that may be tried.
    package init(of source: SourceFile, to target: Descriptor, from way: Way = .reflink) {
        self.source = source
        self.target = target
        self.way = way
    }

    /// Copies all that there was when the file was opened.
    ///
    /// Less, if it has been cut off since. A file that says that it is empty (as in /proc) is read
    /// to its end.
    package mutating func make() throws(UploadError) {
        if way == .reflink {
            do throws(SystemError) {
                return try FileCopy.reflink(from: source.descriptor, to: target)
            } catch {
                way = .copyRange
            }
        }
        let size = source.attributes.size
        guard size > 0 else { return try copyAll() }
        var position: UInt64 = 0
        while let data = nextData(from: position, to: size) {
            position = data.lowerBound
            while position < data.upperBound {
                let count = try copy(at: position, atMost: data.upperBound - position)
                guard count > 0 else { return try cutTarget(at: position) }
                position += count
            }
        }
        try cutTarget(at: size)
    }

    private mutating func copyAll() throws(UploadError) {
        way = .readAndWrite
        var position: UInt64 = 0
        while true {
            let count = try copy(at: position, atMost: UInt64(Self.bufferLength))
            guard count > 0 else { return }
            position += count
        }
    }

    private func cutTarget(at length: UInt64) throws(UploadError) {
        do throws(SystemError) {
            try FileSpace.truncate(target, length: length)
        } catch {
            throw .unwritable(error)
        }
    }

    // MARK: Holes

    // <unistd.h> shows them to GNU sources only; they are part of the kernel's interface.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4

    /// The next bytes from `position` on that are not a hole; nil when there are none before `end`.
    private func nextData(from position: UInt64, to end: UInt64) -> Range<UInt64>? {
        guard position < end else { return nil }
        let number = source.descriptor.number
        let start = lseek(number, off_t(position), Self.seekData)
        guard start >= 0 else {
            // A file system without such knowledge, as opposed to a file without more data.
            return errno == ENXIO ? nil : position..<end
        }
        guard start < end else { return nil }
        let stop = lseek(number, start, Self.seekHole)
        return UInt64(start)..<(stop > start ? min(UInt64(stop), end) : end)
    }

    // MARK: Bytes

    private static let bufferLength = 256 << 10

    /// Copies some bytes; 0 at the end of the file.
    private mutating func copy(
        at position: UInt64, atMost length: UInt64
    ) throws(UploadError) -> UInt64 {
        // So that a signal's handler, or a slow device, is not kept waiting for gigabytes.
        let length = Int(min(length, 1 << 30))
        while true {
            switch way {
            case .reflink: way = .copyRange
            case .copyRange:
                let count = try? FileCopy.copyRange(
                    from: source.descriptor, at: position, to: target, at: position, length: length)
                // 0 may be the end, or a file system that cannot tell.
                if let count, count > 0 { return UInt64(count) }
                way = .sendFile
            case .sendFile:
                if let count = sendFile(at: position, length: length) { return count }
                way = .readAndWrite
            case .readAndWrite:
                return try readAndWrite(at: position, length: min(length, Self.bufferLength))
            }
        }
    }

    /// nil if that way is closed.
    private func sendFile(at position: UInt64, length: Int) -> UInt64? {
        guard lseek(target.number, off_t(position), SEEK_SET) >= 0 else { return nil }
        let count = try? FileCopy.sendFile(
            from: source.descriptor, at: position, to: target, length: length)
        return count.flatMap { $0 > 0 ? UInt64($0) : nil }
    }

    private func readAndWrite(at position: UInt64, length: Int) throws(UploadError) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { buffer.deallocate() }
        let count = try source.read(into: buffer, at: position)
        do throws(SystemError) {
            try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
        } catch {
            throw .unwritable(error)
        }
        return UInt64(count)
    }
}
#endif
