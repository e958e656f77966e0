// SPDX-License-Identifier: Apache-2.0
//
// The moves that happened while an access runs: by its own accessor, or by another one of this
// process that is nested in it or runs beside it. The moves of one set are simultaneous; the sets
// follow each other.

import FileCoordinationArbiter

/// The moves that an access knows.
struct KnownMoves: Sendable {
    private var sets: [[ItemMove]] = []
    /// All moves; most announcements are new, which this set shows without a search.
    private var all: Set<ItemMove> = []

    /// Whether nothing was moved.
    var isEmpty: Bool { sets.isEmpty }

    /// Adds simultaneous moves.
    mutating func append(_ moves: [ItemMove]) {
        sets.append(moves)
        all.formUnion(moves)
    }

    /// Returns where an item that was at `path` is after all moves.
    func place(of path: ItemPath) -> ItemPath {
        sets.reduce(path) { path, moves in moves.destination(of: path) ?? path }
    }

    /// Whether an item was moved to `path`.
    func leads(to path: ItemPath) -> Bool { all.contains { $0.new == path } }

    /// Whether a move has led from or to `path`, or a directory that contains it.
    func concern(_ path: ItemPath) -> Bool {
        all.contains { move in
            [move.old, move.new].contains { $0 == path || $0.contains(path) }
        }
    }

    /// Whether `move` is known, and no later move concerns either of its paths.
    func isLast(_ move: ItemMove) -> Bool {
        guard all.contains(move) else { return false }
        for moves in sets.reversed() {
            if moves.contains(move) { return true }
            if moves.contains(where: { $0.new == move.old || $0.old == move.new }) { return false }
        }
        return false
    }
}
