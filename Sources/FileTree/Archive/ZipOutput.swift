// SPDX-License-Identifier: Apache-2.0
//
// Writes an archive to a file in large pieces. It can also replace bytes that were written before,
// because some fields are only known after an entry's contents.

import FileCoordinationSystem

/// Lets tests observe how much of an archive has been written, for example to end the process
/// there.
package enum ArchiveProgress {
    /// Called before each write, with the length that the file will have.
    @TaskLocal package static var beforeWriting: (@Sendable (UInt64) -> Void)?
}

/// A file to which bytes are appended.
///
/// Only one thread at a time may use it.
@safe final class ZipOutput {
    private let file: Descriptor
    private let buffer: UnsafeMutableRawBufferPointer
    /// The number of bytes in the buffer that have not been written.
    private var waiting = 0
    /// The position of the buffer in the file.
    private var written: UInt64

    /// - Parameters:
    ///   - file: the open file.
    ///   - start: the position of the first byte in the file.
    ///   - bufferLength: how many bytes are gathered before they are written.
    init(_ file: Descriptor, from start: UInt64 = 0, bufferLength: Int = 256 << 10) {
        self.file = file
        written = start
        unsafe buffer = .allocate(byteCount: bufferLength, alignment: 16)
    }

    deinit { unsafe buffer.deallocate() }

    /// The position of the next byte in the file.
    var offset: UInt64 { written + UInt64(waiting) }

    /// Appends bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(UploadError) {
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            if unsafe waiting == buffer.count { try flush() }
            let part = unsafe rest.prefix(buffer.count - waiting)
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[waiting...])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(rebasing: part))
            unsafe waiting += part.count
            unsafe rest = rest.dropFirst(part.count)
        }
    }

    /// Appends bytes.
    func append(_ bytes: [UInt8]) throws(UploadError) {
        let result = unsafe bytes.withUnsafeBytes { part in
            Result { () throws(UploadError) in try unsafe append(part) }
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
            unsafe buffer[start..<start + bytes.count].copyBytes(from: bytes)
        }
    }

    /// Writes the bytes in the buffer.
    func flush() throws(UploadError) {
        ArchiveProgress.beforeWriting?(offset)
        do throws(SystemError) {
            try unsafe file.write(UnsafeRawBufferPointer(rebasing: buffer[..<waiting]), at: written)
        } catch {
            throw .unwritable(error)
        }
        written += UInt64(waiting)
        waiting = 0
    }

    private func write(_ bytes: [UInt8], at place: UInt64) throws(UploadError) {
        let result = unsafe bytes.withUnsafeBytes { part in
            Result { () throws(SystemError) in try unsafe file.write(part, at: place) }
        }
        do throws(SystemError) {
            try result.get()
        } catch {
            throw .unwritable(error)
        }
    }
}
