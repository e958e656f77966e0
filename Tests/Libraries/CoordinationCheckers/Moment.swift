// SPDX-License-Identifier: Apache-2.0
//
// When something happened. In a simulation that is one instant; among real processes it is known
// only that it happened after one thing and before another, so a moment is an interval, and
// checkers judge only by what is certain.

/// An instant, or two between which something happened; in nanoseconds of one clock.
package struct Moment: Hashable, Sendable {
    /// It did not happen earlier.
    package var earliest: UInt64
    /// It did not happen later.
    package var latest: UInt64

    /// An instant.
    package init(at instant: UInt64) { self.init(from: instant, to: instant) }

    /// Somewhere between two instants.
    package init(from earliest: UInt64, to latest: UInt64) {
        self.earliest = min(earliest, latest)
        self.latest = max(earliest, latest)
    }

    /// Whether it is known exactly.
    package var isExact: Bool { earliest == latest }

    /// Whether it certainly happened before the other.
    package func isBefore(_ other: Moment) -> Bool { latest < other.earliest }
}

/// The name of a claim, a presenter or a client in a history; each of its own kind.
package struct Key<Kind>: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// A number that is unique in its history.
    package var rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    /// By number.
    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    /// The number.
    package var description: String { "\(rawValue)" }
}

/// What the name of a claim is marked with.
package enum OfClaim {}
/// What the name of a presenter is marked with.
package enum OfPresenter {}
/// What the name of a client is marked with.
package enum OfClient {}

/// The name of a claim.
package typealias ClaimKey = Key<OfClaim>
/// The name of a presenter.
package typealias PresenterKey = Key<OfPresenter>
/// The name of a client process.
package typealias ClientKey = Key<OfClient>
