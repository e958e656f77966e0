// SPDX-License-Identifier: Apache-2.0
//
// The order of what was said while the server did not listen (Rule 2.14). What clients send is read
// one client after the other; if it has lain there for long, because the server was asleep, stopped
// or busy, then the client that is read first may have come last. So all of it is read first, and
// acted on in the order in which it was said, as far as that can be known.

import FileCoordinationWire

/// Until when what a server has heard is fresh.
struct Freshness {
    /// So long after the kernel was asked which connections have something to say there may be
    /// others, in nanoseconds.
    static let span: UInt64 = 20_000_000
    /// To catch up is followed by so many times its work in which that is not done, so that clients
    /// with much to say cannot have it read again and again.
    static let rest: UInt64 = 4

    private(set) var end: UInt64 = 0

    /// The kernel is asked at `start`, and all that it tells takes so much work of this thread.
    ///
    /// Work, and not time: a server can also be stopped while it catches up.
    mutating func renew(at start: UInt64, work: UInt64 = 0) {
        end = max(end, start + max(Self.span, Self.rest * work))
    }
}

/// What one connection has said while the server did not listen.
struct Backlog {
    let token: UInt64
    /// The next one last.
    private var messages: [(incoming: Incoming, saidAt: UInt64)] = []

    init(_ token: UInt64) { self.token = token }

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    /// By when the next one was said.
    var bound: UInt64 { messages.last?.saidAt ?? .max }

    /// Adds what was said next, before ``limitBounds()``.
    mutating func append(_ incoming: Incoming, saidAt time: UInt64?) {
        messages.append((incoming, time ?? .max))
    }

    /// What has no time of its own was said before what comes next.
    mutating func limitBounds() {
        messages.reverse()
        for index in messages.indices.dropFirst() where messages[index].saidAt == .max {
            messages[index].saidAt = messages[index - 1].saidAt
        }
    }

    mutating func takeFirst() -> Incoming { messages.removeLast().incoming }

    /// What several connections have said, in one order.
    ///
    /// What one connection says keeps its order. Among several comes next what was said first, of
    /// which only this is known: when a claim was filed, and that what its client said before was
    /// said before that.
    static func merge(_ backlogs: [Backlog]) -> [(incoming: Incoming, token: UInt64)] {
        var backlogs = backlogs.filter { !$0.isEmpty }
        var merged: [(incoming: Incoming, token: UInt64)] = []
        while let next = backlogs.indices.min(by: { backlogs[$0].bound < backlogs[$1].bound }) {
            merged.append((backlogs[next].takeFirst(), backlogs[next].token))
            if backlogs[next].isEmpty { backlogs.remove(at: next) }
        }
        return merged
    }
}

extension Incoming {
    /// Whether the others have their turn after it.
    var takesLong: Bool {
        switch self {
        case .message(.statusRequest): true
        case .message(.madeWay(let answers)): answers.count > ServerLimits.messagesPerTurn
        case .message, .greeted, .unreadable: false
        }
    }
}
