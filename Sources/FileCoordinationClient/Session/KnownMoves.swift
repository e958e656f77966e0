// SPDX-License-Identifier: Apache-2.0
//
// What has been moved while an access runs: by its own accessor, or by another one of this process
// that is nested in it or runs beside it. Sets of moves, one after the other; those of one set
// happened at once.

import FileCoordinationArbiter

/// The moves that an access knows of.
struct KnownMoves: Sendable {
    private var sets: [[ItemMove]] = []
    /// Each of them; most announcements are news, and need no look at all the others.
    private var all: Set<ItemMove> = []

    /// Adds moves that happened at once.
    mutating func append(_ moves: [ItemMove]) {
        sets.append(moves)
        all.formUnion(moves)
    }

    /// Where the item that was at `path` is after all of them.
    func place(of path: ItemPath) -> ItemPath {
        sets.reduce(path) { path, moves in moves.destination(of: path) ?? path }
    }

    /// Whether something was moved to `path`.
    func leads(to path: ItemPath) -> Bool { all.contains { $0.new == path } }

    /// Whether `move` has been said, and nothing since that concerns either of its ends.
    func isLast(_ move: ItemMove) -> Bool {
        guard all.contains(move) else { return false }
        for moves in sets.reversed() {
            if moves.contains(move) { return true }
            if moves.contains(where: { $0.new == move.old || $0.old == move.new }) { return false }
        }
        return false
    }
}
