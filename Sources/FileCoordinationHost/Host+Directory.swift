// SPDX-License-Identifier: Apache-2.0
//
// The host's place in the file system: the socket under which it is found, and what to do when
// somebody removes that, or the whole runtime directory. Connections and ledgers that are open
// need no names; but whoever comes new must find this host and no other (Rule 2.0). A host that was
// stopped meets the same: its names may be gone, or another's by now (Rule 18.7a).

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    func listen() throws(SystemError) {
        Failpoint.reach(.before, .listens)
        defer { Failpoint.reach(.after, .listens) }
        let fresh = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            backlog: HostLimits.listenBacklog)
        try poller.add(fresh.descriptor, token: FixedToken.listener, .readable)
        listener = fresh
        socketIdentity = try? runtime.directory.status(of: RuntimeDirectory.Name.socket)
        for client in clients.values { client.ledger.ringForService() }
    }

    /// What may have taken the names away.
    private static let vanishing: DirectoryWatch.Changes = [
        .removed, .movedFrom, .itselfRemoved, .itselfMoved,
    ]

    func watchRuntimeDirectory() {
        watch = nil
        defer { if watch == nil { restoreAt = MonotonicClock.now + HostLimits.unwatchedPause } }
        guard let fresh = try? DirectoryWatch(),
            (try? fresh.add(runtime.directory, Self.vanishing)) != nil,
            (try? poller.add(fresh.descriptor, token: FixedToken.watch, .readable)) != nil
        else { return }
        watch = fresh
        watchForPlaces()
    }

    /// Has the kernel tell when a place may have come in which programs look for a host: a login
    /// makes /run/user/UID.
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

    /// Takes the places that have come, and looks again soon: what is made is mounted and given to
    /// its user only afterwards.
    func takePlaces() {
        takePlacesAt = nil
        do {
            try standIns.complete(for: runtime)
        } catch {
            configuration.log(.worldDivided(error))
        }
        // Also if all could be taken: another file system may be mounted over what was there.
        guard placesPause < HostLimits.longestPlacesPause else { return }
        takePlacesAt = MonotonicClock.now + placesPause
        placesPause *= 2
    }

    private func expectPlaces() {
        guard !runtime.places.isChosen else { return }
        placesPause = HostLimits.placesPause
        // Not at once: what is below a mount that follows would be in its way later.
        takePlacesAt = MonotonicClock.now + placesPause
        watchForPlaces()
    }

    func lookAtRuntimeDirectory() {
        let batch = try? watch?.read()
        if batch?.overflowed ?? true
            || batch?.events.contains(where: { !$0.changes.isDisjoint(with: [.created, .movedTo]) })
                == true
        {
            expectPlaces()
        }
        guard ending == nil, restoreAt == nil, !isFound else { return }
        // Whoever removes the socket may be about to remove the directory: let that finish.
        restoreAt = MonotonicClock.now + HostLimits.restorePause
    }

    /// Whether another host has taken the role, if only for a moment.
    var isDeposed: Bool { epochs.isPast(epoch, era: era) }

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

    /// Makes anew what is missing, if anybody needs this host at all.
    func restoreNames() {
        restoreAt = watch == nil ? MonotonicClock.now + HostLimits.unwatchedPause : nil
        if watch == nil { expectPlaces() }
        guard ending == nil, !isFound else { return }
        guard runtime.isInPlace || !clients.isEmpty else {
            ending = ending ?? .vanished
            return
        }
        do {
            if !runtime.isInPlace { try moveIntoFreshDirectory() }
            guard try keepRole() else {
                ending = .deposed
                return
            }
            if let listener { try? poller.remove(listener.descriptor) }
            listener = nil
            try listen()
            configuration.log(.runtimeDirectoryRestored)
        } catch let error as SystemError where error.code == ErrorNumber.alreadyExists {
            // Somebody else hosts there: two would be the worst (Rule 2.0).
            ending = ending ?? .vanished
        } catch let error as SystemError where error.code == ErrorNumber.tryAgain {
            restoreAt = MonotonicClock.now + HostLimits.courtesyPause
        } catch {
            // Whoever removes the directory may not be done.
            restoreAt = MonotonicClock.now + HostLimits.restorePause
        }
    }

    /// Whether this host has the role, also if the lock's file was removed.
    ///
    /// Who was about to take the role from a stopped host finds it taken if it runs again first.
    private func keepRole() throws(SystemError) -> Bool {
        if roleLock?.isInPlace(in: runtime) != true {
            guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: runtime)
            else { return false }
            roleLock = role
        }
        // Somebody may have had it, and be gone again.
        return !isDeposed
    }

    /// Takes the role in a new directory at the old path; throws if somebody else has it there.
    private func moveIntoFreshDirectory() throws {
        let fresh = try freshDirectory()
        guard let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: fresh) else {
            // While the stand-ins are this host's, others give way.
            let code = standIns.isHeld ? ErrorNumber.tryAgain : ErrorNumber.alreadyExists
            throw SystemError(code: code, operation: "host anew")
        }
        // The next host's epoch must be above those in the ledgers that this one has raised.
        let epochs = try EpochFile(directory: fresh.directory)
        while epochs.load() < epoch { _ = try epochs.raise() }
        runtime = fresh
        roleLock = role
        self.epochs = epochs
        era = epochs.era
        // Who is a member has the file mapped that nobody else finds any more.
        endRelays()
        hasMoved = true
        try book.move(to: fresh.directory)
        watchRuntimeDirectory()
        expectPlaces()
    }

    /// The directory in which this host's is to go on.
    private func freshDirectory() throws -> RuntimeDirectory {
        do {
            return try runtime.places.open(patience: 0)
        } catch RuntimeDirectoryError.elsewhere {
            // The stand-ins name a place that cannot be made anew, as after a logout.
            standIns = StandIns()
            return try runtime.places.open(patience: 0)
        }
    }

    /// Stops being found for a moment, and leaves if nobody came until then.
    ///
    /// Whoever is choosing a host just now keeps this one here.
    func leaveWhenIdle() {
        idleSince = MonotonicClock.now
        guard
            let election =
                (try? RoleLock.tryAcquire(
                    RuntimeDirectory.Name.electionLock, in: runtime)) ?? nil
        else { return }
        // Looked at under the lock, without which nobody is deposed.
        guard !isDeposed else {
            ending = .deposed
            return
        }
        try? runtime.directory.remove(RuntimeDirectory.Name.socket)
        acceptConnections()
        if connections.isEmpty {
            ending = .idle
        } else {
            restoreNames()
        }
        withExtendedLifetime(election) {}
    }
}
