// SPDX-License-Identifier: Apache-2.0
//
// A running or queued claim of which the arbiter was not told, read from its record for status
// reports.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A claim that its client has granted itself, or that waits in a ticket queue.
struct UnreportedClaim {
    let address: RecordAddress
    let snapshot: RecordSnapshot
    let body: ClaimBody

    var isRunning: Bool { snapshot.state == .granted }

    /// Its number in reports, since the arbiter has given it none.
    ///
    /// It is below 2^63, as the integers of JSON readers, and differs from the numbers of other
    /// uses of the record in most cases.
    var number: UInt64 {
        1 << 62 | UInt64(address.client.rawValue) << 24
            | UInt64(address.record.generation & 0x3FF) << 14 | UInt64(address.record.index)
    }

    /// The client in a number of this form; nil for the number of a claim that the arbiter knows.
    static func client(inNumber number: UInt64) -> ClientID? {
        guard number >> 62 == 1 else { return nil }
        return ClientID(rawValue: UInt32(truncatingIfNeeded: number >> 24))
    }
}

extension RecordSnapshot {
    /// How long the claim has been waiting or running.
    var age: Duration {
        MonotonicClock.now - (state == .granted ? grantedAt ?? filedAt : filedAt)
    }
}
