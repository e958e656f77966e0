// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for whoever waits for that very accessor (Rules 2.17, 3.5).

import FileCoordinationLedger
import FileCoordinationSystem

/// The calling thread's accessors, innermost last.
enum AccessorStack {
    private static let slot = ThreadSlot<Stack>()

    private struct Stack {
        /// The process whose claims these are: a forked child is inside of none.
        var process: UInt64
        var accesses: [CoordinatedAccess]
    }

    /// The accesses whose accessors the calling thread is inside of.
    static var accesses: [CoordinatedAccess] {
        guard let stack = slot.value, stack.process == ForkGuard.processToken else { return [] }
        return stack.accesses
    }

    /// The claims whose accessors the calling thread is inside of.
    static var current: [RecordReference] { accesses.map(\.claim.record) }

    /// Notes that an accessor starts on this thread.
    static func push(_ access: CoordinatedAccess) { set(accesses + [access]) }

    /// Notes that an accessor has returned on this thread.
    static func pop(_ access: CoordinatedAccess) {
        var accesses = accesses
        if let index = accesses.lastIndex(where: { $0 === access }) { accesses.remove(at: index) }
        set(accesses)
    }

    private static func set(_ accesses: [CoordinatedAccess]) {
        slot.value =
            accesses.isEmpty ? nil : Stack(process: ForkGuard.processToken, accesses: accesses)
    }
}
