// SPDX-License-Identifier: Apache-2.0
//
// Messages to presenters. They are gathered and sent when an input has had all its consequences, as
// few as possible for each process. A client that does not read is let go when too many wait for
// it: its presenters look at everything when it is back.

import FileCoordinationArbiter
import FileCoordinationWire

/// What clients' presenters are to be told.
struct Deliveries {
    private var pending: [ClientID: PendingDeliveries] = [:]
    /// Clients with messages to send, in the order of the first one.
    private var toFlush: [ClientID] = []
    /// Clients whose messages were given up while there was no connection whose end would tell.
    private var forsaken: Set<ClientID> = []

    /// Keeps a message for a client; returns how many it has now, or nil if it has the very same.
    mutating func keep(_ delivery: Delivery, for client: ClientID) -> Int? {
        guard pending[client, default: PendingDeliveries()].add(delivery) else { return nil }
        let count = pending[client]?.count ?? 0
        if count == 1 { toFlush.append(client) }
        return count
    }

    /// The clients to let go when `client` has come to keep so many.
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

    /// Whether a client keeps the very same message.
    func contains(_ delivery: Delivery, for client: ClientID) -> Bool {
        pending[client]?.deliveries.contains(delivery) ?? false
    }

    /// How many messages a client has.
    func count(for client: ClientID) -> Int { pending[client]?.count ?? 0 }

    /// Takes out all messages for a client.
    mutating func takeAll(for client: ClientID) -> [Delivery] {
        pending.removeValue(forKey: client)?.deliveries ?? []
    }

    /// Whether there is a client to be sent something.
    var isFlushed: Bool { toFlush.isEmpty }

    /// Takes out the clients that are to be sent something.
    mutating func takeClients() -> [ClientID] {
        defer { toFlush = [] }
        return toFlush
    }

    /// Sends what a client has later, if it has anything.
    mutating func flushLater(_ client: ClientID) {
        if pending[client] != nil { toFlush.append(client) }
    }

    /// Takes out what a client's presenters were to be asked: it will be said again.
    mutating func removeAsks(for client: ClientID) {
        pending[client]?.removeAsks()
        if pending[client]?.isEmpty == true { pending[client] = nil }
    }

    /// Records that a client without a connection was let go.
    mutating func forsake(_ client: ClientID) { forsaken.insert(client) }

    /// Whether messages to a client were given up since it was last asked.
    mutating func wasForsaken(_ client: ClientID) -> Bool { forsaken.remove(client) != nil }

    /// Discards what a client that is gone was to be told.
    mutating func remove(_ client: ClientID) {
        pending[client] = nil
        forsaken.remove(client)
    }
}

/// Messages for a client's presenters that were not sent yet, in order.
struct PendingDeliveries {
    private(set) var deliveries: [Delivery] = []
    /// By presenter, what it is to be told of changes, with no other message behind that.
    private var changes: [WireRecord: Set<PresenterMessage>] = [:]

    var count: Int { deliveries.count }
    var isEmpty: Bool { deliveries.isEmpty }

    /// Adds one; false if its presenter is to be told the very same already.
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

    /// Takes out what presenters were to be asked.
    mutating func removeAsks() {
        deliveries.removeAll { delivery in
            if case .ask = delivery.message { true } else { false }
        }
    }
}

extension PresenterMessage {
    /// Whether to be told twice, with nothing in between, is as good as once.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .notice(let notice), .plainNotice(let notice): notice.isSaidOnce
        case .ask, .cancelAsk, .reacquire, .relocated, .followed: false
        }
    }
}

extension Notice {
    /// Whether to be told twice, with nothing in between, is as good as once.
    fileprivate var isSaidOnce: Bool {
        switch self {
        case .itemDidChange, .subitemDidChange: true
        case .subitemDidAppear, .subitemDidMove, .itemVersion, .subitemVersion,
            .ubiquityAttributes:
            false
        }
    }
}
