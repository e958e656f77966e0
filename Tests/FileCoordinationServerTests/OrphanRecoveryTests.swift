// SPDX-License-Identifier: Apache-2.0
//
// The first server in a folder of ledgers that was made anew waits for clients whose ledgers have
// lost their names (Rule 18.14).

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

@Suite(.timeLimit(.minutes(5))) struct OrphanRecoveryTests {
    private let world: TemporaryRuntime
    private let role: RoleLock

    init() throws {
        world = try TemporaryRuntime()
        role = try world.role()
    }

    private var runtime: RuntimeDirectory { world.runtime }

    /// How long the recovery takes, in nanoseconds, and what it has found.
    private func recover() throws -> (time: UInt64, lost: OrphanRecovery) {
        let start = MonotonicClock.now
        let lost = try OrphanRecovery(of: runtime, role: role)
        return (MonotonicClock.now - start, lost)
    }

    @Test func `A server waits where the folder of ledgers is new, until one has waited`() throws {
        #expect(try recover().time >= OrphanRecovery.patience)
        // One that dies now has not removed the mark.
        #expect(try recover().time >= OrphanRecovery.patience)
        runtime.settle()
        #expect(try recover().time < OrphanRecovery.patience)
        try runtime.ledgers.remove(RuntimeDirectory.Name.settled)
        #expect(try recover().time >= OrphanRecovery.patience)
    }

    @Test func `A ledger that comes with a hello is taken, and its epoch counts`() throws {
        let former = try TemporaryRuntime()
        let formerEpochs = try EpochFile(directory: former.runtime.directory)
        for _ in 1...7 { _ = try formerEpochs.raise() }
        let ledger = try LedgerWriter(
            directory: former.runtime.ledgers, globalEpoch: formerEpochs, programName: "test")
        let caller = try LateCaller(of: runtime.directory, passing: ledger)
        let lost = try recover().lost
        #expect(lost.entries.map(\.name) == [ledger.fileName])
        let epochs = try EpochFile(directory: runtime.directory)
        let (epoch, readers, found) = try lost.claim(raising: epochs, in: runtime)
        #expect(epoch.rawValue == 8 && found.isEmpty)
        #expect(readers.map(\.ledgerEpoch) == [epoch])
        #expect(readers.map(\.isAlive) == [true])
        withExtendedLifetime(caller) {}
    }

    @Test func `A server whose directory goes meanwhile starts anew`() throws {
        try DetachedThread.start(name: "remover") { [runtime] in
            // It is there until then, because the recovery listens.
            while (try? runtime.directory.remove(RuntimeDirectory.Name.serverLock)) == nil {}
        }
        #expect(throws: OrphanRecovery.MovedOn.self) { try recover() }
    }
}

/// A client that says hello, with its ledger, as soon as a server listens.
final class LateCaller: Sendable {
    private let socket = Lock<SequencedSocket?>(nil)

    init(of directory: Directory, passing ledger: LedgerWriter) throws {
        let hello = ClientMessage.hello(Hello(ledgerName: Array(ledger.fileName.utf8))).encode()
        try DetachedThread.start(name: "late-caller") { [self] in
            while true {
                // It listens soon, or the test ends.
                guard
                    let line = try? SequencedSocket.connect(
                        in: directory, name: RuntimeDirectory.Name.socket)
                else { continue }
                // The test fails if that is impossible.
                _ = try? line.send(hello, descriptors: [ledger.descriptor.number])
                return socket.withLock { $0 = line }
            }
        }
    }
}
