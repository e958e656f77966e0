// SPDX-License-Identifier: Apache-2.0
//
// The accesses of this process whose accessors run. A move that one of them makes concerns the
// others: they are nested in it, or it in them, or they have one purpose.

import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Records that an accessor starts.
    func markRunning(_ access: CoordinatedAccess) {
        state.withLock { $0.running.append(access) }
    }

    /// Records that it has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { state in
            if let index = state.running.lastIndex(where: { $0 === access }) {
                state.running.remove(at: index)
            }
        }
    }

    /// Lets all of them know of moves, so that none of them takes them for its own.
    func ignoreMoves(_ moves: [ItemMove]) {
        for access in state.withLock({ $0.running }) {
            access.state.withLock { $0.moves.append(moves) }
        }
    }
}
