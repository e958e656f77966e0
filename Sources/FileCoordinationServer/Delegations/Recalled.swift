// SPDX-License-Identifier: Apache-2.0
//
// What is found where a delegation was taken back or a ticket queue ended, and in which order the
// arbiter is told of it: first claims that run, which came before all else; then those that waited
// in a ticket queue, in the order in which they were filed (Rule 2.14); then what claims have
// announced that are over already, so that the waiting ones are sent on by it (Rule 11.4).

import FileCoordinationArbiter
import FileCoordinationLedger

/// A record that was found.
struct FoundClaim: Equatable {
    let client: ClientID
    let snapshot: RecordSnapshot

    init(_ client: ClientID, _ snapshot: RecordSnapshot) {
        self.client = client
        self.snapshot = snapshot
    }
}

/// What was found where one delegation was taken back, or one ticket queue ended.
struct Recalled: Equatable {
    /// Claims that run; of a ticket queue also those that are over and have something to say.
    var held: [FoundClaim] = []
    /// Claims that waited in a ticket queue.
    var waiting: [FoundClaim] = []
    /// Whether it was a ticket queue.
    var isOfTicketQueue = false

    /// The steps by which the arbiter is told of it.
    ///
    /// - Parameter bound: when the claim was filed for whose sake it was taken back; what was filed
    ///   later than that comes after it, and is returned apart.
    static func steps(
        for recalled: [Recalled], before bound: UInt64
    ) -> (first: [Work], later: [RecordLook]) {
        var first: [Work] = []
        var later: [RecordLook] = []
        for found in recalled {
            let held = found.held.map { RecordLook($0.snapshot, of: $0.client, bound: bound) }
            guard found.isOfTicketQueue else {
                first += held.map { .look($0) }
                continue
            }
            // One that was over before all had been looked at, and has nothing to say, is not told.
            first += held.map { .makeKnown($0) }
            let waiting = found.waiting
                .sorted { ($0.snapshot.filedAt, $0.client) < ($1.snapshot.filedAt, $1.client) }
                .map { entry in
                    var look = RecordLook(entry.snapshot, of: entry.client)
                    look.hasWaited = true
                    return look
                }
            first += waiting.filter { $0.filedAt ?? 0 <= bound }.map { .look($0) }
            later += waiting.filter { $0.filedAt ?? 0 > bound }
            first += zip(found.held, held).filter { $0.0.snapshot.state == .released }
                .map { .look($0.1) }
        }
        return (first, later)
    }
}
