// SPDX-License-Identifier: Apache-2.0
//
// Recovers ledgers whose owners live but whose names are gone, because a process has removed the
// names or the whole directory. A new server asks each owner for its ledger, through its ledger
// fallback (see `LedgerFallback`). A server that does not know the running claims must not grant
// any, so it waits for all owners; for a stopped one, until it continues or dies.

import FileCoordinationLedger
import FileCoordinationSystem

/// Ledgers without a name, as their owners sent them.
struct OrphanRecovery {
    /// One such ledger.
    struct Entry {
        let name: String
        let file: Descriptor
    }

    private(set) var entries: [Entry] = []
    /// The connections to their owners, which notice the end of the recovery when these are closed.
    private var lines: [SequencedSocket] = []
    /// Whether the processes of this user can use only one runtime directory.
    private let isOnlyPlace: Bool

    /// Why a recovery failed.
    enum Failure: Error, CustomStringConvertible {
        /// The role was lost meanwhile, probably together with the directory.
        ///
        /// The caller starts again.
        case movedOn
        /// The kernel does not tell which processes coordinate.
        case untold

        var description: String {
            switch self {
            case .movedOn:
                "another server has taken over, or the runtime directory was removed: start anew"
            case .untold:
                "/proc/net/unix cannot be read, so it is not known which programs have access: "
                    + "mount /proc, and let this user read it"
            }
        }
    }

    /// Asks the owners of all ledgers that are missing in a runtime directory.
    ///
    /// Waits for owners that live and do not answer. Meanwhile checks that the role is still this
    /// process's.
    ///
    /// - Parameters:
    ///   - runtime: the runtime directory.
    ///   - role: the lock by which this process is the server.
    ///   - listing: returns the abstract names with a prefix; nil if the kernel does not list them.
    /// - Throws: an error if the role was taken away, or names or ledgers cannot be read.
    init(
        of runtime: RuntimeDirectory, role: RoleLock,
        listing: (String) -> [String]? = SequencedSocket.abstractNames(beginningWith:)
    ) throws {
        isOnlyPlace = runtime.places.isChosen
        guard let prefix = FallbackName.prefix(of: runtime) else { return }
        // The names are listed twice, because a listing that changes concurrently may miss entries.
        var names = try Self.fallbacks(prefix, listing)
        guard !names.isEmpty else { return }
        names.formUnion(try Self.fallbacks(prefix, listing))
        // The directory is read after that: a ledger gets its name before its fallback does.
        let present = Set(try runtime.ledgers.names())
        let missing = names.map { String($0.dropFirst(prefix.count)) }
            .filter { LedgerName.isFinal($0) && !present.contains($0) }
        guard !missing.isEmpty else { return }
        try ask(missing.sorted(), prefix, in: runtime, role)
    }

    /// Lists the names of ledger fallbacks.
    ///
    /// Throws if they cannot be listed, since the server must not assume that there are none.
    private static func fallbacks(
        _ prefix: String, _ listing: (String) -> [String]?
    ) throws -> Set<String> {
        guard let names = listing(prefix) else { throw Failure.untold }
        return Set(names)
    }

    /// The owners that were asked and those that must be asked, possibly again.
    private struct Inquiry {
        var asked: [UInt64: (name: String, line: SequencedSocket)] = [:]
        var open: [String]
        var lastToken: UInt64 = 0

        /// The pause before an owner is asked again, in nanoseconds.
        static let pause: UInt64 = 100_000_000
    }

    private mutating func ask(
        _ names: [String], _ prefix: String, in runtime: RuntimeDirectory, _ role: RoleLock
    ) throws {
        let poller = try Poller()
        var inquiry = Inquiry(open: names)
        var ready: [Poller.Ready] = []
        while true {
            let names = inquiry.open
            inquiry.open = []
            for name in names {
                switch try Self.line(to: name, prefix) {
                case .noOwner: break
                case .busy: if Self.isOwner(of: name, prefix) { inquiry.open.append(name) }
                case .line(let line):
                    if Self.hasEnded(line) { continue }
                    inquiry.lastToken += 1
                    try poller.add(line.descriptor, token: inquiry.lastToken, .readable)
                    inquiry.asked[inquiry.lastToken] = (name, line)
                }
            }
            if inquiry.asked.isEmpty && inquiry.open.isEmpty { return }
            let pause = inquiry.open.isEmpty ? ServerLimits.unwatchedPause : Inquiry.pause
            let end = MonotonicClock.now + pause
            repeat {
                try poller.wait(into: &ready, until: end)
                for event in ready { try readAnswer(event.token, &inquiry, poller) }
                guard role.isInPlace(in: runtime), runtime.isInPlace else {
                    throw Failure.movedOn
                }
                for (token, asked) in inquiry.asked where Self.hasEnded(asked.line) {
                    inquiry.asked[token] = nil
                    poller.forget(asked.line.descriptor)
                }
            } while !inquiry.asked.isEmpty && MonotonicClock.now < end
        }
    }

