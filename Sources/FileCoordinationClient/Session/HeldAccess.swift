// SPDX-License-Identifier: Apache-2.0
//
// An access that no call stands for: it is granted, and lasts until it is released, by whatever
// thread, or until its process dies (Rules 18.8, 18.13). Other processes join it by its join token.

import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// A granted access that is held.
///
/// May be used from any thread.
package final class HeldAccess: Sendable {
    private let coordinator: Coordinator
    private let access: CoordinatedAccess
    /// The claims around it in other processes.
    private let surroundings: SurroundingClaims
    private let isOver = Atomic(false)
    /// Where the items are.
    package let items: [GrantedItem]

    /// Looks at the items of an access that was granted just now; from here on it is held.
    fileprivate init(
        _ access: CoordinatedAccess, of coordinator: Coordinator, in surroundings: SurroundingClaims
    ) {
        self.access = access
        self.coordinator = coordinator
        self.surroundings = surroundings
        items = access.grantedItems.0
        access.begin()
        coordinator.markRunning(access)
    }

    /// Whether it was not released; always false in a forked child, which holds nothing.
    package var isHeld: Bool { !isOver.load(ordering: .acquiring) && access.session.isOurs }

    /// The purpose under which others join it.
    package var purposeText: String { coordinator.purposeText }

    /// Releases it, once, and in the process that holds it.
    ///
    /// More has no effect.
    package func release() {
        // In a forked child locks may be held by threads that are not there.
        guard access.session.isOurs, !isOver.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        access.end()
        coordinator.markEnded(access)
    }

    /// What it is to claims that are made inside (``Coordinator/hold``).
    package var record: RecordReference { access.claim.record }

    /// Makes known that an item was moved, while it is held (Rule 11.1).
    package func announceMove(from old: ItemName, to new: ItemName) {
        guard isHeld else { return }
        access.announceMove(from: old, to: new)
    }

    /// What another process needs to join it, while it is held.
    package var joinToken: JoinToken {
        let label = coordinator.label ?? ProcessLabel.text
        return JoinToken(
            purpose: coordinator.purposeText,
            label: label.isEmpty ? CurrentProcess.name : label,
            items: zip(items, access.requests).map {
                JoinToken.HeldItem(path: $0.path, access: $1.access.whenJoined)
            },
            surroundings: surroundings.around(access))
    }
}

extension Access {
    /// What a process wants that joins the access: presenters have saved, links were followed.
    fileprivate var whenJoined: Access {
        switch self {
        case .reading(let options):
            .reading(options.union(.withoutChanges).subtracting(.resolvesSymbolicLink))
        case .writing: self
        }
    }
}

extension Coordinator {
    /// Waits for access on this thread, and holds it.
    ///
    /// - Parameter enclosing: held accesses that the caller releases only afterwards.
    package func hold(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        enclosing: [RecordReference] = [],
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?
    ) throws(AccessFailure) -> HeldAccess {
        let access = try begin(
            items, in: session, enclosing: AccessorStack.current + enclosing,
            surroundings: surroundings)
        let ending = access.wait(timeout: timeout)
        endWaiting(access)
        switch ending {
        case .granted: return HeldAccess(access, of: self, in: surroundings)
        case .failed(let failure): throw failure
        case .cancelled, .timedOut: throw .cancelled
        }
    }

    /// Waits for access without holding a thread, and holds it (Rule 18.11).
    package func holdLater(
        _ items: [RequestedItem],
        in session: @escaping @Sendable () throws(AccessFailure) -> Session,
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(AccessFailure) -> HeldAccess {
        let access = try await obtain(
            items, in: session, surroundings: surroundings, timeout: timeout)
        // What looks at files is done on threads of ours, not on the pool's.
        return await BlockingWorkPool.run { HeldAccess(access, of: self, in: surroundings) }
    }

    /// Asks for access and returns at once: for faces whose language waits in its own way.
    ///
    /// Holds no thread, and needs no task.
    ///
    /// - Parameters:
    ///   - enclosing: held accesses that the caller releases only afterwards.
    ///   - onEnd: called once, on a thread of the pool, with the access or with the reason why
    ///     there is none.
    package func hold(
        _ items: [RequestedItem],
        in session: @escaping @Sendable () throws(AccessFailure) -> Session,
        enclosing: [RecordReference] = [],
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?,
        onEnd: @escaping @Sendable (Result<HeldAccess, AccessFailure>) -> Void
    ) {
        let wait = AwaitedAccess(
            of: self, at: .ofTask, finishing: { job, _ in BlockingWorkPool.start(job) },
            failing: { job, _ in BlockingWorkPool.start(job) })
        // Filing looks at files.
        BlockingWorkPool.start {
            wait.file(
                items, in: session, enclosing: enclosing, surroundings: surroundings,
                blocksCaller: true, timeout: timeout
            ) { outcome in
                onEnd(outcome.map { HeldAccess($0, of: self, in: surroundings) })
            }
        }
    }
}
