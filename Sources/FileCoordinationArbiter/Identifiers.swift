// SPDX-License-Identifier: Apache-2.0
//
// The names by which the arbiter knows claims, presenters, clients and purposes. Each is a type of
// its own, so that one can never be passed where another belongs.

/// What a table makes of a number that a server has counted up.
///
/// All tables are looked up by such names, for each presenter of each claim some twenty times. The
/// standard library's hash, which withstands keys that are chosen with effort, takes five times as
/// long. Serial numbers are an epoch's number above a counter, and are read back from ledgers; so
/// every bit of the number must reach every bit of this: both halves of the product do that.
@inlinable
public func hashOfNumber(_ number: UInt64, seed: Int) -> Int {
    let product = (number ^ UInt64(truncatingIfNeeded: seed))
        .multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return Int(truncatingIfNeeded: product.high ^ product.low)
}

/// A claim's identity, its serial number, and so its place in the queue: smaller was filed earlier
/// (Rule 2.14).
public struct ClaimID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The serial number.
    ///
    /// Unique for the life of the arbiter and of those that recover from it.
    public var rawValue: UInt64

    /// Wraps a serial number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The filing order.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short form for timelines and failures.
    public var description: String { "claim \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
}

/// A registered presenter's identity; smaller was registered earlier.
public struct PresenterID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that is unique for the life of the arbiter.
    public var rawValue: UInt64

    /// Wraps a number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The order of registration.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short form for timelines and failures.
    public var description: String { "presenter \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
}

/// A client process.
public struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that is unique for the life of the arbiter.
    public var rawValue: UInt32

    /// Wraps a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The order of arrival.
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// A short form for timelines and failures.
    public var description: String { "client \(rawValue)" }

    /// See ``hashOfNumber(_:seed:)``.
    @inlinable
    public func _rawHashValue(seed: Int) -> Int { hashOfNumber(UInt64(rawValue), seed: seed) }
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

    /// All bytes at once, which an array does one by one.
    public func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// The identifier as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}
