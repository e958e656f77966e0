// SPDX-License-Identifier: Apache-2.0
//
// The host's place in the file system: the socket under which it is found, and what to do when
// somebody removes that, or the whole runtime directory. Connections and ledgers that are open
// need no names; but whoever comes new must find this host and no other (Rule 2.0).

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    func listen() throws(SystemError) {
        let fresh = try SequencedSocket.listener(
            in: runtime.directory, name: RuntimeDirectory.Name.socket,
            backlog: HostLimits.listenBacklog)
        try poller.add(fresh.descriptor, token: FixedToken.listener, .readable)
        listener = fresh
    }

    func watchRuntimeDirectory() {
        watch = nil
        guard let fresh = try? DirectoryWatch(),
            (try? fresh.add(runtime.directory, [.removed, .movedFrom, .itselfRemoved])) != nil,
            (try? poller.add(fresh.descriptor, token: FixedToken.watch, .readable)) != nil
        else { return }
        watch = fresh
    }

    func lookAtRuntimeDirectory() {
        _ = try? watch?.read()
        guard ending == nil, restoreAt == nil, !isFound else { return }
        // Whoever removes the socket may be about to remove the directory: let that finish.
        restoreAt = MonotonicClock.now + HostLimits.restorePause
    }

    /// Whether the socket's name is there.
    private var isFound: Bool {
        (try? runtime.directory.status(of: RuntimeDirectory.Name.socket)) != nil && isDirectoryThere
    }

    /// Whether the directory's path still leads to the directory.
    private var isDirectoryThere: Bool {
        guard let there = try? FileStatus(path: runtime.path, followLinks: false),
            let ours = try? runtime.directory.status()
        else { return false }
        return there.inode == ours.inode && there.device == ours.device
    }

    /// Makes anew what is missing, if anybody needs this host at all.
    func restoreNames() {
        restoreAt = nil
        guard !isFound else { return }
        guard isDirectoryThere || !clients.isEmpty else {
            ending = ending ?? .vanished
            return
        }
        do {
            if !isDirectoryThere { try moveIntoFreshDirectory() }
            if let listener { try? poller.remove(listener.descriptor) }
            listener = nil
            try listen()
            configuration.log(.runtimeDirectoryRestored)
        } catch {
            // A host that cannot be found must not keep others from hosting.
            ending = ending ?? .vanished
        }
    }

    /// Takes the role in a new directory at the old path; throws if somebody else has it there.
    private func moveIntoFreshDirectory() throws {
        let fresh = try RuntimeDirectory.open(path: runtime.path)
        let election = try RoleLock.tryAcquire(RuntimeDirectory.Name.electionLock, in: fresh)
        guard let election,
            let role = try RoleLock.tryAcquire(RuntimeDirectory.Name.hostLock, in: fresh)
        else {
            throw SystemError(code: ErrorNumber.alreadyExists, operation: "host anew")
        }
        // The next host's epoch must be above those in the ledgers that this one has raised.
        let epochs = try EpochFile(directory: fresh.directory)
        while epochs.load() < epoch { _ = try epochs.raise() }
        runtime = fresh
        roleLock = role
        watchRuntimeDirectory()
        withExtendedLifetime(election) {}
    }

    /// Stops being found for a moment, and leaves if nobody came until then.
    ///
    /// Whoever is choosing a host just now keeps this one here.
    func leaveWhenIdle() {
        idleSince = nil
        guard
            let election =
                (try? RoleLock.tryAcquire(
                    RuntimeDirectory.Name.electionLock, in: runtime)) ?? nil
        else { return }
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
