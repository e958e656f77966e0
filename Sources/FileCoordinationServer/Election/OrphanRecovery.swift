// SPDX-License-Identifier: Apache-2.0
//
// What a server that takes over does not find in its directory, though its owners live: ledgers
// that lost their name, because a process removed it, or the whole directory. Their owners are
// asked for them, each through its ledger fallback (see LedgerFallback). Who does not know what
// runs must not grant: so a server waits for all of them, if need be until a stopped one goes on or
// dies.

import FileCoordinationLedger
import FileCoordinationSystem

/// Ledgers without a name, as their owners gave them.
struct OrphanRecovery {
    /// One of them.
    struct Entry {
        let name: String
        let file: Descriptor
    }

    private(set) var entries: [Entry] = []
    /// Their owners are told of the end of these when the server has taken over.
    private var lines: [SequencedSocket] = []
    /// Whether processes of this user may look for their directory in one place alone.
    private let isOnlyPlace: Bool

    /// What became of a search.
    enum Failure: Error, CustomStringConvertible {
        /// The role was lost meanwhile, most likely with the directory: begin again.
        case movedOn
        /// It cannot be told who coordinates.
        case untold

        var description: String {
            switch self {
            case .movedOn:
                "another arbiter has taken over, or the runtime directory was removed: start anew"
            case .untold:
                "/proc/net/unix cannot be read, so it is not known which programs have access: "
                    + "mount /proc, and let this user read it"
            }
        }
    }

    /// Asks all owners of ledgers that `runtime` should have and has not.
    ///
    /// Waits for those who do not answer and live; looks meanwhile whether `role` still counts.
    ///
    /// - Parameter listing: the names in use with a prefix; nil if the kernel does not tell.
    init(
        of runtime: RuntimeDirectory, role: RoleLock,
        listing: (String) -> [String]? = SequencedSocket.abstractNames(beginningWith:)
    ) throws {
        isOnlyPlace = runtime.places.isChosen
        guard let prefix = FallbackName.prefix(of: runtime) else { return }
        // Twice: a listing of what comes and goes may miss what stays.
        var names = try Self.fallbacks(prefix, listing)
        guard !names.isEmpty else { return }
        names.formUnion(try Self.fallbacks(prefix, listing))
        // Afterwards: a ledger had its name before its ledger fallback had one.
        let present = Set(try runtime.ledgers.names())
        let missing = names.map { String($0.dropFirst(prefix.count)) }
            .filter { LedgerName.isFinal($0) && !present.contains($0) }
        guard !missing.isEmpty else { return }
        try ask(missing.sorted(), prefix, in: runtime, role)
    }

    /// The names of ledger fallbacks.
    ///
    /// That they cannot be listed does not mean that there are none: who does not know what runs
    /// must not grant.
    private static func fallbacks(
        _ prefix: String, _ listing: (String) -> [String]?
    ) throws -> Set<String> {
        guard let names = listing(prefix) else { throw Failure.untold }
        return Set(names)
    }

    /// Owners that were asked, and those that are to be asked, perhaps again.
    private struct Inquiry {
        var asked: [UInt64: (name: String, line: SequencedSocket)] = [:]
        var open: [String]
        var lastToken: UInt64 = 0

        /// How long before a client is asked again, in nanoseconds.
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
                    try? poller.remove(asked.line.descriptor)
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
        try? poller.remove(line.descriptor)
        switch answer {
        case .elsewhere(let path):
            // Where there is but one place, that is one of another container.
            guard isOnlyPlace else { throw RuntimeDirectoryError.elsewhere(path) }
        case .lost(let file):
            entries.append(Entry(name: name, file: file))
            lines.append(line)
        // It has hung up without a word: dead, which shows when it is asked again, or in want.
        case .none: inquiry.open.append(name)
        }
    }

    /// Whether the process that listens there is dead, and its sockets are not gone: a half-made
    /// child has copies of them, or it dumps core.
    private static func hasEnded(_ line: SequencedSocket) -> Bool {
        if let process = line.peerProcess() { return process.hasEnded }
        return ProcessState.hasEnded((try? line.peerCredentials())?.processID ?? 0)
    }

    /// What came of asking for a client.
    private enum Reach {
        case line(SequencedSocket)
        /// No process has the name any more, or another user has.
        case noOwner
        /// Too many ask under that name: a process has it.
        case busy
    }

