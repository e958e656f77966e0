// SPDX-License-Identifier: Apache-2.0
//
// Which client gets which path delegated, in which mode, and which delegations are recalled before
// which events (Rules 2.1, 2.14, 6.1, 7.3, 7.4, 7.8, 15.8). These tests do not use the witness,
// which does not support delegations.

import FileCoordinationArbiter
import Testing

@Suite struct DelegationTests {
    // MARK: One client

    @Test func `The only client of a place is granted without a report, and gets it`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/d/f"))
        #expect(fixture.granted == [1])
        #expect(fixture.held == ["1: exclusive"])
        #expect(fixture.arbiter.isIdle)
    }

    @Test func `A claim that is not plain is granted with a report, and asks for nothing`() {
        for items: [AccessItem] in [
            .delete("/d/f"), .writeTree("/d"), .write("/d/x.rtfd/y"), .write("/f") + .read("/g"),
        ] {
            var fixture = DelegatingFixture()
            fixture.file(1, by: 1, items)
            #expect(fixture.last == [.grant(ClaimID(rawValue: 1))])
            fixture.end(1)
            #expect(fixture.held == [])
        }
    }

    /// Rule 2.14: a claim that was granted by the delegation came before.
    @Test func `A claim waits for the recall, and for what ran`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"))
        fixture.endHidden(1)
        fixture.grantLocally(7, by: 1, .write("/f"))
        fixture.file(2, by: 2, .write("/f"))
        #expect(fixture.granted == [1])
        // Two recalls: the delegation, and the claim that was granted without a report.
        #expect(fixture.recalls.count == 2)
        #expect(fixture.arbiter.stage(of: ClaimID(rawValue: 2)) == nil)
        fixture.answerRecall()
        fixture.answerRecall()
        #expect(fixture.arbiter.stage(of: ClaimID(rawValue: 2)) == .waiting)
        fixture.end(7)
        #expect(fixture.granted == [1, 2])
    }

    @Test func `What comes later waits for the recall, too, in its order`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"))
        fixture.endHidden(1)
        fixture.file(2, by: 2, .write("/f"))
        fixture.file(3, by: 3, .read("/g"))
        fixture.handle(.claimCancelled(ClaimID(rawValue: 2)))
        #expect(fixture.granted == [1])
        fixture.answerRecall()
        #expect(fixture.granted == [1])
        fixture.answerRecall()
        #expect(fixture.granted == [1, 2, 3])
        #expect(fixture.arbiter.stage(of: ClaimID(rawValue: 2)) == nil)
    }

    // MARK: Readers

    @Test func `Any number of clients read a place that is shared`() {
        var fixture = DelegatingFixture()
        for client in UInt32(1)...4 { fixture.file(UInt64(client), by: client, .read("/f")) }
        // The first client had the path alone until the second one came.
        #expect(fixture.granted == [1])
        while !fixture.recalls.isEmpty { fixture.answerRecall() }
        #expect(fixture.granted.sorted() == [1, 2, 3, 4])
        fixture.pass(milliseconds: 25)
        for round in UInt64(1)...4 {
            for client in UInt32(1)...4 {
                fixture.file(100 * round + UInt64(client), by: client, .read("/f"))
            }
        }
        #expect(fixture.recalls == [])
        #expect(fixture.held == ["1: shared", "2: shared", "3: shared", "4: shared"])
    }

    /// Two clients that both have the place for reading.
    private func sharing() -> DelegatingFixture {
        var fixture = DelegatingFixture()
        fixture.present(90, "/f", .relinquishToWriter)
        fixture.file(1, by: 1, .read("/f"))
        fixture.file(2, by: 2, .read("/f"))
        fixture.endHidden(1)
        fixture.endHidden(2)
        return fixture
    }

    @Test func `Where writes have to ask, reads are shared at once`() {
        let fixture = sharing()
        #expect(fixture.granted == [1, 2])
        #expect(fixture.held == ["1: shared", "2: shared"])
    }

    /// Rules 2.1, 2.14.
    @Test func `A writer recalls all shares, and waits for each reader`() {
        var fixture = sharing()
        fixture.grantLocally(11, by: 1, .read("/f"))
        fixture.grantLocally(12, by: 2, .read("/f"))
        fixture.file(3, by: 3, .write("/f"))
        #expect(fixture.recalls.count == 4)
        while !fixture.recalls.isEmpty { fixture.answerRecall() }
        #expect(fixture.held == [])
        // A reader that comes now is behind the writer.
        fixture.file(4, by: 1, .read("/f"))
        #expect(fixture.granted == [1, 2])
        fixture.end(11)
        fixture.end(12)
        #expect(fixture.arbiter.stage(of: ClaimID(rawValue: 3)) == .asking)
        fixture.handle(
            .presenterAnswered(
                PresenterID(rawValue: 90), for: ClaimID(rawValue: 3), failure: nil))
        fixture.end(3)
        #expect(fixture.granted == [1, 2, 3, 4])
    }

    @Test func `A client's own write recalls its own share, too`() {
        var fixture = sharing()
        fixture.file(3, by: 1, .write("/f"))
        #expect(fixture.recalls.count == 4)
    }

    @Test func `A read recalls no share, whatever else it reads`() {
        var fixture = sharing()
        fixture.file(3, by: 3, .read("/f") + .read("/g"))
        fixture.file(4, by: 3, .readTree("/"))
        #expect(fixture.recalls == [])
        #expect(fixture.granted == [1, 2, 3, 4])
        fixture.file(5, by: 3, .read("/f") + .write("/g"))
        #expect(fixture.recalls == [])
        fixture.file(6, by: 3, .write("/f") + .read("/g"))
        #expect(fixture.recalls.count == 4)
    }

    @Test func `After a writer's recall the readers get their shares by their next reads`() {
        var fixture = sharing()
        fixture.file(3, by: 3, .write("/f"))
        while !fixture.recalls.isEmpty { fixture.answerRecall() }
        fixture.handle(
            .presenterAnswered(
                PresenterID(rawValue: 90), for: ClaimID(rawValue: 3), failure: nil))
        fixture.end(3)
        #expect(fixture.held == [])
        fixture.file(24, by: 2, .read("/f"))
        fixture.file(25, by: 1, .read("/f"))
        #expect(fixture.held == ["1: shared", "2: shared"])
    }

    // MARK: Presenters

    /// Rules 6.1, 6.9: a presenter that neither relinquishes nor saves is not asked.
    @Test func `A presenter that need not be asked does not keep a place from its client`() {
        for methods: PresenterMethods in [[], .itemDidChange, .itemDidMove] {
            var fixture = DelegatingFixture()
            fixture.present(90, "/d/f", methods)
            fixture.file(1, by: 1, .read("/d/f"))
            let tellsPresenters = methods == .itemDidChange
            #expect(fixture.held == ["1: exclusive\(tellsPresenters ? ", reported" : "")"])
        }
        for methods: PresenterMethods in [.relinquishToReader, .save, .all] {
            var fixture = DelegatingFixture()
            fixture.present(90, "/d/f", methods)
            fixture.file(1, by: 1, .read("/d/f"))
            #expect(fixture.held == [])
        }
    }

    /// Rules 7.3, 7.4, 7.8.
    @Test func `A write that a presenter hears of is granted with a report`() {
        for place in ["/d/f", "/d", "/"] {
            var fixture = DelegatingFixture()
            fixture.present(90, place, place == "/d/f" ? .itemDidChange : .subitemDidChange)
            fixture.file(1, by: 1, .write("/d/f"))
            #expect(fixture.last == [.grant(ClaimID(rawValue: 1))])
            fixture.end(1)
            #expect(fixture.held == ["1: exclusive, reported"])
            // The client's own delegated write: its record reports the write when it is over.
            fixture.handle(
                .claimRecovered(fixture.claim(2, by: 1, .write("/d/f"), slot: nil)))
            fixture.end(2)
            let presenter = PresenterID(rawValue: 90)
            let notice: Notice =
                place == "/d/f" ? .itemDidChange : .subitemDidChange(path("/d/f"))
            #expect(fixture.last.contains(.notify(presenter, notice)))
            #expect(fixture.held == ["1: exclusive, reported"])
        }
    }

    @Test func `Reports end with the last presenter that hears`() {
        var fixture = DelegatingFixture()
        fixture.present(90, "/f", .itemDidChange)
        fixture.file(1, by: 1, .write("/f"))
        fixture.end(1)
        fixture.handle(.presenterRemoved(PresenterID(rawValue: 90)))
        fixture.handle(.claimRecovered(fixture.claim(2, by: 1, .write("/f"), slot: nil)))
        fixture.end(2)
        fixture.answerRecall()
        #expect(fixture.held == ["1: exclusive"])
    }

    @Test func `A presenter that comes recalls what it would not hear of`() {
        for (place, methods, recalls): (String, PresenterMethods, Int) in [
            ("/d/f", [], 0), ("/d/f", .itemDidChange, 1), ("/d/f", .relinquishToReader, 1),
            ("/d", .relinquishToWriter, 0), ("/d", .subitemDidAppear, 1), ("/d/f/x", .all, 0),
            ("/e", .all, 0),
        ] {
            var fixture = DelegatingFixture()
            fixture.file(1, by: 1, .write("/d/f"))
            fixture.endSeen(1)
            fixture.present(90, place, methods)
            #expect(fixture.recalls.count == recalls, "\(place), \(methods)")
            let isThere = fixture.arbiter.status(of: PresenterID(rawValue: 90)) != nil
            #expect(isThere == (recalls == 0))
            fixture.answerRecall()
            #expect(fixture.arbiter.status(of: PresenterID(rawValue: 90)) != nil)
        }
    }

    @Test func `A presenter of a place that is only read recalls nothing unless reads ask it`() {
        for (methods, recalls): (PresenterMethods, Int) in [
            (.itemDidChange, 0), (.relinquishToWriter, 0), (.relinquishToReader, 2), (.save, 2),
        ] {
            var fixture = sharing()
            fixture.endSeen(1)
            fixture.endSeen(2)
            fixture.present(91, "/f", methods)
            #expect(fixture.recalls.count == recalls, "\(methods)")
        }
    }

    // MARK: Entries of unreported claims

    /// Files a claim in the record of one that is over.
    private func next(
        _ number: UInt64, by client: UInt32, _ items: [AccessItem], after former: UInt64,
        in fixture: inout DelegatingFixture
    ) {
        fixture.endHidden(former)
        var claim = fixture.claim(number, by: client, items, slot: nil)
        claim.former = fixture.entries[former]
        fixture.file(claim)
    }

    @Test func `An entry stays if the next claim in the record is the same access`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"), slot: nil)
        next(2, by: 1, .write("/f"), after: 1, in: &fixture)
        #expect(fixture.entries[2] == fixture.entries[1])
        #expect(fixture.granted == [1, 2])
        fixture.file(3, by: 2, .write("/f"), slot: nil)
        #expect(fixture.recalls == [fixture.entries[1]])
        #expect(fixture.granted == [1, 2])
        fixture.answerRecall()
        #expect(fixture.granted == [1, 2])
        fixture.end(2)
        #expect(fixture.granted == [1, 2, 3])
    }

    @Test func `An entry goes with the next claim in the record if that is another access`() {
        for second: [AccessItem] in [.write("/g"), .read("/f")] {
            var fixture = DelegatingFixture()
            fixture.file(1, by: 1, .write("/f"), slot: nil)
            next(2, by: 1, second, after: 1, in: &fixture)
            #expect(fixture.entries[2] != fixture.entries[1])
            #expect(fixture.arbiter.delegationIDs == [fixture.entries[2]])
            // Nothing stands in the way of what the former claim excluded.
            fixture.file(3, by: 2, .read("/f"), slot: nil)
            #expect(fixture.granted == [1, 2, 3])
        }
    }

    @Test func `An entry goes if the next claim in the record is an ordinary one`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"), slot: nil)
        next(2, by: 1, .move("/f"), after: 1, in: &fixture)
        #expect(fixture.granted == [1, 2])
        #expect(fixture.recalls == [])
        #expect(fixture.arbiter.delegationIDs == [])
    }

    // MARK: Moves and deaths

    @Test func `A move waits until what is at either place has been recalled`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/d/b"))
        fixture.grantLocally(5, by: 1, .write("/d/b"))
        fixture.file(fixture.claim(2, by: 2, .move("/d/a"), slot: nil))
        fixture.present(90, "/d/a", .itemDidMove)
        fixture.handle(
            .claimAnnounced(ClaimID(rawValue: 2), .moved([move("/d/a", to: "/d/b")])))
        #expect(fixture.recalls.count == 2)
        #expect(!fixture.last.contains { if case .relocate = $0 { true } else { false } })
        fixture.answerRecall()
        fixture.answerRecall()
        #expect(fixture.last.contains { if case .relocate = $0 { true } else { false } })
    }

    /// Rule 15.8: presenters are told what a writer had done when it died.
    @Test func `What ran under a recall is told before its process is dead`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"))
        fixture.endHidden(1)
        fixture.grantLocally(7, by: 1, .write("/f"))
        fixture.present(90, "/f", .itemDidChange)
        fixture.handle(.clientDied(ClientID(rawValue: 1)))
        fixture.answerRecall()
        fixture.answerRecall()
        #expect(fixture.last.contains(.notify(PresenterID(rawValue: 90), .itemDidChange)))
        #expect(fixture.arbiter.claims.isEmpty)
    }

    @Test func `A dead client has nothing delegated`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/f"))
        fixture.handle(.clientDied(ClientID(rawValue: 1)))
        fixture.file(2, by: 2, .write("/f"))
        #expect(fixture.granted == [1, 2])
        #expect(fixture.recalls == [])
    }

    // MARK: Directories and slots

    @Test func `A directory takes the place of what its client has inside`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/d/f"))
        fixture.endSeen(1)
        fixture.file(fixture.claim(2, by: 1, .write("/d/g"), slot: 5, forDirectory: true))
        fixture.answerRecall()
        #expect(fixture.held == ["1: directory"])
        fixture.file(3, by: 2, .read("/d/new"))
        #expect(fixture.granted == [1, 2])
        #expect(!fixture.recalls.isEmpty)
    }

    @Test func `A directory is not delegated beside a presenter`() {
        for place in ["/", "/d", "/d/x", "/d/x/y"] {
            var fixture = DelegatingFixture()
            fixture.present(90, place, [])
            fixture.file(fixture.claim(2, by: 1, .write("/d/g"), slot: 5, forDirectory: true))
            #expect(fixture.held == [])
        }
    }

    /// A slot's word does not name its path, so a claim that was redirected gets no delegation.
    @Test func `A claim that was sent on asks for nothing`() {
        var fixture = DelegatingFixture()
        fixture.file(fixture.claim(1, by: 1, .move("/a"), slot: nil))
        fixture.file(2, by: 2, .write("/a"))
        fixture.handle(.claimAnnounced(ClaimID(rawValue: 1), .moved([move("/a", to: "/b")])))
        fixture.end(1)
        fixture.end(2)
        #expect(fixture.held == [])
    }

    // MARK: Queues

    @Test func `Clients that write in turn get a queue, which opens when the last claim is over`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 3, .delete("/f"))
        fixture.file(2, by: 1, .write("/f"))
        fixture.file(3, by: 2, .write("/f"))
        fixture.end(1)
        var running: UInt64 = 2
        while !fixture.last.contains(where: { if case .openQueue = $0 { true } else { false } }) {
            guard running < 30 else { break }
            fixture.file(running + 2, by: UInt32(running % 2 + 1), .write("/f"))
            fixture.end(running)
            running += 1
        }
        let members = [
            QueueMember(ClientID(rawValue: 1), slot: 0),
            QueueMember(ClientID(rawValue: 2), slot: 0),
        ]
        #expect(fixture.last.contains(.openQueue(at: path("/f"), members)))
        let queue = DelegationID(rawValue: 1 << 40)
        fixture.handle(.queueOpened(queue, at: path("/f"), members))
        #expect(fixture.last == [])
        fixture.end(running)
        #expect(!fixture.last.contains(.startQueue(queue)))
        fixture.end(running + 1)
        #expect(fixture.last.contains(.startQueue(queue)))
        fixture.file(90, by: 3, .read("/f"))
        #expect(fixture.last == [.recall(queue)])
        fixture.handle(.queueClosed(queue, at: path("/f"), turns: 100))
        #expect(fixture.granted.last == 90)
    }
}
