// SPDX-License-Identifier: Apache-2.0
//
// A second way to find a client's ledger. Servers find ledgers by their names in the runtime
// directory. If that directory is removed while it is in use, the next server would not know the
// running claims and would grant their items again (Rule 2.0). So each client also listens on a
// socket in the abstract namespace, whose name lives as long as the process. A new server connects
// to the sockets of clients whose ledgers it does not find, and receives the ledger's file
// descriptor.
//
// A separate thread answers, because the thread of the client's connection may be waiting for that
// very server.

package import FileCoordinationLedger
package import FileCoordinationSystem

/// The names of the abstract sockets.
enum FallbackName {
    /// Returns the prefix of the names of all ledger fallbacks of a runtime directory.
    ///
    /// The prefix is a hash of the parent directory's identity and the directory's own name. So it
    /// does not depend on the path to the directory, and tells other users nothing. With several
    /// places, the first one is used, wherever the directory is, so that all processes of a user
    /// share one prefix.
    static func prefix(of runtime: RuntimeDirectory) -> String? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: runtime.places.paths[0])
        else { return nil }
        // Without a parent, the root stands for it, as for all processes.
        let around = try? FileStatus(path: directory)
        // Without a root, the process cannot be found by this name.
        guard let parent = around ?? (try? FileStatus(path: "/")) else { return nil }
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(parent.device) \(parent.inode) \(name)".utf8 {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let place = String(digest, radix: 16)
        return "filecoordination/\(CurrentProcess.outerUserID)/\(place)/"
    }
}

/// A client's ledger fallback, which gives the ledger to a server that cannot find it.
package final class LedgerFallback: Sendable {
    /// The first byte of an answer.
    ///
    /// `isInPlace` is followed by the directory's path; `isLost` by the ledger's name and its
    /// descriptor.
    enum Answer {
        static let isInPlace: UInt8 = 0
        static let isLost: UInt8 = 1
    }

    private let listener: SequencedSocket
    private let poller: Poller
    private let ledger: LedgerWriter
    private let path: String
    private let onTakeover: @Sendable () -> Void
    private let isRetired = Lock(false)
    private let hasStarted = Lock(false)

    /// The length of the queue of asking servers.
    ///
    /// Normally one asks at a time; more do only if servers die while they wait.
    private static let backlog: Int32 = 64

    /// Creates the socket by which servers find a ledger.
    ///
    /// Afterwards the caller must check whether its runtime directory is still the one that servers
    /// use. Servers that connect wait until ``start()`` is called.
    ///
    /// - Parameters:
    ///   - ledger: the ledger.
    ///   - runtime: the runtime directory of the ledger.
    ///   - onTakeover: called on the ledger fallback's thread when a server that received the
    ///     ledger has taken over or has given up.
    /// - Throws: ``SystemError`` if the socket cannot be made.
    package init(
        for ledger: LedgerWriter, in runtime: RuntimeDirectory,
        onTakeover: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        guard let prefix = FallbackName.prefix(of: runtime) else {
            throw SystemError(code: ErrorNumber.noSuchFile, operation: "name a ledger fallback")
        }
        self.ledger = ledger
        self.onTakeover = onTakeover
        path = runtime.path
        listener = try SequencedSocket.listener(
            abstract: prefix + ledger.fileName, backlog: Self.backlog)
        poller = try Poller()
        try poller.add(listener.descriptor, token: 0, .readable)
    }

    /// Starts the thread that answers, unless it runs already.
    ///
    /// Returns false if no thread can be created now.
    package func start() -> Bool {
        hasStarted.withLock { hasStarted in
            if hasStarted { return true }
            // The caller is told.
            let thread: Void? = try? DetachedThread.start(
                name: "file-witness", stackSize: 128 << 10
            ) { self.serve() }
            hasStarted = thread != nil
            return hasStarted
        }
    }

    /// Stops answering, because the ledger is no longer used.
    package func retire() {
        isRetired.withLock { $0 = true }
        listener.shutDown()
    }

    private func serve() {
        var ready: [Poller.Ready] = []
        // Servers that received the ledger and have not finished their recovery.
        var successors: [UInt64: SequencedSocket] = [:]
        var lastToken: UInt64 = 0
        // If waiting fails, the thread ends; servers then find the process by its ledger alone.
        while (try? poller.wait(into: &ready, until: nil)) != nil {
            if isRetired.withLock({ $0 }) { return }
            for event in ready where event.token != 0 {
                guard let successor = successors.removeValue(forKey: event.token) else { continue }
                poller.forget(successor.descriptor)
                onTakeover()
            }
            guard ready.contains(where: { $0.token == 0 }) else { continue }
            // See below.
            guard let server = try? listener.accept() else {
                // Probably no descriptor is left. The server keeps waiting or asks again.
                Pause.sleep(nanoseconds: ServerLimits.acceptPause)
                continue
            }
            guard answer(server) else { continue }
            lastToken += 1
            // The server has the ledger. If adding fails, only the message about the end of its
            // recovery is missed.
            guard (try? poller.add(server.descriptor, token: lastToken, .readable)) != nil else {
                continue
            }
            successors[lastToken] = server
        }
    }

    /// Answers a server.
    ///
    /// Returns whether it was given the ledger.
    private func answer(_ server: SequencedSocket) -> Bool {
        // A peer that is not known is told nothing.
        guard let peer = try? server.peerCredentials(),
            peer.userID == CurrentProcess.effectiveUserID
        else { return false }
        if isInPlace {
            // This server has another runtime directory, for example at the same path in another
            // container.
            _ = try? server.send([Answer.isInPlace] + Array(path.utf8))
            return false
        }
        // The result says so.
        let given = try? server.send(
            [Answer.isLost] + Array(ledger.fileName.utf8),
            descriptors: [ledger.descriptor.number])
        return given == true
    }

    /// Whether a server in the present directory finds the ledger by its name.
    private var isInPlace: Bool {
        // A directory that is gone contains no ledger.
        guard let directory = try? Directory.open(path, followLinks: false),
            let ledgers = try? directory.openSubdirectory(RuntimeDirectory.Name.ledgers)
        else { return false }
        return ledger.isInPlace(in: ledgers)
    }
}
