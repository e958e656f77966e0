// SPDX-License-Identifier: Apache-2.0
//
// Names in JSON and in traces that are the names of cases. Programs depend on them, so a case that
// gets another name must keep this one.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import filecoord

@Suite struct OutputNameTests {
    private func names<Value: CaseIterable>(_: Value.Type) -> String {
        Value.allCases.map { "\($0)" }.joined(separator: " ")
    }

    @Test func `The names of cases in output are what they always were`() {
        #expect(names(ServerKind.self) == "daemon embedded")
        #expect(names(ClaimStage.self) == "waiting asking granted")
        #expect(names(DelegationKind.self) == "reading writing directory queue")
        #expect(names(TracedDelegation.self) == "shared exclusive directory queue")
        #expect(names(PartyRole.self) == "holder waiter presenter")
        #expect(
            names(DismissalOutcome.self) == "ended passedOver running notAsked gone unreachable")
        let links: [WaitChain.Link] = [.waited, .inside, .alongside]
        #expect(links.map(\.rawValue) == ["waited", "inside", "alongside"])
        let ends: [WaitChain.End] = [.open, .last, .cycle, .shown]
        #expect(ends.map(\.rawValue) == ["open", "last", "cycle", "shown"])
    }
}
