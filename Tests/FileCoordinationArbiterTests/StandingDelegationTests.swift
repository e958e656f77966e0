// SPDX-License-Identifier: Apache-2.0
//
// A delegation that is not recalled although its owner files a claim there, and when it is.

import FileCoordinationArbiter
import Testing

@Suite struct StandingDelegationTests {
    /// A client that is quicker than its server files its next claim before it learns that the
    /// place is delegated to it.
    @Test func `A claim of the owner that excludes local ones recalls nothing`() {
        var fixture = DelegatingFixture()
        fixture.present(9, "/f", .itemDidChange)
        fixture.file(1, by: 1, .write("/f"))
        fixture.end(1)
        #expect(fixture.held == ["1: exclusive, reported"])
        var next = fixture.claim(2, by: 1, .write("/f"))
        next.request?.excludesLocalClaims = true
        fixture.file(next)
        #expect(fixture.granted == [1, 2])
        #expect(fixture.recalls == [])
        // Another client's claim waits for that claim, and for claims granted by the delegation.
        fixture.file(3, by: 3, .write("/f"))
        #expect(fixture.recalls.count == 1)
        fixture.answerRecall()
        #expect(fixture.granted == [1, 2])
        fixture.end(2)
        #expect(fixture.granted == [1, 2, 3])
    }

    /// Rule 2.14: the arbiter must know all local claims before it decides.
    @Test func `A claim of the owner recalls where it may hide local ones`() {
        for change: (inout FiledClaim) -> Void in [
            { $0.request?.excludesLocalClaims = false }, { $0.request?.slot = 1 },
            { $0.request?.isForDirectory = true }, { $0.items = .write("/f") + .read("/g") },
            { $0.items = .delete("/") },
        ] {
            var fixture = DelegatingFixture()
            fixture.present(9, "/f", .itemDidChange)
            fixture.file(1, by: 1, .write("/f"))
            fixture.end(1)
            var next = fixture.claim(2, by: 1, .write("/f"))
            next.request?.excludesLocalClaims = true
            change(&next)
            fixture.file(next)
            #expect(fixture.recalls.count == 1)
            #expect(fixture.granted == [1])
        }
    }
}
