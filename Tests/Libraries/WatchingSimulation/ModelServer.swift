// SPDX-License-Identifier: Apache-2.0
//
// The server's part in a world: what it knows of claims, and which of the watcher's changes
// presenters are told of (Rules 7.9, 7.14).

import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationWatching

/// What the server keeps about coordinated writes and about changes that wait for their ends.
struct ModelServer {
    private var seen = SeenChanges()
    private var lastQuestion: UInt64 = 0

    /// Whether changes wait.
    var isWaiting: Bool { seen.isHolding }

    // MARK: Claims

    mutating func begin(_ claim: ModelClaim, at now: Instant) {
        seen.writes.begin(
            address(claim), at: claim.paths.compactMap { ItemPath(texts: $0) },
            Purpose(claim.purpose), instant(now), isAsBegun: true)
    }

    /// A writer has announced that it has moved its first item to its second path.
    mutating func announceMove(by claim: ModelClaim, at now: Instant) {
        guard let old = ItemPath(texts: claim.paths[0]), let new = ItemPath(texts: claim.paths[1])
        else { return }
        seen.writes.record(ItemMove(from: old, to: new), at: instant(now))
        for (path, isArrival) in [(old, false), (new, true)] {
            seen.writes.record(
                WrittenPath(path: path, change: nil, hasChanged: true), by: address(claim),
                isArrival: isArrival, at: instant(now))
        }
    }

    /// A claim ends; `after` is what it has left.
    mutating func end(_ claim: ModelClaim, after: [ObservedFile?], at now: Instant) {
        for ((path, before), after) in zip(zip(claim.paths, claim.before), after) {
            guard let place = ItemPath(texts: path) else { continue }
            seen.writes.record(
                WrittenPath(
                    path: place, change: (before: before?.asReported, after: after?.asReported),
                    hasChanged: before != after), by: address(claim), at: instant(now))
        }
        let end = instant(now)
        seen.writes.end(address(claim), at: end)
    }

    private func address(_ claim: ModelClaim) -> RecordAddress {
        RecordAddress(
            client: ClientID(rawValue: 1),
            record: RecordReference(index: UInt32(claim.number), generation: 1))
    }

    private func instant(_ now: Instant) -> WriteInstant {
        WriteInstant(monotonic: now, real: Int64(now.nanoseconds))
    }

    // MARK: Changes

    /// Takes a change in, and returns what to tell a presenter now.
    mutating func consider(
        _ change: WatchedChange, _ listener: SeenChanges.Listener, at now: Instant
    ) -> [WatchingMessage] {
        seen.consider(change, listener, at: instant(now)).map { Self.message($0, listener) }
    }

    /// Returns what to tell of the changes that wait no longer, and the question that was asked.
    mutating func release(
        answered: UInt64, at now: Instant, _ listener: (PresenterID) -> SeenChanges.Listener?
    ) -> (told: [(PresenterID, WatchingMessage)], question: UInt64?) {
        var question: UInt64?
        let next = lastQuestion + 1
        let due = seen.release(answered: answered, at: instant(now), listener) {
            question = next
            return next
        }
        lastQuestion = question ?? lastQuestion
        let told = due.compactMap { id, change in
            listener(id).map { (id, Self.message(change, $0)) }
        }
        return (told, question)
    }

    /// The watcher has had a presenter look at everything.
    mutating func toldEverything(_ listener: SeenChanges.Listener, at now: Instant) {
        seen.toldEverything(listener, at: instant(now))
    }

    /// A presenter's item has moved.
    mutating func follow(_ id: UInt64, from former: [String], to path: [String]) {
        guard let former = ItemPath(texts: former), let path = ItemPath(texts: path) else { return }
        seen.follow(PresenterID(rawValue: id), from: former, to: path)
    }

    mutating func discard(_ id: UInt64) { seen.discard(PresenterID(rawValue: id)) }

    private static func message(
        _ change: WatchedChange, _ listener: SeenChanges.Listener
    ) -> WatchingMessage {
        if case .moved(let former) = change.what, former == listener.path { return change.message }
        if listener.path.contains(change.path) { return change.message }
        let isDirectory = change.observed?.isDirectory == true
        let isSame = change.path == listener.path && (change.what != .appeared || !isDirectory)
        return isSame ? .look(listener.path.text) : .lookAtAll(listener.path.text)
    }
}

extension ObservedFile {
    /// What clients report: they look at items with `stat`, which tells neither when a file was
    /// born nor its handle.
    fileprivate var asReported: ObservedFile {
        var file = self
        (file.identity.born, file.identity.handle) = (nil, nil)
        return file
    }
}
