// SPDX-License-Identifier: Apache-2.0
//
// Messages to presenters. The server collects them while it handles an input, and sends them
// afterwards in as few messages as possible for each client. A client for which too many are queued
// is disconnected; when it reconnects, its presenters look at everything.

import FileCoordinationArbiter
import FileCoordinationWire

/// The queued messages for clients' presenters.
struct Deliveries {
    private var pending: [ClientID: PendingDeliveries] = [:]
    /// Clients with messages to send, ordered by the first message.
    private var toFlush: [ClientID] = []
    /// Clients whose messages were dropped while they had no connection.
    ///
    /// They must be told when they reconnect.
    private var droppedClients: Set<ClientID> = []

    /// Queues a message for a client.
    ///
    /// Returns how many it has now, or nil if it has the same one already.
    mutating func keep(_ delivery: Delivery, for client: ClientID) -> Int? {
        guard pending[client, default: PendingDeliveries()].add(delivery) else { return nil }
        let count = pending[client]?.count ?? 0
        if count == 1 { toFlush.append(client) }
        return count
    }

    /// Returns the clients to disconnect after `client` has got its message number `count`.
    func excess(at count: Int, of client: ClientID) -> [ClientID] {
        var excess = count > ServerLimits.deliveriesPerClient ? [client] : []
        guard count.isMultiple(of: 4096) else { return excess }
        var all = pending.values.reduce(0) { $0 + $1.count }
        let most = pending.sorted {
            ($0.value.count, $0.key.rawValue) > ($1.value.count, $1.key.rawValue)
        }
        for (id, messages) in most where all > ServerLimits.deliveries {
            if id != excess.first { excess.append(id) }
            all -= messages.count
        }
        return excess
    }

    /// Whether a client has the same message in its queue.
    func contains(_ delivery: Delivery, for client: ClientID) -> Bool {
        pending[client]?.deliveries.contains(delivery) ?? false
    }

    /// Returns the number of queued messages of a client.
    func count(for client: ClientID) -> Int { pending[client]?.count ?? 0 }

    /// Removes and returns all messages for a client.
    mutating func takeAll(for client: ClientID) -> [Delivery] {
        pending.removeValue(forKey: client)?.deliveries ?? []
    }

    /// Whether no client has messages to send now.
    var isFlushed: Bool { toFlush.isEmpty }

    /// Removes and returns the clients that have messages to send.
    mutating func takeClients() -> [ClientID] {
        defer { toFlush = [] }
        return toFlush
    }

    /// Plans to send the queued messages of a client, if it has any.
    mutating func flushLater(_ client: ClientID) {
        if pending[client] != nil { toFlush.append(client) }
    }

    /// Removes queued questions to a client's presenters, because they will be asked again.
    mutating func removeAsks(for client: ClientID) {
        pending[client]?.removeAsks()
        if pending[client]?.isEmpty == true { pending[client] = nil }
    }

    /// Records that messages for a client without a connection were dropped.
    mutating func recordDropped(for client: ClientID) { droppedClients.insert(client) }

    /// Whether messages for a client were dropped since the last call.
    mutating func removeDropped(for client: ClientID) -> Bool {
        droppedClients.remove(client) != nil
    }

    /// Discards the messages of a client that is gone.
    mutating func remove(_ client: ClientID) {
        pending[client] = nil
        droppedClients.remove(client)
    }
}

/// Queued messages for a client's presenters, in order.
struct PendingDeliveries {
    private(set) var deliveries: [Delivery] = []
    /// The change notices of each presenter that are not followed by another message for it.
    private var changes: [RecordReference: Set<PresenterMessage>] = [:]

    var count: Int { deliveries.count }
    var isEmpty: Bool { deliveries.isEmpty }

    /// Adds a message.
    ///
    /// Returns false if its presenter has the same notice queued already.
    mutating func add(_ delivery: Delivery) -> Bool {
        guard delivery.message.isSaidOnce else {
            changes[delivery.presenter] = nil
            deliveries.append(delivery)
            return true
        }
        guard changes[delivery.presenter, default: []].insert(delivery.message).inserted
        else { return false }
        deliveries.append(delivery)
        return true
    }

    mutating func takeAll() -> [Delivery] {
        defer { self = PendingDeliveries() }
        return deliveries
    }

    /// Removes the questions.
    mutating func removeAsks() {
        deliveries.removeAll { delivery in
            if case .ask = delivery.message { true } else { false }
        }
    }
}

extension PresenterMessage {
    /// Whether two equal messages in a row mean the same as one.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .notice(let notice), .plainNotice(let notice), .noticeBy(_, let notice):
            notice.isSaidOnce
        case .ask, .withdrawQuestion, .reacquire, .relocated, .followed, .relocatedBy: false
        }
    }
}

extension Notice {
    /// Whether two equal notices in a row mean the same as one.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .itemDidChange, .subitemDidChange: true
        case .subitemDidAppear, .subitemDidMove, .itemVersion, .subitemVersion,
            .ubiquityAttributes:
            false
        }
    }
}
