// SPDX-License-Identifier: Apache-2.0
//
// A client that does nothing but cost the arbiter time, in one way or another, and one that does
// nothing but burn as much without it; and how long an access takes meanwhile.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

enum Flooding {
    /// `LABEL flood KIND PATH [count=COUNT] [still]`, until the program is killed: `burn`,
    /// `messages`, `status`, `claims`, `nested`, `deaf`, `accesses`.
    static func run(_ call: PeerCall) {
        let kind = call.order.arguments[0]
        guard kind != "burn" else {
            call.say("floods")
            while true {}
        }
        guard kind != "accesses" else { return access(call) }
        do {
            let client = try BareClient()
            switch kind {
            case "messages": try sendMessages(client, call)
            case "status": try askForStatus(client, call)
            case "claims": try claimEverything(client, call)
            case "nested": try claimEverything(client, call, isNested: true)
            case "deaf": try presentEverything(client, call)
            default: call.say("cannot flood \(kind)")
            }
        } catch {
            call.say("failed \(error)")
        }
    }

    /// Messages that are true and useless, as fast as they are taken.
    private static func sendMessages(_ client: BareClient, _ call: PeerCall) throws {
        let record = try client.file(
            .claim, ClaimBody(purpose: [1], items: [try item(call)]).encode())
        call.say("floods")
        while true { try client.say(.filed(record)) }
    }

    /// Questions whose answers are not read.
    private static func askForStatus(_ client: BareClient, _ call: PeerCall) throws {
        call.say("floods")
        while true {
            do {
                try client.say(.statusRequest)
            } catch {
                // Let go: comes again.
                try client.connect()
            }
        }
    }

    /// As many claims as there can be, which wait for each other, and are given up for others; or
    /// all of them made inside the accessor of one that runs, every other one of its purpose.
    ///
    /// With `still`, all of them are left to wait, and the server knows them all before this says
    /// that it floods.
    private static func claimEverything(
        _ client: BareClient, _ call: PeerCall, isNested: Bool = false
    ) throws {
        var outer: [RecordReference] = []
        if isNested {
            let body = ClaimBody(purpose: purpose(0), items: [try item(call, ".outer")])
            outer = [try client.file(.claim, body.encode())]
        }
        func body(_ number: Int) throws -> ClaimBody {
            let isOfOuter = isNested && number % 2 == 1
            return ClaimBody(
                purpose: purpose(isOfOuter ? 0 : number + 1), items: [try item(call)],
                enclosing: outer)
        }
        var records: [RecordReference] = []
        for number in 0..<(call.order.option("count").flatMap { Int($0) } ?? 4000) {
            records.append(try client.file(.claim, try body(number).encode()))
        }
        if call.order.arguments.contains("still") {
            let last = ClaimBody(purpose: purpose(0), items: [try item(call, ".last")])
            client.awaitGrant(try client.file(.claim, last.encode()))
            call.say("floods")
            while true { pause() }
        }
        call.say("floods")
        while true {
            for index in records.indices.dropFirst() {
                client.giveUp(records[index])
                try client.say(.ended(records[index]))
                let body = try body(index)
                // Tries again until the server has freed the former record.
                while true {
                    guard let fresh = try? client.file(.claim, body.encode()) else { continue }
                    records[index] = fresh
                    break
                }
            }
        }
    }

    /// Presenters of one file, who never read what they are told.
    private static func presentEverything(_ client: BareClient, _ call: PeerCall) throws {
        for number in 0..<(call.order.option("count").flatMap { Int($0) } ?? 4000) {
            let body = PresenterBody(
                purpose: purpose(number), path: Array(call.order.operands[1].utf8),
                methods: [.itemDidChange, .subitemDidAppear])
            _ = try client.file(.presenter, body.encode())
        }
        call.say("floods")
        while true { pause() }
    }

    /// Accesses of one file by the library, one after the other, for ever.
    private static func access(_ call: PeerCall) {
        call.say("floods")
        let url = Access.url(call.order.operands[1])
        while true {
            var failure: NSError?
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in }
        }
    }

    private static func purpose(_ number: Int) -> [UInt8] { Array("flood-\(number)".utf8) }

    private static func item(_ call: PeerCall, _ suffix: String = "") throws -> AccessItem {
        guard let path = ItemPath(bytes: Array((call.order.operands[1] + suffix).utf8)) else {
            throw SystemError(code: ErrorNumber.invalidArgument, operation: "flood")
        }
        return AccessItem(path: path, access: .writing(.plain))
    }

    // MARK: Measuring

    /// `LABEL measure PATH COUNT`: accesses of a file that no other process wants; tells the median
    /// time of one in nanoseconds, the mean, and the longest.
    static func measure(_ call: PeerCall) {
        let url = Access.url(call.order.operands[0])
        let count = Int(call.order.operands[1]) ?? 1
        var times: [UInt64] = []
        for _ in 0..<count {
            let start = MonotonicClock.now
            var failure: NSError?
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in }
            times.append((MonotonicClock.now - start).nanoseconds)
            if let failure { return call.say("failed \(failure)") }
        }
        times.sort()
        let mean = times.reduce(0, +) / UInt64(count)
        call.say("measured \(times[count / 2]) \(mean) \(times[count - 1])")
    }
}

/// A client without the library: a ledger and a connection, on which anything can be said.
private final class BareClient {
    private let directory: Directory
    private let ledger: LedgerWriter
    private var socket: SequencedSocket

    init() throws {
        let path = ProcessInfo.processInfo.environment["FILECOORDINATION_RUNTIME_DIR"] ?? "/"
        directory = try Directory.open(path)
        ledger = try LedgerWriter(
            directory: directory.openSubdirectory("ledgers"),
            globalEpoch: EpochFile(directory: directory))
        socket = try SequencedSocket.connect(in: directory, name: "socket")
        try greet()
    }

    func connect() throws {
        socket = try SequencedSocket.connect(in: directory, name: "socket")
        try greet()
    }

    private func greet() throws {
        try say(.hello(Hello(ledgerName: Array(ledger.fileName.utf8))))
    }

    /// Waits while there is no room for it.
    func say(_ message: ClientMessage) throws {
        _ = try socket.send(message.encode(), patience: .forever)
    }

    /// Files a record and says so.
    func file(_ kind: RecordKind, _ body: [UInt8]) throws -> RecordReference {
        let record = try ledger.write(kind: kind, body: body, outcomeCapacity: 16)
        ledger.file(record)
        try say(.filed(record))
        return record
    }

    func giveUp(_ record: RecordReference) { ledger.cancel(record) }

    /// Waits for the grant of a claim: then the server has taken what was said before.
    func awaitGrant(_ record: RecordReference) {
        _ = ledger.waitWhileAsked(record, deadline: nil)
    }
}
