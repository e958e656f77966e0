// SPDX-License-Identifier: Apache-2.0
//
// Identifiers that no other process uses. A forked child counts as another process, although it
// inherits its parent's memory.

import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// Generates purpose identifiers (Rule 4.1).
package enum ProcessIdentity {
    /// A number that no other process has while this one lives.
    static var token: UInt64 {
        if ForkGuard.isForkedChild { ForkGuard.rearm() }
        return ForkGuard.processToken
    }

    /// Returns a number that this process has not used for a purpose.
    static func freshPurposeNumber() -> UInt64 {
        purposes.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Returns the purpose identifier for a number.
    ///
    /// All of them have the same length, so that one can be overwritten by another.
    static func purpose(_ number: UInt64) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: ClaimTemplate.purposeLength) {
            buffer, count in
            if let base = buffer.baseAddress { unsafe write(number, to: base) }
            count = ClaimTemplate.purposeLength
        }
    }

    /// Returns the purpose of all coordinators that are created with a presenter (Rule 4.2).
    ///
    /// It contains the presenter's address. The holder of the purpose retains the presenter, so no
    /// other presenter can have that address meanwhile.
    package static func purpose(ofPresenter identity: ObjectIdentifier) -> String {
        let address = UInt(bitPattern: identity)
        return "\(String(token, radix: 16))/\(String(address, radix: 16))"
    }

    /// The prefix of this process's purpose identifiers.
    static var prefix: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 17) { buffer, count in
            if let base = buffer.baseAddress { unsafe writePrefix(to: base) }
            count = 17
        }
    }

    /// Writes the purpose identifier for a number.
    private static func write(_ number: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        unsafe writePrefix(to: place)
        unsafe writeNumber(number, to: place)
    }

    private static func writePrefix(to place: UnsafeMutablePointer<UInt8>) {
        unsafe writeDigits(token, to: place)
        unsafe place[16] = UInt8(ascii: "-")
    }

    /// Writes the part of a purpose identifier after the prefix.
    static func writeNumber(_ number: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        unsafe writeDigits(number, to: place + 17)
    }

    private static func writeDigits(_ value: UInt64, to place: UnsafeMutablePointer<UInt8>) {
        let target = UnsafeMutableRawPointer(place)
        unsafe target.storeBytes(of: digits(UInt32(value >> 32)).bigEndian, as: UInt64.self)
        unsafe target.storeBytes(
            of: digits(UInt32(truncatingIfNeeded: value)).bigEndian, toByteOffset: 8,
            as: UInt64.self)
    }

    /// Returns the eight hexadecimal digits of a number in one word, the first in the highest byte.
    private static func digits(_ value: UInt32) -> UInt64 {
        // Distributes the half bytes to one byte each, in three steps.
        var bytes = UInt64(value)
        bytes = (bytes & 0xFFFF_0000) << 16 | bytes & 0xFFFF
        bytes = (bytes & 0x0000_FF00_0000_FF00) << 8 | bytes & 0x0000_00FF_0000_00FF
        bytes = (bytes & 0x00F0_00F0_00F0_00F0) << 4 | bytes & 0x000F_000F_000F_000F
        // 1 in each byte that becomes a letter.
        let letters = (bytes + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        let gap = UInt64(UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
        return bytes + 0x3030_3030_3030_3030 + letters * gap
    }

    private static let purposes = Atomic<UInt64>(0)
}
