// SPDX-License-Identifier: Apache-2.0
//
// Copies the contents of one file into another by the fastest way that works. A reflink shares the
// contents and takes no time. Otherwise the kernel copies them, and if it cannot, they are read and
// written. Holes are preserved.

package import FileCoordinationSystem
import Glibc

/// Copies one file's contents into an empty file.
package struct FileContents {
    /// The ways to copy bytes, from the fastest to the one that always works.
    package enum Way: Hashable, CaseIterable {
        /// The two files share their contents.
        case reflink
        /// The file system or its server copies.
        case copyRange
        /// The kernel copies, also between file systems.
        case sendFile
        /// This process reads and writes.
        case readAndWrite
    }

    /// Why the contents were not copied.
    package enum Failure: Error, Hashable {
        /// The original could not be read.
        case reading(SystemError)
        /// The copy could not be written.
        case writing(SystemError)
        /// The caller stopped the copying.
        case unwanted
    }

    private let source: Descriptor
    private let target: Descriptor
    /// The fastest way that may still work.
    private var way: Way
    private let followsGrowth: Bool
    private let isUnwanted: () -> Bool

    /// Prepares the copying without doing anything yet.
    ///
    /// - Parameters:
    ///   - source: the file to read.
    ///   - target: the file to write.
    ///   - way: the fastest way to try.
    ///   - followsGrowth: whether to continue beyond the original's present size if it has grown. A
    ///     file whose size is 0, as in /proc, is always read to its end.
    ///   - isUnwanted: called repeatedly; the copying stops if it returns true.
    package init(
        of source: Descriptor, to target: Descriptor, from way: Way = .reflink,
        followsGrowth: Bool = true, unless isUnwanted: @escaping () -> Bool = { false }
    ) {
        self.source = source
        self.target = target
        self.way = way
        self.followsGrowth = followsGrowth
        self.isUnwanted = isUnwanted
    }

    /// Copies the contents.
    package mutating func copy() throws(Failure) {
        // If this fails, the other ways find out why, if the error concerns them too.
        if way == .reflink, (try? FileCopy.reflink(from: source, to: target)) != nil { return }
        let size = try reading { () throws(SystemError) in try source.status().size }
        var position: UInt64 = 0
        while let data = nextData(from: position, to: size) {
            position = data.lowerBound
            while position < data.upperBound {
                guard !isUnwanted() else { throw .unwanted }
                let count = try copy(at: position, atMost: data.upperBound - position)
                // The file is shorter than its size says, like files in /sys, or it was shortened
                // meanwhile.
                guard count > 0 else { return try cutTarget(at: position) }
                position += count
            }
        }
        if position < size, try !hasByte(at: size - 1) {
            // The file has no hole here, but ends before its size.
            return try cutTarget(at: try copyRest(from: position))
        }
        if size > 0 { try cutTarget(at: size) }
        if followsGrowth || size == 0 { _ = try copyRest(from: size) }
    }

    /// Copies from `start` to the end of the original.
    ///
    /// Returns the position of the end.
    private mutating func copyRest(from start: UInt64) throws(Failure) -> UInt64 {
        way = .readAndWrite
        var position = start
        while true {
            guard !isUnwanted() else { throw .unwanted }
            let count = try copy(at: position, atMost: UInt64(Self.bufferLength))
            guard count > 0 else { return position }
            position += count
        }
    }

    private func hasByte(at offset: UInt64) throws(Failure) -> Bool {
        var byte: UInt8 = 0
        return try unsafe withUnsafeMutableBytes(of: &byte) { buffer throws(Failure) in
            try reading { () throws(SystemError) in
                try unsafe source.read(into: buffer, at: offset) > 0
            }
        }
    }

    private func cutTarget(at length: UInt64) throws(Failure) {
        try writing { () throws(SystemError) in
            try FileSpace.truncate(target, length: length)
        }
    }

    private func reading<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        do throws(SystemError) { return try body() } catch { throw .reading(error) }
    }

    private func writing(_ body: () throws(SystemError) -> Void) throws(Failure) {
        do throws(SystemError) { try body() } catch { throw .writing(error) }
    }

    // MARK: Holes

    // <unistd.h> declares these with _GNU_SOURCE only. Their values belong to the kernel's
    // interface.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4

    /// Returns the next range of bytes that is not a hole, or nil if there is none before `end`.
    private func nextData(from position: UInt64, to end: UInt64) -> Range<UInt64>? {
        guard position < end else { return nil }
        let start = lseek(source.number, off_t(position), Self.seekData)
        guard start >= 0 else {
            // ENXIO means that there is no more data. With other errors, the file system cannot
            // tell.
            return errno == ENXIO ? nil : position..<end
        }
        guard start < end else { return nil }
        let stop = lseek(source.number, start, Self.seekHole)
        return UInt64(start)..<(stop > start ? min(UInt64(stop), end) : end)
    }

    // MARK: Bytes

    private static let bufferLength = 256 << 10
    /// How many bytes are copied at once, before `isUnwanted` is called again.
    private static let stretch: UInt64 = 1 << 28

    /// Copies some bytes.
    ///
    /// Returns 0 at the end of the file.
    private mutating func copy(
        at position: UInt64, atMost length: UInt64
    ) throws(Failure) -> UInt64 {
        let length = Int(min(length, Self.stretch))
        while true {
            switch way {
            case .reflink: way = .copyRange
            case .copyRange:
                // 0 means the end of the file, or a file system that cannot copy in this way. The
                // other ways find out which, and what the error was.
                let count = try? FileCopy.copyRange(
                    from: source, at: position, to: target, at: position, length: length)
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

    /// Returns nil if this way does not work.
    private func sendFile(at position: UInt64, length: Int) -> UInt64? {
        guard lseek(target.number, off_t(position), SEEK_SET) >= 0 else { return nil }
        // Reading and writing will find out what the error was.
        let count = try? FileCopy.sendFile(
            from: source, at: position, to: target, length: length)
        return count.flatMap { $0 > 0 ? UInt64($0) : nil }
    }

    private func readAndWrite(at position: UInt64, length: Int) throws(Failure) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { unsafe buffer.deallocate() }
        let count = try reading { () throws(SystemError) in
            try unsafe source.read(into: buffer, at: position)
        }
        try writing { () throws(SystemError) in
            try unsafe target.write(
                UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
        }
        return UInt64(count)
    }
}
