// SPDX-License-Identifier: Apache-2.0
//
// The server stays reachable when its socket's name, or the whole directory, is removed (Rules 2.0,
// 18.7a).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import InstantLiterals
import Testing

@testable import FileCoordinationServer

@Suite struct PresenceTests {
    private let world: TemporaryRuntime
    private let epochs: EpochFile
    private var presence: Presence
    private var listener: SequencedSocket

    init() throws {
        world = try TemporaryRuntime()
        epochs = try EpochFile(directory: world.runtime.directory)
        let epoch = try epochs.raise()
        presence = Presence(
            runtime: world.runtime, roleLock: try world.role(), epochs: epochs, era: epochs.era,
            epoch: epoch, poller: try Poller())
        listener = try presence.makeSocket()
        presence.rememberSocket()
    }

    @Test mutating func `As long as the names are there nothing is to be done`() {
        #expect(presence.hasRole && presence.hasSocket)
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .nothing)
        #expect(presence.ending == nil)
    }

    @Test mutating func `A socket that was removed is to be made anew`() {
        presence.removeSocket()
        presence.watchNames(at: 1, token: 2)
        presence.readWatch(at: 1) { _ in false }
        #expect(presence.restoreAt == 1 + ServerLimits.restorePause)
        #expect(presence.restore(hasClients: false, at: 1, token: 2) == .listen)
    }

    @Test mutating func `A name that was removed before it is watched is made anew`() {
        presence.watchNames(at: 1, token: 2)
        #expect(presence.restoreAt == nil)
        presence.removeSocket()
        presence.watchNames(at: 1, token: 2)
        #expect(presence.restoreAt == 1 + ServerLimits.restorePause)
    }

    @Test mutating func `A lock's file that was removed is taken anew`() throws {
        try world.runtime.directory.remove(RuntimeDirectory.Name.serverLock)
        #expect(!presence.hasRole)
        #expect(presence.restore(hasClients: false, at: 1, token: 2) == .listen)
        #expect(presence.hasRole)
    }

    @Test mutating func `A directory that was removed is made anew for clients alone`() throws {
        try FileManager.default.removeItem(atPath: world.path)
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .moveAndListen)
        #expect(presence.runtime.isInPlace)
        try FileManager.default.removeItem(atPath: world.path)
        #expect(presence.restore(hasClients: false, at: 1, token: 2) == .nothing)
        #expect(presence.ending == .vanished)
    }

    @Test mutating func `Something that exists already is no other server`() {
        presence.planRetry(SystemError(code: ErrorNumber.alreadyExists, operation: "make"), at: 1)
        #expect(presence.ending == nil)
        #expect(presence.restoreAt == 1 + ServerLimits.restorePause)
        presence.planRetry(Presence.RoleIsTaken(), at: 1)
        #expect(presence.ending == .vanished)
    }

    @Test mutating func `A server whose epoch is past is deposed`() throws {
        presence.removeSocket()
        _ = try epochs.raise()
        #expect(presence.isDeposed && !presence.hasRole)
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .nothing)
        #expect(presence.ending == .deposed)
    }

    /// Rule 18.14: its clients must come before the next server's wait is over.
    @Test func `Without a watch the names are looked at often`() async {
        await #expect(processExitsWith: .success) {
            var tests = try PresenceTests()
            let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(descriptors, &limit)
            var none = limit
            none.rlim_cur = 0
            setrlimit(descriptors, &none)
            tests.presence.watchNames(at: 1, token: 2)
            setrlimit(descriptors, &limit)
            let pause = (tests.presence.restoreAt ?? .distantFuture) - 1
            #expect(pause + ServerLimits.restorePause < OrphanRecovery.patience)
        }
    }

    /// Rule 2.0: a server that was stopped does not know what another one has granted meanwhile.
    @Test mutating func `A server does not go on where another one has served`() throws {
        try FileManager.default.removeItem(atPath: world.path)
        let fresh = try RuntimeDirectory.open(path: world.path)
        _ = try EpochFile(directory: fresh.directory).raise()
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .nothing)
        #expect(presence.ending == .vanished)
        #expect(try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: fresh) != nil)
    }

    @Test mutating func `A server goes on if the folder of ledgers alone was removed`() throws {
        try FileManager.default.removeItem(atPath: world.path + "/ledgers")
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .moveAndListen)
        #expect(presence.ending == nil && presence.hasRole)
    }

    /// Rule 18.14.
    @Test mutating func `The name of a client's ledger that goes is noticed`() throws {
        let ledgers = presence.runtime.ledgers
        presence.watchNames(at: 1, token: 2)
        for (name, isNoticed) in [("dead", false), ("living", true)] {
            _ = try ledgers.openFile(name, [.write, .create], mode: 0o600)
            try ledgers.remove(name)
            presence.readWatch(at: 1) { $0 == "living" }
            #expect((presence.restoreAt != nil) == isNoticed)
        }
    }

    /// Rule 18.14: as long as a client's ledger has no name, the next server must wait for it.
    @Test mutating func `The mark of a new folder stays while a client has no name there`() {
        presence.settleIfKnown()
        #expect(world.runtime.isSettled)
        let clients = [1, 2].map { ClientID(rawValue: $0) }
        for client in clients { presence.addNameless(client) }
        #expect(!world.runtime.isSettled)
        let isFirstLast = presence.removeNameless(clients[0])
        presence.settleIfKnown()
        #expect(!isFirstLast)
        #expect(!world.runtime.isSettled)
        let isSecondLast = presence.removeNameless(clients[1])
        presence.settleIfKnown()
        #expect(isSecondLast)
        #expect(world.runtime.isSettled)
    }

    @Test mutating func `A directory that was made anew has the mark`() throws {
        presence.settleIfKnown()
        try FileManager.default.removeItem(atPath: world.path)
        #expect(presence.restore(hasClients: true, at: 1, token: 2) == .moveAndListen)
        #expect(!presence.runtime.isSettled)
    }

    /// Rule 18.14: the next server has a greater epoch than the one that served the client before.
    @Test mutating func `A server leaves for a client of a later server of another directory`() {
        presence.settleIfKnown()
        let other = ServerEpoch(truncating: UInt64(presence.epoch.rawValue) + 7)
        presence.giveWay(to: other)
        #expect(presence.ending == .deposed && presence.isDeposed)
        #expect(epochs.load() == other)
        #expect(!world.runtime.isSettled)
    }

    @Test mutating func `The first reason to leave counts`() {
        presence.end(.idle)
        presence.end(.stopped)
        #expect(presence.ending == .idle)
    }
}
