// SPDX-License-Identifier: Apache-2.0
//
// What a program knows that copies what it presents: a sync tool, an index, a backup. It hears what
// the server tells, which is less than the watcher says: a change that a coordinated writer made is
// told once, by its claim. So a plain change that the watcher takes for a writer's leaves the copy
// behind. `PresenterView` applies such changes, too, and does not see that.
//
// The copy looks only at what a message names. It looks when the message arrives, which is later
// than the change, and looks again at the messages of what came afterwards.

import FileCoordinationArbiter
import FileCoordinationWatching

/// A copy of what one presenter presents.
struct PresenterCopy {
    /// Reads what is at a path and below it.
    typealias Reader = (ItemPath) -> [(ItemPath, ObservedFile)]

    let kind: PresentedKind
    private(set) var path: ItemPath
    private(set) var items: [ItemPath: ObservedFile] = [:]
    private(set) var isListening = false
    /// What was new or gone when it was looked at.
    private var again: Set<ItemPath> = []

    init(_ path: ItemPath, _ kind: PresentedKind) {
        self.path = path
        self.kind = kind
    }

    /// Hears what the server tells of a message of the watcher.
    mutating func hear(_ body: WatchNews.Body, _ read: Reader) {
        switch body {
        case .listening:
            isListening = true
            readAll(read)
        // The claim announces it.
        case .wholeMayHaveChanged(.rewritten): break
        case .wholeMayHaveChanged: readAll(read)
        case .arrived, .degraded, .healed: break
        case .changes(let changes): for change in changes { hear(change, read) }
        }
    }

    private mutating func hear(_ change: WatchedChange, _ read: Reader) {
        // The watcher and the arbiter must agree on where the item is.
        if case .moved(let former) = change.what, former == path { return follow(change, read) }
        guard change.origin == .coordinated else { return apply(change, read) }
        // Of the worlds' writers, none announces an end of a move that its claim does not cover.
        guard let rest = change.remainder(isAnnounced: { _ in false }) else { return }
        if rest.what == .appeared, rest.observed?.isDirectory == true { return readAll(read) }
        apply(rest, read)
    }

    /// Hears which of its items a claim has changed.
    mutating func hear(_ changes: [ClaimedChange], _ read: Reader) {
        guard isListening else { return }
        for change in changes where change.after != change.before {
            look(at: change.path, read)
        }
    }

    private mutating func apply(_ change: WatchedChange, _ read: Reader) {
        if case .moved(let former) = change.what {
            look(at: former, read)
            // What moved along with a directory is not told.
            readTwice(change.path, read)
        } else {
            look(at: change.path, read)
        }
    }

    private mutating func follow(_ change: WatchedChange, _ read: Reader) {
        path = change.path
        readAll(read)
    }

    // MARK: Reading

    private mutating func readAll(_ read: Reader) {
        items = [:]
        readTwice(path, read)
    }

    /// Looks at one item.
    private mutating func look(at place: ItemPath, _ read: Reader) {
        let now = read(place).first { $0.0 == place }?.1
        if let now, let known = items[place], now.identity == known.identity {
            items[place] = now
        } else if now != nil || items[place] != nil {
            // The item may have moved here with all that is inside, and the message of its move
            // may follow.
            readTwice(place, read)
        }
    }

    private mutating func readTwice(_ place: ItemPath, _ read: Reader) {
        forget(place)
        for (found, observed) in read(place) where kind.isInView(found, of: path) {
            items[found] = observed
        }
        again.insert(place)
    }

    private mutating func forget(_ place: ItemPath) {
        for key in items.keys where key == place || place.contains(key) { items[key] = nil }
    }

    /// Looks once more at what was new or gone: what came and went within a turn is told to no
    /// presenter.
    mutating func lookAgain(_ read: Reader) {
        for place in again {
            let present = Set(read(place).map(\.0))
            for key in items.keys where key == place || place.contains(key) {
                if !present.contains(key) { items[key] = nil }
            }
            // A directory may have been away, and have come back.
            if items[place] == nil, present.contains(place) { readTwice(place, read) }
        }
        again = []
    }
}
