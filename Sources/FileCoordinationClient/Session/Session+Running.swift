// SPDX-License-Identifier: Apache-2.0
//
// The accesses of this process whose accessors are running. A move by one of them concerns the
// others, because they are nested in it, surround it, or have the same purpose.

import FileCoordinationArbiter
import FileCoordinationSystem

extension Session {
    /// Records that an accessor starts.
    func markRunning(_ access: CoordinatedAccess) {
        liftLeases(for: access)
        state.withLock { $0.running.append(access) }
    }

    /// Records that an accessor has returned.
    func markEnded(_ access: CoordinatedAccess) {
        state.withLock { state in
            if let index = state.running.lastIndex(where: { $0 === access }) {
                state.running.remove(at: index)
            }
        }
        restoreLeases(after: access)
    }

    /// Adds moves to all running accesses, so that none of them infers these moves as its own.
    func ignoreMoves(_ moves: [ItemMove]) {
        for access in state.withLock({ $0.running }) {
            access.state.withLock { $0.moves.append(moves) }
        }
    }

    /// Drops the leases of presenters on whose behalf this process writes.
    ///
    /// Such a presenter is not asked (Rule 4.5), and the writer would wait at its lease.
    private func liftLeases(for access: CoordinatedAccess) {
        guard leaseGuards.withLock({ $0 != nil }),
            access.plan.requests.contains(where: { $0.access.isWriting })
        else { return }
        let guards = state.withLock { state in
            state.presenters.filter { $0.registration.purpose == access.plan.purpose }
                .compactMap(\.leaseGuard)
        }
        access.state.withLock { $0.liftedGuards = guards }
        for leaseGuard in guards { leaseGuard.lift(true) }
    }

    /// Has the leases that an access has dropped taken again.
    ///
    /// Presenters may have been registered or removed meanwhile: exactly the guards that were
    /// lifted are restored.
    private func restoreLeases(after access: CoordinatedAccess) {
        // Once there is a guard, the thread stays.
        guard leaseGuards.withLock({ $0 != nil }) else { return }
        let guards = access.state.withLock { state in
            defer { state.liftedGuards = [] }
            return state.liftedGuards
        }
        for leaseGuard in guards { leaseGuard.lift(false) }
    }
}
