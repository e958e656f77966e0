// SPDX-License-Identifier: Apache-2.0
//
// The checksum of archive entries (CRC-32 of ISO 3309), computed by zlib, or by this type if there
// is no zlib.

/// A checksum that is updated with more bytes.
@safe package struct ZipChecksum {
    /// The checksum of the bytes so far.
    package private(set) var value: UInt32 = 0
    private let function: ZLibrary.Checksum?

    /// - Parameter library: zlib, or nil to compute the checksum without it.
    package init(library: ZLibrary? = .shared) { unsafe function = unsafe library?.checksum }

    /// Adds the next bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        if let function = unsafe function {
            // zlib takes 32-bit lengths.
            precondition(bytes.count <= UInt32.max, "More bytes at once than there may be")
            value = unsafe UInt32(
                truncatingIfNeeded: function(
                    CUnsignedLong(value), bytes.bindMemory(to: UInt8.self).baseAddress,
                    CUnsignedInt(bytes.count)))
        } else {
            value = unsafe ~bytes.reduce(~value) { sum, byte in
                Self.table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
            }
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { sum, _ in
            sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1
        }
    }
}
