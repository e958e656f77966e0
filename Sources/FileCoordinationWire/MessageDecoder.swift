// SPDX-License-Identifier: Apache-2.0
//
// Decodes values from bytes of another process. Every length is compared with its limit and with
// the remaining bytes before memory is allocated, and every value is validated. No input makes a
// decoder trap.
//
// It decodes an array instead of shared memory, because another process could change shared memory
// after it was validated.

import FileCoordinationArbiter

/// Decodes values from the beginning of an array of bytes.
struct MessageDecoder {
    private let bytes: [UInt8]
    private var position = 0

    /// Creates a decoder; throws if there are too many bytes.
    init(_ bytes: [UInt8], _ field: WireError.Field, limit: Int) throws(WireError) {
        guard bytes.count <= limit else { throw .tooLong(field) }
        self.bytes = bytes
    }

    /// The number of bytes that are not decoded yet.
    var left: Int { bytes.count - position }

    /// Whether all bytes are decoded.
    var isAtEnd: Bool { left == 0 }

    /// Skips the remaining bytes.
    mutating func skipRest() { position = bytes.count }

    /// Throws unless all bytes are decoded.
    func finish() throws(WireError) {
        guard left == 0 else { throw .trailingBytes }
    }

    // MARK: Integers

    mutating func integer<Value: FixedWidthInteger & UnsignedInteger>(
        _: Value.Type
    ) throws(WireError) -> Value {
        let size = Value.bitWidth / 8
        guard left >= size else { throw .truncated }
        let value = unsafe bytes.withUnsafeBytes { bytes in
            unsafe bytes.loadUnaligned(fromByteOffset: position, as: Value.self)
        }
        position += size
        return Value(littleEndian: value)
    }

    mutating func moment() throws(WireError) -> Instant {
        Instant(nanoseconds: try integer(UInt64.self))
    }

    mutating func span() throws(WireError) -> Duration { .nanoseconds(try integer(UInt64.self)) }

    mutating func bool() throws(WireError) -> Bool {
        let byte = try integer(UInt8.self)
        guard byte <= 1 else { throw .illegalValue(.flag) }
        return byte == 1
    }

    mutating func raw<Value: RawRepresentable>(
        _: Value.Type, _ field: WireError.Field
    ) throws(WireError) -> Value where Value.RawValue: FixedWidthInteger & UnsignedInteger {
        guard let value = Value(rawValue: try integer(Value.RawValue.self)) else {
            throw .illegalValue(field)
        }
        return value
    }

    mutating func processID() throws(WireError) -> Int32 {
        guard let value = Int32(exactly: try integer(UInt32.self)) else {
            throw .illegalValue(.processID)
        }
        return value
    }

    // MARK: Bytes with a length prefix

    mutating func blob(_ field: WireError.Field, limit: Int) throws(WireError) -> [UInt8] {
        let length = Int(try integer(UInt16.self))
        guard length <= limit else { throw .tooLong(field) }
        guard length <= left else { throw .truncated }
        defer { position += length }
        return Array(bytes[position..<position + length])
    }

    mutating func purpose() throws(WireError) -> [UInt8] {
        try blob(.purpose, limit: WireLimits.purposeBytes)
    }

    mutating func failure() throws(WireError) -> [UInt8] {
        try blob(.failure, limit: WireLimits.failureBytes)
    }

    /// Decodes a path that ``ItemPath`` accepts, in its original spelling.
    mutating func path() throws(WireError) -> [UInt8] {
        let value = try blob(.path, limit: WireLimits.pathBytes)
        guard ItemPath(bytes: value) != nil else { throw .illegalValue(.path) }
        return value
    }

    mutating func text() throws(WireError) -> String {
        let utf8 = try blob(.text, limit: WireLimits.textBytes)
        guard let value = String(validating: utf8, as: UTF8.self) else {
            throw .illegalValue(.text)
        }
        return value
    }

    // MARK: Compound values

    mutating func value<Value: WireCoded>(_: Value.Type) throws(WireError) -> Value {
        try Value(from: &self)
    }

    mutating func optional<Value>(
        _ read: (inout Self) throws(WireError) -> Value
    ) throws(WireError) -> Value? {
        try bool() ? try read(&self) : nil
    }

    /// Decodes the number of elements, each of which takes at least one byte.
    mutating func count(
        _ field: WireError.Field, limit: Int = Int(UInt32.max)
    ) throws(WireError) -> Int {
        let count = Int(try integer(UInt32.self))
        guard count <= limit else { throw .tooLong(field) }
        guard count <= left else { throw .truncated }
        return count
    }

    mutating func list<Value: WireCoded>(
        of _: Value.Type, _ field: WireError.Field, limit: Int = Int(UInt32.max)
    ) throws(WireError) -> [Value] {
        // No capacity is reserved, because an element may take more memory than its encoding.
        var values: [Value] = []
        for _ in 0..<(try count(field, limit: limit)) { values.append(try Value(from: &self)) }
        return values
    }
}

extension WireCoded {
    /// Decodes a value from exactly these bytes.
    static func decoding(
        _ bytes: [UInt8], _ field: WireError.Field, limit: Int
    ) throws(WireError) -> Self {
        var decoder = try MessageDecoder(bytes, field, limit: limit)
        let value = try Self(from: &decoder)
        try decoder.finish()
        return value
    }
}
