// SPDX-License-Identifier: Apache-2.0
//
// The contents of one file, brought into another one. The file system's own way first: a reflink
// shares them and takes no time. Else the kernel copies, without the bytes passing through us; and
// at last they are read and written. Holes stay holes.

package import FileCoordinationSystem
import Glibc

/// A copy of one file's contents into an empty file.
package struct FileContents {
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

    /// Why contents were not copied.
    package enum Failure: Error, Hashable {
        /// The original cannot be read.
        case reading(SystemError)
        /// The copy cannot be written.
        case writing(SystemError)
        /// The caller wanted it to stop.
        case unwanted
    }

    private let source: Descriptor
    private let target: Descriptor
    /// The way that works, as far as it is known.
    private var way: Way
    private let followsGrowth: Bool
    private let isUnwanted: () -> Bool

    /// Gets ready; nothing happens yet.
    ///
    /// - Parameters:
    ///   - way: the best way that may be tried.
    ///   - followsGrowth: whether to go on beyond the size that the original has now, as far as
    ///     there is something. One that says that it is empty (as in /proc) is read to its end.
    ///   - isUnwanted: asked now and then whether to stop.
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

    /// Copies.
    package mutating func copy() throws(Failure) {
        // Where that fails, the other ways find the reason, if it is one for them, too.
        if way == .reflink, (try? FileCopy.reflink(from: source, to: target)) != nil { return }
        let size = try reading { () throws(SystemError) in try source.status().size }
        var position: UInt64 = 0
        while let data = nextData(from: position, to: size) {
            position = data.lowerBound
            while position < data.upperBound {
                guard !isUnwanted() else { throw .unwanted }
                let count = try copy(at: position, atMost: data.upperBound - position)
                // It is shorter than it says, as files in /sys are, or has become so.
                guard count > 0 else { return try cutTarget(at: position) }
                position += count
            }
        }
        if position < size, try !hasByte(at: size - 1) {
            // No hole, but nothing.
            return try cutTarget(at: try copyRest(from: position))
        }
        if size > 0 { try cutTarget(at: size) }
        if followsGrowth || size == 0 { _ = try copyRest(from: size) }
    }

    /// Copies what there is from `position` on; returns where that ends.
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
        return try withUnsafeMutableBytes(of: &byte) { buffer throws(Failure) in
            try reading { () throws(SystemError) in try source.read(into: buffer, at: offset) > 0 }
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

    // <unistd.h> shows them to GNU sources only; they are part of the kernel's interface.
    private static let seekData: Int32 = 3
    private static let seekHole: Int32 = 4

    /// The next bytes from `position` on that are not a hole; nil when there are none before `end`.
    private func nextData(from position: UInt64, to end: UInt64) -> Range<UInt64>? {
        guard position < end else { return nil }
        let start = lseek(source.number, off_t(position), Self.seekData)
        guard start >= 0 else {
            // A file system without such knowledge, as opposed to a file without more data.
            return errno == ENXIO ? nil : position..<end
        }
        guard start < end else { return nil }
        let stop = lseek(source.number, start, Self.seekHole)
        return UInt64(start)..<(stop > start ? min(UInt64(stop), end) : end)
    }

    // MARK: Bytes

    private static let bufferLength = 256 << 10
    /// How much is copied before anything else gets its turn: a signal, or a question.
    private static let stretch: UInt64 = 1 << 28

    /// Copies some bytes; 0 at the end of the file.
    private mutating func copy(
        at position: UInt64, atMost length: UInt64
    ) throws(Failure) -> UInt64 {
        let length = Int(min(length, Self.stretch))
        while true {
            switch way {
            case .reflink: way = .copyRange
            case .copyRange:
                // 0 may be the end, or a file system that cannot tell; the other ways say which,
                // and what the error was.
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

    /// nil if that way is closed.
    private func sendFile(at position: UInt64, length: Int) -> UInt64? {
        guard lseek(target.number, off_t(position), SEEK_SET) >= 0 else { return nil }
        // Reading and writing says what the error was.
        let count = try? FileCopy.sendFile(
            from: source, at: position, to: target, length: length)
        return count.flatMap { $0 > 0 ? UInt64($0) : nil }
    }

    private func readAndWrite(at position: UInt64, length: Int) throws(Failure) -> UInt64 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
        defer { buffer.deallocate() }
        let count = try reading { () throws(SystemError) in
            try source.read(into: buffer, at: position)
        }
        try writing { () throws(SystemError) in
            try target.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: position)
        }
        return UInt64(count)
    }
}
