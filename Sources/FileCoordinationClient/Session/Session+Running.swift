// SPDX-License-Identifier: Apache-2.0
//
// The accesses of this process whose accessors are running. A move by one of them concerns the
// others, because they are nested in it, surround it, or have the same purpose.

import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Records that an accessor starts.
    func markRunning(_ access: CoordinatedAccess) {
        state.withLock { $0.running.append(access) }
    }

    /// Records that an accessor has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { state in
            if let index = state.running.lastIndex(where: { $0 === access }) {
                state.running.remove(at: index)
            }
        }
    }

    /// Adds moves to all running accesses, so that none of them infers these moves as its own.
    func ignoreMoves(_ moves: [ItemMove]) {
        for access in state.withLock({ $0.running }) {
            access.state.withLock { $0.moves.append(moves) }
        }
    }
}
