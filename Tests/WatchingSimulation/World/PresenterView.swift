// SPDX-License-Identifier: Apache-2.0
//
// What one presenter knows from its messages. It reads the file system only when a message requires
// that: at the start, when its whole item may have changed, and for an item that was moved from a
// path at which the presenter has not seen it.

import FileCoordinationArbiter
import FileCoordinationWatching

/// A presenter that keeps a copy of what it presents.
struct PresenterView {
    let kind: PresentedKind
    private(set) var path: ItemPath
    private(set) var items: [ItemPath: ObservedFile] = [:]
    private(set) var isListening = false

    init(_ path: ItemPath, _ kind: PresentedKind) {
        self.path = path
        self.kind = kind
    }

    /// Takes a message in; `read` reads what is below a path now.
    mutating func take(_ body: WatchNews.Body, read: (ItemPath) -> [(ItemPath, ObservedFile)]) {
        switch body {
        case .listening:
            isListening = true
            readAll(read)
        case .wholeMayHaveChanged: readAll(read)
        case .arrived, .degraded, .healed: break
        case .changes(let changes): apply(changes, read)
        }
    }

    private mutating func readAll(_ read: (ItemPath) -> [(ItemPath, ObservedFile)]) {
        items = [:]
        for (place, observed) in read(path) where kind.isInView(place, of: path) {
            items[place] = observed
        }
    }

    private mutating func apply(
        _ changes: [WatchedChange], _ read: (ItemPath) -> [(ItemPath, ObservedFile)]
    ) {
        // First everything leaves its former place, the deepest first. What a view has read after
        // the change is another item there already, and stays.
        var moving: [(change: WatchedChange, items: [(ItemPath, ObservedFile)])] = []
        for (former, change) in leaving(changes) {
            let parts = below(former)
            if let observed = change.observed {
                guard let own = items[former], own.isSameItem(as: observed) else {
                    moving.append((change, []))
                    continue
                }
                let to = change.path
                moving.append(
                    (
                        change,
                        parts.map { ($0.0.replacingPrefix(depth: former.depth, by: to), $0.1) }
                    ))
            }
            remove(former)
        }
        for (change, parts) in moving.sorted(by: { $0.change.path.depth < $1.change.path.depth }) {
            if change.what == .moved(former: path) {
                path = change.path
                items = items.filter { kind.isInView($0.key, of: path) }
            }
            let own = items[change.path]
            if parts.isEmpty, let observed = change.observed, own?.isSameItem(as: observed) == true
            {
                continue
            }
            remove(change.path)
            for (place, observed) in parts.isEmpty ? read(change.path) : parts
            where kind.isInView(place, of: path) { items[place] = observed }
        }
        // Directories come before what is in them.
        var appeared: [ItemPath] = []
        var told: Set<ItemPath> = []
        for change in changes.sorted(by: { $0.path.depth < $1.path.depth }) {
            guard let observed = change.observed, change.what != .deleted else { continue }
            let isOther = items[change.path].map { !$0.isSameItem(as: observed) } ?? false
            if isOther
                || change.what == .appeared
                    && !appeared.contains(where: { $0.contains(change.path) })
            {
                remove(change.path)
            }
            if change.what == .appeared { appeared.append(change.path) }
            guard kind.isInView(change.path, of: path) else { continue }
            var seen = observed
            if case .moved = change.what, let own = items[change.path] {
                // That it was moved does not say that it was written.
                (seen.stamp.size, seen.stamp.modified) = (own.stamp.size, own.stamp.modified)
            }
            // Of a move and a change in one message, the change says what is there.
            if case .moved = change.what, told.contains(change.path) { continue }
            if case .changed = change.what { told.insert(change.path) }
            items[change.path] = seen
        }
    }

    /// The moves and deletions, with the places that are left.
    private func leaving(_ changes: [WatchedChange]) -> [(ItemPath, WatchedChange)] {
        changes.compactMap { change -> (ItemPath, WatchedChange)? in
            switch change.what {
            case .moved(let former): (former, change)
            case .deleted: (change.path, change)
            case .appeared, .changed: nil
            }
        }.sorted { $0.0.depth > $1.0.depth }
    }

    private func below(_ place: ItemPath) -> [(ItemPath, ObservedFile)] {
        items.filter { $0.key == place || place.contains($0.key) }.map { ($0.key, $0.value) }
    }

    private mutating func remove(_ place: ItemPath) {
        for (key, _) in below(place) { items[key] = nil }
    }
}

extension PresentedKind {
    func isInView(_ place: ItemPath, of path: ItemPath) -> Bool {
        place == path || self != .file && path.contains(place)
    }
}
