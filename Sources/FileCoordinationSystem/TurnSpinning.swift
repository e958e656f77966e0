// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a turn without sleeping. On two processors the turn before is over within the time
// that it takes to fall asleep and be woken, so the next client in line watches the word for a
// moment first. How long is learnt: watching that helps is worth more of it, watching in vain less.

internal import Synchronization

/// How long this process watches for a turn.
///
/// May be used from any thread.
package struct TurnSpinning: ~Copyable, Sendable {
    /// How many looks are taken next time; 0 on one processor, where who watches is in the way.
    private let looks: Atomic<Int32>

    /// A few microseconds, about.
    private static let most: Int32 = 256
    /// Enough to find out again whether it helps.
    private static let least: Int32 = 8

    /// Watches only if the calling thread may run on several processors.
    package init(processors: Int = CurrentProcess.usableProcessors) {
        looks = Atomic(processors > 1 ? Self.most : 0)
    }

    /// Watches a word while its value is `value`; whether it is another one by now.
    package func watch(_ address: UnsafeMutableRawPointer, while value: UInt32) -> Bool {
        let looks = looks.load(ordering: .relaxed)
        guard looks > 0 else { return false }
        let hasChanged = Futex.spin(address, expected: value, looks: looks) != nil
        let next = hasChanged ? min(2 * looks, Self.most) : max(looks / 2, Self.least)
        // Two threads that learn at once may lose one lesson.
        if next != looks { self.looks.store(next, ordering: .relaxed) }
        return hasChanged
    }
}
