// SPDX-License-Identifier: Apache-2.0
//
// Moves that coordinated writers have announced and that the watcher may not know yet. Presenters
// are told of such a move at once, and from then on know everything inside the item by its new
// path. A message that the watcher sent before names the former path.

import FileCoordinationArbiter
import FileCoordinationWatching

/// Recently announced moves, in their order.
struct AnnouncedMoves {
    fileprivate struct Move {
        let from: ItemPath
        let to: ItemPath
        let claim: ClaimID
        /// Messages of the watcher that had seen this many commands name the new path.
        var knownFrom = UInt64.max
        var until = UInt64.max
    }

    /// How long moves are kept after the end of their claim, in nanoseconds: longer than the time
    /// limits of the watcher.
    private static let retention: UInt64 = 3_000_000_000
    /// The most moves that are kept; older ones are then discarded earlier.
    private static let most = 1024

    private var moves: [Move] = []

    /// Records a move at the time of its announcement.
    mutating func add(_ move: ItemMove, by claim: ClaimID) {
        if moves.count >= Self.most { moves.removeFirst(Self.most / 2) }
        moves.append(Move(from: move.old, to: move.new, claim: claim))
    }

    /// Records that the watcher was told of the end of a claim.
    mutating func end(_ claim: ClaimID, knownFrom: UInt64, at now: UInt64) {
        guard !moves.isEmpty else { return }
        moves.removeAll { $0.until <= now }
        for index in moves.indices
        where moves[index].claim == claim && moves[index].knownFrom == .max {
            moves[index].knownFrom = knownFrom
            moves[index].until = now + Self.retention
        }
    }

    /// Returns a change with the paths that presenters know, if the watcher had seen so many
    /// commands when it sent the change.
    ///
    /// If the moved item itself has changed, the result is two changes: another item may have taken
    /// the former path, and the watcher may have seen either of them.
    func follow(_ change: WatchedChange, commandsSeen: UInt64) -> [WatchedChange] {
        guard !moves.isEmpty else { return [change] }
        var changes = [change]
        for move in moves where commandsSeen < move.knownFrom {
            changes = changes.flatMap { move.follow($0) }
        }
        return changes
    }
}

extension AnnouncedMoves.Move {
    fileprivate func follow(_ change: WatchedChange) -> [WatchedChange] {
        var followed = change
        followed.path = follow(change.path)
        switch change.what {
        case .moved(let former):
            followed.what = .moved(former: follow(former))
            if change.path == from { followed.path = to }
        case .changed where change.path == from:
            followed.path = to
            return [change, followed]
        case .appeared, .changed, .deleted: break
        }
        return [followed]
    }

    /// The path of an item inside the moved one.
    private func follow(_ path: ItemPath) -> ItemPath {
        from.contains(path) ? path.replacingPrefix(depth: from.depth, by: to) : path
    }
}
