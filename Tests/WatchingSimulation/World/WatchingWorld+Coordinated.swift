// SPDX-License-Identifier: Apache-2.0
//
// Worlds in which all writers coordinate. Each change is announced by its claim, so whatever the
// watcher reports as another program's is wrong.

import FileCoordinationArbiter
import FileCoordinationWatching

extension WatchingWorld {
    /// One access in a tree of many directories, which are often moved.
    mutating func stepBusily() {
        accessBusily()
        now += 200_000 + UInt64(dice.below(1_500)) * 1_000
        if dice.one(in: 8) { return }
        deliver(64)
        carryOut(64)
        carryOut(64)
        endTurn()
    }

    private mutating func accessBusily() {
        let top = ["r"]
        let directory = anyDirectory(below: top)
        let file = directory + ["f\(dice.below(4))"]
        switch dice.below(16) {
        case 0...3: accessAlone(file, 4)
        case 4...6: accessAlone(directory + ["d\(dice.below(3))"], 2)
        case 7, 8: accessAlone(file, 9)
        case 9: if directory != top { accessAlone(directory, 9) }
        case 10: accessAlone(file, 8)
        case 11...13: moveInOneAccess(file, anyDirectory(below: top) + ["f\(dice.below(4))"])
        default:
            if directory != top {
                moveInOneAccess(directory, anyDirectory(below: top) + ["d\(dice.below(3))"])
            }
        }
    }

    private mutating func anyDirectory(below top: [String]) -> [String] {
        var path = top
        while dice.one(in: 2), path.count < 4 { path.append("d\(dice.below(3))") }
        return path
    }

    private mutating func accessAlone(_ path: [String], _ kind: Int) {
        begin([path])
        if kind == 4, files.find(path) == nil { perform(0, path, path, [.coordinated]) }
        perform(kind, path, path, [.coordinated])
        finish(nextClaim - 1)
    }

    private mutating func moveInOneAccess(_ path: [String], _ other: [String]) {
        guard !other.starts(with: path), !path.starts(with: other), files.find(path) != nil else {
            return
        }
        begin([path, other])
        change([.coordinated], path, other) { $0.rename(path, other) }
        finish(nextClaim - 1)
    }

    /// One whole access of a coordinated writer, which changes the items of its claim alone.
    mutating func coordinateAlone() {
        let path = anyPath()
        guard path.count > 1 else { return }
        if dice.one(in: 3) {
            let other = anyPath()
            guard other.count > 1, !other.starts(with: path), !path.starts(with: other) else {
                return
            }
            settleLate([path, other])
            let isAlone = claimsFormerPathAlone(path, other)
            begin(isAlone ? [path] : [path, other])
            change([.coordinated], path, other) { $0.rename(path, other) }
            if isAlone { announceMove(to: other) }
        } else {
            begin([path])
            let isDirectory = files.find(path).map { files[$0].isDirectory } ?? false
            let kinds = isDirectory ? [8, 9] : [0, 2, 4, 4, 8, 9]
            perform(kinds[dice.below(kinds.count)], path, path, [.coordinated])
        }
        finish(nextClaim - 1)
    }

    /// Whether a mover claims its item's former path alone, and announces the new one.
    private mutating func claimsFormerPathAlone(_ path: [String], _ other: [String]) -> Bool {
        writesMoved && moveDice.one(in: 2) && files.find(path) != nil && files.find(other) == nil
    }

    /// The latest claim says where it has moved its item.
    private mutating func announceMove(to path: [String]) {
        guard let claim = claims.last, let former = claim.paths.first,
            let from = ItemPath(texts: former), let to = ItemPath(texts: path)
        else { return }
        claims[claims.endIndex - 1].arrival = path
        note("claim \(claim.number) announces \(to)")
        reconciler.handle(.claimExtended(claim.number, [ItemMove(from: from, to: to)]), at: now)
    }

    /// Complains if a change is reported as a plain program's.
    ///
    /// If a writer has moved a directory from a path without presenters, the watcher cannot know
    /// which items inside came along, so their reports may be of either origin. So may those about
    /// writes of which it learns late: it may name their items by other directories.
    mutating func checkIsCoordinated(_ news: WatchNews, _ view: PresenterView) {
        guard case .changes(let changes) = news.body,
            let wrong = changes.first(where: { change in
                switch change.origin {
                case .coordinated: false
                case .uncoordinated: true
                case .either:
                    // The view may already have read a state that is later than its messages.
                    !lateNames.contains(change.path.texts.last ?? "") && change.what != .appeared
                        && (change.what != .deleted || view.items[change.path] != nil)
                        // Claims may name the presenter's item by a path that it does not know.
                        && (change.what != .deleted || change.path != view.path)
                        // The deletion of the directory says this already.
                        && !changes.contains {
                            $0.what == .deleted && $0.path.contains(change.path)
                        }
                }
            })
        else { return }
        outcome.complaint =
            "presenter \(news.presenter) is told of \(wrong), and all writers coordinate"
    }
}
