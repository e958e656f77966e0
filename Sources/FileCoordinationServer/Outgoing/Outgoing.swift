// SPDX-License-Identifier: Apache-2.0
//
// What the server still has to send: messages to presenters, open questions, status reports that
// are made step by step, recordings, what the watcher sees, and records to return. A record is
// returned to its client only after everything that follows from it was sent; if the server dies
// before, the next server finds the record and sends that.

import FileCoordinationArbiter
import FileCoordinationLedger

/// Everything that is on its way to clients.
struct Outgoing: ~Copyable {
    /// A record that is returned to its client.
    struct GivenBack {
        let client: Client
        let record: RecordReference
        /// Whether the client may have ended other writes without a message.
        let mayHideOthers: Bool
    }

    var deliveries = Deliveries()
    var questions = Questions()
    var reports = StatusReports()
    /// What is recorded for `filecoord record`; empty while no program records.
    var recordings = Recordings()
    /// Watches for changes by programs that do not coordinate, for presenters.
    var watching: Watching
    private var givenBack: [GivenBack] = []
    private var givenBackAddresses: Set<RecordAddress> = []

    init(watching: consuming Watching) { self.watching = watching }

    /// Returns a record to its client once all queued messages are sent.
    ///
    /// `mayHideOthers` says whether the client may have ended other writes without a message.
    mutating func giveBack(
        _ record: RecordReference, to client: Client, mayHideOthers: Bool
    ) {
        guard givenBackAddresses.insert(RecordAddress(client: client.id, record: record)).inserted
        else { return }
        givenBack.append(GivenBack(client: client, record: record, mayHideOthers: mayHideOthers))
    }

    /// Whether a record is about to be returned.
    ///
    /// The server has then acted on it already.
    func isGivenBack(_ record: RecordReference, of client: ClientID) -> Bool {
        !givenBack.isEmpty
            && givenBackAddresses.contains(RecordAddress(client: client, record: record))
    }

    /// Whether records are about to be returned.
    var hasGivenBack: Bool { !givenBack.isEmpty }

    /// Takes out the records that are to be given back now.
    mutating func takeGivenBack() -> [GivenBack] {
        if givenBack.isEmpty { return [] }
        defer {
            givenBack = []
            givenBackAddresses.removeAll(keepingCapacity: givenBackAddresses.count < 64)
        }
        return givenBack
    }
}
