// SPDX-License-Identifier: Apache-2.0
//
// Delegated writes of which a presenter is told, and whose ends a client does not report one by one
// (Rule 7.2). The server looks at them by itself, and no end stays untold.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite("Reports of delegated writes that follow each other")
struct GatheredReportsTests {
    private static let file = "/somewhere/f"
    private let world: TicketQueueWorld
    private let presenter: TicketQueueClient

    init() throws {
        world = try TicketQueueWorld()
        presenter = try world.client()
        let presented = try presenter.present(Self.file)
        try world.settle()
        try #require(presented.state == .granted)
    }

    /// A client to which the file is delegated, with the report of each end.
    private func writer() throws -> TicketQueueClient {
        let writer = try TicketQueueClient(world)
        try world.settle()
        for _ in 0..<8 where !writer.slotWord.isDelegated {
            let claim = try writer.file(Self.file)
            try world.settle()
            try claim.end(outcomes: [.unchanged])
            try world.settle()
        }
        try #require(writer.slotWord.terms.contains(.reportsWrites))
        _ = try presenter.notices()
        return writer
    }

    private func write(_ writer: TicketQueueClient) throws -> Claimed {
        try #require(try writer.claimLocally(Self.file))
    }

    /// A write that ends with a report; its record is kept.
    private func reportedWrite(_ writer: TicketQueueClient) throws -> Claimed {
        let write = try write(writer)
        try write.end(outcomes: [.changed])
        return write
    }

    /// A writer whose last report was acted on, and whose record is kept for longer than the test
    /// takes.
    private func writerWithKeptReport() throws -> (writer: TicketQueueClient, kept: Claimed) {
        world.server.delegations.reports.pause = .seconds(3600)
        let writer = try writer()
        let kept = try reportedWrite(writer)
        try world.settle()
        #expect(try presenter.notices() == 1)
        return (writer, kept)
    }

