// SPDX-License-Identifier: Apache-2.0
//
// The accessors that each thread is inside of. A claim that is filed inside an accessor says so,
// because it must not wait for whoever waits for that very accessor (Rules 2.17, 3.5).

import FileCoordinationLedger
import FileCoordinationSystem

/// The calling thread's accessors, innermost last.
enum AccessorStack {
    private static let slot = ThreadSlot<[RecordReference]>()

    /// The claims whose accessors the calling thread is inside of.
    static var current: [RecordReference] { slot.value ?? [] }

    /// Notes that an accessor starts on this thread.
    static func push(_ record: RecordReference) { slot.value = current + [record] }

    /// Notes that an accessor has returned on this thread.
    static func pop(_ record: RecordReference) {
        var records = current
        if let index = records.lastIndex(of: record) { records.remove(at: index) }
        slot.value = records.isEmpty ? nil : records
    }
}
