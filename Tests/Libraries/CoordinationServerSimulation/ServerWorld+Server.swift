// SPDX-License-Identifier: Apache-2.0
//
// The server's turns. In the middle of one, before any operation of the server on a ledger's words,
// clients may act, and another server may take over: then this one was stopped there.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// The turn that the server takes at the moment.
struct ServerTurn {
    var isUnderWay = false
    /// After how many operations other activities come in between; nil if none does.
    var operationsLeft: Int?
    /// Which operations those are.
    var kind = Kind.any

    enum Kind: CaseIterable {
        case any
        /// Something is delegated or recalled.
        case slot
        /// A record is changed.
        case record
        /// A ledger's records are about to be looked at.
        case mark
    }
    /// How many choices happen at that time.
    var choices = 0
}

extension ServerTurn.Kind {
    func has(_ operation: MemoryOperation) -> Bool {
        switch (self, operation) {
        case (.any, _), (.slot, .compareExchange(.slot, _, _)),
            (.record, .compareExchange(.record, _, _)), (.mark, .load(.recordMark)):
            true
        default: false
        }
    }
}

extension ServerWorld {
    func makeServer() throws -> RunningServer {
        guard
            let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
        else { throw SimulationFault("the role of a server that is gone is still taken") }
        var configuration = ServerConfiguration(kind: .embedded, packagePolicy: [])
        configuration.watchesDirectory = false
        configuration.watchesItems = false
        configuration.checksInvariants = true
        configuration.delegationPolicy.handovers = schedule.patience + 1
        configuration.delegationPolicy.handoverTime = .milliseconds(50)
        let observed = ObservedWorld(self)
        configuration.observers = { ledger in
            { operation in observed.world?.serverIsAbout(to: operation, in: ledger) }
        }
        configuration.isStopped = { observed.world?.isStopped($0) ?? false }
        return try RunningServer(in: runtime, role, configuration, wakeUp)
    }

    /// Whether a client is stopped, as the kernel would tell.
    fileprivate func isStopped(_ ledger: String) -> Bool {
        clients.first { $0.ledgerName == ledger }?.showState() ?? false
    }

    /// The server is about to do something to a word of a client's ledger.
    private func serverIsAbout(to operation: MemoryOperation, in ledger: String) {
        let client = clients.first { $0.ledgerName == ledger }
        note("  server: \(operation.summary()) of \(client?.name ?? "the dead")")
        count(operation)
        if case .wake(let cell) = operation { client?.wake(cell) }
        guard let left = turn.operationsLeft, turn.kind.has(operation) else { return }
        guard left == 0 else {
            turn.operationsLeft = left - 1
            return
        }
        turn.operationsLeft = nil
        interpose()
    }

    private func count(_ operation: MemoryOperation) {
        guard case .compareExchange(.slot, _, let desired) = operation else { return }
        let word = SlotWord(rawValue: desired)
        if word.ticketQueue != nil { return coverage.count(.queueSlots) }
        guard word.isDelegated else { return coverage.count(.recalls) }
        coverage.count(.delegations)
        if word.terms.contains(.readsOnly) { coverage.count(.sharedDelegations) }
        if word.terms.contains(.reportsWrites) { coverage.count(.reportingDelegations) }
    }

    private func interpose() {
        watch()
        coverage.count(.interposed)
        note("  (meanwhile")
        for _ in 0..<turn.choices where next < schedule.choices.count {
            do {
                try playNext()
            } catch {
                find("\(error)")
            }
        }
        note("  meanwhile)")
    }

    /// The server takes a turn, if it does not take one already.
    func takeTurn(_ dice: inout Dice) throws {
        let isInterrupted = dice.one(in: 3)
        let operations = dice.one(in: 2) ? dice.below(8) : dice.below(60)
        let choices = dice.within(1...4)
        let kind = ServerTurn.Kind.allCases[dice.below(ServerTurn.Kind.allCases.count)]
        guard !turn.isUnderWay else { return }
        // So many operations may take the server several turns.
        if isInterrupted, turn.operationsLeft == nil {
            turn.kind = kind
            turn.operationsLeft = kind == .any ? operations : operations % 4
            turn.choices = choices
        }
        if let old = dice.one(of: deposed), dice.one(in: 3) { return leave(old) }
        try takeTurn()
    }

    /// The server takes a turn; returns whether it found anything to read.
    @discardableResult
    func takeTurn() throws -> Bool {
        guard let server, !turn.isUnderWay else { return false }
        turn.isUnderWay = true
        note("server: takes a turn")
        let ending = server.turn()
        turn.isUnderWay = false
        watch()
        guard self.server === server else {
            // The server was stopped in its turn and deposed, and has continued since.
            server.abandon()
            return false
        }
        if let ending {
            find("the server leaves: \(ending)")
        } else if let broken = server.brokenInvariant {
            find("broken invariant: \(broken)")
        }
        return server.hasHeard
    }

    /// A deposed server goes on, and finds that it is deposed.
    func leave(_ old: RunningServer) {
        deposed.removeAll { $0 === old }
        note("server: the deposed one goes on")
        for _ in 0..<3 { if old.turn() != nil { break } }
        old.abandon()
        watch()
    }

    /// Another server takes over: the one before is dead, or stopped.
    func replaceServer(isDead: Bool, _ dice: inout Dice) throws {
        let operations = dice.one(in: 2) ? dice.below(30) : nil
        note("server: \(isDead ? "dies" : "is deposed"), another one takes over")
        coverage.count(.takeovers)
        if turn.isUnderWay { coverage.count(.takeoversInTurns) }
        guard let old = server else { return }
        server = nil
        if isDead, !turn.isUnderWay {
            old.abandon()
        } else {
            // Processes that depose a server remove this file;
            // the server notices that when it continues.
            try? runtime.directory.remove(RuntimeDirectory.Name.serverLock)
            try? runtime.directory.remove(RuntimeDirectory.Name.socket)
            if !turn.isUnderWay { deposed.append(old) }
        }
        let isUnderWay = turn.isUnderWay
        turn.isUnderWay = true
        let before = epochs.load()
        record(.arbiterReplaced)
        if !isUnderWay {
            turn.kind = .any
            turn.operationsLeft = operations
            turn.choices = 3
        }
        server = try makeServer()
        turn.isUnderWay = isUnderWay
        turn.operationsLeft = nil
        if epochs.load() <= before { find("a server under its predecessor's epoch") }
        watch()
        if let broken = server?.brokenInvariant { find("broken invariant: \(broken)") }
    }
}

/// The world that hears what a server does; both are on one thread.
private final class ObservedWorld: @unchecked Sendable {
    weak var world: ServerWorld?
    init(_ world: ServerWorld) { self.world = world }
}

/// Why a world cannot go on.
struct SimulationFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
