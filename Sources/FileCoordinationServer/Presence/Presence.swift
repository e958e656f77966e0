// SPDX-License-Identifier: Apache-2.0
//
// The server's place in the file system: the runtime directory, the role's lock, the epoch, the
// socket under which it is found; and what to do when a process removes these names, or the whole
// directory. Connections and ledgers that are open need no names; but new clients must find this
// server and no other (Rule 2.0). A server that was stopped meets the same: its names may be gone,
// or another's by now (Rule 18.7a).

import FileCoordinationLedger
import FileCoordinationSystem

/// Where a server is found, and whether it still is the one.
struct Presence {
    /// Where it is found; another one after the first was removed under it.
    private(set) var runtime: RuntimeDirectory
    /// The number under which it reigns.
    let epoch: ServerEpoch
    /// Where the next server's epoch would show.
    private var epochs: EpochFile
    /// Which count of them this server's is one of.
    private var era: UInt64
    private var roleLock: RoleLock?
    /// Which file our socket's name led to.
    private var socketIdentity: FileStatus?
    /// What keeps other servers out of all other places where programs may look for one.
    private(set) var otherPlaces: OtherPlaces
    private let poller: Poller
    private var watch: DirectoryWatch?
    /// When to look whether the names are there, and to make them anew.
    private(set) var restoreAt: UInt64?
    /// Since when it has had no client.
    var idleSince: UInt64?
    /// Why it is to leave; nil as long as it is not.
    private(set) var ending: ServerEnding?

    /// A server that has the role and an epoch, and is not found yet.
    init(
        runtime: RuntimeDirectory, roleLock: RoleLock, epochs: EpochFile, era: UInt64,
        epoch: ServerEpoch, otherPlaces: OtherPlaces, poller: Poller
    ) {
        self.runtime = runtime
        self.roleLock = roleLock
        self.epochs = epochs
        self.era = era
        self.epoch = epoch
        self.otherPlaces = otherPlaces
        self.poller = poller
    }

    // MARK: Having the role

    /// Whether another server has taken the role, if only for a moment.
    var isDeposed: Bool { epochs.isPast(epoch, era: era) }

    /// Whether it has the role, by the lock's file and by its epoch.
    var hasRole: Bool { roleLock?.isInPlace(in: runtime) == true && !isDeposed }

    /// The server is to leave, for this reason unless there is one already.
    mutating func end(_ reason: ServerEnding) { ending = ending ?? reason }

    /// When there is something to do.
    var nextDeadline: UInt64? { [restoreAt, otherPlaces.takeAt].compactMap { $0 }.min() }

    // MARK: Being found