    private static func line(to name: String, _ prefix: String) throws -> Reach {
        let line: SequencedSocket
        do {
            line = try SequencedSocket.connect(abstract: prefix + name)
        } catch {
            if error.code == ErrorNumber.tryAgain { return .busy }
            // A server that cannot ask for want of a descriptor must not go on as if no client were
            // there.
            if ErrorNumber.wants.contains(error.code) { throw error }
            return .noOwner
        }
        // Another user's, who took such a name for whatever reason.
        let isOurs = try line.peerCredentials().userID == CurrentProcess.effectiveUserID
        return isOurs ? .line(line) : .noOwner
    }

    /// Whether a name under which too many ask is that of the process which made the ledger, as the
    /// name says, and not that of a process which only took it.
    private static func isOwner(of name: String, _ prefix: String) -> Bool {
        guard let processID = name.split(separator: "-").first.flatMap({ Int32($0) }),
            let status = try? FileStatus(path: "/proc/\(processID)"),
            status.ownerUserID == CurrentProcess.effectiveUserID
        else { return false }
        return SequencedSocket.isListener(abstract: prefix + name, of: processID) ?? true
    }

    /// Takes them over under a new epoch, above all that they have seen.
    ///
    /// Each directory has an epoch file of its own, so the numbers of servers that have never heard
    /// of each other may be equal: only one of them gets a ledger, and the other begins again.
    ///
    /// So it is with those in the directory, if the epoch file alone was removed.
    func claim(
        raising epochs: EpochFile, in runtime: RuntimeDirectory,
        observers: LedgerMemory.Observers? = nil
    ) throws -> (ServerEpoch, lost: [LedgerReader], found: [String: LedgerReader]) {
        var readers: [(reader: LedgerReader, seen: ServerEpoch)] = []
        for entry in entries {
            do throws(LedgerError) {
                let reader = try LedgerReader(
                    file: entry.file, name: entry.name,
                    expectedOwner: CurrentProcess.effectiveUserID, fault: nil,
                    observer: observers?(entry.name))
                readers.append((reader, reader.ledgerEpoch))
            } catch {
                if Server.isWant(error) { throw error }
                // What its owner has spoilt is worth nothing to anybody.
            }
        }
        let found = Self.ledgers(in: runtime, observers)
        let seen = readers.map(\.seen) + found.values.filter(\.isAlive).map(\.ledgerEpoch)
        let highest = seen.filter { Self.isCredible($0, after: epochs.load()) }.max() ?? .none
        while epochs.load() < highest { _ = try epochs.raise() }
        let epoch = try epochs.raise()
        for (reader, seen) in readers where !reader.claim(from: seen, to: epoch) {
            throw Failure.movedOn
        }
        return (epoch, readers.map(\.reader), found)
    }

    /// The ledgers in a directory that can be read, by name.
    private static func ledgers(
        in runtime: RuntimeDirectory, _ observers: LedgerMemory.Observers?
    ) -> [String: LedgerReader] {
        let names = (try? runtime.ledgers.names()) ?? []
        var ledgers: [String: LedgerReader] = [:]
        for name in names where LedgerName.isFinal(name) {
            ledgers[name] = try? LedgerReader(
                directory: runtime.ledgers, name: name,
                expectedOwner: CurrentProcess.effectiveUserID, fault: nil,
                observer: observers?(name))
        }
        return ledgers
    }

    /// Whether there can have been so many servers: a client that says anything must not use up the
    /// numbers of all.
    private static func isCredible(_ epoch: ServerEpoch, after known: ServerEpoch) -> Bool {
        epoch.rawValue < known.rawValue + 1 << 20
    }

    private enum Answer {
        case lost(Descriptor)
        /// It is in another directory, of this path.
        case elsewhere(String)
        /// The line has ended without an answer.
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
        case .success(.bytes(let count, let descriptors, _)):
            guard buffer[0] == LedgerFallback.Answer.isLost else {
                return .elsewhere(String(decoding: buffer[1..<max(1, count)], as: UTF8.self))
            }
            // One that was sent and could not be taken for want of room: begin again later.
            guard let file = descriptors.first else {
                throw SystemError(
                    code: ErrorNumber.tooManyOpenFiles, operation: "take over a ledger")
            }
            return .lost(file)
        }
    }
}
