// SPDX-License-Identifier: Apache-2.0
//
// Who gets what delegated, in which mode, and what is recalled before what (Rules 2.1, 2.14, 6.1,
// 7.3, 7.4, 7.8, 15.8). Without the witness, which knows nothing of delegations.

import FileCoordinationArbiter
import Testing

@Suite struct DelegationTests {
    // MARK: One client

    @Test func `The only client of a place is granted without a report, and gets it`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/d/f"))
        #expect(desk.granted == [1])
        #expect(desk.held == ["1: exclusive"])
        #expect(desk.arbiter.isIdle)
    }

    @Test func `A claim that is not plain is granted with a report, and asks for nothing`() {
        for items: [AccessItem] in [
            .delete("/d/f"), .writeTree("/d"), .write("/d/x.rtfd/y"), .write("/f") + .read("/g"),
        ] {
            var desk = DelegatingDesk()
            desk.file(1, by: 1, items)
            #expect(desk.last == [.grant(ClaimID(rawValue: 1))])
            desk.end(1)
            #expect(desk.held == [])
        }
    }

    /// Rule 2.14: what runs by the delegation came before.
    @Test func `A claim waits for the recall, and for what ran`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/f"))
        desk.endHidden(1)
        desk.grantLocally(7, by: 1, .write("/f"))
        desk.file(2, by: 2, .write("/f"))
        #expect(desk.granted == [1])
        // Two: the delegation, and the claim that was granted without a report.
        #expect(desk.recalls.count == 2)
        #expect(desk.arbiter.stage(of: ClaimID(rawValue: 2)) == nil)
        desk.answerRecall()
        desk.answerRecall()
        #expect(desk.arbiter.stage(of: ClaimID(rawValue: 2)) == .waiting)
        desk.end(7)
        #expect(desk.granted == [1, 2])
    }

    @Test func `What comes later waits for the recall, too, in its order`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/f"))
        desk.endHidden(1)
        desk.file(2, by: 2, .write("/f"))
        desk.file(3, by: 3, .read("/g"))
        desk.handle(.claimCancelled(ClaimID(rawValue: 2)))
        #expect(desk.granted == [1])
        desk.answerRecall()
        #expect(desk.granted == [1])
        desk.answerRecall()
        #expect(desk.granted == [1, 2, 3])
        #expect(desk.arbiter.stage(of: ClaimID(rawValue: 2)) == nil)
    }

    // MARK: Readers

    @Test func `Any number of clients read a place that is shared`() {
        var desk = DelegatingDesk()
        for client in UInt32(1)...4 { desk.file(UInt64(client), by: client, .read("/f")) }
        // The first one had it alone until the second one came.
        #expect(desk.granted == [1])
        while !desk.recalls.isEmpty { desk.answerRecall() }
        #expect(desk.granted.sorted() == [1, 2, 3, 4])
        desk.pass(milliseconds: 25)
        for round in UInt64(1)...4 {
            for client in UInt32(1)...4 {
                desk.file(100 * round + UInt64(client), by: client, .read("/f"))
            }
        }
        #expect(desk.recalls == [])
        #expect(desk.held == ["1: shared", "2: shared", "3: shared", "4: shared"])
    }

    /// Two clients that both have the place for reading.
    private func sharing() -> DelegatingDesk {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .relinquishToWriter)
        desk.file(1, by: 1, .read("/f"))
        desk.file(2, by: 2, .read("/f"))
        desk.endHidden(1)
        desk.endHidden(2)
        return desk
    }

    @Test func `Where writes have to ask, reads are shared at once`() {
        let desk = sharing()
        #expect(desk.granted == [1, 2])
        #expect(desk.held == ["1: shared", "2: shared"])
    }

    /// Rules 2.1, 2.14.
    @Test func `A writer recalls all shares, and waits for each reader`() {
        var desk = sharing()
        desk.grantLocally(11, by: 1, .read("/f"))
        desk.grantLocally(12, by: 2, .read("/f"))
        desk.file(3, by: 3, .write("/f"))
        #expect(desk.recalls.count == 4)
        while !desk.recalls.isEmpty { desk.answerRecall() }
        #expect(desk.held == [])
        // A reader that comes now is behind the writer.
        desk.file(4, by: 1, .read("/f"))
        #expect(desk.granted == [1, 2])
        desk.end(11)
        desk.end(12)
        #expect(desk.arbiter.stage(of: ClaimID(rawValue: 3)) == .asking)
        desk.handle(
            .presenterAnswered(
                PresenterID(rawValue: 90), for: ClaimID(rawValue: 3), failure: nil))
        desk.end(3)
        #expect(desk.granted == [1, 2, 3, 4])
    }

    @Test func `A client's own write recalls its own share, too`() {
        var desk = sharing()
        desk.file(3, by: 1, .write("/f"))
        #expect(desk.recalls.count == 4)
    }

    @Test func `A read recalls no share, whatever else it reads`() {
        var desk = sharing()
        desk.file(3, by: 3, .read("/f") + .read("/g"))
        desk.file(4, by: 3, .readTree("/"))
        #expect(desk.recalls == [])
        #expect(desk.granted == [1, 2, 3, 4])
        desk.file(5, by: 3, .read("/f") + .write("/g"))
        #expect(desk.recalls == [])
        desk.file(6, by: 3, .write("/f") + .read("/g"))
        #expect(desk.recalls.count == 4)
    }

    @Test func `A client that knows no modes gets no share`() {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .relinquishToWriter)
        desk.file(desk.claim(1, by: 1, .read("/f"), []))
        #expect(desk.granted == [1])
        #expect(desk.held == [])
    }

    /// A recall costs more than a claim: so the place must be calm first.
    @Test func `After a writer's recall the readers get their shares when it is calm`() {
        var desk = sharing()
        desk.file(3, by: 3, .write("/f"))
        while !desk.recalls.isEmpty { desk.answerRecall() }
        desk.handle(
            .presenterAnswered(
                PresenterID(rawValue: 90), for: ClaimID(rawValue: 3), failure: nil))
        desk.end(3)
        for number in UInt64(21)...23 { desk.file(number, by: 1, .read("/f")) }
        #expect(desk.held == [])
        desk.pass(milliseconds: 25)
        desk.file(24, by: 2, .read("/f"))
        #expect(desk.held == ["2: shared"])
        desk.file(25, by: 1, .read("/f"))
        #expect(desk.held == ["1: shared", "2: shared"])
    }

    // MARK: Presenters

    /// Rules 6.1, 6.9: a presenter that neither relinquishes nor saves is not asked.
    @Test func `A presenter that need not be asked does not keep a place from its client`() {
        for methods: PresenterMethods in [[], .itemDidChange, .itemDidMove] {
            var desk = DelegatingDesk()
            desk.present(90, "/d/f", methods)
            desk.file(1, by: 1, .read("/d/f"))
            let isHeard = methods == .itemDidChange
            #expect(desk.held == ["1: exclusive\(isHeard ? ", reported" : "")"])
        }
        for methods: PresenterMethods in [.relinquishToReader, .save, .all] {
            var desk = DelegatingDesk()
            desk.present(90, "/d/f", methods)
            desk.file(1, by: 1, .read("/d/f"))
            #expect(desk.held == [])
        }
    }

    /// Rules 7.3, 7.4, 7.8.
    @Test func `A write that a presenter hears of is granted with a report`() {
        for place in ["/d/f", "/d", "/"] {
            var desk = DelegatingDesk()
            desk.present(90, place, place == "/d/f" ? .itemDidChange : .subitemDidChange)
            desk.file(1, by: 1, .write("/d/f"))
            #expect(desk.last == [.grant(ClaimID(rawValue: 1))])
            desk.end(1)
            #expect(desk.held == ["1: exclusive, reported"])
            // Its own write: the record tells of it when it is over.
            desk.handle(
                .claimRecovered(desk.claim(2, by: 1, .write("/d/f"), slot: nil)))
            desk.end(2)
            let presenter = PresenterID(rawValue: 90)
            let notice: Notice =
                place == "/d/f" ? .itemDidChange : .subitemDidChange(path("/d/f"))
            #expect(desk.last.contains(.notify(presenter, notice)))
            #expect(desk.held == ["1: exclusive, reported"])
        }
    }

    @Test func `A client that cannot report gets nothing where its writes are heard of`() {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .itemDidChange)
        desk.file(desk.claim(1, by: 1, .write("/f"), []))
        desk.end(1)
        #expect(desk.held == [])
    }

    @Test func `Reports end with the last presenter that hears`() {
        var desk = DelegatingDesk()
        desk.present(90, "/f", .itemDidChange)
        desk.file(1, by: 1, .write("/f"))
        desk.end(1)
        desk.handle(.presenterRemoved(PresenterID(rawValue: 90)))
        desk.handle(.claimRecovered(desk.claim(2, by: 1, .write("/f"), slot: nil)))
        desk.end(2)
        desk.answerRecall()
        #expect(desk.held == ["1: exclusive"])
    }

    @Test func `A presenter that comes recalls what it would not hear of`() {
        for (place, methods, recalls): (String, PresenterMethods, Int) in [
            ("/d/f", [], 0), ("/d/f", .itemDidChange, 1), ("/d/f", .relinquishToReader, 1),
            ("/d", .relinquishToWriter, 0), ("/d", .subitemDidAppear, 1), ("/d/f/x", .all, 0),
            ("/e", .all, 0),
        ] {
            var desk = DelegatingDesk()
            desk.file(1, by: 1, .write("/d/f"))
            desk.endSeen(1)
            desk.present(90, place, methods)
            #expect(desk.recalls.count == recalls, "\(place), \(methods)")
            let isThere = desk.arbiter.status(of: PresenterID(rawValue: 90)) != nil
            #expect(isThere == (recalls == 0))
            desk.answerRecall()
            #expect(desk.arbiter.status(of: PresenterID(rawValue: 90)) != nil)
        }
    }

    @Test func `A presenter of a place that is only read recalls nothing unless reads ask it`() {
        for (methods, recalls): (PresenterMethods, Int) in [
            (.itemDidChange, 0), (.relinquishToWriter, 0), (.relinquishToReader, 2), (.save, 2),
        ] {
            var desk = sharing()
            desk.endSeen(1)
            desk.endSeen(2)
            desk.present(91, "/f", methods)
            #expect(desk.recalls.count == recalls, "\(methods)")
        }
    }

    // MARK: Moves and deaths

    @Test func `A move waits until what is at either place has been recalled`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/d/b"))
        desk.grantLocally(5, by: 1, .write("/d/b"))
        desk.file(desk.claim(2, by: 2, .move("/d/a"), slot: nil))
        desk.present(90, "/d/a", .itemDidMove)
        desk.handle(
            .claimAnnounced(ClaimID(rawValue: 2), .moved([move("/d/a", to: "/d/b")])))
        #expect(desk.recalls.count == 2)
        #expect(!desk.last.contains { if case .relocate = $0 { true } else { false } })
        desk.answerRecall()
        desk.answerRecall()
        #expect(desk.last.contains { if case .relocate = $0 { true } else { false } })
    }

    /// Rule 15.8: what a writer that died had done is told.
    @Test func `What ran under a recall is told before its process is dead`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/f"))
        desk.endHidden(1)
        desk.grantLocally(7, by: 1, .write("/f"))
        desk.present(90, "/f", .itemDidChange)
        desk.handle(.clientDied(ClientID(rawValue: 1)))
        desk.answerRecall()
        desk.answerRecall()
        #expect(desk.last.contains(.notify(PresenterID(rawValue: 90), .itemDidChange)))
        #expect(desk.arbiter.claims.isEmpty)
    }

    @Test func `A dead client has nothing delegated`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/f"))
        desk.handle(.clientDied(ClientID(rawValue: 1)))
        desk.file(2, by: 2, .write("/f"))
        #expect(desk.granted == [1, 2])
        #expect(desk.recalls == [])
    }

    // MARK: Directories and slots

    @Test func `A directory takes the place of what its client has inside`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 1, .write("/d/f"))
        desk.endSeen(1)
        desk.file(desk.claim(2, by: 1, .write("/d/g"), slot: 5, forDirectory: true))
        desk.answerRecall()
        #expect(desk.held == ["1: directory"])
        desk.file(3, by: 2, .read("/d/new"))
        #expect(desk.granted == [1, 2])
        #expect(!desk.recalls.isEmpty)
    }

    @Test func `A directory is not delegated beside a presenter`() {
        for place in ["/", "/d", "/d/x", "/d/x/y"] {
            var desk = DelegatingDesk()
            desk.present(90, place, [])
            desk.file(desk.claim(2, by: 1, .write("/d/g"), slot: 5, forDirectory: true))
            #expect(desk.held == [])
        }
    }

    /// A slot's word does not say which place it means.
    @Test func `A claim that was sent on asks for nothing`() {
        var desk = DelegatingDesk()
        desk.file(desk.claim(1, by: 1, .move("/a"), slot: nil))
        desk.file(2, by: 2, .write("/a"))
        desk.handle(.claimAnnounced(ClaimID(rawValue: 1), .moved([move("/a", to: "/b")])))
        desk.end(1)
        desk.end(2)
        #expect(desk.held == [])
    }

    // MARK: Queues

    @Test func `Clients that write in turn get a queue, which opens when the last claim is over`() {
        var desk = DelegatingDesk()
        desk.file(1, by: 3, .delete("/f"))
        desk.file(2, by: 1, .write("/f"))
        desk.file(3, by: 2, .write("/f"))
        desk.end(1)
        var running: UInt64 = 2
        while !desk.last.contains(where: { if case .openQueue = $0 { true } else { false } }) {
            guard running < 30 else { break }
            desk.file(running + 2, by: UInt32(running % 2 + 1), .write("/f"))
            desk.end(running)
            running += 1
        }
        let members = [
            QueueMember(ClientID(rawValue: 1), slot: 0),
            QueueMember(ClientID(rawValue: 2), slot: 0),
        ]
        #expect(desk.last.contains(.openQueue(at: path("/f"), members)))
        let queue = DelegationID(rawValue: 1 << 40)
        desk.handle(.queueOpened(queue, at: path("/f"), members))
        #expect(desk.last == [])
        desk.end(running)
        #expect(!desk.last.contains(.startQueue(queue)))
        desk.end(running + 1)
        #expect(desk.last.contains(.startQueue(queue)))
        desk.file(90, by: 3, .read("/f"))
        #expect(desk.last == [.recall(queue)])
        desk.handle(.queueClosed(queue, at: path("/f"), turns: 100))
        #expect(desk.granted.last == 90)
    }
}
