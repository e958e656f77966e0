// SPDX-License-Identifier: Apache-2.0
//
// The server acts once on the contents of a record, however often it checks the record. The record
// of an ended claim keeps its state until all resulting messages were sent, so the server may check
// it again before that.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(15))) struct ReplayTests {
    //  A                       P presents f       server
    //  writes f by itself
    //    adds a version
    //  ends
    //                                             reads both messages
    //                          is told once
    //
    /// Rule 10.2: a claim that its client granted itself, or that was granted without a report.
    @Test func `What a claim announces just before it ends is told once`() throws {
        let world = try TicketQueueWorld()
        let (writer, listener) = (try world.client(), try world.client())
        _ = try listener.present("/f", [.itemDidGainVersion])
        try world.settle()
        let claim = try writer.file("/f")
        try world.settle()
        #expect(claim.isGranted)
        #expect(world.server.arbiter.claims.isEmpty, "It was granted without a report")
        let path = try #require(ItemPath("/f"))
        let news = VersionNews(.gained, identifier: [1])
        let entry = try ClaimLogEntry.announced(.versionChanged(path, news)).encodeChecked()
        #expect(try writer.ledger.appendOutcome(claim.record, entry, reserving: 0))
        try writer.say(.announced(claim.record))
        #expect(!writer.ledger.releaseLocally(claim.record))
        try claim.end()
        try world.settle()
        #expect(try listener.notices() == 1)
        #expect(world.server.arbiter.claims.isEmpty)
    }
}