    private mutating func readAnswer(
        _ token: UInt64, _ inquiry: inout Inquiry, _ poller: Poller
    ) throws {
        guard let (name, line) = inquiry.asked[token], let answer = try Self.answer(on: line)
        else { return }
        inquiry.asked[token] = nil
        poller.forget(line.descriptor)
        switch answer {
        case .elsewhere(let path):
            // If only one place is possible, the owner belongs to another container.
            guard isOnlyPlace else { throw RuntimeDirectoryError.elsewhere(path) }
        case .lost(let file):
            entries.append(Entry(name: name, file: file))
            lines.append(line)
        // The owner closed the connection without an answer. It is dead, which the next attempt
        // shows, or it lacks descriptors.
        case .none: inquiry.open.append(name)
        }
    }

    /// Whether the listening process is dead although its sockets exist: a child between fork and
    /// exec has copies of them, or the process is dumping core.
    private static func hasEnded(_ line: SequencedSocket) -> Bool {
        if let process = line.peerProcess() { return process.hasEnded }
        // A peer that is not known is not known to have ended.
        return ProcessState.hasEnded((try? line.peerCredentials())?.processID ?? 0)
    }

    /// The result of connecting to an owner.
    private enum Reach {
        case line(SequencedSocket)
        /// No process of this user has the name any more.
        case noOwner
        /// A process has the name, but its queue of connections is full.
        case busy
    }

    private static func line(to name: String, _ prefix: String) throws -> Reach {
        let line: SequencedSocket
        do {
            line = try SequencedSocket.connect(abstract: prefix + name)
        } catch {
            if error.code == ErrorNumber.tryAgain { return .busy }
            // A server without free descriptors cannot ask, and must not assume that there is no
            // client.
            if ErrorNumber.wants.contains(error.code) { throw error }
            return .noOwner
        }
        // A process of another user may have taken such a name.
        let isOurs = try line.peerCredentials().userID == CurrentProcess.effectiveUserID
        return isOurs ? .line(line) : .noOwner
    }

    /// Whether the process that listens on a name with a full queue is the one that created the
    /// ledger.
    ///
    /// The ledger's name contains its process ID; another process may have taken the name.
    private static func isOwner(of name: String, _ prefix: String) -> Bool {
        guard let processID = name.split(separator: "-").first.flatMap({ Int32($0) }),
            // A process that is gone owns nothing.
            let status = try? FileStatus(path: "/proc/\(processID)"),
            status.ownerUserID == CurrentProcess.effectiveUserID
        else { return false }
        return SequencedSocket.isListener(abstract: prefix + name, of: processID) ?? true
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
        var readers: [(reader: LedgerReader, seen: ServerEpoch)] = []
        for entry in entries {
            do throws(LedgerError) {
                let reader = try LedgerReader(
                    file: entry.file, name: entry.name,
                    expectedOwner: CurrentProcess.effectiveUserID,
                    observer: observers?(entry.name))
                readers.append((reader, reader.ledgerEpoch))
            } catch {
                if Server.isWant(error) { throw error }
                // A ledger that its owner has damaged is not needed.
            }
        }
        let found = try Self.ledgers(in: runtime, observers)
        let seen = readers.map(\.seen) + found.values.filter(\.isAlive).map(\.ledgerEpoch)
        let highest = seen.filter { Self.isCredible($0, after: epochs.load()) }.max() ?? .none
        while epochs.load() < highest { _ = try epochs.raise() }
        let epoch = try epochs.raise()
        for (reader, seen) in readers where !reader.claim(from: seen, to: epoch) {
            throw Failure.movedOn
        }
        return (epoch, readers.map(\.reader), found)
    }

    /// Opens the readable ledgers in a directory, by name.
    ///
    /// Throws ``VersionConflict`` if programs with ledgers of another layout live.
    private static func ledgers(
        in runtime: RuntimeDirectory, _ observers: LedgerMemory.Observers?
    ) throws(VersionConflict) -> [String: LedgerReader] {
        // Ledgers that cannot be listed count as missing, and their owners are asked.
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

    /// Whether an epoch is plausible.
    ///
    /// A faulty client must not exhaust the epochs by claiming a very high one.
    private static func isCredible(_ epoch: ServerEpoch, after known: ServerEpoch) -> Bool {
        epoch.rawValue < known.rawValue + 1 << 20
    }

    private enum Answer {
        case lost(Descriptor)
        /// The ledger has its name in a directory with this path.
        case elsewhere(String)
        /// The connection was closed without an answer.
        case none
    }

    /// Reads the owner's answer; returns nil if there is none yet.
    private static func answer(on line: SequencedSocket) throws(SystemError) -> Answer? {
        var buffer = [UInt8](repeating: 0, count: 512)
        let result = unsafe buffer.withUnsafeMutableBytes { room in
            Result { () throws(SystemError) in try unsafe line.receive(into: room) }
        }
        switch result {
        case .failure: return Answer.none
        case .success(.wouldBlock): return nil
        case .success(.closed): return Answer.none
        case .success(.bytes(let count, let descriptors, _)):
            guard buffer[0] == LedgerFallback.Answer.isLost else {
                return .elsewhere(String(decoding: buffer[1..<max(1, count)], as: UTF8.self))
            }
            // The descriptor was lost, because this process had no free one. The recovery must
            // start again later.
            guard let file = descriptors.first else {
                throw SystemError(
                    code: ErrorNumber.tooManyOpenFiles, operation: "take over a ledger")
            }
            return .lost(file)
        }
    }
}
