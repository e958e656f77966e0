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
        var records: [RecordReference]
    }

    /// The claims whose accessors the calling thread is inside of.
    static var current: [RecordReference] {
        guard let stack = slot.value, stack.process == ForkGuard.processToken else { return [] }
        return stack.records
    }

    /// Notes that an accessor starts on this thread.
    static func push(_ record: RecordReference) { set(current + [record]) }

    /// Notes that an accessor has returned on this thread.
    static func pop(_ record: RecordReference) {
        var records = current
        if let index = records.lastIndex(of: record) { records.remove(at: index) }
        set(records)
    }

    private static func set(_ records: [RecordReference]) {
        slot.value =
            records.isEmpty ? nil : Stack(process: ForkGuard.processToken, records: records)
    }
}
