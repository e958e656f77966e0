// SPDX-License-Identifier: Apache-2.0
//
// The server's part in a world: which of the watcher's changes presenters are told of, beside what
// claims tell (Rules 7.9, 7.14). It decides as `Server+News` does, with the same values.

import CoordinationCheckers
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationWatching

/// What the server keeps about coordinated writes and about changes that wait for their ends.
struct ModelServer {
    private var writes = CoordinatedWrites()
    private var held = HeldChanges()
    private var lastQuestion: UInt64 = 0

    /// What a presenter is, as far as it matters here.
    struct Listener {
        let id: UInt64
        let path: ItemPath
        let purpose: Purpose
    }

    /// Whether changes wait.
    var isWaiting: Bool { !held.isEmpty }

    // MARK: Claims

    mutating func begin(_ claim: ModelClaim, at now: UInt64) {
        writes.begin(
            address(claim), at: claim.paths.compactMap { ItemPath(texts: $0) },
            Purpose(claim.purpose), instant(now), isAsBegun: true)
    }

    /// A writer has announced that it has moved its first item to its second path.
    mutating func announceMove(by claim: ModelClaim, at now: UInt64) {
        guard let old = ItemPath(texts: claim.paths[0]), let new = ItemPath(texts: claim.paths[1])
        else { return }
        writes.record(ItemMove(from: old, to: new), at: instant(now))
        for (path, isArrival) in [(old, false), (new, true)] {
            writes.record(
                WrittenPath(path: path, change: nil, hasChanged: true), by: address(claim),
                isArrival: isArrival, at: instant(now))
        }
    }

    /// A claim ends; `after` is what it has left.
    mutating func end(_ claim: ModelClaim, after: [ObservedFile?], at now: UInt64) {
        for ((path, before), after) in zip(zip(claim.paths, claim.before), after) {
            guard let place = ItemPath(texts: path) else { continue }
            writes.record(
                WrittenPath(
                    path: place, change: (before: before?.asReported, after: after?.asReported),
                    hasChanged: before != after), by: address(claim), at: instant(now))
        }
        writes.end(address(claim), at: instant(now))
    }

    private func address(_ claim: ModelClaim) -> RecordAddress {
        RecordAddress(
            client: ClientID(rawValue: 1),
            record: RecordReference(index: UInt32(claim.number), generation: 1))
    }

    private func instant(_ now: UInt64) -> WriteInstant {
        WriteInstant(monotonic: now, real: Int64(now))
    }

    // MARK: Changes

    /// Takes a change in, and returns what to tell a presenter now.
    mutating func consider(
        _ change: WatchedChange, _ listener: Listener, at now: UInt64
    ) -> [WatchingMessage] {
        let id = PresenterID(rawValue: listener.id)
        if HeldChanges.isNothing(change), change.path != listener.path,
            writes.mayHaveBeenTemporary(change.path),
            !held.contains(HeldChanges.Name(presenter: id, path: change.path))
        {
            return []
        }
        // The watcher and the arbiter must agree on where the presenter's item is.
        if case .moved(let former) = change.what, former == listener.path {
            return [.moved(former.text, to: change.path.text)]
        }
        if mustHold(change, id) {
            held.add(change, to: id, at: now)
            return []
        }
        return unexplained(change, listener, at: now)
    }

    private func mustHold(_ change: WatchedChange, _ id: PresenterID) -> Bool {
        let paths = change.paths + [change.path.prefix(depth: max(0, change.path.depth - 1))]
        return paths.contains { held.contains(HeldChanges.Name(presenter: id, path: $0)) }
            || !writes.isEmpty
                && (writes.runs(concerning: change) || writes.mayHaveRun(concerning: change))
    }

    /// The question to ask the watcher before changes may be told whose writes have ended, or nil.
    mutating func question() -> UInt64? {
        let over = held.all.filter { _, held in
            held.question == nil && !writes.runs(concerning: held.change)
        }
        if over.isEmpty { return nil }
        lastQuestion += 1
        for name in over.keys { held.setQuestion(lastQuestion, for: name) }
        return lastQuestion
    }

    /// Returns what to tell of the changes that wait no longer.
    mutating func release(
        answered: UInt64, at now: UInt64, _ listener: (UInt64) -> Listener?
    ) -> [(UInt64, WatchingMessage)] {
        let due = held.take { name, held in
            // While its own side writes there, the end of that decides.
            if let listener = listener(name.presenter.rawValue),
                writes.isOwnWriteRunning(at: name.path, listener.purpose)
            {
                return false
            }
            return held.until <= now || held.question.map { $0 <= answered } ?? false
        }
        return due.flatMap { name, held -> [(UInt64, WatchingMessage)] in
            guard let listener = listener(name.presenter.rawValue),
                !HeldChanges.isNothing(held.change) || writes.haveLeftItem(at: name.path)
                    || name.path == listener.path
            else { return [] }
            return unexplained(held.change, listener, at: now, held.isFormerUntold).map {
                (listener.id, $0)
            }
        }
    }

    /// A presenter's item has moved.
    mutating func follow(_ id: UInt64, from former: [String], to path: [String]) {
        guard let former = ItemPath(texts: former), let path = ItemPath(texts: path) else { return }
        held.follow(PresenterID(rawValue: id), from: former, to: path)
    }

    mutating func discard(_ id: UInt64) { held.discard(of: PresenterID(rawValue: id)) }

    private func unexplained(
        _ change: WatchedChange, _ listener: Listener, at now: UInt64,
        _ isFormerUntold: Bool = false
    ) -> [WatchingMessage] {
        let isExplained = writes.explain(
            change, at: change.path, to: listener.purpose,
            isPresented: change.path == listener.path)
        guard case .moved(let former) = change.what else {
            return isExplained ? [] : messages(change, listener, at: now)
        }
        if former == listener.path { return [.moved(former.text, to: change.path.text)] }
        let isLeft =
            isFormerUntold || writes.explain(change, at: former, to: listener.purpose)
        // A claim has told of the item at its present path; a move is told once more.
        if !isLeft { return messages(change, listener, at: now) }
        if isExplained { return [] }
        if change.observed?.isDirectory == true { return [.lookAtAll(listener.path.text)] }
        var rest = change
        rest.what = .appeared
        return messages(rest, listener, at: now)
    }

    private func messages(
        _ change: WatchedChange, _ listener: Listener, at now: UInt64
    ) -> [WatchingMessage] {
        let others = writes.announcedPaths(of: change.path, at: now)
        return ([change.path] + others).compactMap { path in
            guard others.isEmpty || path == listener.path || listener.path.contains(path) else {
                return nil
            }
            var change = change
            change.path = path
            return message(change, listener)
        }
    }

    private func message(_ change: WatchedChange, _ listener: Listener) -> WatchingMessage {
        if listener.path.contains(change.path) { return change.message }
        let isSame = change.path == listener.path && change.what != .appeared
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
