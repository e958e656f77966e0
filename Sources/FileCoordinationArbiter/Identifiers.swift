// SPDX-License-Identifier: Apache-2.0
//
// The identifiers of claims, presenters, clients, records and purposes. They are separate types, so
// that the compiler rejects one in place of another.

/// Hashes a number that the server has assigned.
///
/// All tables use such keys, about twenty times for each presenter of each claim. The standard
/// library's hash resists chosen keys but takes five times as long. A serial number is an epoch in
/// the high bits and a counter in the low ones, and a client may have written it into its ledger.
/// So every bit of the number must influence every bit of the hash, which both halves of the
/// product ensure.
@inlinable
public func hashOfNumber(_ number: UInt64, seed: Int) -> Int {
    let product = (number ^ UInt64(truncatingIfNeeded: seed))
        .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
}

/// A claim's serial number: its identity and its position in the queue.
///
/// A smaller one was filed earlier (Rule 2.14).
public struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The serial number.
    ///
    /// Unique during the life of the arbiter and of its successors.
    public var rawValue: UInt64

    /// Wraps a serial number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The filing order.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short text for logs and test failures.
    public var description: String { "claim \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
}

/// A registered presenter's serial number; a smaller one was registered earlier.
public struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The serial number.
    public var rawValue: UInt64

    /// Wraps a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The order of registration.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short text for logs and test failures.
    public var description: String { "presenter \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
}

/// The number of a client process.
public struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that is unique for the life of the arbiter.
    public var rawValue: UInt32

    /// Wraps a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The order of arrival.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short text for logs and test failures.
    public var description: String { "client \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
}

/// One use of one record of a ledger, as both sides name it.
///
/// The generation distinguishes it from earlier and later uses.
public struct RecordReference: Hashable, Sendable, CustomStringConvertible {
    /// The index of the record in its client's ledger.
    public var index: UInt32
    /// The generation of the record.
    public var generation: UInt32

    /// Creates a reference.
    public init(index: UInt32, generation: UInt32) {
        self.index = index
        self.generation = generation
    }

    /// A short text for logs and test failures.
    public var description: String { "record \(index).\(generation)" }

    /// Hashes both fields as one word.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(word) }

    /// Hashes the word directly, for speed.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { word._rawHashValue(seed: seed) }

    @usableFromInline var word: UInt64 { UInt64(index) << 32 | UInt64(generation) }
}

/// A purpose identifier, compared byte for byte (Rule 4.1).
///
/// Claims of equal purpose never wait for each other (Rule 2.10).
public struct Purpose: Hashable, Sendable, CustomStringConvertible {
    /// The identifier's UTF-8.
    public var bytes: [UInt8]

    /// A purpose from its bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// A purpose from its text.
    public init(_ text: String) { self.bytes = Array(text.utf8) }

    /// Hashes all bytes at once; an array would hash them one by one.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// The identifier as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
