// SPDX-License-Identifier: Apache-2.0
//
// The accesses of this process whose accessors are running. A move by one of them concerns the
// others, because they are nested in it, surround it, or have the same purpose.

import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Records that an accessor starts.
    func markRunning(_ access: CoordinatedAccess) {
        liftLeases(for: access, true)
        state.withLock { $0.running.append(access) }
    }

    /// Records that an accessor has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { state in
            if let index = state.running.lastIndex(where: { $0 === access }) {
                state.running.remove(at: index)
            }
        }
        liftLeases(for: access, false)
    }

    /// Adds moves to all running accesses, so that none of them infers these moves as its own.
    func ignoreMoves(_ moves: [ItemMove]) {
        for access in state.withLock({ $0.running }) {
            access.state.withLock { $0.moves.append(moves) }
        }
    }

    /// Drops the leases of presenters on whose behalf this process writes, or takes them again.
    ///
    /// Such a presenter is not asked (Rule 4.5), and the writer would wait at its lease.
    func liftLeases(for access: CoordinatedAccess, _ isLifted: Bool) {
        guard leaseGuards.withLock({ $0 != nil }),
            access.plan.requests.contains(where: { $0.access.isWriting })
        else { return }
        for entry in state.withLock({ $0.presenters })
        where entry.registration.purpose == access.plan.purpose {
            entry.leaseGuard?.lift(isLifted)
        }
    }
}
