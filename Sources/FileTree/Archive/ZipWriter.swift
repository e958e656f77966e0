// SPDX-License-Identifier: Apache-2.0
//
// Writes a zip archive. Contents of any size are written directly into the archive. Their sizes and
// checksum are filled in afterwards in the record before them, so that programs that read the
// archive from its beginning understand it too.

package import FileCoordinationSystem
package import Glibc

/// Writes one archive.
///
/// Only one thread at a time may use it.
@safe package final class ZipWriter {
    private let output: ZipOutput
    private let deflater: Deflater?
    private let zlib: ZLibrary?
    private let input: UnsafeMutableRawBufferPointer
    /// The archive's directory so far.
    private var directory: [UInt8] = []
    private var count: UInt64 = 0

    /// Files of at least this size get 64-bit sizes.
    ///
    /// Smaller files stay far below 4 GiB even if they grow by being compressed.
    static let wideSize: UInt64 = 0xFE00_0000

    /// - Parameters:
    ///   - file: the open file.
    ///   - start: the position of the archive in the file.
    ///   - library: zlib, or nil to store without compression.
    package init(to file: Descriptor, from start: UInt64 = 0, library: ZLibrary? = .shared) {
        output = ZipOutput(file, from: start)
        deflater = Deflater(library: library)
        zlib = library
        unsafe input = .allocate(byteCount: 256 << 10, alignment: 16)
    }

    deinit { unsafe input.deallocate() }

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
        unsafe target.withUnsafeBytes { unsafe sum.update($0) }
        entry.checksum = sum.value
        try add(entry, contents: target)
    }

    /// Adds a file with its present contents.
    package func addFile(_ name: [UInt8], _ file: SourceFile) throws(UploadError) {
        var entry = try entry(name, file.status)
        entry.hasWideSizes = file.size >= Self.wideSize
        // This reserves space for the record, which is written again below.
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
        var part = try unsafe read(file, at: 0)
        unsafe sum.update(part)
        entry.size = UInt64(part.count)
        if unsafe part.count < input.count {
            entry.method = try unsafe addWhole(part)
        } else {
            entry.method = unsafe choose(for: part)
            try unsafe add(part, entry.method, isLast: false)
            // If the last part fills the buffer, an empty part follows.
            while unsafe part.count == input.count {
                unsafe part = try unsafe read(file, at: entry.size)
                unsafe sum.update(part)
                try unsafe add(part, entry.method, isLast: part.count < input.count)
                entry.size += UInt64(part.count)
            }
        }
        entry.checksum = sum.value
        entry.storedSize = output.offset - start
    }

    /// Reads the next part of the file, up to its size when it was opened: another program may
    /// append to it faster than this one can read.
    ///
    /// A file whose size is 0 (as in /proc) is read to its end, but at most 4 GiB.
    private func read(
        _ file: SourceFile, at position: UInt64
    ) throws(UploadError) -> UnsafeRawBufferPointer {
        let size = file.size
        let rest = (size > 0 ? size : Self.wideSize) - position
        let room = unsafe UnsafeMutableRawBufferPointer(
            rebasing: input.prefix(Int(min(UInt64(input.count), rest))))
        let count: Int
        do throws(TreeError) {
            count = try unsafe file.read(into: room, at: position)
        } catch {
            throw UploadError(error)
        }
        return unsafe UnsafeRawBufferPointer(rebasing: input[..<count])
    }

    /// Adds contents that are in memory as a whole, compressed if that is shorter.
    private func addWhole(_ part: UnsafeRawBufferPointer) throws(UploadError) -> ZipEntry.Method {
        guard let packed = unsafe deflater?.compress(part, into: part.count - 1) else {
            try unsafe output.append(part)
            return .stored
        }
        try unsafe output.append(packed)
        return .deflated
    }

    /// Chooses the method for a large file by compressing its beginning, because most large files
    /// (pictures, films, archives) are compressed already.
    private func choose(for part: UnsafeRawBufferPointer) -> ZipEntry.Method {
        let sample = unsafe UnsafeRawBufferPointer(rebasing: part.prefix(64 << 10))
        guard let deflater, unsafe deflater.compress(sample, into: sample.count / 32 * 31) != nil
        else {
            return .stored
        }
        deflater.begin()
        return .deflated
    }

    private func add(
        _ part: UnsafeRawBufferPointer, _ method: ZipEntry.Method, isLast: Bool
    ) throws(UploadError) {
        guard method == .deflated, let deflater else { return try unsafe output.append(part) }
        try unsafe deflater.feed(part, isLast: isLast) { (ready) throws(UploadError) in
            try unsafe output.append(ready)
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

    /// Appends the 64-bit end records, for archives whose numbers are too large for the ordinary
    /// ones.
    private func appendWideEnd(
        to record: inout LittleEndian, directoryAt start: UInt64, length: UInt64
    ) {
        record.append(0x0606_4b50 as UInt32)
        // The length of the rest of this record.
        record.append(44 as UInt64)
        record.append(3 << 8 | ZipEntry.wideVersion)
        record.append(ZipEntry.wideVersion)
        record.append(0 as UInt32)
        record.append(0 as UInt32)
        record.append(count)
        record.append(count)
        record.append(length)
        record.append(start)
        // The position of the record above.
        record.append(0x0706_4b50 as UInt32)
        record.append(0 as UInt32)
        record.append(start + length)
        record.append(1 as UInt32)
    }
}
