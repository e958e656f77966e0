// SPDX-License-Identifier: Apache-2.0
//
// Encodes values as bytes. The encoder records the first value that a decoder would reject. So an
// encoding without a fault can always be decoded.

import FileCoordinationArbiter

/// A value with exactly one encoding.
protocol WireCoded {
    /// Appends the encoding of the value.
    func write(to encoder: inout MessageEncoder)
    /// Decodes the value from the beginning of the remaining bytes.
    init(from decoder: inout MessageDecoder) throws(WireError)
}

/// Collects the bytes of an encoding.
struct MessageEncoder {
    /// The bytes so far.
    private(set) var bytes: [UInt8] = []
    /// The first value that no decoder accepts, or nil.
    private(set) var fault: WireError?

    /// The initial capacity, which suffices for most messages.
    private static let usualLength = 160

    init() { self.init(capacity: Self.usualLength) }

    /// Creates an encoder with room for so many bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Discards what was encoded after the first `count` bytes, with the error that it caused.
    mutating func truncate(to count: Int) {
        bytes.removeLast(bytes.count - count)
        fault = nil
    }

    /// Records that the encoding must not be sent.
    mutating func fail(_ error: WireError) {
        if fault == nil { fault = error }
    }

    // MARK: Integers

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
        // Appending one byte is several times as fast as appending a buffer.
        if Value.bitWidth == 8 { return bytes.append(UInt8(truncatingIfNeeded: value)) }
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends values of a fixed length in one piece, as a caller stores them.
    mutating func block(_ length: Int, _ store: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { room in
            unsafe store(room)
            unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(room))
        }
    }

    /// Appends a moment as nanoseconds.
    mutating func moment(_ moment: Instant) { integer(moment.nanoseconds) }

    /// Appends a span as nanoseconds.
    mutating func span(_ span: Duration) { integer(span.nanoseconds) }

    mutating func bool(_ value: Bool) { integer(UInt8(value ? 1 : 0)) }

    mutating func raw<Value: RawRepresentable>(_ value: Value)
    where Value.RawValue: FixedWidthInteger & UnsignedInteger {
        integer(value.rawValue)
    }

    /// Encodes a process ID; an invalid one is encoded as 0, "not known".
    ///
    /// It may come from a ledger's header, which another process writes. That process must not be
    /// able to make the server fail.
    mutating func processID(_ value: Int32) { integer(UInt32(max(0, value))) }

    // MARK: Bytes with a length prefix

    mutating func blob(_ value: [UInt8], _ field: WireError.Field, limit: Int) {
        guard value.count <= limit, let length = UInt16(exactly: value.count) else {
            return fail(.tooLong(field))
        }
        integer(length)
        bytes.append(contentsOf: value)
    }

    mutating func purpose(_ value: [UInt8]) {
        blob(value, .purpose, limit: WireLimits.purposeBytes)
    }

    mutating func failure(_ value: [UInt8]) {
        blob(value, .failure, limit: WireLimits.failureBytes)
    }

    mutating func path(_ value: [UInt8]) {
        if ItemPath(bytes: value) == nil { fail(.illegalValue(.path)) }
        blob(value, .path, limit: WireLimits.pathBytes)
    }

    /// Encodes a text for people.
    ///
    /// If it is too long, it is cut between two characters.
    mutating func text(_ value: String) {
        guard !value.isEmpty else { return integer(UInt16(0)) }
        var utf8 = Array(value.utf8)
        if utf8.count > WireLimits.textBytes {
            var end = WireLimits.textBytes
            while utf8[end] & 0xC0 == 0x80 { end -= 1 }
            utf8.removeSubrange(end...)
        }
        blob(utf8, .text, limit: WireLimits.textBytes)
    }

    // MARK: Compound values

    mutating func value(_ value: some WireCoded) { value.write(to: &self) }

    mutating func optional<Value>(_ value: Value?, _ write: (inout Self, Value) -> Void) {
        bool(value != nil)
        if let value { write(&self, value) }
    }

    mutating func count(_ count: Int, _ field: WireError.Field, limit: Int = Int(UInt32.max)) {
        if count > limit { fail(.tooLong(field)) }
        integer(UInt32(clamping: count))
    }

    mutating func list(
        _ values: some Collection<some WireCoded>, _ field: WireError.Field,
        limit: Int = Int(UInt32.max)
    ) {
        count(values.count, field, limit: limit)
        for value in values { self.value(value) }
    }

    /// Appends the bytes of another encoder.
    mutating func append(_ other: MessageEncoder) {
        if let fault = other.fault { fail(fault) }
        bytes.append(contentsOf: other.bytes)
    }
}

extension WireCoded {
    /// Returns the encoding; throws if a decoder would reject it.
    func encoding(_ field: WireError.Field, limit: Int) throws(WireError) -> [UInt8] {
        var encoder = MessageEncoder()
        write(to: &encoder)
        if let fault = encoder.fault { throw fault }
        guard encoder.bytes.count <= limit else { throw .tooLong(field) }
        return encoder.bytes
    }

    /// Returns the encoding of a value that the caller knows to be within the limits.
    func trustedEncoding(_ field: WireError.Field, limit: Int) -> [UInt8] {
        do {
            return try encoding(field, limit: limit)
        } catch {
            preconditionFailure("A \(Self.self) cannot be encoded: \(error)")
        }
    }
}
