// SPDX-License-Identifier: Apache-2.0
//
// What is on its way to clients: messages to presenters, questions that wait for an answer, reports
// that are made bit by bit, and records that are given back once all that follows from them is sent
// (a server that dies before leaves the outcome to the next).

import FileCoordinationArbiter
import FileCoordinationLedger

/// All that is on its way to clients.
struct Outgoing {
    /// A record that is given back to its client.
    struct GivenBack {
        let client: Client
        let record: RecordReference
    }

    var deliveries = Deliveries()
    var questions = Questions()
    var reports = StatusReports()
    /// What was counted, for those who ask.
    var metrics = ServerMetrics()
    /// What programs do that do not coordinate, of which presenters are to hear.
    var watching: Watching
    private var givenBack: [GivenBack] = []
    private var givenBackAddresses: Set<RecordAddress> = []

    init(watching: Watching) { self.watching = watching }

    /// Gives a record back once all is sent.
    mutating func giveBack(_ record: RecordReference, to client: Client) {
        guard givenBackAddresses.insert(RecordAddress(client: client.id, record: record)).inserted
        else { return }
        givenBack.append(GivenBack(client: client, record: record))
    }

    /// Whether a record is about to be given back: what it says has been acted on.
    func isGivenBack(_ record: RecordReference, of client: ClientID) -> Bool {
        !givenBack.isEmpty
            && givenBackAddresses.contains(RecordAddress(client: client, record: record))
    }

    /// Takes out the records that are to be given back now.
    mutating func takeGivenBack() -> [GivenBack] {
        if givenBack.isEmpty { return [] }
        defer { (givenBack, givenBackAddresses) = ([], []) }
        return givenBack
    }
}
