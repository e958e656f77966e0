// SPDX-License-Identifier: Apache-2.0
//
// What the server knows about its clients' processes, and whether a client lives: its ledger's lock
// and its pidfd say so. The poller reports when a process has ended. The kernel does not notify
// other processes when one is stopped (Rule 18.6) or dumps core (Rule 15.8), so the server checks
// for that from time to time: processes that block a claim, while they do, and processes that were
// stopped at the last check.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// How often processes are checked.
enum StopWatch {
    /// A claim that has waited this long makes the server check the processes that block it.
    static let firstPause: Duration = .milliseconds(200)
    /// The interval between two checks.
    static let pause: Duration = .milliseconds(250)
    /// A pause is at least this many times as long as the check before it.
    static let rest = 20
    /// The number of stopped processes that are checked whenever a claim ends.
    static let checksBeforeGrants = 16
}

/// The processes of the clients.
struct Processes {
    /// A process, as far as the server can see it.
    private struct Process {
        var handle: ProcessHandle?
        /// Its process ID in the server's PID namespace; 0 if it is invisible or not known yet.
        var visibleID: Int32 = 0
    }

    /// The server's PID namespace.
    ///
    /// Only processes of this namespace can be examined by their own IDs.
    let ownNamespace = CurrentProcess.processNamespace
    private let poller: Poller
    /// Replaces the kernel's answer whether a ledger's process is stopped, for simulations.
    private let isStoppedInModel: (@Sendable (String) -> Bool)?
    private var processes: [ClientID: Process] = [:]
    /// Clients whose processes were stopped at the last check.
    private var stopped: Set<ClientID> = []
    /// When to check processes next, or nil.
    private(set) var nextCheck: Instant?

    /// Poller tokens from here on stand for processes of clients.
    private static let firstToken: UInt64 = 1 << 63

    init(poller: Poller, isStopped: (@Sendable (String) -> Bool)? = nil) {
        self.poller = poller
        isStoppedInModel = isStopped
    }

    // MARK: Processes and clients

    /// Records a client's process, and has the poller report its end.
    mutating func watch(_ id: ClientID, _ handle: ProcessHandle?) {
        guard processes[id]?.handle == nil, let handle else { return }
        // Without a handle, the ledger's lock shows the end, a little later.
        guard
            // Without the poller, too, the lock shows the end.
            (try? poller.add(
                handle.descriptor, token: Self.firstToken + UInt64(id.rawValue), .readable)) != nil
        else { return }
        processes[id, default: Process()].handle = handle
    }

    /// Whether the poller reports the end of a client's process.
    func isWatched(_ id: ClientID) -> Bool { processes[id]?.handle != nil }

    /// Records the ID of a client's process in the server's PID namespace.
    mutating func see(_ id: ClientID, as number: Int32) {
        processes[id, default: Process()].visibleID = number
    }

    /// Returns the client that a poller token stands for, or nil.
    func client(ofToken token: UInt64) -> ClientID? {
        guard token >= Self.firstToken else { return nil }
        return ClientID(rawValue: UInt32(truncatingIfNeeded: token - Self.firstToken))
    }

    /// Discards the process of a client that is gone.
    mutating func remove(_ id: ClientID) {
        // A process without a handle is not in the poller.
        if let handle = processes[id]?.handle { poller.forget(handle.descriptor) }
        processes[id] = nil
        stopped.remove(id)
    }

    // MARK: States

    /// Whether a client holds its lock and its process is not known to have ended.
    ///
    /// The lock alone does not suffice: a child between fork and exec shares its parent's memory,
    /// so that the lock and copies of the sockets outlive a dying parent.
    func isAlive(_ client: Client) -> Bool {
        guard client.ledger.isAlive else { return false }
        return !(processes[client.id]?.handle?.hasExited ?? false)
    }

    /// Whether no process has the client's process ID any more, although its lock is held.
    func hasVanished(_ client: Client) -> Bool {
        processes[client.id]?.handle == nil && client.ledger.isProcessVisible
            && client.ledger.processID != CurrentProcess.id
            && ProcessState.hasEnded(client.ledger.processID)
    }

    /// Whether a client's process is dead for certain, while the kernel still writes its core dump.
    func isDumpingCore(_ client: Client) -> Bool {
        guard client.ledger.processID != CurrentProcess.id || isForeign(client) else {
            return false
        }
        return processes[client.id]?.handle?.hasEnded ?? false
    }