    /// Makes the socket under which the server is found.
    mutating func makeSocket() throws(SystemError) -> SequencedSocket {
        let fresh = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            backlog: ServerLimits.listenBacklog)
        return fresh
    }

    /// Remembers which file the socket's name leads to.
    mutating func rememberSocket() {
        // One that is gone at once is missed by the watch's first look.
        socketIdentity = try? runtime.directory.status(of: RuntimeDirectory.Name.socket)
    }

    /// Removes the socket's name: new clients look for another server.
    func removeSocket() {
        // What is gone need not be removed.
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
    }

    /// Whether a socket has the name: this server's, or its successor's.
    var hasSocket: Bool {
        (try? runtime.directory.status(of: RuntimeDirectory.Name.socket)) != nil
    }

    /// Whether the names lead to our socket and our lock.
    private var isFound: Bool {
        roleLock?.isInPlace(in: runtime) == true && isSocketThere
    }

    /// Whether the socket's name leads to our socket.
    private var isSocketThere: Bool {
        guard let there = try? runtime.directory.status(of: RuntimeDirectory.Name.socket),
            let ours = socketIdentity, there.inode == ours.inode
        else { return false }
        return runtime.isInPlace
    }

    // MARK: Noticing

    /// What may have taken the names away.
    private static let vanishing: DirectoryWatch.Changes = [
        .removed, .movedFrom, .itselfRemoved, .itselfMoved,
    ]

    /// Has the kernel tell when the names are removed; without that they are looked at sometimes.
    mutating func watchNames(at now: UInt64, token: UInt64) {
        watch = nil
        defer { if watch == nil { restoreAt = now + ServerLimits.unwatchedPause } }
        // A user may have only so many watches: then the names are looked at every second.
        guard let fresh = try? DirectoryWatch(),
            (try? fresh.add(runtime.directory, Self.vanishing)) != nil,
            (try? poller.add(fresh.descriptor, token: token, .readable)) != nil
        else { return }
        watch = fresh
        watchForPlaces()
    }

    /// Has the kernel tell when a place may have come in which programs look for a server.
    private func watchForPlaces() {
        for path in runtime.places.paths where path != runtime.path {
            var path = path
            // What is there already, and is not the place itself, but around it.
            for level in 0... {
                guard let (around, _) = RuntimeDirectory.parentAndName(of: path) else { break }
                path = around
                let changes: DirectoryWatch.Changes = [.created, .movedTo, .onlyOfDirectory]
                if level > 0, (try? watch?.add(path, changes)) != nil { break }
            }
        }
    }

    private mutating func expectPlaces(from now: UInt64) {
        guard !runtime.places.isChosen else { return }
        otherPlaces.expect(from: now)
        watchForPlaces()
    }

    /// Takes places that have come, if it is time.
    mutating func takePlaces(at now: UInt64) throws(RuntimeDirectoryError) {
        try otherPlaces.takeIfDue(for: runtime, at: now)
    }

    /// Reads what the kernel tells of the names.
    mutating func readWatch(at now: UInt64) {
        // What cannot be read is taken for the worst.
        let batch = try? watch?.read()
        if batch?.overflowed ?? true
            || batch?.events.contains(where: { !$0.changes.isDisjoint(with: [.created, .movedTo]) })
                == true
        {
            expectPlaces(from: now)
        }
        guard ending == nil, restoreAt == nil, !isFound else { return }
        // A process that removes the socket may be about to remove the directory: let that finish.
        restoreAt = now + ServerLimits.restorePause
    }

    // MARK: Restoring

    /// What has to be done so that the server is found.
    enum Restoration: Hashable {
        case nothing
        /// Listen on a new socket.
        case listen
        /// The same, in a directory that was made anew: what is beside the socket has to move, too.
        case moveAndListen
    }

    /// Makes anew what is missing, if it is time and any client needs this server at all.
    mutating func restore(hasClients: Bool, at now: UInt64, token: UInt64) -> Restoration {
        restoreAt = watch == nil ? now + ServerLimits.unwatchedPause : nil
        if watch == nil { expectPlaces(from: now) }
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

    /// Records that the names could not be made anew just now.
    mutating func planRetry(_ error: any Error, at now: UInt64) {
        switch (error as? SystemError)?.code {
        // Another server is there: two would be the worst (Rule 2.0).
        case ErrorNumber.alreadyExists: end(.vanished)
        case ErrorNumber.tryAgain: restoreAt = now + ServerLimits.busyPause
        // The process that removes the directory may not be done.
        default: restoreAt = now + ServerLimits.restorePause
        }
    }

    /// Whether this server has the role, also if the lock's file was removed.
    ///
    /// A process that was about to take the role from a stopped server finds it taken if that runs
    /// again first.
    private mutating func keepRole() throws(SystemError) -> Bool {
        if roleLock?.isInPlace(in: runtime) != true {
            guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime)
            else { return false }
            roleLock = role
        }
        // Another one may have had it, and be gone again.
        return !isDeposed
    }

    /// Takes the role in a new directory at the old path; throws if another process has it there.
    private mutating func moveIntoFreshDirectory(at now: UInt64, token: UInt64) throws {
        let fresh = try freshDirectory()
        guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: fresh) else {
            // While the stand-ins are this server's, others give way.
            let code = otherPlaces.isHeld ? ErrorNumber.tryAgain : ErrorNumber.alreadyExists
            throw SystemError(code: code, operation: "server anew")
        }
        // The next server's epoch must be above those in the ledgers that this one has raised.
        let epochs = try EpochFile(directory: fresh.directory)
        while epochs.load() < epoch { _ = try epochs.raise() }
        runtime = fresh
        roleLock = role
        self.epochs = epochs
        era = epochs.era
        watchNames(at: now, token: token)
        expectPlaces(from: now)
    }

    /// The directory in which this server is to go on.
    private mutating func freshDirectory() throws -> RuntimeDirectory {
        do {
            return try runtime.places.open(patience: 0)
        } catch RuntimeDirectoryError.elsewhere {
            // The stand-ins name a place that cannot be made anew, as after a logout.
            otherPlaces.letGo()
            return try runtime.places.open(patience: 0)
        }
    }

    // MARK: Leaving

    /// Takes the election's lock, if no process is choosing a server just now.
    func tryElectionLock() -> RoleLock? {
        // An error means that it cannot be had, which is all that counts.
        (try? RoleLock.tryAcquire(RuntimeDirectory.Name.electionLock, in: runtime)) ?? nil
    }

    /// Gives the role up.
    ///
    /// Stand-ins first: a process that has the role and finds them waits for this server.
    mutating func giveUpRole() {
        otherPlaces.letGo()
        roleLock = nil
    }

    /// Lets go of the role without a word.
    mutating func abandon() { roleLock = nil }
}
