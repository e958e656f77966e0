// SPDX-License-Identifier: Apache-2.0
//
// The claims that a recall or the end of a ticket queue has found, and the order in which the
// arbiter learns of them. Running claims come first, because they came before all else. Then come
// those that waited in a ticket queue, in filing order (Rule 2.14). Last come announcements of
// claims that are over already, so that they relocate the waiting claims (Rule 11.4).

import FileCoordinationArbiter
import FileCoordinationLedger

/// A record that a recall has found, and its client.
struct FoundClaim: Equatable {
    let client: ClientID
    let snapshot: RecordSnapshot

    init(_ client: ClientID, _ snapshot: RecordSnapshot) {
        self.client = client
        self.snapshot = snapshot
    }
}

/// The claims found by recalling one delegation or ending one ticket queue.
struct Recalled: Equatable {
    /// Running claims; for a ticket queue, also ended ones that have something to report.
    var held: [FoundClaim] = []
    /// Claims that waited in a ticket queue.
    var waiting: [FoundClaim] = []
    /// If this was a ticket queue, the event that tells the arbiter that it has ended.
    var queueClosed: Event?

    /// Plans the steps that tell the arbiter about the claims that recalls have found.
    ///
    /// - Parameters:
    ///   - recalled: what the recalls have found.
    ///   - bound: the filing time of the claim that caused the recall.
    /// - Returns: in `first`, the steps before that claim; in `later`, the checks of claims that
    ///   were filed after it.
    static func steps(
        for recalled: [Recalled], before bound: Instant
    ) -> (first: [Work], later: [RecordCheck]) {
        var first: [Work] = []
        var later: [RecordCheck] = []
        for found in recalled {
            let held = found.held.map { RecordCheck($0.snapshot, of: $0.client, bound: bound) }
            guard found.queueClosed != nil else {
                first += held.map { .check($0) }
                continue
            }
            // A claim that ended before all records were read, and has nothing to report, is
            // skipped.
            first += held.map { .makeKnown($0) }
            let waiting = found.waiting
                .sorted { ($0.snapshot.filedAt, $0.client) < ($1.snapshot.filedAt, $1.client) }
                .map { entry in
                    var check = RecordCheck(entry.snapshot, of: entry.client)
                    check.hasWaited = true
                    return check
                }
            first += waiting.filter { $0.filedAt ?? .distantPast <= bound }.map { .check($0) }
            later += waiting.filter { $0.filedAt ?? .distantPast > bound }
            first += zip(found.held, held).filter { $0.0.snapshot.state == .released }
                .map { .check($0.1) }
        }
        return (first, later)
    }
}
