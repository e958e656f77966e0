// SPDX-License-Identifier: Apache-2.0
//
// Clients come and go. The server checks a client ever more rarely while it has no connection, and
// knows its records by serial numbers that are unique.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct ClientsTests {
    private let world: TemporaryRuntime
    private let epochs: EpochFile
    private let writer: LedgerWriter
    private let reader: LedgerReader

    init() throws {
        world = try TemporaryRuntime()
        epochs = try EpochFile(directory: world.runtime.directory)
        writer = try LedgerWriter(
            directory: world.runtime.ledgers, globalEpoch: epochs, programName: "test")
        reader = try LedgerReader(
            directory: world.runtime.ledgers, name: writer.fileName,
            expectedOwner: CurrentProcess.effectiveUserID)
    }

    @Test func `A client without a connection is looked at ever more rarely`() {
        var clients = Clients()
        let client = clients.admit(reader, at: 0)
        #expect(clients.client(ofLedger: writer.fileName) === client)
        var looks: [Instant] = []
        while let next = clients.nextCheck, looks.count < 20 {
            #expect(clients.suspects(at: next - .nanoseconds(1)).isEmpty)
            #expect(clients.suspects(at: next) == [client.id])
            looks.append(next)
        }
        let pauses = zip(looks.dropFirst(), looks).map { $0 - $1 }
        #expect(pauses == pauses.sorted())
        #expect(pauses.last == Suspicion.longestInterval)
        #expect(clients.recentlyAbsent.isEmpty, "It is not about to come back")
    }

    @Test func `A connection ends the suspicion, and its end is that of the last one only`() {
        var clients = Clients()
        let client = clients.admit(reader, at: 0)
        clients.connect(client.id, by: 7)
        #expect(!clients.hasSuspects)
        clients.connect(client.id, by: 8)
        let isLast = clients.disconnect(client.id, from: 7)
        #expect(!isLast && client.connection == 8)
        let isGone = clients.disconnect(client.id, from: 8)
        #expect(isGone && client.connection == nil)
        clients.remove(client)
        #expect(clients.isEmpty && clients.leftover == nil)
        #expect(clients.client(ofLedger: writer.fileName) == nil)
    }

    @Test func `A serial of a former server is kept, and one that was made up is not`() throws {
        var clients = Clients()
        let client = clients.admit(reader, at: 0)
        _ = try epochs.raise()
        let epoch = try epochs.raise()
        var records = Records(
            epoch: epoch,
            relocations: try RelocationLog(in: world.runtime.directory, epoch: epoch))
        let former = epoch.firstSerial - 1
        let kept = records.enterClaim(.sample(.filed, index: 1, serial: former), of: client)
        #expect(kept.rawValue == former)
        // The same serial number in another record, and a number that was not given out yet.
        let again = records.enterClaim(.sample(.filed, index: 2, serial: former), of: client)
        let future = records.enterClaim(.sample(.filed, index: 3, serial: .max), of: client)
        #expect(again.rawValue >= epoch.firstSerial)
        #expect(future.rawValue > again.rawValue && future.rawValue < .max)
        #expect(records.claimIDs == [kept, again, future])
        #expect(records.brokenAddress == nil)
        records.discardAll(of: client.id)
        #expect(records.claimCount == 0 && !records.knowsRecords(of: client.id))
    }
}
