// SPDX-License-Identifier: Apache-2.0
//
// The memory of messages that reached no server. What they say is in the ledger, and a hello makes
// a server read the whole ledger. Without this memory, a process that has nothing else to
// coordinate would not send another hello, and others would wait for a claim that has ended.

/// Whether a server must read the ledger, because a message did not reach one.
///
///     none ─► owed ─► onItsWay ─► none (welcomed)
///               ▲         │
///               └─────────┘ (disconnected)
enum OwedHello: Hashable, Sendable {
    /// Every message was sent to the server of this connection or of a former one.
    case none
    /// A message was lost, and no hello was sent since.
    case owed
    /// A hello was sent, and the server has not read the ledger yet, as far as is known.
    case onItsWay

    /// Whether another hello must be sent if there is no connection.
    var isOwed: Bool {
        switch self {
        case .none: false
        case .owed, .onItsWay: true
        }
    }

    /// Records that a message was not sent, or may stay in the outbox when the connection ends.
    mutating func messageLost() { self = .owed }

    /// Records that a message was sent before the welcome, which the server may never read.
    mutating func messageSentEarly() {
        switch self {
        case .none, .onItsWay: self = .onItsWay
        case .owed: break
        }
    }

    mutating func helloSent() {
        switch self {
        case .none: break
        case .owed, .onItsWay: self = .onItsWay
        }
    }

    /// Records that the server has read the ledger, with all that was written before the hello.
    mutating func welcomed() {
        switch self {
        case .onItsWay: self = .none
        case .none, .owed: break
        }
    }

    mutating func disconnected() {
        switch self {
        case .onItsWay: self = .owed
        case .none, .owed: break
        }
    }
}
