// SPDX-License-Identifier: Apache-2.0
//
// Names that no other process uses. A forked child is another process, although it remembers
// everything that its parent did.

import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// Makes purpose identifiers (Rule 4.1).
enum ProcessIdentity {
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
        for index in 0..<16 {
            let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 0xF
            place[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit
        }
    }

    private static let purposes = Atomic<UInt64>(0)
}
