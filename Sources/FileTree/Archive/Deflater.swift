// SPDX-License-Identifier: Apache-2.0
//
// Compressing bytes, one file after the other, by one stream of zlib's.

import Glibc

/// A compressor of files.
///
/// For one thread at a time.
final class Deflater {
    private let zlib: ZLibrary
    /// At one address for its whole life: zlib remembers it.
    private let stream: UnsafeMutablePointer<ZLibrary.Stream>
    private let output: UnsafeMutableBufferPointer<UInt8>

    /// Between 1 and 9.
    ///
    /// Writers wait while an archive is made, so not zlib's 6: this takes little more than half the
    /// time, for a few hundredths of the size.
    private static let level: CInt = 4

    /// A compressor; nil if the library is not there or does not take our declarations.
    init?(library: ZLibrary? = .shared, outputLength: Int = 256 << 10) {
        guard let library else { return nil }
        let stream = UnsafeMutablePointer<ZLibrary.Stream>.allocate(capacity: 1)
        stream.initialize(to: ZLibrary.Stream())
        let result = library.initialize(
            stream, Self.level, ZLibrary.deflated, ZLibrary.rawWindowBits,
            ZLibrary.defaultMemoryLevel, ZLibrary.defaultStrategy, ZLibrary.version,
            CInt(MemoryLayout<ZLibrary.Stream>.size))
        guard result == ZLibrary.ok else {
            stream.deallocate()
            return nil
        }
        zlib = library
        self.stream = stream
        output = .allocate(capacity: outputLength)
    }

    deinit {
        _ = zlib.end(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// All of `input`, compressed to `limit` bytes at most; nil if that is too little room.
    ///
    /// The result is valid until the next call.
    func compress(
        _ input: UnsafeRawBufferPointer, into limit: Int
    ) -> UnsafeRawBufferPointer? {
        guard limit > 0 else { return nil }
        begin()
        stream.pointee.nextInput = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.availableInput = CUnsignedInt(input.count)
        let capacity = min(limit, output.count)
        provideOutput(capacity)
        guard zlib.deflate(stream, ZLibrary.finish) == ZLibrary.streamEnd else { return nil }
        return filled(of: capacity)
    }

    /// Forgets what came before: the next bytes begin a file.
    func begin() { _ = zlib.reset(stream) }

    /// Compresses the next bytes of a file, and hands out what has become ready.
    ///
    /// - Parameter isLast: whether the file ends with them.
    func feed(
        _ input: UnsafeRawBufferPointer, isLast: Bool,
        emit: (UnsafeRawBufferPointer) throws(UploadError) -> Void
    ) throws(UploadError) {
        stream.pointee.nextInput = input.bindMemory(to: UInt8.self).baseAddress
        stream.pointee.availableInput = CUnsignedInt(input.count)
        while true {
            provideOutput(output.count)
            let result = zlib.deflate(stream, isLast ? ZLibrary.finish : ZLibrary.noFlush)
            let ready = filled(of: output.count)
            if !ready.isEmpty { try emit(ready) }
            if result == ZLibrary.streamEnd { return }
            // Room was left, so there is nothing more to be had.
            if !isLast, ready.count < output.count { return }
            precondition(
                result == ZLibrary.ok || ready.count == output.count,
                "zlib refused to go on: \(result)")
        }
    }

    private func provideOutput(_ capacity: Int) {
        stream.pointee.nextOutput = output.baseAddress
        stream.pointee.availableOutput = CUnsignedInt(capacity)
    }

    private func filled(of capacity: Int) -> UnsafeRawBufferPointer {
        let count = capacity - Int(stream.pointee.availableOutput)
        return UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: output[..<count]))
    }
}
