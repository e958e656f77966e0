// SPDX-License-Identifier: Apache-2.0
//
// How a server that takes over handles ledgers that it cannot use, and serial numbers that a
// deposed server has written late (Rules 2.0, 2.14).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import InstantLiterals
import Testing

@testable import FileCoordinationLedger
@testable import FileCoordinationServer

@Suite("Takeovers")
struct TakeoverTests {
    private let file = "/d/f"

    /// Protects mappings until no more can be protected.
    private static func fillGuard(_ directory: Directory) throws -> [SharedMapping] {
        let descriptor = try directory.openFile("guarded", [.read, .write, .create])
        try FileSpace.truncate(descriptor, length: 4096)
        var mappings: [SharedMapping] = []
        while true {
            let mapping = try SharedMapping(
                file: descriptor, length: 4096, writable: true, inheritedByFork: false)
            do {
                try MappingGuard.protect(mapping)
            } catch {
                #expect(error.code == ErrorNumber.noSpace)
                return mappings
            }
            mappings.append(mapping)
        }
    }

    /// Rule 2.0.
    ///
    /// The table of mappings is one for the whole process, so another process fills it.
    @Test("A server that can map no more ledgers does not take over without them")
    func tooManyMappings() async {
        await #expect(processExitsWith: .success) {
            let world = try TicketQueueWorld()
            let claim = try world.client().file("/d/f")
            try world.settle()
            #expect(claim.isGranted)
            world.server.abandon()
            var mappings = try TakeoverTests.fillGuard(world.runtime.directory)
            var failures = 0
            var hasTakenOver = false
            // The server needs some mappings for itself, and one for the ledger.
            while !hasTakenOver, mappings.popLast() != nil {
                do {
                    try world.takeOver()
                    hasTakenOver = true
                } catch {
                    failures += 1
                }
            }
            #expect(failures > 0)
            #expect(hasTakenOver)
            #expect(world.server.records.claimCount == 1)
        }
    }

    @Test("A damaged ledger without a name is passed over")
    func damagedOrphan() throws {
        let world = try TicketQueueWorld()
        let (damaged, other) = (try world.client(), try world.client())
        let claims = [try damaged.file("/d/f"), try other.file("/d/g")]
        try world.settle()
        #expect(claims.allSatisfy { $0.isGranted })
        let names = [damaged, other].map(\.ledger.fileName) + [RuntimeDirectory.Name.settled]
        for name in names { try world.runtime.ledgers.remove(name) }
        let word = claims[0].word
        let last = ServerEpoch(truncating: 0xFF_FFFF)
        damaged.ledger.memory.word(.record(Int(claims[0].record.index)))
            .store(word.with(.granted, [], last).rawValue)
        world.server.abandon()
        try world.runtime.directory.remove(RuntimeDirectory.Name.socket)
        let callers = try [damaged, other].map {
            try LateCaller(of: world.runtime.directory, passing: $0.ledger)
        }
        try world.takeOver()
        #expect(world.server.records.claimCount == 1)
        #expect(!world.runtime.isSettled)
        withExtendedLifetime(callers) {}
        // When the damaged one says hello again, the server does not leave for it.
        let line = try greet(world, passing: damaged.ledger)
        let answer = line.receiveMessage(limit: WireLimits.messageBytes)
        guard case .bytes(let bytes) = answer,
            case .refused(let refusal) = try ServerMessage(decoding: bytes)
        else {
            Issue.record("The answer is \(answer)")
            return
        }
        #expect(refusal.code == .badLedger)
    }

    /// Says hello with a ledger that has no name, and has the server answer.
    private func greet(
        _ world: TicketQueueWorld, passing ledger: LedgerWriter
    ) throws -> SequencedSocket {
        let line = try SequencedSocket.connect(
            in: world.runtime.directory, name: RuntimeDirectory.Name.socket)
        let hello = ClientMessage.hello(Hello(ledgerName: Array(ledger.fileName.utf8)))
        _ = try line.send(hello.encode(), descriptors: [ledger.descriptor.number])
        try world.settle()
        return line
    }

    //  late            first           next
    //  granted by a server that is stopped; the directory is removed
    //                  granted
    //  says hello
    //                                  files: waits
    //                  returns
    //  returns
    //                                  granted
    //
    /// Rule 18.14, the exception: nothing can be taken back, so both have the file for a while.
    @Test("A running claim that is known late is waited for, beside one that was granted meanwhile")
    func lateRunningClaim() throws {
        let former = try TicketQueueWorld()
        let late = try former.client().file(file)
        try former.settle()
        let world = try TicketQueueWorld()
        try world.replaceServer()
        let first = try world.client().file(file)
        try world.settle()
        #expect(late.isGranted && first.isGranted)
        let line = try greet(world, passing: late.client.ledger)
        #expect(world.server.records.claimCount == 2)
        let next = try world.client().file(file)
        try world.settle()
        try first.end()
        try world.settle()
        #expect(next.state == .filed)
        #expect(try late.client.ledger.release(late.record, outcome: []) == .released)
        _ = try line.send(ClientMessage.ended(late.record).encode())
        try world.settle()
        #expect(next.isGranted)
    }

    /// Rule 18.14: a client that was stopped while the directory was removed, and its server died.
    @Test("A ledger without a name that comes late is taken", arguments: [1, 40, 1 << 21])
    func lateLedger(formerEpoch: Int) throws {
        let world = try TicketQueueWorld()
        for _ in 1...20 { _ = try world.epochs.raise() }
        try world.replaceServer()
        let former = try TemporaryRuntime()
        let formerEpochs = try EpochFile(directory: former.runtime.directory)
        formerEpochs.advance(to: ServerEpoch(truncating: UInt64(formerEpoch)))
        let ledger = try LedgerWriter(
            directory: former.runtime.ledgers, globalEpoch: formerEpochs, programName: "test")
        let caller = try LateCaller(of: world.runtime.directory, passing: ledger)
        #expect(world.runtime.isSettled)
        var ending: ServerEnding?
        while world.runtime.isSettled { ending = ending ?? world.server.turn(until: 0) }
        if formerEpoch == 1 {
            #expect(ending == nil)
            #expect(ledger.ledgerEpoch == world.server.presence.epoch)
        } else {
            // The former server's epoch could be used beside this one's.
            while ending == nil { ending = world.server.turn(until: 0) }
            #expect(ending == .deposed)
            #expect(world.epochs.load().rawValue >= formerEpoch)
        }
        withExtendedLifetime(caller) {}
    }

    /// Rule 2.14: the number is lower than that of a claim that waits.
    @Test("A serial number that a deposed server writes late moves no claim forward")
    func lateNumber() throws {
        let world = try TicketQueueWorld()
        try world.replaceServer()
        let clients = try (0..<3).map { _ in try world.client() }
        let running = try clients[0].file(file)
        try world.settle()
        let waiting = try clients[1].file(file)
        try world.settle()
        let late = try clients[2].file(file)
        late.client.ledger.memory.serial(Int(late.record.index))
            .store(world.server.presence.epoch.firstSerial - 5)
        try world.settle()
        try running.end()
        try world.settle()
        #expect(waiting.isGranted)
        #expect(late.state == .filed)
        // The next server sees the same order.
        try world.replaceServer()
        #expect(waiting.state == .granted)
        #expect(late.state == .filed)
    }
}
