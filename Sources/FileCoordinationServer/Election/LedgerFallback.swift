// SPDX-License-Identifier: Apache-2.0
//
// A name that no process can remove. Ledgers are found by their names in the runtime directory; if
// that is removed while it is in use, the next server would know nothing of claims that still run,
// and grant them a second time (Rule 2.0). So each client also has a name in the abstract
// namespace, which lives exactly as long as its process; a server that takes over asks those of
// them whose ledgers it does not find, and is given the file itself.
//
// It is answered on a thread of its own: the connection thread may be waiting for that very server.

package import FileCoordinationLedger
package import FileCoordinationSystem

/// The names by which clients vouch for their ledgers.
enum FallbackName {
    /// What the names of all ledger fallbacks of a runtime directory begin with.
    ///
    /// It tells where the directory would be made anew, whatever path leads there, and tells other
    /// users nothing: a number made of its parent's number and its own name. Of several places it
    /// is the first one's, wherever the directory is, so that all of a user's processes have one.
    static func prefix(of runtime: RuntimeDirectory) -> String? {
        guard let (directory, name) = RuntimeDirectory.parentAndName(of: runtime.places.paths[0])
        else { return nil }
        let around = try? FileStatus(path: directory)
        guard let parent = around ?? (try? FileStatus(path: "/")) else { return nil }
        var digest: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(parent.device) \(parent.inode) \(name)".utf8 {
            digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        let place = String(digest, radix: 16)
        return "filecoordination/\(CurrentProcess.outerUserID)/\(place)/"
    }
}

/// A client's ledger fallback: gives its ledger to a server that cannot find it.
package final class LedgerFallback: Sendable {
    /// What it says, with the directory's path; with the second goes the ledger's name and file.
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

    /// How many servers may wait for an answer; one at a time does, unless they die while they
    /// wait.
    private static let backlog: Int32 = 64

    /// Makes the name by which `ledger` is found; its maker looks afterwards whether its directory
    /// is still the one where servers are.
    ///
    /// Servers that ask wait until ``start()``, which must come.
    ///
    /// - Parameter onTakeover: called, on the ledger fallback's thread, when a server that was
    ///   given the ledger has taken over, or has given that up.
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

    /// Begins to answer, if it has not begun; false if there is no thread to be had just now.
    package func start() -> Bool {
        hasStarted.withLock { hasStarted in
            if hasStarted { return true }
            let thread: Void? = try? DetachedThread.start(
                name: "file-witness", stackSize: 128 << 10
            ) { self.serve() }
            hasStarted = thread != nil
            return hasStarted
        }
    }

    /// Stops vouching, for a ledger that is given up.
    package func retire() {
        isRetired.withLock { $0 = true }
        listener.shutDown()
    }

    private func serve() {
        var ready: [Poller.Ready] = []
        // Servers that were given the ledger and have not said what came of it.
        var successors: [UInt64: SequencedSocket] = [:]
        var lastToken: UInt64 = 0
        while (try? poller.wait(into: &ready, until: nil)) != nil {
            if isRetired.withLock({ $0 }) { return }
            for event in ready where event.token != 0 {
                guard let successor = successors.removeValue(forKey: event.token) else { continue }
                try? poller.remove(successor.descriptor)
                onTakeover()
            }
            guard ready.contains(where: { $0.token == 0 }) else { continue }
            guard let server = try? listener.accept() else {
                // No descriptor left, most likely: the server asks again, or goes on waiting.
                Pause.sleep(nanoseconds: ServerLimits.acceptPause)
                continue
            }
            guard answer(server) else { continue }
            lastToken += 1
            guard (try? poller.add(server.descriptor, token: lastToken, .readable)) != nil else {
                continue
            }
            successors[lastToken] = server
        }
    }

    /// Answers; returns whether the ledger was given away.
    private func answer(_ server: SequencedSocket) -> Bool {
        guard let peer = try? server.peerCredentials(),
            peer.userID == CurrentProcess.effectiveUserID
        else { return false }
        if isInPlace {
            // Then it is a server of another world, that has a directory of its own at that path,
            // or another path.
            _ = try? server.send([Answer.isInPlace] + Array(path.utf8))
            return false
        }
        let given = try? server.send(
            [Answer.isLost] + Array(ledger.fileName.utf8),
            descriptors: [ledger.descriptor.number])
        return given == true
    }

    /// Whether a server in the directory that is there now finds the ledger by its name.
    private var isInPlace: Bool {
        guard let directory = try? Directory.open(path, followLinks: false),
            let ledgers = try? directory.openSubdirectory(RuntimeDirectory.Name.ledgers)
        else { return false }
        return ledger.isInPlace(in: ledgers)
    }
}
