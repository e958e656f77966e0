// SPDX-License-Identifier: Apache-2.0
//
// What happens at a bound: the client that has reached it is told so, or let go, and nobody else
// notices. A client that is let go loses nothing but messages: its claims and presenters are in its
// ledger, and with its next connection it is told what counts, and looks at the rest itself.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Host {
    // MARK: Claims and presenters

    /// Tells a client that its record is one too many; returns whether it is.
    func isOverLimit(_ snapshot: RecordSnapshot, of client: Client) -> Bool {
        let text: String
        switch snapshot.kind {
        case .claim:
            guard claims.count >= HostLimits.claims else { return false }
            text = "all programs together have \(claims.count) accesses that run or wait"
        case .presenter:
            guard presenters.count >= HostLimits.presenters else { return false }
            text = "all programs together have \(presenters.count) file presenters"
        }
        configuration.log(
            .limitReached(processID: client.ledger.processID, reason: text))
        guard let connection = client.connection else { return true }
        if connection.version >= 2 {
            send(.overLimit(WireRecord(snapshot.reference), text: text), on: connection)
        } else {
            refuse(connection, .limitReached, text)
        }
        return true
    }

    // MARK: Connections

    /// Why a connection may not stay; nil if it may.
    func excess(for peer: PeerCredentials) -> String? {
        let others = connectionCounts[peer.processID] ?? 0
        // Zero are all that are in namespaces which are not seen from here.
        let isSeen = peer.processID != 0
        let limit =
            isSeen ? HostLimits.connectionsPerProcess : HostLimits.connectionsOfUnseenProcesses
        if others >= limit {
            return "your process has \(others) connections to the arbiter: close some of them"
        }
        return hasDescriptors(1) ? nil : Self.wantOfDescriptors
    }

    /// Whether so many more descriptors may be taken.
    ///
    /// An embedded host leaves its program a quarter of what there is.
    func hasDescriptors(_ count: Int) -> Bool {
        let room = CurrentProcess.descriptorLimit
        let spare = configuration.kind == .daemon ? HostLimits.spareDescriptors : room / 4
        let inUse = connections.count + (HostLimits.descriptorsPerClient - 1) * clients.count
        return inUse + count <= room - spare
    }

    /// What is said to whoever comes when there is none left.
    static let wantOfDescriptors = """
        the arbiter has no file descriptor left for you: end some programs, or let it have more of \
        them (ulimit -n)
        """

    /// Takes the next connection by the descriptor that was kept for this, says why it cannot
    /// stay, and keeps the descriptor again; false if that does not work either.
    func turnAway() -> Bool {
        guard reserve != nil, let listener else { return false }
        reserve = nil
        defer { reserve = try? Descriptor.placeholder() }
        guard let socket = try? listener.accept(), let peer = try? socket.peerCredentials() else {
            return false
        }
        let connection = Connection(token: 0, socket: socket, peer: peer)
        refuse(connection, .limitReached, Self.wantOfDescriptors)
        return true
    }

    // MARK: Messages that wait

    /// Keeps a message for a client, or lets it go because too many wait already.
    func keep(_ delivery: Delivery, for client: Client) {
        guard client.pending.add(delivery) else { return }
        let count = client.pending.count
        if count == 1 { clientsToFlush.append(client.id) }
        if count >= HostLimits.deliveriesPerTurn, takesDeliveries(client) { flush(client) }
        if count > HostLimits.deliveriesPerClient { letGo(client) }
        guard count.isMultiple(of: 4096) else { return }
        while clients.values.reduce(0, { $0 + $1.pending.count }) > HostLimits.deliveries {
            let most = clients.values.max {
                ($0.pending.count, $0.id.rawValue) < ($1.pending.count, $1.id.rawValue)
            }
            guard let most else { break }
            letGo(most)
        }
    }

    /// Whether messages to its presenters can be sent now and will not have to wait.
    ///
    /// While others wait to be sent, what comes is kept apart: so it is not kept twice.
    func takesDeliveries(_ client: Client) -> Bool {
        guard let connection = client.connection else { return false }
        return connection.isWelcome && !connection.hasBacklog
    }

    /// Sends what is kept for a client.
    func flush(_ client: Client) {
        for message in HostMessage.packing(client.pending.takeAll()) { send(message, to: client) }
    }

    /// Lets go of whoever keeps most of what cannot be sent, if that is too much in all.
    func boundBacklogs() {
        let all = connections.values.reduce(0) { $0 + $1.backlogBytes }
        guard all > HostLimits.backlogBytesInAll else { return }
        let most = connections.values.max {
            ($0.backlogBytes, $0.token) < ($1.backlogBytes, $1.token)
        }
        if let most { doomed.append(most) }
    }

    /// Forgets what a client was to be told, and its connection: when it reads again it finds that
    /// ended, comes with a new one, and has its presenters look at everything.
    private func letGo(_ client: Client) {
        configuration.log(
            .limitReached(
                processID: client.ledger.processID,
                reason: "\(client.pending.count) messages wait for it to read them"))
        _ = client.pending.takeAll()
        if let connection = client.connection {
            doomed.append(connection)
        } else {
            client.hasLostMessages = true
        }
    }
}

/// Messages for a client's presenters that were not sent yet, in order.
struct PendingDeliveries {
    private(set) var deliveries: [Delivery] = []
    /// By presenter, what it is to be told of changes, with no other message behind that.
    private var changes: [WireRecord: Set<Notice>] = [:]

    var count: Int { deliveries.count }
    var isEmpty: Bool { deliveries.isEmpty }

    /// Adds one; false if its presenter is to be told the very same already.
    mutating func add(_ delivery: Delivery) -> Bool {
        guard case .notice(let notice) = delivery.message, notice.isSaidOnce else {
            changes[delivery.presenter] = nil
            deliveries.append(delivery)
            return true
        }
        guard changes[delivery.presenter, default: []].insert(notice).inserted else { return false }
        deliveries.append(delivery)
        return true
    }

    mutating func takeAll() -> [Delivery] {
        defer { self = PendingDeliveries() }
        return deliveries
    }

    /// Takes out what presenters were to be asked.
    mutating func removeAsks() {
        deliveries.removeAll { delivery in
            if case .ask = delivery.message { true } else { false }
        }
    }
}

extension Notice {
    /// Whether to hear it twice, with nothing in between, is as good as once.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .itemDidChange, .subitemDidChange: true
        case .subitemDidAppear, .subitemDidMove, .itemVersion, .subitemVersion,
            .ubiquityAttributes:
            false
        }
    }
}
