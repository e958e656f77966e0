// SPDX-License-Identifier: Apache-2.0
//
// Compresses the contents of files with one zlib stream, one file after the other.

import Glibc

/// Compresses files.
///
/// Only one thread at a time may use it.
@safe final class Deflater {
    private let zlib: ZLibrary
    /// zlib stores the address of the stream, so the stream must not move.
    private let stream: UnsafeMutablePointer<ZLibrary.Stream>
    private let output: UnsafeMutableBufferPointer<UInt8>

    /// The level of compression, between 1 and 9.
    ///
    /// Writers wait while an archive is made. Compared with zlib's default of 6, this level takes
    /// little more than half the time, and the result is a few percent larger.
    private static let level: CInt = 4

    /// Makes a compressor.
    ///
    /// Returns nil if zlib is missing or does not accept the declarations in `ZLibrary`.
    init?(library: ZLibrary? = .shared, outputLength: Int = 256 << 10) {
        guard let library else { return nil }
        let stream = UnsafeMutablePointer<ZLibrary.Stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: ZLibrary.Stream())
        let result = unsafe library.initialize(
            stream, Self.level, ZLibrary.deflated, ZLibrary.rawWindowBits,
            ZLibrary.defaultMemoryLevel, ZLibrary.defaultStrategy, ZLibrary.version,
            CInt(MemoryLayout<ZLibrary.Stream>.size))
        guard result == ZLibrary.ok else {
            unsafe stream.deallocate()
            return nil
        }
        zlib = library
        unsafe self.stream = stream
        unsafe output = .allocate(capacity: outputLength)
    }

    deinit {
        _ = unsafe zlib.end(stream)
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Compresses all of `input` to at most `limit` bytes.
    ///
    /// Returns nil if the result is longer.
    ///
    /// The result is valid until the next call.
    func compress(
        _ input: UnsafeRawBufferPointer, into limit: Int
    ) -> UnsafeRawBufferPointer? {
        guard limit > 0 else { return nil }
        begin()
        unsafe stream.pointee.nextInput = input.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.pointee.availableInput = CUnsignedInt(input.count)
        let capacity = unsafe min(limit, output.count)
        provideOutput(capacity)
        guard unsafe zlib.deflate(stream, ZLibrary.finish) == ZLibrary.streamEnd else { return nil }
        return unsafe filled(of: capacity)
    }

    /// Starts a new file.
    func begin() { _ = unsafe zlib.reset(stream) }

    /// Compresses the next bytes of a file.
    ///
    /// - Parameters:
    ///   - input: the bytes.
    ///   - isLast: whether the file ends with these bytes.
    ///   - emit: gets finished output, as often as there is some.
    /// - Throws: what `emit` throws.
    func feed(
        _ input: UnsafeRawBufferPointer, isLast: Bool,
        emit: (UnsafeRawBufferPointer) throws(UploadError) -> Void
    ) throws(UploadError) {
        unsafe stream.pointee.nextInput = input.bindMemory(to: UInt8.self).baseAddress
        unsafe stream.pointee.availableInput = CUnsignedInt(input.count)
        while true {
            unsafe provideOutput(output.count)
            let result = unsafe zlib.deflate(stream, isLast ? ZLibrary.finish : ZLibrary.noFlush)
            let ready = unsafe filled(of: output.count)
            if unsafe !ready.isEmpty { try unsafe emit(ready) }
            if result == ZLibrary.streamEnd { return }
            // The output buffer was not filled, so zlib has no more output for now.
            if !isLast, unsafe ready.count < output.count { return }
            unsafe precondition(
                result == ZLibrary.ok || ready.count == output.count,
                "zlib refused to go on: \(result)")
        }
    }

    private func provideOutput(_ capacity: Int) {
        unsafe stream.pointee.nextOutput = output.baseAddress
        unsafe stream.pointee.availableOutput = CUnsignedInt(capacity)
    }

    private func filled(of capacity: Int) -> UnsafeRawBufferPointer {
        let count = unsafe capacity - Int(stream.pointee.availableOutput)
        return unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: output[..<count]))
    }
}
