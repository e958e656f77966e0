// SPDX-License-Identifier: Apache-2.0
//
// The system's zlib, which is loaded when it is first needed. A Swift toolchain contains the
// library but not its header, so the few declarations that are needed are repeated here. The
// library checks them: it refuses a stream with another size than its own.

import Glibc

/// The functions of libz.so.1 for compression.
@safe package struct ZLibrary: Sendable {
    /// `z_stream`, as <zlib.h> has declared it since 1995.
    @unsafe struct Stream {
        var nextInput: UnsafePointer<UInt8>?
        var availableInput: CUnsignedInt = 0
        var totalInput: CUnsignedLong = 0
        var nextOutput: UnsafeMutablePointer<UInt8>?
        var availableOutput: CUnsignedInt = 0
        var totalOutput: CUnsignedLong = 0
        var message: UnsafePointer<CChar>?
        var state: OpaquePointer?
        var allocate: OpaquePointer?
        var free: OpaquePointer?
        var opaque: OpaquePointer?
        var dataType: CInt = 0
        var adler: CUnsignedLong = 0
        var reserved: CUnsignedLong = 0
    }

    // Streams are passed by address, because C function types cannot have parameters of Swift
    // types.
    typealias Initialize =
        @convention(c) (
            UnsafeMutableRawPointer, _ level: CInt, _ method: CInt, _ windowBits: CInt,
            _ memoryLevel: CInt, _ strategy: CInt, _ version: UnsafePointer<CChar>, _ size: CInt
        ) -> CInt
    typealias Deflate = @convention(c) (UnsafeMutableRawPointer, _ flush: CInt) -> CInt
    typealias OnStream = @convention(c) (UnsafeMutableRawPointer) -> CInt
    typealias Checksum =
        @convention(c) (
            CUnsignedLong, UnsafePointer<UInt8>?, CUnsignedInt
        ) -> CUnsignedLong

    let initialize: Initialize
    let deflate: Deflate
    let reset: OnStream
    let end: OnStream
    let checksum: Checksum

    // MARK: Constants of <zlib.h>

    /// zlib only compares the first character.
    static let version = "1.2.11"
    static let deflated: CInt = 8
    static let defaultStrategy: CInt = 0
    static let defaultMemoryLevel: CInt = 8
    /// A negative number means no header and no trailer, as zip archives require it.
    static let rawWindowBits: CInt = -15
    static let noFlush: CInt = 0
    static let finish: CInt = 4
    static let ok: CInt = 0
    static let streamEnd: CInt = 1

    // MARK: Finding it

    /// The library, or nil if there is none.
    package static let shared = ZLibrary(named: "libz.so.1")

    /// Loads a library.
    ///
    /// Returns nil if it is missing or lacks a function.
    ///
    /// It is never unloaded.
    package init?(named name: String) {
        guard let library = unsafe dlopen(name, RTLD_NOW) else { return nil }
        guard let initialize = unsafe dlsym(library, "deflateInit2_"),
            let deflate = unsafe dlsym(library, "deflate"),
            let reset = unsafe dlsym(library, "deflateReset"),
            let end = unsafe dlsym(library, "deflateEnd"),
            let checksum = unsafe dlsym(library, "crc32")
        else { return nil }
        unsafe self.initialize = unsafeBitCast(initialize, to: Initialize.self)
        unsafe self.deflate = unsafeBitCast(deflate, to: Deflate.self)
        unsafe self.reset = unsafeBitCast(reset, to: OnStream.self)
        unsafe self.end = unsafeBitCast(end, to: OnStream.self)
        unsafe self.checksum = unsafeBitCast(checksum, to: Checksum.self)
    }
}
