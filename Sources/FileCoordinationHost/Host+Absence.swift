// SPDX-License-Identifier: Apache-2.0
//
// The order of what was said while this host did not listen (Rule 2.14). What clients send is read
// one client after the other; if it has lain there for long, because the host was asleep, stopped
// or busy, then whoever is read first may have come last. So all of it is read first, and acted on
// in the order in which it was said, as far as that can be known.

import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// Until when what a host has heard is fresh.
struct Freshness {
    /// So long after the kernel was asked who has something to say there may be others, in
    /// nanoseconds.
    static let span: UInt64 = 20_000_000
    /// To catch up is followed by so many times its work in which that is not done, so that those
    /// who have much to say cannot have it read again and again.
    static let rest: UInt64 = 4

    private(set) var end: UInt64 = 0

    /// The kernel is asked at `start`, and all that it tells takes so much work of this thread.
    ///
    /// Work, and not time: a host can also be stopped while it catches up.
    mutating func renew(at start: UInt64, work: UInt64 = 0) {
        end = max(end, start + max(Self.span, Self.rest * work))
    }
}

extension Host {
    /// Acts on what was just received; before that, if the news is old, on what others have said
    /// earlier.
    ///
    /// A host can be stopped between any two instructions. So the clock is read after a message was
    /// received: what was received while the news was fresh has overtaken nothing old.
    func hear(_ heard: Heard, from connection: Connection) {
        let start = MonotonicClock.now
        guard start >= freshness.end else { return act(on: heard, from: connection) }
        // Whoever was stopped may not be the host any more: the next one reads what is written.
        guard !isDeposed else { return ending = ending ?? .deposed }
        let workBefore = ThreadClock.now
        catchUp(heard, from: connection)
        freshness.renew(at: start, work: ThreadClock.now - workBefore)
    }

    /// Reads what everybody has said, and acts on it.
    ///
    /// What one connection says keeps its order. Among several comes next what was said first, of
    /// which only this is known: when a claim was filed, and that what its client said before was
    /// said before that.
    private func catchUp(_ heard: Heard, from connection: Connection) {
        acceptConnections()
        var backlogs = [backlog(of: connection, after: heard)]
        for other in connectionsWithNews() where other !== connection {
            backlogs.append(backlog(of: other, after: nil))
        }
        backlogs.removeAll { $0.isEmpty }
        while let next = backlogs.indices.min(by: { backlogs[$0].bound < backlogs[$1].bound }) {
            let speaker = backlogs[next].connection
            act(on: backlogs[next].takeFirst(), from: speaker)
            // It may have been closed for what it said; then it has said nothing more.
            if backlogs[next].isEmpty || connections[speaker.token] !== speaker {
                backlogs.remove(at: next)
            }
        }
        // That was its turn.
        connection.hasAskedMuch = true
    }

    /// The connections on which there is something to read now.
    private func connectionsWithNews() -> [Connection] {
        var found: [UInt64: Connection] = [:]
        var batch: [Poller.Ready] = []
        var count = 0
        // The kernel tells of so many at once, and of others when it is asked again.
        repeat {
            count = found.count
            guard (try? poller.wait(into: &batch, until: 0)) != nil else { break }
            for entry in batch { found[entry.token] = connections[entry.token] }
        } while batch.count == Poller.most && found.count > count
        return found.keys.sorted().compactMap { found[$0] }
    }

    /// What is there to be read of one connection, after what was read of it already.
    private func backlog(of connection: Connection, after first: Heard?) -> Backlog {
        var backlog = Backlog(connection)
        var next = first.map { greetIfNew(connection, $0) } ?? take(from: connection)
        while let heard = next {
            backlog.append(heard, saidAt: time(of: heard, from: connection))
            let isEnough = backlog.count >= HostLimits.messagesPerCatchUp || heard.takesLong
            next = isEnough ? nil : take(from: connection)
        }
        backlog.limitBounds()
        return backlog
    }

    /// Reads one message; nil if there is none, or no more: its turn will see to the latter.
    private func take(from connection: Connection) -> Heard? {
        guard case .heard(let heard) = connection.take() else { return nil }
        return greetIfNew(connection, heard)
    }

    /// Answers a newcomer's hello, without which its ledger is not known; nil if it may not stay.
    private func greetIfNew(_ connection: Connection, _ heard: Heard) -> Heard? {
        guard case .message(.hello(let hello)) = heard, !connection.isWelcome else { return heard }
        Failpoint.reach(.before, .hearsHello)
        defer { Failpoint.reach(.after, .hearsHello) }
        return greet(connection, hello) ? .greeted : nil
    }

    /// When it was said, if that is known: when the claim was filed, or a newcomer's first one.
    private func time(of heard: Heard, from connection: Connection) -> UInt64? {
        guard let ledger = connection.client?.ledger else { return nil }
        switch heard {
        case .message(.filed(let record)): return ledger.snapshot(ofRecord: record.index)?.filedAt
        case .greeted: return ledger.scan().lazy.filter { $0.state == .asked }.map(\.filedAt).min()
        case .message, .unreadable: return nil
        }
    }
}

/// What one connection has said while nobody listened.
private struct Backlog {
    let connection: Connection
    /// The next one last.
    private var messages: [(heard: Heard, saidAt: UInt64)] = []

    init(_ connection: Connection) { self.connection = connection }

    var isEmpty: Bool { messages.isEmpty }
    var count: Int { messages.count }
    /// By when the next one was said.
    var bound: UInt64 { messages.last?.saidAt ?? .max }

    /// Adds what was said next, before ``limitBounds()``.
    mutating func append(_ heard: Heard, saidAt time: UInt64?) {
        messages.append((heard, time ?? .max))
    }

    /// What has no time of its own was said before what comes next.
    mutating func limitBounds() {
        messages.reverse()
        for index in messages.indices.dropFirst() where messages[index].saidAt == .max {
            messages[index].saidAt = messages[index - 1].saidAt
        }
    }

    mutating func takeFirst() -> Heard { messages.removeLast().heard }
}

extension Heard {
    /// Whether the others have their turn after it.
    fileprivate var takesLong: Bool {
        switch self {
        case .message(.statusRequest): true
        case .message(.madeWay(let answers)): answers.count > HostLimits.messagesPerTurn
        case .message, .greeted, .unreadable: false
        }
    }
}
