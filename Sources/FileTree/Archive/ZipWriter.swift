// SPDX-License-Identifier: Apache-2.0
//
// A zip archive in the making. Contents go straight from the tree into the archive, whatever their
// size; what became of them is filled in before them afterwards, so that readers that cannot look
// at the archive's end first understand it too.

package import FileCoordinationSystem
package import Glibc

/// Writes one archive.
///
/// For one thread at a time.
package final class ZipWriter {
    private let output: ZipOutput
    private let deflater: Deflater?
    private let zlib: ZLibrary?
    private let input: UnsafeMutableRawBufferPointer
    /// The archive's directory so far.
    private var directory: [UInt8] = []
    private var count: UInt64 = 0

    /// From this size on a file's sizes get 64 bits: below, even contents that grow by being
    /// compressed stay far from 4 GiB.
    static let wideSize: UInt64 = 0xFE00_0000

    /// - Parameters:
    ///   - start: where in the file the archive begins.
    ///   - library: nil to store without compression.
    package init(to file: Descriptor, from start: UInt64 = 0, library: ZLibrary? = .shared) {
        output = ZipOutput(file, from: start)
        deflater = Deflater(library: library)
        zlib = library
        input = .allocate(byteCount: 256 << 10, alignment: 16)
    }

    deinit { input.deallocate() }

    // MARK: Entries

    /// Adds a directory.
    package func addDirectory(_ name: [UInt8], _ status: stat) throws(UploadError) {
        try add(entry(name + [UInt8(ascii: "/")], status))
    }

    /// Adds a symbolic link.
    package func addLink(
        _ name: [UInt8], to target: [UInt8], _ status: stat
    ) throws(UploadError) {
        var entry = try entry(name, status)
        entry.size = UInt64(target.count)
        entry.storedSize = entry.size
        var sum = ZipChecksum(library: zlib)
        target.withUnsafeBytes { sum.update($0) }
        entry.checksum = sum.value
        try add(entry, contents: target)
    }

    /// Adds a file with the contents that it has now.
    package func addFile(_ name: [UInt8], _ file: SourceFile) throws(UploadError) {
        var entry = try entry(name, file.status)
        entry.hasWideSizes = file.size >= Self.wideSize
        // For the room that it takes.
        try output.append(entry.localRecord)
        try addContents(of: file, to: &entry)
        try output.replace(at: entry.offset, with: entry.localRecord)
        addToDirectory(entry)
    }

    private func entry(
        _ name: [UInt8], _ status: stat
    ) throws(UploadError) -> ZipEntry {
        guard name.count <= ZipEntry.nameLimit else { throw .nameTooLong(path: name) }
        return ZipEntry(
            name: name, mode: status.st_mode, modified: status.st_mtim.tv_sec, offset: output.offset
        )
    }

    private func add(_ entry: ZipEntry, contents: [UInt8] = []) throws(UploadError) {
        try output.append(entry.localRecord)
        try output.append(contents)
        addToDirectory(entry)
    }

    private func addToDirectory(_ entry: ZipEntry) {
        directory.append(contentsOf: entry.directoryRecord)
        count += 1
    }

    // MARK: Contents

    private func addContents(
        of file: SourceFile, to entry: inout ZipEntry
    ) throws(UploadError) {
        let start = output.offset
        var sum = ZipChecksum(library: zlib)
        var part = try read(file, at: 0)
        sum.update(part)
        entry.size = UInt64(part.count)
        if part.count < input.count {
            entry.method = try addWhole(part)
        } else {
            entry.method = choose(for: part)
            try add(part, entry.method, isLast: false)
            // Contents that end with a full part are followed by an empty one.
            while part.count == input.count {
                part = try read(file, at: entry.size)
                sum.update(part)
                try add(part, entry.method, isLast: part.count < input.count)
                entry.size += UInt64(part.count)
            }
        }
        entry.checksum = sum.value
        entry.storedSize = output.offset - start
    }

    /// Reads the next part of what the file held when it was opened: a writer may be adding to it
    /// faster than it can be read.
    ///
    /// A file that says that it is empty (as in /proc) is read to its end, within 4 GiB.
    private func read(
        _ file: SourceFile, at position: UInt64
    ) throws(UploadError) -> UnsafeRawBufferPointer {
        let size = file.size
        let rest = (size > 0 ? size : Self.wideSize) - position
        let room = UnsafeMutableRawBufferPointer(
            rebasing: input.prefix(Int(min(UInt64(input.count), rest))))
        let count: Int
        do throws(TreeError) {
            count = try file.read(into: room, at: position)
        } catch {
            throw UploadError(error)
        }
        return UnsafeRawBufferPointer(rebasing: input[..<count])
    }

    /// Adds contents that are here as a whole, in whichever way is shorter.
    private func addWhole(_ part: UnsafeRawBufferPointer) throws(UploadError) -> ZipEntry.Method {
        guard let packed = deflater?.compress(part, into: part.count - 1) else {
            try output.append(part)
            return .stored
        }
        try output.append(packed)
        return .deflated
    }

    /// Chooses how a large file is kept, by what becomes of its beginning: most that is large
    /// (pictures, films, archives) is compressed already.
    private func choose(for part: UnsafeRawBufferPointer) -> ZipEntry.Method {
        let sample = UnsafeRawBufferPointer(rebasing: part.prefix(64 << 10))
        guard let deflater, deflater.compress(sample, into: sample.count / 32 * 31) != nil else {
            return .stored
        }
        deflater.begin()
        return .deflated
    }

    private func add(
        _ part: UnsafeRawBufferPointer, _ method: ZipEntry.Method, isLast: Bool
    ) throws(UploadError) {
        guard method == .deflated, let deflater else { return try output.append(part) }
        try deflater.feed(part, isLast: isLast) { (ready) throws(UploadError) in
            try output.append(ready)
        }
    }

    // MARK: The end

    /// Completes the archive.
    package func finish() throws(UploadError) {
        let start = output.offset
        try output.append(directory)
        let length = output.offset - start
        var record = LittleEndian()
        if count >= 0xFFFF || length >= 0xFFFF_FFFF || start >= 0xFFFF_FFFF {
            appendWideEnd(to: &record, directoryAt: start, length: length)
        }
        record.append(0x0605_4b50 as UInt32)
        record.append(0 as UInt16)
        record.append(0 as UInt16)
        record.append(UInt16(min(count, 0xFFFF)))
        record.append(UInt16(min(count, 0xFFFF)))
        record.append(UInt32(min(length, 0xFFFF_FFFF)))
        record.append(UInt32(min(start, 0xFFFF_FFFF)))
        record.append(0 as UInt16)
        try output.append(record.bytes)
        try output.flush()
    }

    /// The end for archives with more, or larger, than the first format could say.
    private func appendWideEnd(
        to record: inout LittleEndian, directoryAt start: UInt64, length: UInt64
    ) {
        record.append(0x0606_4b50 as UInt32)
        // Of the rest of this record.
        record.append(44 as UInt64)
        record.append(3 << 8 | ZipEntry.wideVersion)
        record.append(ZipEntry.wideVersion)
        record.append(0 as UInt32)
        record.append(0 as UInt32)
        record.append(count)
        record.append(count)
        record.append(length)
        record.append(start)
        // And where it is.
        record.append(0x0706_4b50 as UInt32)
        record.append(0 as UInt32)
        record.append(start + length)
        record.append(1 as UInt32)
    }
}
