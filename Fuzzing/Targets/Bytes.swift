// SPDX-License-Identifier: Apache-2.0
//
// Takes decisions from a fuzzer's bytes: whatever they are, they mean something, and what stands
// behind the end of them is zero. So no input is turned away, and every change of one changes what
// is done.

/// The bytes of one input that have not been used yet.
package struct Bytes {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether all have been used.
    package var isAtEnd: Bool { position >= bytes.count }

    /// The next byte.
    package mutating func byte() -> UInt8 {
        guard !isAtEnd else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number below `limit`, which is 256 at most.
    package mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    /// One of several things.
    package mutating func choice<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// The next `Number`, little-endian.
    package mutating func integer<Number: FixedWidthInteger & UnsignedInteger>(
        _: Number.Type
    ) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(byte()) << (8 * $1) }
    }

    /// A number that is most often small, or near an end of its range, or near a power of two.
    package mutating func size() -> UInt32 {
        switch byte() {
        case let small where small < 0xC0: UInt32(small)
        case let power where power < 0xE0:
            (1 << UInt32(power - 0xC0)) &+ UInt32(byte()) &- 128
        case _: integer(UInt32.self)
        }
    }

    /// Up to so many of the bytes that come next.
    package mutating func take(_ count: Int) -> [UInt8] {
        let end = min(position + max(count, 0), bytes.count)
        defer { position = end }
        return Array(bytes[position..<end])
    }

    /// All that is left.
    package mutating func rest() -> [UInt8] { take(bytes.count) }
}
