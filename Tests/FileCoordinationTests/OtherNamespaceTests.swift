// SPDX-License-Identifier: Apache-2.0
//
// A process of another PID namespace, such as a container, is marked in what errors say of it: its
// number means another process here.

import FileCoordinationWire
import Testing

@testable import FileCoordination

@Suite struct OtherNamespaceTests {
    private func party(_ processID: Int32) -> FileCoordinationError.Party {
        FileCoordinationError.Party(
            FileCoordinationWire.Party(
                claim: 1, presenter: nil, processID: processID, processName: "sync", purpose: [],
                path: Array("/f".utf8), role: .holder, sinceNanoseconds: 2_000_000_000,
                message: nil, isStopped: false))
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
