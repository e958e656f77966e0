// SPDX-License-Identifier: Apache-2.0
//
// What the kernel says of the clients' processes: that one has ended, which the poller tells; that
// one is stopped (Rule 18.6) or dumps core (Rule 15.8), which the kernel tells no other process, so
// that they are looked at from time to time: those for which there is a wait, while there is one,
// and those that were stopped when they were looked at last.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// How often processes are looked at.
enum StopWatch {
    /// A wait of this length has the processes looked at that are in the way, in nanoseconds.
    static let firstPause: UInt64 = 200_000_000
    /// From one look to the next.
    static let pause: UInt64 = 250_000_000
    /// A look that took long is followed by a pause of so many times its length.
    static let rest: UInt64 = 20
    /// So many that were stopped are looked at whenever a claim ends.
    static let looksBeforeGrants = 16
}

/// The processes of clients.
struct Processes {
    /// One of them, as far as it is seen from here.
    private struct Process {
        var handle: ProcessHandle?
        /// Its number in this process's namespace; 0 if it is not seen, or not known yet.
        var visibleID: Int32 = 0
    }

    /// Where this process has its number, and those are that it can look at by their own.
    let ownNamespace = CurrentProcess.processNamespace
    private let poller: Poller
    /// Returns whether the process of a ledger is stopped, instead of the kernel.
    private let isStoppedInModel: (@Sendable (String) -> Bool)?
    private var processes: [ClientID: Process] = [:]
    /// Those that were stopped when they were looked at last.
    private var stopped: Set<ClientID> = []
    /// When to look at processes.
    private(set) var nextLook: UInt64?

    /// Tokens of the poller from here on are processes of clients.
    private static let firstToken: UInt64 = 1 << 63

    init(poller: Poller, isStopped: (@Sendable (String) -> Bool)? = nil) {
        self.poller = poller
        isStoppedInModel = isStopped
    }

    // MARK: Which is whose

    /// Records which process is a client's, so that the poller tells of its end.
    mutating func watch(_ id: ClientID, _ handle: ProcessHandle?) {
        guard processes[id]?.handle == nil, let handle else { return }
        // Without a watch the lock tells of the end, a little later.
        guard
            (try? poller.add(
                handle.descriptor, token: Self.firstToken + UInt64(id.rawValue), .readable)) != nil
        else { return }
        processes[id, default: Process()].handle = handle
    }

    /// Whether the poller tells of the end of a client's process.
    func isWatched(_ id: ClientID) -> Bool { processes[id]?.handle != nil }

    /// Records the number of a client's process in this process's namespace.
    mutating func see(_ id: ClientID, as number: Int32) {
        processes[id, default: Process()].visibleID = number
    }

    /// The client of whose process the poller speaks.
    func client(ofToken token: UInt64) -> ClientID? {
        guard token >= Self.firstToken else { return nil }
        return ClientID(rawValue: UInt32(truncatingIfNeeded: token - Self.firstToken))
    }

    /// Discards the process of a client that is gone.
    mutating func remove(_ id: ClientID) {
        // What is not watched need not be unwatched.
        if let handle = processes[id]?.handle { try? poller.remove(handle.descriptor) }
        processes[id] = nil
        stopped.remove(id)
    }

    // MARK: How they are

    /// Whether a client has its lock, and its process is not known to have ended.
    ///
    /// A half-made child, before its exec, shares all of its parent's memory: the lock outlives the
    /// parent then, as do copies of its sockets.
    func isAlive(_ client: Client) -> Bool {
        guard client.ledger.isAlive else { return false }
        return !(processes[client.id]?.handle?.hasExited ?? false)
    }

    /// Whether there is no process of the client's number any more, though its lock is held.
    func hasVanished(_ client: Client) -> Bool {
        processes[client.id]?.handle == nil && client.ledger.isProcessVisible
            && client.ledger.processID != CurrentProcess.id
            && ProcessState.hasEnded(client.ledger.processID)
    }

    /// Whether a client's process is certain to be dead, and its memory is still being written.
    func isDumpingCore(_ client: Client) -> Bool {
        guard client.ledger.processID != CurrentProcess.id || isForeign(client) else {
            return false
        }
        return processes[client.id]?.handle?.hasEnded ?? false
    }

    /// Whether a client's process is stopped; false if that is not seen from here.
    func isStopped(_ client: Client) -> Bool {
        if let isStoppedInModel { return isStoppedInModel(client.ledger.fileName) }
        if let handle = processes[client.id]?.handle { return handle.isStopped }
        // There was no descriptor for it. A number of another namespace is another process's.
        return !isForeign(client) && ProcessState.isStopped(client.ledger.processID)
    }

    // MARK: Numbers

    /// Whether a client's own number is not one of this process's namespace.
    ///
    /// Those that do not say where they have it are of an older version, and are in this one.
    func isForeign(_ client: Client) -> Bool {
        let itsNamespace = client.ledger.processNamespace
        return itsNamespace != 0 && itsNamespace != ownNamespace
    }

    /// Whether a ledger can be that of the process at the other end of a connection, as far as can
    /// be seen.
    func isOwner(_ connection: Connection, of client: Client) -> Bool {
        guard isForeign(client) else {
            return client.ledger.processID == connection.peer.processID
        }
        // Numbers of different namespaces say nothing about each other; but which one the peer's is
        // in can be seen, unless that is around this one, or beside it.
        guard let namespace = connection.socket.peerProcess()?.namespace else { return true }
        return namespace == client.ledger.processNamespace
    }

    /// A process's number as a reader in `namespace` knows it (``ProcessNumber``).
    func number(of client: Client?, for namespace: UInt64) -> Int32 {
        guard let client else { return 0 }
        let own = client.ledger.processNamespace
        // A reader of an older version does not say where it is, and is here.
        let namespace = namespace == 0 ? ownNamespace : namespace
        if own == namespace || own == 0 { return client.ledger.processID }
        // Seen by the server, and so by a reader in the server's namespace.
        let visibleID = processes[client.id]?.visibleID ?? 0
        if namespace == ownNamespace, visibleID != 0 { return visibleID }
        return ProcessNumber.inAnotherNamespace(client.ledger.processID)
    }

    // MARK: Stopped ones

    /// How a process was found to be.
    enum Look: Hashable {
        case stops
        case goesOn
        case runs
    }

    /// Looks at a client's process.
    mutating func look(at client: Client) -> Look {
        if isStopped(client) {
            stopped.insert(client.id)
            return .stops
        }
        return stopped.remove(client.id) == nil ? .runs : .goesOn
    }

    /// Whether a client's process was stopped when it was looked at last.
    func wasStopped(_ id: ClientID) -> Bool { stopped.contains(id) }

    /// Those that were stopped when they were looked at last.
    var stoppedClients: [ClientID] { stopped.sorted() }

    /// Does not ask any more whether a client's process is stopped: it is dead.
    mutating func stopLookingAt(_ id: ClientID) { stopped.remove(id) }

    /// Plans the next look: as long as there is a reason for one.
    mutating func planLook(hasWaits: Bool, at now: UInt64) {
        guard hasWaits || !stopped.isEmpty else {
            nextLook = nil
            return
        }
        if nextLook == nil { nextLook = now + StopWatch.firstPause }
    }

    /// Records that processes have been looked at, and how long that took.
    mutating func planNextLook(from start: UInt64, to end: UInt64) {
        nextLook = end + max(StopWatch.pause, StopWatch.rest * (end - start))
    }

    /// Whether nothing is kept of any process.
    var isEmpty: Bool { processes.isEmpty && stopped.isEmpty }
}
