// SPDX-License-Identifier: Apache-2.0
//
// Moments of the clock for deadlines, and spans between them. Numbers of nanoseconds are only in
// what processes share: the ledger's words, the messages, the traces.

/// A moment of a clock that never jumps, and is the same for all processes of a machine.
@frozen public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since a point in time that is the same for all processes since the machine
    /// started.
    public let nanoseconds: UInt64

    /// Creates the moment so long after that point.
    @inlinable public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    /// The first moment: a deadline that has passed.
    @inlinable public static var distantPast: Instant { Instant(nanoseconds: 0) }
    /// The last moment: a deadline that never passes.
    @inlinable public static var distantFuture: Instant { Instant(nanoseconds: .max) }

    /// Orders moments by time.
    @inlinable public static func < (first: Instant, second: Instant) -> Bool {
        first.nanoseconds < second.nanoseconds
    }

    /// Returns the moment a span later: the same if the span is negative, the last one if there is
    /// no such moment.
    @inlinable public static func + (start: Instant, span: Duration) -> Instant {
        let (sum, overflow) = start.nanoseconds.addingReportingOverflow(span.nanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// Returns the moment a span earlier: the first one if there is no such moment.
    @inlinable public static func - (end: Instant, span: Duration) -> Instant {
        Instant(nanoseconds: end.nanoseconds - min(span.nanoseconds, end.nanoseconds))
    }

    /// Returns the span from one moment to a later one; no time if it is earlier.
    @inlinable public static func - (end: Instant, start: Instant) -> Duration {
        .nanoseconds(end > start ? end.nanoseconds - start.nanoseconds : 0)
    }

    /// Returns the earlier of two moments, of which nil means never.
    @inlinable public static func earlier(_ first: Instant?, _ second: Instant?) -> Instant? {
        guard let first else { return second }
        guard let second else { return first }
        return min(first, second)
    }
}

extension Duration {
    /// The span in nanoseconds, limited to the range of the type.
    @inlinable public var nanoseconds: UInt64 {
        // Most are so short that no number of 128 bits need be divided.
        if let short = UInt64(exactly: attoseconds) { return short / 1_000_000_000 }
        return UInt64(clamping: attoseconds / 1_000_000_000)
    }

    /// Returns a span of this many nanoseconds.
    @inlinable public static func nanoseconds(_ count: UInt64) -> Duration {
        Duration(attoseconds: Int128(count) * 1_000_000_000)
    }
}
