// SPDX-License-Identifier: Apache-2.0
//
// The order of messages that arrived while the server did not read (Rule 2.14). The server reads
// one connection after the other. If it was suspended or busy for long, the connection that it
// reads first may have sent last. So it first reads all waiting messages and then acts on them in
// the order in which they were sent, as far as that is known.

import FileCoordinationWire
import MonotonicTime

/// How long the server may assume that the messages it reads are recent.
struct Freshness {
    /// How long after asking the kernel for readable connections the answer counts as recent.
    static let span: Duration = .milliseconds(20)
    /// After catching up, the server reads normally for at least this many times the work that it
    /// took.
    ///
    /// So clients that send much cannot make it catch up again and again.
    static let rest = 4

    private(set) var end = Instant.distantPast

    /// Extends the time after the kernel was asked at `start` and its answer took `work` of this
    /// thread's processor time.
    ///
    /// Processor time is used because the server can be suspended while it catches up.
    mutating func renew(at start: Instant, work: Duration? = nil) {
        end = max(end, start + (work.map { max(Self.span, $0 * Self.rest) } ?? Self.span))
    }
}

/// The waiting messages of one connection.
struct Backlog {
    let token: UInt64
    /// The messages; the next one is last.
    private var messages: [(incoming: Incoming, saidAt: Instant)] = []

    init(_ token: UInt64) { self.token = token }

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    /// A time before which the next message was sent.
    var bound: Instant { messages.last?.saidAt ?? .distantFuture }

    /// Adds a message behind the others.
    ///
    /// ``limitBounds()`` follows after the last one.
    mutating func append(_ incoming: Incoming, saidAt time: Instant?) {
        messages.append((incoming, time ?? .distantFuture))
    }

    /// Gives each message without a time the time of its successor.
    mutating func limitBounds() {
        messages.reverse()
        for index in messages.indices.dropFirst() where messages[index].saidAt == .distantFuture {
            messages[index].saidAt = messages[index - 1].saidAt
        }
    }

    mutating func takeFirst() -> Incoming { messages.removeLast().incoming }

    /// Merges the messages of several connections into one order.
    ///
    /// The messages of one connection keep their order. Between connections, only the filing times
    /// of claims are known, and that a client sent its earlier messages before.
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
    /// Whether other connections have their turn after this message.
    var takesLong: Bool {
        switch self {
        case .message(.statusRequest): true
        case .message(.madeWay(let answers)): answers.count > ServerLimits.messagesPerTurn
        case .message, .greeted, .unreadable: false
        }
    }
}
