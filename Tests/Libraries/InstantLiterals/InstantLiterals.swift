// SPDX-License-Identifier: Apache-2.0
//
// Moments of a test's own choice, as numbers: nothing but tests may write a moment down.

public import MonotonicTime

extension Instant: ExpressibleByIntegerLiteral {
    /// So many nanoseconds after the beginning of the clock.
    public init(integerLiteral value: UInt64) { self.init(nanoseconds: value) }

    /// So many seconds after the beginning of the clock.
    package static func seconds(_ count: Double) -> Instant { .distantPast + .seconds(count) }
}
