// SPDX-License-Identifier: Apache-2.0
//
// A server in miniature: grants a place when nothing that it knows is in the way. It finds its work
// by looking at every ledger again and again.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import LedgerExploration

/// A server over real ledgers.
struct PeerServer {
    /// What it knows of a claim.
    private struct Claim {
        var reference: RecordReference
        var place: UInt8
        var isHeld: Bool
    }

    private let directory: Directory
    private let ledgers: Directory
    private let fault: PlantedFault?
    private let isDescending: Bool
    private let lock: ServerLock
    private var epoch = ServerEpoch.none
    private var readers: [String: LedgerReader] = [:]
    private var claims: [String: [UInt32: Claim]] = [:]

    init(
        directory: Directory, ledgers: Directory, fault: PlantedFault?, isDescending: Bool,
        deposes: Bool
    ) throws {
        self.directory = directory
        self.ledgers = ledgers
        self.fault = fault
        self.isDescending = isDescending
        guard let lock = try ServerLock(directory: directory, fault: fault, deposes: deposes) else {
            Gate.finish("no server: another process has the lock")
        }
        self.lock = lock
    }

    mutating func run(globalEpoch: EpochFile) throws {
        Gate.pass("raise")
        let present = globalEpoch.load()
        epoch = isRaising || present == .none ? try globalEpoch.raise() : present
        Gate.pass("list")
        try openLedgers()
        if isRaising { for name in names { raiseLedger(name) } }
        for name in names {
            Gate.pass("recover")
            recover(name)
        }
        while true {
            Gate.pass("scan")
            try openLedgers()
            removeDeadClients()
            let hasReaped = checkRecords()
            let hasGranted = grantOne()
            if !hasReaped, !hasGranted { Gate.pass("idle") }
        }
    }

    private var isRaising: Bool { fault != .noEpochRaise }

    private func raiseLedger(_ name: String) {
        do {
            try readers[name]?.raise(to: epoch)
        } catch {
            Gate.finish("\(error)")
        }
    }

    /// In an order that the supervisor has chosen, so that both orders are tried.
    private var names: [String] {
        let byProcess = readers.keys.sorted {
            (readers[$0]?.processID ?? 0) < (readers[$1]?.processID ?? 0)
        }
        return isDescending ? byProcess.reversed() : byProcess
    }

    private mutating func openLedgers() throws {
        for name in try ledgers.names() where LedgerName.isFinal(name) && readers[name] == nil {
            guard
                let reader = try? LedgerReader(
                    directory: ledgers, name: name, expectedOwner: CurrentProcess.effectiveUserID,
                    observer: { Gate.pass($0) })
            else { continue }
            guard reader.isAlive else { continue }
            readers[name] = reader
            claims[name] = [:]
        }
    }

    private mutating func removeDeadClients() {
        for name in names where readers[name]?.isAlive == false {
            readers[name] = nil
            claims[name] = nil
            try? ledgers.remove(name)
        }
    }

    /// Reads the claims that were filed and granted under an earlier server.
    private mutating func recover(_ name: String) {
        guard let reader = readers[name] else { return }
        for snapshot in reader.scan() {
            take(snapshot, of: name, reader)
        }
    }

    private mutating func take(_ snapshot: RecordSnapshot, of name: String, _ reader: LedgerReader)
    {
        if snapshot.epoch > epoch { Gate.finish("deposed") }
        guard snapshot.epoch == epoch, let body = reader.body(snapshot.reference) else { return }
        guard snapshot.state == .filed || snapshot.state == .granted else { return }
        claims[name]?[snapshot.reference.index] = Claim(
            reference: snapshot.reference, place: body.first ?? .max,
            isHeld: snapshot.state == .granted)
    }

    /// Reads new records, and reaps those that are over; returns whether it has reaped any.
    private mutating func checkRecords() -> Bool {
        var hasReaped = false
        for name in names {
            guard let reader = readers[name] else { continue }
            for snapshot in reader.scan() {
                let index = snapshot.reference.index
                switch snapshot.state {
                case .filed:
                    if claims[name]?[index]?.reference != snapshot.reference {
                        take(snapshot, of: name, reader)
                    }
                case .released, .cancelled:
                    if snapshot.epoch > epoch { Gate.finish("deposed") }
                    claims[name]?[index] = nil
                    hasReaped = reader.reap(snapshot.reference, epoch) || hasReaped
                case .granted, .free, .draft:
                    continue
                }
            }
        }
        return hasReaped
    }

    /// Grants the first claim that nothing is in the way of.
    private mutating func grantOne() -> Bool {
        let held = claims.values.flatMap { $0.values }.filter(\.isHeld).map(\.place)
        for name in names {
            for claim in (claims[name] ?? [:]).values.sorted(by: { $0.place < $1.place })
            where !claim.isHeld && !held.contains(claim.place) {
                switch readers[name]?.grant(claim.reference, epoch) {
                case .granted, .grantedWantsMessage:
                    claims[name]?[claim.reference.index]?.isHeld = true
                case .refused, nil:
                    claims[name]?[claim.reference.index] = nil
                }
                return true
            }
        }
        return false
    }
}

/// The lock that says that a server lives, held by a mapping like a ledger's.
struct ServerLock {
    private let mapping: SharedMapping
    private let kept: Descriptor?

    /// Nil if another process has it.
    init?(directory: Directory, fault: PlantedFault?, deposes: Bool) throws {
        let name = deposes ? "server.lock.\(CurrentProcess.id)" : "server.lock"
        let file = try directory.openFile(name, [.read, .write, .create])
        try FileSpace.reserve(file, length: 4096)
        mapping = try SharedMapping(
            file: file, length: 4096, writable: true, inheritedByFork: false)
        guard try FileLock.tryLock(file) else { return nil }
        if deposes { try directory.rename(name, to: "server.lock") }
        kept = fault == .descriptorKeptAcrossFork ? file : nil
    }
}
