// SPDX-License-Identifier: Apache-2.0
//
// Where the checker of watching expects a presenter whose item was moved (Rules 7.14, 11.9).

import CoordinationCheckers
import Testing

extension WatchingCheckerTests {
    @Test func `An item that only a claim has told of need not be followed`() {
        func facts(by claim: ClaimKey?) -> [WatchingFact] {
            let gone: [WatchingFact] =
                [.removed("/d/f", by: nil)] + told(.look("/d/f")) + [.quiet]
            let come: [WatchingFact] = [
                .claimBegan(access, purpose: "other", places: [claim == nil ? "/o/z" : "/d/f"]),
                .created("/d/f", item: 7, isDirectory: false, by: claim), .claimEnded(access),
            ]
            let left: [WatchingFact] =
                [.moved("/d/f", to: "/d/e/f", isPaired: true, by: nil)]
                + told(.look("/d/f"))
                + [.told(folder, .look("/d/e/f")), .told(own, .look("/d/e/f")), .quiet]
            return gone + come + told(.look("/d/f")) + left
        }
        #expect(!findings(facts(by: access)).contains(.wrongPlace))
        #expect(findings(facts(by: nil)).contains(.wrongPlace))
    }

    @Test func `A claim that takes a presenter from its moved item excuses its place`() {
        func facts(claimTakes: String) -> [WatchingFact] {
            [
                .moved("/d/f", to: "/d/e/f", isPaired: true, by: nil),
                .told(folder, .moved("/d/f", to: "/d/e/f")),
                .told(own, .moved("/d/f", to: "/d/e/f")),
                .created(claimTakes, item: 7, isDirectory: false, by: nil),
                .told(folder, .look(claimTakes)), .told(own, .look(claimTakes)),
                .claimBegan(access, purpose: "other", places: [claimTakes, "/d/z"]),
                .moved(claimTakes, to: "/d/z", isPaired: true, by: access),
                .told(folder, .moved(claimTakes, to: "/d/z")),
                .told(own, .moved(claimTakes, to: "/d/z")), .claimEnded(access),
                .removed("/d/z", by: nil), .told(folder, .look("/d/z")),
                .told(own, .look("/d/z")), .quiet,
            ]
        }
        #expect(findings(facts(claimTakes: "/d/y")).contains(.wrongPlace))
        #expect(!findings(facts(claimTakes: "/d/f")).contains(.wrongPlace))
    }

    @Test func `A presenter that goes back to a former place presents what is there`() {
        func facts(back place: String) -> [WatchingFact] {
            [
                .moved("/d/f", to: "/d/e/f", isPaired: true, by: nil)
            ] + told(.moved("/d/f", to: "/d/e/f")) + [
                .removed("/d/e/f", by: nil), .told(folder, .look("/d/e/f")),
                .told(own, .look("/d/e/f")),
                .created(place, item: 7, isDirectory: false, by: nil),
                .told(folder, .look(place)), .told(own, .look(place)),
                .told(file, .moved("/d/e/f", to: place)), .quiet,
            ]
        }
        #expect(findings(facts(back: "/d/f")) == [])
        #expect(findings(facts(back: "/d/h")).contains(.wrongPlace))
    }
}
