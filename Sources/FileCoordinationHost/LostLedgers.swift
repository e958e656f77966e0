// SPDX-License-Identifier: Apache-2.0
//
// What a host that takes over does not find in its directory, though its owners live: ledgers that
// lost their name, because somebody removed it, or the whole directory. Their owners are asked for
// them, each through its witness (see LedgerWitness). Who does not know what runs must not grant:
// so a host waits for all of them, if need be until a stopped one goes on or dies.

import FileCoordinationLedger
import FileCoordinationSystem

/// Ledgers without a name, as their owners gave them.
struct LostLedgers {
    /// One of them.
    struct Entry {
        let name: String
        let file: Descriptor
    }

    private(set) var entries: [Entry] = []
    /// Their owners hear of the end of these when the host has taken over.
    private var lines: [SequencedSocket] = []

    /// What became of a search.
    enum Failure: Error, CustomStringConvertible {
        /// The role was lost meanwhile, most likely with the directory: begin again.
        case movedOn

        var description: String {
            "another arbiter has taken over, or the runtime directory was removed: start anew"
        }
    }

    /// Asks all owners of ledgers that `runtime` should have and has not.
    ///
    /// Waits for those who do not answer and live; looks meanwhile whether `role` still counts.
    init(of runtime: RuntimeDirectory, role: RoleLock) throws {
        guard let prefix = WitnessName.prefix(of: runtime) else { return }
        // Twice: a listing of what comes and goes may miss what stays.
        var names = Set(SequencedSocket.abstractNames(beginningWith: prefix) ?? [])
        guard !names.isEmpty else { return }
        names.formUnion(SequencedSocket.abstractNames(beginningWith: prefix) ?? [])
        // Afterwards: a ledger had its name before its witness had one.
        let present = Set(try runtime.ledgers.names())
        let missing = names.map { String($0.dropFirst(prefix.count)) }
            .filter { LedgerName.isFinal($0) && !present.contains($0) }
        guard !missing.isEmpty else { return }
        try ask(missing.sorted(), prefix, in: runtime, role)
    }

    private mutating func ask(
        _ names: [String], _ prefix: String, in runtime: RuntimeDirectory, _ role: RoleLock
    ) throws {
        let poller = try Poller()
        var asked: [UInt64: (name: String, line: SequencedSocket)] = [:]
        for (index, name) in names.enumerated() {
            let line: SequencedSocket
            do {
                line = try SequencedSocket.connect(abstract: prefix + name)
            } catch {
                // Who cannot ask for want of a descriptor must not go on as if nobody were there.
                if ErrorNumber.wants.contains(error.code), error.code != ErrorNumber.tryAgain {
                    throw error
                }
                // Its owner is dead; or it never takes a question, as no client of ours does.
                continue
            }
            // Another user's, who took such a name for whatever reason.
            guard try line.peerCredentials().userID == CurrentProcess.effectiveUserID else {
                continue
            }
            try poller.add(line.descriptor, token: UInt64(index), .readable)
            asked[UInt64(index)] = (name, line)
        }
        var ready: [Poller.Ready] = []
        while !asked.isEmpty {
            try poller.wait(into: &ready, until: MonotonicClock.now + HostLimits.unwatchedPause)
            for event in ready {
                guard let (name, line) = asked[event.token],
                    let answer = try Self.answer(on: line)
                else { continue }
                asked[event.token] = nil
                try? poller.remove(line.descriptor)
                guard case .lost(let file) = answer else { continue }
                entries.append(Entry(name: name, file: file))
                lines.append(line)
            }
            guard role.isInPlace(in: runtime), runtime.isInPlace else { throw Failure.movedOn }
        }
    }

    /// Takes them over under a new epoch, above all that they have seen.
    ///
    /// Each directory has an epoch file of its own, so the numbers of hosts that have never heard
    /// of each other may be equal: only one of them gets a ledger, and the other begins again.
    func claim(raising epochs: EpochFile) throws -> (HostEpoch, [LedgerReader]) {
        var readers: [(reader: LedgerReader, seen: HostEpoch)] = []
        for entry in entries {
            do throws(LedgerError) {
                let reader = try LedgerReader(
                    file: entry.file, name: entry.name,
                    expectedOwner: CurrentProcess.effectiveUserID)
                readers.append((reader, reader.ledgerEpoch))
            } catch {
                if Host.isWant(error) { throw error }
                // What its owner has spoilt is worth nothing to anybody.
            }
        }
        let highest = readers.map(\.seen).max() ?? .none
        while epochs.load() < highest { _ = try epochs.raise() }
        let epoch = try epochs.raise()
        for (reader, seen) in readers where !reader.claim(from: seen, to: epoch) {
            throw Failure.movedOn
        }
        return (epoch, readers.map(\.reader))
    }

    private enum Answer {
        case lost(Descriptor)
        /// It is in another directory, or its owner is dead.
        case none
    }

    /// What the owner says; nil if nothing yet.
    private static func answer(on line: SequencedSocket) throws(SystemError) -> Answer? {
        var buffer = [UInt8](repeating: 0, count: 512)
        let result = buffer.withUnsafeMutableBytes { room in
            Result { () throws(SystemError) in try line.receive(into: room) }
        }
        switch result {
        case .failure: return Answer.none
        case .success(.wouldBlock): return nil
        case .success(.closed): return Answer.none
        case .success(.bytes(_, let descriptors, _)):
            guard buffer[0] == LedgerWitness.Answer.isLost else { return Answer.none }
            // One that was sent and could not be taken for want of room: begin again later.
            guard let file = descriptors.first else {
                throw SystemError(
                    code: ErrorNumber.tooManyOpenFiles, operation: "take over a ledger")
            }
            return .lost(file)
        }
    }
}
