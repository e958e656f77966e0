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

    /// A ledger that a former server of another directory has given this epoch.
    private func ledger(of former: TemporaryRuntime, epoch: UInt64) throws -> LedgerWriter {
        let epochs = try EpochFile(directory: former.runtime.directory)
        epochs.advance(to: ServerEpoch(truncating: epoch))
        return try LedgerWriter(
            directory: former.runtime.ledgers, globalEpoch: epochs, programName: "test")
    }

    /// How long the recovery takes, and what it has found.
    private func recover() throws -> (time: Duration, lost: OrphanRecovery) {
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
        // A directory counts far if it lasts.
        for number: UInt64 in [7, 1 << 22] {
            let ledger = try ledger(of: former, epoch: number)
            let caller = try LateCaller(of: runtime.directory, passing: ledger)
            let lost = try recover().lost
            #expect(lost.entries.map(\.name) == [ledger.fileName])
            let epochs = try EpochFile(directory: runtime.directory)
            let (epoch, readers, found) = try lost.claim(raising: epochs, in: runtime)
            #expect(UInt64(epoch.rawValue) == number + 1 && found.isEmpty)
            #expect(readers.map(\.ledgerEpoch) == [epoch])
            #expect(readers.map(\.isAlive) == [true])
            withExtendedLifetime(caller) {}
        }
    }

    /// A client that has spoiled its ledger must not use up the epochs, nor lose what it has.
    @Test func `A ledger with an epoch that cannot be is left as it is`() throws {
        let former = try TemporaryRuntime()
        let ledger = try ledger(of: former, epoch: 1 << 23)
        let lost = try OrphanRecovery(
            of: runtime, role: role,
            starter: LostLedger(name: ledger.fileName, file: ledger.descriptor))
        let epochs = try EpochFile(directory: runtime.directory)
        let (epoch, readers, _) = try lost.claim(raising: epochs, in: runtime)
        #expect(epoch.rawValue == 1 && readers.isEmpty)
        #expect(ledger.ledgerEpoch.rawValue == 1 << 23)
    }

    /// The thread that would say hello waits until the server listens.
    @Test func `The ledger of the client that starts a daemon is taken before the daemon listens`()
        throws
    {
        let former = try TemporaryRuntime()
        let ledger = try ledger(of: former, epoch: 1)
        let (ours, daemons) = try SequencedSocket.pair()
        let heard = Lock<[String]>([])
        try DetachedThread.start(name: "daemon") { [runtime, role] in
            // The starter is told that the daemon has died, if there is an error.
            guard let lost = try? OrphanRecovery(of: runtime, role: role) else {
                return daemons.shutDown()
            }
            heard.withLock { $0 = lost.entries.map(\.name) }
            _ = try? daemons.send([1])
        }
        let outcome = DaemonStart.outcome(of: ours) {
            LostLedger(name: ledger.fileName, file: ledger.descriptor).isHeard(in: runtime)
        }
        #expect(outcome == .ready)
        #expect(heard.withLock { $0 } == [ledger.fileName])
    }

    @Test func `A server whose folder gets the mark after it has looked starts anew`() throws {
        runtime.settle()
        let lost = try recover().lost
        try runtime.ledgers.remove(RuntimeDirectory.Name.settled)
        let epochs = try EpochFile(directory: runtime.directory)
        #expect(throws: OrphanRecovery.MovedOn.self) {
            try lost.claim(raising: epochs, in: runtime)
        }
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
