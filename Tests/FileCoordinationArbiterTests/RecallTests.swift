// SPDX-License-Identifier: Apache-2.0
//
// What the arbiter does while it waits for the answer to a recall, and what waits for that answer.

import FileCoordinationArbiter
import Testing

@Suite struct RecallTests {
    /// A server answers a recall at once, but a model need not.
    ///
    /// A presenter's deadline counts meanwhile.
    @Test func `Time passes while a recall is awaited`() {
        var fixture = DelegatingFixture()
        fixture.presentPatiently(90, "/h", .relinquishToWriter, nanoseconds: 5_000_000_000)
        fixture.file(fixture.claim(1, by: 1, .write("/h"), slot: nil))
        fixture.file(2, by: 2, .write("/f"))
        fixture.endHidden(2)
        fixture.file(3, by: 3, .write("/f"))
        #expect(fixture.arbiter.awaitsRecalls)
        #expect(fixture.granted == [2])
        fixture.pass(milliseconds: 5_001)
        #expect(fixture.granted == [2, 1])
        #expect(fixture.arbiter.awaitsRecalls)
    }

    /// Rule 2.14: a write that is over delays no claim, whichever recall has found that.
    @Test func `A claim does not wait for a write that a recall found over`() {
        var fixture = DelegatingFixture()
        fixture.present(90, "/f", .itemDidChange)
        fixture.file(1, by: 1, .write("/f"))
        fixture.end(1)
        #expect(fixture.held == ["1: exclusive, reported"])
        fixture.file(2, by: 2, .write("/g"))
        fixture.endHidden(2)
        fixture.file(3, by: 3, .write("/f"))
        fixture.file(4, by: 3, .write("/g"))
        // The server finds that write 7 is over. It reports first the write, then the recall.
        fixture.handle(.claimRecovered(fixture.claim(7, by: 1, .write("/f"), slot: nil)))
        fixture.end(7)
        #expect(fixture.last.contains(.notify(PresenterID(rawValue: 90), .itemDidChange)))
        fixture.answerRecall()
        #expect(fixture.granted.contains(3))
        #expect(fixture.arbiter.awaitsRecalls)
        #expect(!fixture.granted.contains(4))
    }

    /// Rule 2.1: a delegation may hide claims until its recall is answered.
    @Test func `Nothing is delegated while a recall is awaited`() {
        var fixture = DelegatingFixture()
        fixture.present(90, "/f", .itemDidChange)
        fixture.file(1, by: 1, .write("/f"))
        fixture.end(1)
        fixture.handle(.claimRecovered(fixture.claim(7, by: 1, .write("/f"), slot: nil)))
        fixture.handle(.presenterRemoved(PresenterID(rawValue: 90)))
        fixture.file(2, by: 2, .write("/g"))
        fixture.endHidden(2)
        fixture.file(3, by: 3, .write("/g"))
        #expect(fixture.arbiter.awaitsRecalls)
        // With this end, the delegation of /f needs no more reports.
        fixture.end(7)
        #expect(fixture.held.contains("1: exclusive, reported"))
        while fixture.arbiter.awaitsRecalls { fixture.answerRecall() }
        #expect(fixture.held.contains("1: exclusive"))
    }

    /// A claim whose end no client reports may be over long ago.
    @Test func `Claims of other clients that are over do not keep a directory from a client`() {
        for runs in [false, true] {
            var fixture = DelegatingFixture()
            fixture.file(fixture.claim(1, by: 1, .write("/d/f"), slot: nil))
            if !runs { fixture.endHidden(1) }
            fixture.file(fixture.claim(2, by: 2, .write("/d/g"), slot: 5, forDirectory: true))
            fixture.endHidden(2)
            #expect(fixture.recalls.count == 1)
            fixture.answerRecall()
            #expect(fixture.held == (runs ? [] : ["2: directory"]))
        }
    }
}
