// SPDX-License-Identifier: Apache-2.0
//
// What goes on while the arbiter waits for the answer to a recall, and what has to wait for it.

import FileCoordinationArbiter
import Testing

@Suite struct RecallTests {
    /// A server answers at once; a model need not. No bound of a presenter may be overlooked.
    @Test func `Time passes while a recall is awaited`() {
        var desk = DelegatingDesk()
        desk.presentPatiently(90, "/h", .relinquishToWriter, nanoseconds: 5_000_000_000)
        desk.file(desk.claim(1, by: 1, .write("/h"), slot: nil))
        desk.file(2, by: 2, .write("/f"))
        desk.endHidden(2)
        desk.file(3, by: 3, .write("/f"))
        #expect(desk.arbiter.awaitsRecalls)
        #expect(desk.granted == [2])
        desk.pass(milliseconds: 5_001)
        #expect(desk.granted == [2, 1])
        #expect(desk.arbiter.awaitsRecalls)
    }

    /// Rule 2.14: a write that is over holds up no claim, whichever recall found it.
    @Test func `A claim does not wait for a write that a recall found over`() {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .itemDidChange)
        desk.file(1, by: 1, .write("/f"))
        desk.end(1)
        #expect(desk.held == ["1: exclusive, reported"])
        desk.file(2, by: 2, .write("/g"))
        desk.endHidden(2)
        desk.file(3, by: 3, .write("/f"))
        desk.file(4, by: 3, .write("/g"))
        // The server finds write 7 over, tells of it, and then of the recall.
        desk.handle(.claimRecovered(desk.claim(7, by: 1, .write("/f"), slot: nil)))
        desk.end(7)
        #expect(desk.last.contains(.notify(PresenterID(rawValue: 90), .itemDidChange)))
        desk.answerRecall()
        #expect(desk.granted.contains(3))
        #expect(desk.arbiter.awaitsRecalls)
        #expect(!desk.granted.contains(4))
    }

    /// Rule 2.1: what is being recalled may hide claims.
    @Test func `Nothing is delegated while a recall is awaited`() {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .itemDidChange)
        desk.file(1, by: 1, .write("/f"))
        desk.end(1)
        desk.handle(.claimRecovered(desk.claim(7, by: 1, .write("/f"), slot: nil)))
        desk.handle(.presenterRemoved(PresenterID(rawValue: 90)))
        desk.file(2, by: 2, .write("/g"))
        desk.endHidden(2)
        desk.file(3, by: 3, .write("/g"))
        #expect(desk.arbiter.awaitsRecalls)
        // From now on the end of no write at /f need be reported.
        desk.end(7)
        #expect(desk.held.contains("1: exclusive, reported"))
        while desk.arbiter.awaitsRecalls { desk.answerRecall() }
        #expect(desk.held.contains("1: exclusive"))
    }

    /// A claim whose end no client reports may be over long ago.
    @Test func `Claims of other clients that are over do not keep a directory from a client`() {
        for runs in [false, true] {
            var desk = DelegatingDesk()
            desk.file(desk.claim(1, by: 1, .write("/d/f"), slot: nil))
            if !runs { desk.endHidden(1) }
            desk.file(desk.claim(2, by: 2, .write("/d/g"), slot: 5, forDirectory: true))
            desk.endHidden(2)
            #expect(desk.recalls.count == 1)
            desk.answerRecall()
            #expect(desk.held == (runs ? [] : ["2: directory"]))
        }
    }
}