    /// Whether a client's process is stopped; false if the server cannot see that.
    func isStopped(_ client: Client) -> Bool {
        if let isStoppedInModel { return isStoppedInModel(client.ledger.fileName) }
        if let handle = processes[client.id]?.handle { return handle.isStopped }
        // No descriptor was available for a handle. A process ID of another namespace means nothing
        // here.
        return !isForeign(client) && ProcessState.isStopped(client.ledger.processID)
    }

    // MARK: Process IDs

    /// Whether a client's process ID belongs to another PID namespace than the server's.
    ///
    /// Clients that could not determine their namespace are taken for the server's own.
    func isForeign(_ client: Client) -> Bool {
        let itsNamespace = client.ledger.processNamespace
        return itsNamespace != 0 && itsNamespace != ownNamespace
    }

    /// Whether a ledger can belong to the process at the other end of a connection, as far as the
    /// server can see.
    func isOwner(_ connection: Connection, of client: Client) -> Bool {
        guard isForeign(client) else {
            return client.ledger.processID == connection.peer.processID
        }
        // Process IDs of different namespaces cannot be compared. The peer's namespace can be read,
        // unless it is an ancestor or a sibling of the server's.
        guard let namespace = connection.socket.peerProcess()?.namespace else { return true }
        return namespace == client.ledger.processNamespace
    }

    /// The numbers by which readers know a process.
    struct Numbers {
        /// Its ID in its own namespace.
        let ownID: Int32
        /// Its namespace; 0 if it is unknown.
        let namespace: UInt64
        /// Its ID in the server's namespace; 0 if it is unknown.
        let visibleID: Int32
    }

    /// Returns the numbers of a client's process.
    func numbers(of client: Client) -> Numbers {
        Numbers(
            ownID: client.ledger.processID, namespace: client.ledger.processNamespace,
            visibleID: processes[client.id]?.visibleID ?? 0)
    }

    /// Returns a process's ID as a reader in `namespace` knows it (``ProcessNumber``).
    func number(of client: Client?, for namespace: UInt64) -> Int32 {
        client.map { number(of: numbers(of: $0), for: namespace) } ?? 0
    }

    /// Returns a process's ID as a reader in `namespace` knows it.
    func number(of process: Numbers, for namespace: UInt64) -> Int32 {
        // A reader whose namespace cannot be determined is taken for one in the server's own.
        let namespace = namespace == 0 ? ownNamespace : namespace
        if process.namespace == namespace || process.namespace == 0 { return process.ownID }
        // The server sees the process, so a reader in the same namespace does, too.
        if namespace == ownNamespace, process.visibleID != 0 { return process.visibleID }
        return ProcessNumber.inAnotherNamespace(process.ownID)
    }

    // MARK: Stopped processes

    /// The result of a check.
    enum StopCheck: Hashable {
        /// It is stopped, and ran at the last check.
        case stops
        /// It is stopped, as it was at the last check.
        case staysStopped
        /// It runs, and was stopped at the last check.
        case goesOn
        case runs
    }

    /// Checks a client's process.
    mutating func check(_ client: Client) -> StopCheck {
        if isStopped(client) {
            return stopped.insert(client.id).inserted ? .stops : .staysStopped
        }
        return stopped.remove(client.id) == nil ? .runs : .goesOn
    }

    /// Whether a client's process was stopped at the last check.
    func wasStopped(_ id: ClientID) -> Bool { stopped.contains(id) }

    /// The clients whose processes were stopped at the last check.
    var stoppedClients: [ClientID] { stopped.sorted() }

    /// Ends the checks of a client's process, because it is dead.
    mutating func endChecks(_ id: ClientID) { stopped.remove(id) }

    /// Plans the next check, as long as there is a reason for one.
    mutating func planCheck(hasWaits: Bool, at now: Instant) {
        guard hasWaits || !stopped.isEmpty else {
            nextCheck = nil
            return
        }
        if nextCheck == nil { nextCheck = now + StopWatch.firstPause }
    }

    /// Plans the next check after one that took from `start` to `end`.
    mutating func planNextCheck(from start: Instant, to end: Instant) {
        nextCheck = end + max(StopWatch.pause, (end - start) * StopWatch.rest)
    }

    /// Whether no process is known.
    var isEmpty: Bool { processes.isEmpty && stopped.isEmpty }
}
