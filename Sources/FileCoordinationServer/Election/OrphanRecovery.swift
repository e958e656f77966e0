// SPDX-License-Identifier: Apache-2.0
//
// Finds ledgers whose names are gone, because a process has removed them with the directory (Rule
// 18.14). A folder of ledgers that was made anew has a mark: it lacks a file. The first server
// there waits a moment before it takes any epoch. Clients whose ledgers have lost their names pass
// these in their hellos. Then the connections are closed: the clients say hello again when the
// server listens, and it knows their ledgers by then.
//
// A client that comes later was stopped, or its server was (the article Takeover names all cases).
// The server cannot wait for it, because nothing tells that there is one (see `Presence.giveWay`).

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// Ledgers without a name, as their owners passed them.
struct OrphanRecovery {
    private(set) var entries: [LostLedger] = []
    private var hasWaited = false

    /// The role was lost meanwhile, probably together with the directory.
    ///
    /// The caller starts again.
    struct MovedOn: Error, CustomStringConvertible {
        var description: String {
            "another server has taken over, or the runtime directory was removed: start anew"
        }
    }

    /// How long a server waits for clients, from the last one that came.
    static let patience: Duration = .milliseconds(50)

    /// Takes the ledgers of clients that come, if the folder of ledgers has the mark of a new one.
    ///
    /// - Parameters:
    ///   - runtime: the runtime directory.
    ///   - role: the lock by which this process is the server.
    ///   - starter: the ledger of the client that starts the server on a thread of its own, if it
    ///     has no name. That client says hello only when the server listens.
    /// - Throws: an error if the role was taken away, or the clients cannot be heard.
    init(of runtime: RuntimeDirectory, role: RoleLock, starter: LostLedger? = nil) throws {
        guard !runtime.isSettled else { return }
        hasWaited = true
        entries = [starter].compactMap { $0 }
        let listener = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            backlog: ServerLimits.listenBacklog)
        let poller = try Poller()
        try poller.add(listener.descriptor, token: 0, .readable)
        var lines: [UInt64: SequencedSocket] = [:]
        var lastToken: UInt64 = 0
        var ready: [Poller.Ready] = []
        let buffer = MessageBuffer(limit: WireLimits.messageBytes)
        var end = MonotonicClock.after(Self.patience)
        while MonotonicClock.now < end {
            try poller.wait(into: &ready, until: end)
            for event in ready {
                if let line = lines[event.token] {
                    if try take(from: line, buffer) { end = MonotonicClock.after(Self.patience) }
                    if event.hangup {
                        poller.forget(line.descriptor)
                        lines[event.token] = nil
                    }
                } else if let line = try listener.accept(),
                    try line.peerCredentials().userID == CurrentProcess.effectiveUserID
                {
                    lastToken += 1
                    try poller.add(line.descriptor, token: lastToken, .readable)
                    lines[lastToken] = line
                }
            }
        }
        guard role.isInPlace(in: runtime), runtime.isInPlace else { throw MovedOn() }
    }

    /// Reads a client's hello; returns whether it has passed a ledger.
    private mutating func take(
        from line: SequencedSocket, _ buffer: borrowing MessageBuffer
    ) throws -> Bool {
        var passed: [Descriptor] = []
        guard case .bytes(let bytes) = try line.receiveMessage(using: buffer, passing: &passed),
            // Who says anything else is told when the server listens.
            case .hello(let hello)? = try? ClientMessage(decoding: bytes),
            let file = passed.first
        else { return false }
        let name = String(decoding: hello.ledgerName, as: UTF8.self)
        guard LedgerName.isFinal(name) else { return false }
        if !entries.contains(where: { $0.name == name }) {
            entries.append(LostLedger(name: name, file: file))
        }
        return true
    }

    /// Raises the epoch above all epochs in the ledgers, and takes the ledgers over.
    ///
    /// Each directory has its own epoch file, so two servers that do not know of each other may
    /// have equal epochs. Only one of them gets a ledger; the other starts again.
    ///
    /// The same is done for ledgers in the directory, in case only the epoch file was removed.
    func claim(
        raising epochs: EpochFile, in runtime: RuntimeDirectory,
        observers: LedgerMemory.Observers? = nil
    ) throws -> (ServerEpoch, lost: [LedgerReader], found: [String: LedgerReader]) {
        let present = epochs.load()
        var readers: [(reader: LedgerReader, seen: ServerEpoch)] = []
        for entry in entries {
            do throws(LedgerError) {
                let reader = try LedgerReader(
                    file: entry.file, name: entry.name,
                    expectedOwner: CurrentProcess.effectiveUserID,
                    observer: observers?(entry.name))
                let seen = reader.ledgerEpoch
                // With a lower epoch than its records have, it could never be used again.
                if present.mayPrecede(seen) { readers.append((reader, seen)) }
            } catch {
                if Server.isWant(error) { throw error }
                // A ledger that its owner has damaged is not needed.
            }
        }
        let found = try Self.ledgers(in: runtime, observers)
        // The names may have gone before they were listed.
        guard hasWaited || runtime.isSettled else { throw MovedOn() }
        let seen = readers.map(\.seen) + found.values.filter(\.isAlive).map(\.ledgerEpoch)
        epochs.advance(to: seen.filter(present.mayPrecede).max() ?? .none)
        let epoch = try epochs.raise()
        for (reader, seen) in readers where !reader.claim(from: seen, to: epoch) {
            throw MovedOn()
        }
        return (epoch, readers.map(\.reader), found)
    }

    /// Opens the readable ledgers in a directory, by name.
    ///
    /// Throws ``VersionConflict`` if programs with ledgers of another layout live.
    private static func ledgers(
        in runtime: RuntimeDirectory, _ observers: LedgerMemory.Observers?
    ) throws(VersionConflict) -> [String: LedgerReader] {
        // If they cannot be listed, the recovery fails when it lists them.
        let names = (try? runtime.ledgers.names()) ?? []
        var ledgers: [String: LedgerReader] = [:]
        var strangers: [Int32] = []
        for name in names where LedgerName.isFinal(name) {
            do throws(LedgerError) {
                ledgers[name] = try LedgerReader(
                    directory: runtime.ledgers, name: name,
                    expectedOwner: CurrentProcess.effectiveUserID,
                    observer: observers?(name))
            } catch {
                // Any other ledger that cannot be opened is not added to the dictionary.
                guard case .otherLayout(_, _, let processID) = error else { continue }
                if runtime.isInhabited(by: name) {
                    strangers.append(processID)
                } else {
                    // What a dead program has left cannot be read. It stays until the next try.
                    try? runtime.ledgers.remove(name)
                }
            }
        }
        guard strangers.isEmpty else { throw VersionConflict(foreignLedgersOf: strangers) }
        return ledgers
    }
}

extension ServerEpoch {
    /// Whether a ledger's epoch is plausible where this is the newest one that is known.
    ///
    /// A faulty client must not exhaust the epochs by claiming a very high one. Up to the threshold
    /// of their renewal, the directory that was removed may well have counted.
    func mayPrecede(_ epoch: ServerEpoch) -> Bool {
        epoch.rawValue < max(EpochRenewal.threshold, rawValue + 1 << 20)
    }
}

/// A ledger that has lost its name, as its owner has it.
struct LostLedger {
    /// The name that it had.
    let name: String
    /// The file, without the owner's lock.
    let file: Descriptor

    /// Says hello to the server that listens in `runtime`; returns whether one does.
    func isHeard(in runtime: RuntimeDirectory) -> Bool {
        let hello = ClientMessage.hello(Hello(ledgerName: Array(name.utf8))).encode()
        do {
            let line = try SequencedSocket.connect(
                in: runtime.directory, name: RuntimeDirectory.Name.socket)
            return try line.send(hello, descriptors: [file.number])
        } catch {
            // The next attempt may succeed.
            return false
        }
    }
}
