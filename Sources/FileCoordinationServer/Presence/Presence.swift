// SPDX-License-Identifier: Apache-2.0
//
// The server's presence in the file system: the runtime directory, the role lock, the epoch and the
// socket. It also handles the removal of these names, or of the whole directory, by another
// process. Open connections and ledgers need no names, but new clients must find this server and no
// other (Rule 2.0). A server that was stopped is in the same situation: its names may be gone or
// belong to another server (Rule 18.7a).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem

/// Where a server can be found, and whether it still has the role.
struct Presence {
    /// The runtime directory.
    ///
    /// It changes if the first one was removed and the server had to move.
    private(set) var runtime: RuntimeDirectory
    /// This server's epoch.
    let epoch: ServerEpoch
    /// The epoch file, in which the next server's epoch would show.
    private var epochs: EpochFile
    /// The era of the epoch file.
    ///
    /// Epochs of different eras cannot be compared.
    private var era: UInt64
    private var roleLock: RoleLock?
    /// The identity of the file that this server's socket has created.
    private var socketIdentity: FileStatus?
    /// The clients whose ledgers have no name in the directory.
    private var nameless: Set<ClientID> = []
    private let poller: Poller
    private var watch: DirectoryWatch?
    /// The number of the watch on the folder of ledgers.
    private var ledgersWatch: Int32?
    /// When to check the names and restore them, or nil.
    private(set) var restoreAt: Instant?
    /// The time since when the server has had no client, or nil.
    var idleSince: Instant?
    /// Why the server is about to leave, or nil if it stays.
    private(set) var ending: ServerEnding?

    /// Creates the presence of a server that has the role and an epoch but cannot be found yet.
    init(
        runtime: RuntimeDirectory, roleLock: RoleLock, epochs: EpochFile, era: UInt64,
        epoch: ServerEpoch, poller: Poller
    ) {
        self.runtime = runtime
        self.roleLock = roleLock
        self.epochs = epochs
        self.era = era
        self.epoch = epoch
        self.poller = poller
    }

    // MARK: The role

    /// Whether another server has taken the role, even if only briefly.
    // Inlined, because the server asks in each turn and would copy the whole value.
    @inline(__always)
    var isDeposed: Bool { epochs.isPast(epoch, era: era) }

    /// Whether this server has the role, according to the lock file and the epoch.
    var hasRole: Bool { roleLock?.isInPlace(in: runtime) == true && !isDeposed }

    /// Makes the server leave; the first reason counts.
    mutating func end(_ reason: ServerEnding) { ending = ending ?? reason }

    // MARK: The socket

