// SPDX-License-Identifier: Apache-2.0
//
// Names that no other process uses. A forked child is another process, although it remembers
// everything that its parent did.

import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// Makes purpose identifiers (Rule 4.1).
package enum ProcessIdentity {
    /// A word that no other process has, for as long as this one lives.
    static var token: UInt64 {
        if ForkGuard.isForkedChild { ForkGuard.rearm() }
        return ForkGuard.processToken
    }

    /// A number that this process has not used for a purpose.
    static func freshPurposeNumber() -> UInt64 {
        purposes.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// The purpose identifier of this number: as long as any other, so that it can be written in
    /// place.
    static func purpose(_ number: UInt64) -> String {
        let bytes = [UInt8](unsafeUninitializedCapacity: ClaimTemplate.purposeLength) {
            buffer, count in
            if let base = buffer.baseAddress { write(number, to: base) }
            count = ClaimTemplate.purposeLength
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The purpose of all coordinators that are made with a presenter (Rule 4.2).
    ///
    /// Made from its address: the holder of the purpose retains the presenter, so that no other one
    /// can come to that address meanwhile.
    package static func purpose(ofPresenter identity: ObjectIdentifier) -> String {
        let address = UInt(bitPattern: identity)
        return "\(String(token, radix: 16))/\(String(address, radix: 16))"
    }

    /// What the purpose identifiers of this process begin with.
    static var prefix: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 17) { buffer, count in
            if let base = buffer.baseAddress { writePrefix(to: base) }
            count = 17
        }
    }

    /// Writes the purpose identifier of this number.
    private static func write(_ number: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        writePrefix(to: place)
        writeNumber(number, to: place)
    }

    private static func writePrefix(to place: UnsafeMutablePointer<UInt8>) {
        writeDigits(token, to: place)
        place[16] = UInt8(ascii: "-")
    }

    /// Writes what of the purpose identifier of this number is behind the prefix.
    static func writeNumber(_ number: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        writeDigits(number, to: place + 17)
    }

    private static func writeDigits(_ value: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        let target = UnsafeMutableRawPointer(place)
        target.storeBytes(of: digits(UInt32(value >> 32)).bigEndian, as: UInt64.self)
        target.storeBytes(
            of: digits(UInt32(truncatingIfNeeded: value)).bigEndian, toByteOffset: 8,
            as: UInt64.self)
    }

    /// The eight hexadecimal digits of a number, all at once: the first in the highest byte.
    private static func digits(_ value: UInt32) -> UInt64 {
        // One half byte to a byte, by halves.
        var bytes = UInt64(value)
        bytes = (bytes & 0xFFFF_0000) << 16 | bytes & 0xFFFF
        bytes = (bytes & 0x0000_FF00_0000_FF00) << 8 | bytes & 0x0000_00FF_0000_00FF
        bytes = (bytes & 0x00F0_00F0_00F0_00F0) << 4 | bytes & 0x000F_000F_000F_000F
        // 1 where there is a letter.
        let letters = (bytes + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let gap = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
        return bytes + 0x3030_3030_3030_3030 + letters * gap
    }

    private static let purposes = Atomic<UInt64>(0)
}
