// SPDX-License-Identifier: Apache-2.0
//
// What errors say of other processes: one of another PID namespace, such as a container, is marked,
// because its number means another process here; and "this program" is another one elsewhere.

import FileCoordinationWire
import Foundation
import Testing

@testable import FileCoordination

@Suite struct OtherNamespaceTests {
    private func party(
        _ processID: Int32, _ role: PartyRole = .holder, message: String? = nil
    ) -> FileCoordinationError.Party {
        FileCoordinationError.Party(
            FileCoordinationWire.Party(
                claim: 1, presenter: nil, processID: processID, processName: "sync", purpose: [],
                path: Array("/f".utf8), role: role, since: .seconds(2),
                message: message, isStopped: false))
    }

    /// Rules 9.2, 18.4: a presenter that could not save passes its own failure on.
    @Test func `The cycle of a presenter's own access is told in the third person elsewhere`() {
        let own = getpid()
        let error = FileCoordinationError(
            .deadlock,
            parties: [party(own, .waiter), party(12, .presenter, message: "save")],
            reason: "In a cycle:")
        #expect(error.description.contains("This program (pid \(own)) waits for /f"))
        for passedOn in [error as any Error, error.nsError] {
            let arrived = ErrorCoding.decode(ErrorCoding.encode(passedOn))
            let text = arrived.localizedDescription
            #expect(!text.contains("his program"))
            #expect(
                text.contains("(pid \(own)), which presents an item there, could not get access"))
            #expect(text.contains("sync (pid \(own)) waits for /f until sync (pid 12)"))
            #expect(!(arrived.localizedFailureReason ?? "").contains("his program"))
            #expect(arrived.localizedRecoverySuggestion?.contains("in that program") == true)
            #expect(arrived.code == FileCoordinationError.Code.deadlock.rawValue)
        }
    }

    /// Rule 18.5.
    @Test func `A process of another namespace is marked, and its number is the one there`() {
        let party = party(ProcessNumber.inAnotherNamespace(12))
        #expect(party.isInAnotherNamespace)
        #expect(party.processIdentifier == 12)
        #expect(
            party.description == "sync (pid 12 in another namespace) has held /f for 2.0 s.")
    }

    @Test func `A process of this namespace is not marked`() {
        let party = party(12)
        #expect(!party.isInAnotherNamespace)
        #expect(party.processIdentifier == 12)
        #expect(party.description == "sync (pid 12) has held /f for 2.0 s.")
    }
}