    /// Creates the socket by which clients find the server.
    mutating func makeSocket() throws(SystemError) -> SequencedSocket {
        let fresh = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            backlog: ServerLimits.listenBacklog)
        return fresh
    }

    /// Remembers the identity of the socket's file.
    mutating func rememberSocket() {
        // If the file is gone already, the first check of the names finds out.
        socketIdentity = try? runtime.directory.status(of: RuntimeDirectory.Name.socket)
    }

    /// Removes the socket's name, so that new clients look for another server.
    func removeSocket() {
        // The name may have been removed already.
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
    }

    /// Whether a socket of any server has the name.
    var hasSocket: Bool {
        // This is the question.
        (try? runtime.directory.status(of: RuntimeDirectory.Name.socket)) != nil
    }

    /// Whether the names refer to this server's socket and lock.
    var isFound: Bool {
        roleLock?.isInPlace(in: runtime) == true && isSocketThere
    }

    /// Whether the socket's name refers to this server's socket.
    private var isSocketThere: Bool {
        // A name that cannot be seen does not refer to it.
        guard let there = try? runtime.directory.status(of: RuntimeDirectory.Name.socket),
            let ours = socketIdentity, there.inode == ours.inode
        else { return false }
        return runtime.isInPlace
    }

    // MARK: Watching the names

    /// The changes of a directory that may have removed a name.
    private static let vanishing: DirectoryWatch.Changes = [
        .removed, .movedFrom, .itselfRemoved, .itselfMoved,
    ]

    /// Watches the names through inotify.
    ///
    /// Without a watch, they are checked at intervals.
    mutating func watchNames(at now: Instant, token: UInt64) {
        watch = nil
        defer { if watch == nil { restoreAt = now + ServerLimits.unwatchedPause } }
        // The kernel limits the number of watches for each user.
        guard let fresh = try? DirectoryWatch(),
            (try? fresh.add(runtime.directory, Self.vanishing)) != nil,
            let ledgers = try? fresh.add(runtime.ledgers, .removed),
            (try? poller.add(fresh.descriptor, token: token, .readable)) != nil
        else { return }
        watch = fresh
        ledgersWatch = ledgers
        // The event of a removal may have been missed, so the names are checked.
        if !isFound { restoreAt = now + ServerLimits.restorePause }
    }

    /// Reads the events of the watch on the names.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - isClients: whether a ledger of this name belongs to a living client. This server removes
    ///     those of dead ones.
    mutating func readWatch(at now: Instant, isClients: (String) -> Bool) {
        let batch: DirectoryWatch.Batch?
        do { batch = try watch?.read() } catch { batch = nil }
        // Events that were lost, or cannot be read, may have been of any ledger.
        let hasLostName =
            batch?.overflowed ?? true
            || batch?.events.contains {
                $0.watch == ledgersWatch && isClients(String(decoding: $0.name, as: UTF8.self))
            } ?? true
        // Whatever the other events are, the names are checked.
        guard ending == nil, hasLostName || !isFound else { return }
        // A process that removes the socket may be removing the whole directory. Let it finish
        // first.
        restoreAt = .earlier(restoreAt, now + ServerLimits.restorePause)
    }

    // MARK: Restoring

    /// What the server must do so that clients find it.
    enum Restoration: Hashable {
        case nothing
        /// Listen on a new socket.
        case listen
        /// Listen on a new socket, in a directory that was created anew.
        ///
        /// The other files of the server must move there, too.
        case moveAndListen
    }

    /// Restores missing names, if any client needs this server.
    mutating func restore(hasClients: Bool, at now: Instant, token: UInt64) -> Restoration {
        restoreAt = watch == nil ? now + ServerLimits.unwatchedPause : nil
        guard ending == nil, !isFound else { return .nothing }
        guard runtime.isInPlace || hasClients else {
            end(.vanished)
            return .nothing
        }
        do {
            let hasMoved = !runtime.isInPlace
            if hasMoved { try moveIntoFreshDirectory(at: now, token: token) }
            guard try keepRole() else {
                ending = .deposed
                return .nothing
            }
            return hasMoved ? .moveAndListen : .listen
        } catch {
            planRetry(error, at: now)
            return .nothing
        }
    }

    /// Plans another attempt after the names could not be restored, or makes the server leave.
    mutating func planRetry(_ error: any Error, at now: Instant) {
        // Another server exists. Two servers must never serve the same user (Rule 2.0).
        if error is RoleIsTaken { return end(.vanished) }
        // The process that removes the directory may not have finished.
        restoreAt = now + ServerLimits.restorePause
    }

    /// Another process has the role in the directory in which this server would continue.
    struct RoleIsTaken: Error {}

    /// Returns whether this server has the role; if its lock file was removed, it first tries to
    /// lock a new one.
    ///
    /// If a stopped server runs again before a process that wanted to depose it has taken the role,
    /// the server keeps the role in this way.
    private mutating func keepRole() throws(SystemError) -> Bool {
        if roleLock?.isInPlace(in: runtime) != true {
            guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
            else { return false }
            roleLock = role
        }
        // Another server may have had the role in the meantime and have left again.
        return !isDeposed
    }

    /// Takes the role in a new directory at the old path.
    ///
    /// Throws if another process has the role there.
    private mutating func moveIntoFreshDirectory(at now: Instant, token: UInt64) throws {
        let fresh = try runtime.place.open()
        // If the folder of ledgers alone was removed, the other names are those of this server.
        if roleLock?.isInPlace(in: fresh) != true {
            guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: fresh)
            else {
                // The other process is about to serve, and waits for this server's clients first.
                throw RoleIsTaken()
            }
            let epochs = try EpochFile(directory: fresh.directory)
            // A server that was there may have granted what this one's clients have.
            guard epochs.load() == .none else { throw RoleIsTaken() }
            // The next server's epoch must be greater than this server's, which is in the ledgers.
            epochs.advance(to: epoch)
            (roleLock, self.epochs, era) = (role, epochs, epochs.era)
        }
        runtime = fresh
        watchNames(at: now, token: token)
    }

    // MARK: Ledgers without a name

    /// Notes that a client's ledger has no name in the directory; returns false if that was known.
    ///
    /// As long as there is such a client, the next server must wait for it.
    @discardableResult
    mutating func addNameless(_ client: ClientID) -> Bool {
        runtime.unsettle()
        return nameless.insert(client).inserted
    }

    /// Forgets which clients' ledgers have no name: in a new directory, none has one.
    mutating func forgetNameless() { nameless = [] }

    /// Notes that a client has gone; returns whether it was the last one without a name.
    mutating func removeNameless(_ client: ClientID) -> Bool {
        nameless.remove(client) != nil && nameless.isEmpty
    }

    /// Removes the mark of a new folder of ledgers, if no client is without a name.
    func settleIfKnown() {
        if nameless.isEmpty, !isDeposed, !runtime.isSettled { runtime.settle() }
    }

    /// Lets a later server of another directory, by which this one's client was served, have no
    /// greater epoch than the next server here, and leaves.
    ///
    /// The next server waits for the client, and for others that come as late.
    mutating func giveWay(to epoch: ServerEpoch) {
        runtime.unsettle()
        epochs.advance(to: epoch)
        end(.deposed)
    }

    // MARK: Leaving

    /// Takes the election lock, or returns nil if a process is looking for a server now.
    func tryElectionLock() -> RoleLock? {
        // For the caller, an error means the same as a lock that is held.
        (try? RoleLock.tryAcquire(RuntimeDirectory.Name.electionLock, in: runtime)) ?? nil
    }

    /// Gives up the role.
    mutating func giveUpRole() { roleLock = nil }

    /// Releases the role without any cleanup, for tests.
    mutating func abandon() { roleLock = nil }
}
