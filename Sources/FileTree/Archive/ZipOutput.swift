// SPDX-License-Identifier: Apache-2.0
//
// The file that an archive is written to: gathered into large writes, with the one way back that
// an archive needs, to fill in what is known only after an entry's contents.

import FileCoordinationSystem

/// Where tests see how far an archive has come, for example to end the process there.
package enum ArchiveProgress {
    /// Called before each write, with the length that the file is about to have, in bytes.
    @TaskLocal package static var beforeWriting: (@Sendable (UInt64) -> Void)?
}

/// A file that grows.
///
/// For one thread at a time.
final class ZipOutput {
    private let file: Descriptor
    private let buffer: UnsafeMutableRawBufferPointer
    /// How much of the buffer waits to be written.
    private var waiting = 0
    /// Where in the file the buffer belongs.
    private var written: UInt64

    /// - Parameter start: where in the file the first byte goes.
    init(_ file: Descriptor, from start: UInt64 = 0, bufferLength: Int = 256 << 10) {
        self.file = file
        written = start
        buffer = .allocate(byteCount: bufferLength, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// Where the next byte goes.
    var offset: UInt64 { written + UInt64(waiting) }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(UploadError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if waiting == buffer.count { try flush() }
            let part = rest.prefix(buffer.count - waiting)
            let place = UnsafeMutableRawBufferPointer(rebasing: buffer[waiting...])
            place.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            waiting += part.count
            rest = rest.dropFirst(part.count)
        }
    }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws(UploadError) {
        let result = bytes.withUnsafeBytes { part in
            Result { () throws(UploadError) in try append(part) }
        }
        try result.get()
    }

    /// Replaces bytes that were appended at `place`.
    func replace(at place: UInt64, with bytes: [UInt8]) throws(UploadError) {
        precondition(place + UInt64(bytes.count) <= offset, "These bytes were not appended")
        if place < written {
            try flush()
            try write(bytes, at: place)
        } else {
            let start = Int(place - written)
            buffer[start..<start + bytes.count].copyBytes(from: bytes)
        }
    }

    /// Writes what waits.
    func flush() throws(UploadError) {
        ArchiveProgress.beforeWriting?(offset)
        do throws(SystemError) {
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<waiting]), at: written)
        } catch {
            throw .unwritable(error)
        }
        written += UInt64(waiting)
        waiting = 0
    }

    private func write(_ bytes: [UInt8], at place: UInt64) throws(UploadError) {
        let result = bytes.withUnsafeBytes { part in
            Result { () throws(SystemError) in try file.write(part, at: place) }
        }
        do throws(SystemError) {
            try result.get()
        } catch {
            throw .unwritable(error)
        }
    }
}
