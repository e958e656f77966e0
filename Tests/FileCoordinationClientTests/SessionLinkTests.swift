// SPDX-License-Identifier: Apache-2.0
//
// What a session does when servers refuse it, and when they end (Rules 18.1, 18.7).

import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import Testing

@testable import FileCoordinationClient

@Suite struct SessionLinkTests {
    //  session                      servers
    //  claim                        welcome
    //                               end; the next one refuses
    //  claim fails, is cancelled
    //  cannot say so                refuses, again and again
    //  hello                        welcome
    //
    /// Rule 18.7: the next server, or a former one that has recovered the claim, learns of its end.
    @Test func `The end of a claim is told to a later server if the present one refuses`() throws {
        let server = try PlayedServer()
        let first = try server.welcome()
        let access = try server.file("f")
        first.shutDown()
        // The first one ends the claim; that wakes the session for the second one.
        for _ in 0..<3 { try server.refuse() }
        guard case .failed? = access.wait() else {
            Issue.record("The claim did not fail")
            return
        }
        #expect(server.session.state.withLock { $0.claims.isEmpty })
        _ = try server.welcome()
    }
}