    /// A write that finds a size and leaves another one, and ends without a message.
    private func endSilently(
        _ writer: TicketQueueClient, _ before: UInt64 = 1, _ after: UInt64 = 2
    ) throws -> Claimed {
        let write = try write(writer)
        #expect(
            try writer.ledger.release(write.record, outcome: log(before, after)) == .released)
        return write
    }

    private func status(_ size: UInt64) -> ItemProperties {
        ItemProperties(
            device: 1, inode: 1, mode: 0o100644, owner: 0, group: 0, size: size, modified: 0,
            changed: 0, linkCount: 1)
    }

    /// The log of a write that found a size and left another one.
    private func log(_ before: UInt64, _ after: UInt64) throws -> [UInt8] {
        try ClaimLogEntry.outcomes([before == after ? .unchanged : .changed]).encodeChecked()
            + ClaimLogEntry.itemChanges([
                ItemChange(before: status(before), after: status(after))
            ]).encodeChecked()
    }

    /// Lets the pause after a report end: the record is returned, the server looks, and tells.
    private func endPause() throws {
        world.server.workOnGatheredReports(at: .distantFuture)
        for _ in 0..<2 { try world.settle() }
    }

    @Test("A report is acted on at once, and its record is returned after the pause")
    func kept() throws {
        let (_, write) = try writerWithKeptReport()
        #expect(write.state == .released)
        #expect(world.server.nextDeadline != nil)
        try endPause()
        #expect(write.state == nil)
        #expect(try presenter.notices() == 0)
    }

    @Test("What ends without a message while a record is kept is told after the pause")
    func silent() throws {
        let (writer, _) = try writerWithKeptReport()
        let silent = try endSilently(writer)
        try world.settle()
        #expect(try presenter.notices() == 0)
        try endPause()
        #expect(try presenter.notices() == 1)
        // A client that goes on writing is looked at once in each pause.
        #expect(silent.state == .released)
        try endPause()
        #expect(silent.state == nil)
        #expect(world.server.delegations.reports.nextEnd == nil)
    }

    @Test("A client that ends a write whenever the server looks does not hold up the others")
    func bounded() throws {
        world.server.delegations.reports.pause = .zero
        let writer = try writer()
        let writes = try (0..<40).map { _ in try write(writer).record }
        let (ledger, left, log) = (writer.ledger, Lock(writes), try log(1, 2))
        let interruption = world.interruption
        @Sendable func plan() {
            interruption.plan { operation in
                if case .compareExchange(.record, _, _) = operation { true } else { false }
            } _: {
                guard let next = left.withLock({ $0.popLast() }) else { return }
                #expect((try? ledger.release(next, outcome: log)) == .released)
                plan()
            }
        }
        _ = try reportedWrite(writer)
        plan()
        let before = left.withLock { $0.count }
        // The report is read, its pause ends, and the record is returned: the client has ended
        // another write then, at which the server looks in the fourth turn.
        for _ in 0..<4 { try #require(world.server.turn(until: 0) == nil) }
        #expect((1..<4).contains(before - left.withLock { $0.count }))
    }

    @Test("A record is not returned before what follows from it was sent")
    func flushed() throws {
        world.server.delegations.reports.pause = .zero
        let write = try reportedWrite(writer())
        // The pause is over before what follows from the report is sent.
        try #require(world.server.turn(until: 0) == nil)
        world.server.workOnGatheredReports(at: .distantFuture)
        #expect(!world.server.outgoing.deliveries.isFlushed && world.server.outgoing.hasGivenBack)
        #expect(write.state == .released)
        try world.settle()
        #expect(write.state == nil)
        #expect(try presenter.notices() == 1)
    }

    @Test("What ended without a message comes before a presenter that is filed after it")
    func beforePresenter() throws {
        let (writer, _) = try writerWithKeptReport()
        _ = try endSilently(writer)
        let presented = try writer.present(Self.file)
        try world.settle()
        #expect(presented.state == .granted)
        #expect(try writer.notices() == 0)
        #expect(try presenter.notices() == 1)
        try endPause()
        #expect(try writer.notices() == 0)
    }

    @Test("The next message ends the pause, and all that has ended is told")
    func nextMessage() throws {
        let (writer, first) = try writerWithKeptReport()
        let silent = try endSilently(writer)
        let last = try write(writer)
        try last.end(outcomes: [.changed])
        try world.settle()
        #expect(try presenter.notices() >= 1)
        #expect(first.state == nil)
        #expect(silent.state == nil)
        #expect(last.state == .released)
        try endPause()
        #expect(last.state == nil)
    }

    @Test("What ends while a record is being returned is told, or reported by a message")
    func race() throws {
        let (writer, first) = try writerWithKeptReport()
        let silent = try write(writer)
        let log = try log(1, 2)
        let firstWasKept = Lock<Bool?>(nil)
        let cell = MemoryCell.record(Int(first.record.index))
        let (ledger, kept, ended) = (writer.ledger, first.record, silent.record)
        world.interruption.plan { operation in
            if case .compareExchange(cell, _, _) = operation { true } else { false }
        } _: {
            // The client ends a write in between, and sees that the record is still kept.
            #expect((try? ledger.release(ended, outcome: log)) == .released)
            firstWasKept.withLock { $0 = ledger.state(of: kept) == .released }
        }
        try endPause()
        #expect(firstWasKept.withLock { $0 } == true)
        #expect(try presenter.notices() == 1)
        try endPause()
        #expect(silent.state == nil)
    }

    @Test("If a recall has found a report before its message, what ended after it is found, too")
    func recalled() throws {
        let writer = try writer()
        let first = try endSilently(writer)
        // The message of the first one is under way when a claim recalls the delegation.
        let other = try world.client()
        let reader = try other.file(Self.file)
        try world.settle()
        #expect(reader.isGranted)
        #expect(first.state == nil)
        #expect(try presenter.notices() == 1)
        try writer.say(.ended(first.record))
        try world.settle()
        #expect(try presenter.notices() == 0)
        try reader.end(outcomes: [.unchanged])
        try world.settle()
    }

    @Test("A server that leaves tells what has ended without a message")
    func leaves() throws {
        let (writer, _) = try writerWithKeptReport()
        let silent = try endSilently(writer)
        world.server.giveBackAllKept()
        #expect(try presenter.notices() == 1)
        #expect(silent.state == nil)
    }

    @Test("The next server tells what has ended without a message")
    func takeover() throws {
        let (writer, _) = try writerWithKeptReport()
        let silent = try endSilently(writer)
        #expect(silent.state == .released)
        try world.replaceServer()
        try world.settle()
        #expect(silent.state == nil)
    }

    @Test("Writes that continue each other count as one, others do not", arguments: [true, false])
    func series(continues: Bool) throws {
        let (writer, _) = try writerWithKeptReport()
        let before = world.server.records.takeNumber()
        for size in UInt64(1)...5 {
            // Otherwise a program that does not coordinate has changed the item in between.
            let found = continues ? size : 2 * size
            _ = try endSilently(writer, found, found + 1)
        }
        try endPause()
        #expect(try presenter.notices() >= 1)
        #expect(world.server.records.takeNumber() - before == (continues ? 2 : 6))
    }

    @Test("If the last of several writes has changed nothing, the change is told nevertheless")
    func lastIsUnchanged() throws {
        let (writer, _) = try writerWithKeptReport()
        _ = try endSilently(writer, 1, 2)
        _ = try endSilently(writer, 2, 2)
        try endPause()
        #expect(try presenter.notices() == 1)
    }

    @Test("What belongs to a dead client is forgotten")
    func death() throws {
        world.server.delegations.reports.pause = .seconds(3600)
        var writer: TicketQueueClient? = try writer()
        _ = try reportedWrite(#require(writer))
        try world.settle()
        #expect(world.server.delegations.reports.nextEnd != nil)
        writer = nil
        try world.settle()
        #expect(world.server.delegations.reports.nextEnd == nil)
    }
}
