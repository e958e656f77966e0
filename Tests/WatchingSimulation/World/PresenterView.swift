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
    /// What coordinated writers have left, as their claims announce it, until a message names it.
    private var announced: [ItemPath: Announced] = [:]

    /// An item that a claim has announced.
    private struct Announced {
        let item: ObservedFile
        /// The directories above it at that time, from the root on; nil if not known.
        var above: [FileIdentity?]

        /// Whether the item was inside a directory of this depth, and not inside another one that
        /// has taken its path since.
        func wasInside(_ directory: ObservedFile?, depth: Int) -> Bool {
            guard let directory, above.indices.contains(depth) else { return false }
            return above[depth]?.isSame(as: directory.identity) ?? true
        }
    }

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
        (items, announced) = ([:], [:])
        for (place, observed) in read(path) where kind.isInView(place, of: path) {
            items[place] = observed
        }
    }

    /// Takes note of what a claim announces; `above` tells the directories above a path now.
    mutating func announce(_ changes: [ClaimedChange], above: (ItemPath) -> [FileIdentity?]) {
        guard isListening else { return }
        for left in changes {
            guard let item = left.before,
                let arrival = changes.first(where: { $0.after?.isSameItem(as: item) == true }),
                arrival.path != left.path
            else { continue }
            for (key, value) in announced where left.path.contains(key) {
                announced[key] = nil
                let depth = left.path.depth
                var carried = value
                carried.above = above(arrival.path) + value.above.dropFirst(depth)
                announced[key.replacingPrefix(depth: depth, by: arrival.path)] = carried
            }
        }
        // A claim that has changed nothing announces nothing.
        for change in changes where change.after != change.before {
            announced[change.path] = change.after.map { item in
                Announced(item: item, above: above(change.path))
            }
        }
    }

    /// Applies one change after the other.
    private mutating func apply(
        _ changes: [WatchedChange], _ read: (ItemPath) -> [(ItemPath, ObservedFile)]
    ) {
        for change in changes {
            announced[change.path] = nil
            switch change.what {
            case .deleted: remove(change.path)
            case .moved(let former):
                let left = announced.removeValue(forKey: former)?.item
                if let place = change.leftAt { announced[place] = nil }
                move(from: former, left: left, change, read)
            case .appeared, .changed:
                guard let observed = change.observed, kind.isInView(change.path, of: path) else {
                    continue
                }
                let isSame = items[change.path]?.isSameItem(as: observed) ?? false
                // Nothing is inside a file, even if that is known already.
                if !isSame || change.what == .appeared || !observed.isDirectory {
                    remove(change.path)
                }
                items[change.path] = observed
            }
        }
    }

    private mutating func move(
        from former: ItemPath, left: ObservedFile?, _ change: WatchedChange,
        _ read: (ItemPath) -> [(ItemPath, ObservedFile)]
    ) {
        let to = change.path
        var parts: [(ItemPath, ObservedFile)] = []
        let isDirectory = change.observed?.isDirectory == true
        // A move may be told that is older than what a claim has announced at its former path.
        let carried = announced.filter { place, announced in
            isDirectory && former.contains(place)
                && announced.wasInside(change.observed, depth: former.depth)
        }
        for place in carried.keys { announced[place] = nil }
        // If the view has read the path after the change, another item is there, and stays.
        if let observed = change.observed, items[former]?.isSameItem(as: observed) == true {
            parts = below(former).map {
                ($0.0.replacingPrefix(depth: former.depth, by: to), $0.1)
            }
            remove(former)
        }
        // The file may have been moved on from where a claim has left it.
        if let left, let observed = change.observed, !isDirectory, left.isSameItem(as: observed) {
            parts = [(to, left)]
        }
        // Of a directory that this view has not seen, all is read below.
        let inOrder = carried.sorted { $0.key.description < $1.key.description }
        for (place, announced) in inOrder where !parts.isEmpty {
            let now = place.replacingPrefix(depth: former.depth, by: to)
            let known = parts.first { $0.0 == now }?.1
            guard known?.isSameItem(as: announced.item) != true else { continue }
            parts.removeAll { $0.0 == now || now.contains($0.0) }
            parts += announced.item.isDirectory ? read(now) : [(now, announced.item)]
        }
        if change.what == .moved(former: path) {
            path = to
            items = items.filter { kind.isInView($0.key, of: path) }
        }
        if parts.isEmpty, let observed = change.observed,
            items[to]?.isSameItem(as: observed) == true
        {
            items[to]?.stamp.changed = observed.stamp.changed
            return
        }
        remove(to)
        for (place, observed) in parts.isEmpty ? read(to) : parts
        where kind.isInView(place, of: path) { items[place] = observed }
        // A rename changes the item's change time. What else has changed is told beside the move.
        if let changed = change.observed?.stamp.changed { items[to]?.stamp.changed = changed }
    }

    private func below(_ place: ItemPath) -> [(ItemPath, ObservedFile)] {
        items.filter { $0.key == place || place.contains($0.key) }.map { ($0.key, $0.value) }
    }

    private mutating func remove(_ place: ItemPath) {
        for (key, _) in below(place) { items[key] = nil }
        for key in announced.keys where place.contains(key) { announced[key] = nil }
    }
}

extension PresentedKind {
    func isInView(_ place: ItemPath, of path: ItemPath) -> Bool {
        place == path || self != .file && path.contains(place)
    }
}
