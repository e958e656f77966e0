// SPDX-License-Identifier: Apache-2.0
//
// Checks after each event are for our tests: they make a server many times slower.

import InstantLiterals
import Testing

@testable import FileCoordinationArbiter

struct InvariantCheckTests {
    /// Handles an event in an arbiter that knows a client without anything.
    static func handleBroken(checksInvariants: Bool) {
        var arbiter = Arbiter(checksInvariants: checksInvariants)
        arbiter.clientStates[ClientID(rawValue: 9)] = Arbiter.ClientState()
        _ = arbiter.handle(.clockAdvanced(to: 1))
    }

    @Test func `Without checks, a server goes on`() {
        Self.handleBroken(checksInvariants: false)
    }

    #if DEBUG
    @Test func `With checks, a debug build ends at a broken invariant`() async {
        await #expect(processExitsWith: .failure) {
            InvariantCheckTests.handleBroken(checksInvariants: true)
        }
    }
    #endif
}
