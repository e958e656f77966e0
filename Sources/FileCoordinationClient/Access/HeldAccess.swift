// SPDX-License-Identifier: Apache-2.0
//
// An access that is not bound to a call: it is granted and lasts until any thread releases it or
// its process dies (Rules 18.8, 18.13). Other processes can join it with its join token.

package import FileCoordinationArbiter
import FileCoordinationSystem
package import FileCoordinationWire
import Synchronization

/// A granted access that is held.
///
/// May be used from any thread.
package final class HeldAccess: Sendable {
    private let coordinator: Coordinator
    private let access: CoordinatedAccess
    /// The claims of other processes that surround it.
    private let surroundings: SurroundingClaims
    private let isOver = Atomic(false)
    /// The items, with the paths that they had when the access was granted.
    package let items: [GrantedItem]

    /// Examines the items of an access that was just granted, and holds the access from then on.
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

    /// Whether the access is held and was not released; always false in a forked child.
    package var isHeld: Bool { !isOver.load(ordering: .acquiring) && access.session.isOurs }

    /// The purpose with which other processes join the access.
    package var purposeText: String { coordinator.purposeText }

    /// Where an item is, and what was there when a read of it was granted.
    func place(ofItem index: Int) -> (path: [UInt8], sight: ItemToken.Sight?) {
        access.state.withLock { state in
            let item = state.items[index]
            let now = state.moves.place(of: item.place.path)
            return (now.bytes, now == item.place.path ? item.seen : nil)
        }
    }

    /// Whether an item is held for writing.
    package func isWritten(item index: Int) -> Bool { access.requests[index].access.isWriting }

    /// Releases the access, in the process that holds it.
    ///
    /// Further calls have no effect.
    package func release() {
        // In a forked child, locks may be held by threads that do not exist there.
        guard access.session.isOurs, !isOver.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        access.end()
        coordinator.markEnded(access)
    }

    /// The record by which claims that are made inside name it (``Coordinator/hold``).
    package var record: RecordReference { access.claim.record }

    /// The claims around a program that is started while the access is held.
    package var surroundingsOfChildren: SurroundingClaims { surroundings.around(access) }

    /// Announces that an item was moved while the access is held (Rule 11.1).
    package func announceMove(from old: ItemName, to new: ItemName) {
        guard isHeld else { return }
        access.announceMove(from: old, to: new)
    }

    /// What another process needs to join the access while it is held.
    package var joinToken: JoinToken {
        let label = coordinator.label ?? ProcessLabel.text
        return JoinToken(
            purpose: coordinator.purposeText,
            label: label.isEmpty ? CurrentProcess.name : label,
            items: zip(items, access.requests).map {
                JoinToken.HeldItem(path: $0.path, access: $1.access.whenJoined)
            },
            surroundings: surroundingsOfChildren)
    }
}

extension Access {
    /// The access of a process that joins: presenters have already saved, links were followed, and
    /// the items were as its holder had seen them.
    fileprivate var whenJoined: Access {
        switch self {
        case .reading(let options):
            Access.reading(options.union(.withoutChanges)).withoutLinks
        case .writing(let options): Access.writing(options.subtracting(.conditional)).withoutLinks
        }
    }
}

extension Coordinator {
    /// Waits for access on this thread, and holds it.
    ///
    /// - Parameters:
    ///   - items: the items, and how each will be accessed.
    ///   - session: returns this process's session.
    ///   - enclosing: held accesses that the caller releases only afterwards.
    ///   - surroundings: claims of other processes inside which the access is made.
    ///   - timeout: how long to wait; nil for no limit.
    /// - Returns: the held access.
    /// - Throws: ``AccessFailure`` if access was not granted.
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

    /// Waits for access without blocking a thread, and holds it (Rule 18.11).
    package func holdLater(
        _ items: [RequestedItem],
        in session: @escaping @Sendable () throws(AccessFailure) -> Session,
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(AccessFailure) -> HeldAccess {
        let access = try await obtain(
            items, in: session, surroundings: surroundings, timeout: timeout)
        // Code that examines files runs on the blocking work pool, not on the cooperative pool.
        return await BlockingWorkPool.run { HeldAccess(access, of: self, in: surroundings) }
    }

    /// Asks for access and returns at once: for faces whose language waits in its own way.
    ///
    /// Blocks no thread, and needs no task.
    ///
    /// - Parameters:
    ///   - items: the items, and how each will be accessed.
    ///   - session: returns this process's session.
    ///   - enclosing: held accesses that the caller releases only afterwards.
    ///   - surroundings: claims of other processes inside which the access is made.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - onEnd: called once, on a thread of the pool, with the access or with the reason why
    ///     there is none.
    /// - Returns: the wait, for who wants to know what it is for.
    @discardableResult
    package func hold(
        _ items: [RequestedItem],
        in session: @escaping @Sendable () throws(AccessFailure) -> Session,
        enclosing: [RecordReference] = [],
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?,
        onEnd: @escaping @Sendable (Result<HeldAccess, AccessFailure>) -> Void
    ) -> AwaitedHold {
        let hold = AwaitedHold(of: self, surroundings: surroundings, timeout: timeout, onEnd: onEnd)
        // Filing examines files, which may block.
        BlockingWorkPool.start { hold.file(items, in: session, enclosing: enclosing) }
        return hold
    }

    /// Holds access if it is granted without a wait for other programs.
    ///
    /// Blocks the thread while the server, which may have to be started first, examines the claim.
    ///
    /// - Parameters:
    ///   - items: the items, and how each will be accessed.
    ///   - session: returns this process's session.
    ///   - surroundings: claims of other processes inside which the access is made.
    /// - Returns: the held access.
    /// - Throws: ``AccessFailure``: `timedOut`, with those in the way, if it is not granted then.
    package func holdAtOnce(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        surroundings: SurroundingClaims = SurroundingClaims()
    ) throws(AccessFailure) -> HeldAccess {
        let access = try begin(
            items, in: session, surroundings: surroundings, blocksCaller: false)
        defer { endWaiting(access) }
        switch access.takeAtOnce() {
        case .ended(.granted): return HeldAccess(access, of: self, in: surroundings)
        case .ended(.failed(let failure)): throw failure
        case .ended(.cancelled), .ended(.timedOut): throw .cancelled
        case .inTheWay(let parties): throw .timedOut(after: .zero, parties)
        case .unanswered: throw .system(.arbiterUnreachable("the server does not answer"))
        }
    }
}

/// A hold that is waited for.
package struct AwaitedHold: Sendable {
    private let wait: AwaitedAccess
    private let surroundings: SurroundingClaims

    /// Begins the wait, before the access is asked for with ``file(_:in:enclosing:lingering:)``.
    ///
    /// - Parameters:
    ///   - coordinator: who asks for the access.
    ///   - surroundings: claims of other processes inside which the access is made.
    ///   - timeout: how long to wait; nil for no limit.
    ///   - onEnd: called once, with the access or with the reason why there is none.
    package init(
        of coordinator: Coordinator, surroundings: SurroundingClaims, timeout: Duration?,
        onEnd: @escaping @Sendable (Result<HeldAccess, AccessFailure>) -> Void
    ) {
        wait = AwaitedAccess(
            of: coordinator, at: .ofTask, finishing: { job, _ in BlockingWorkPool.start(job) },
            failing: { job, _ in BlockingWorkPool.start(job) })
        self.surroundings = surroundings
        wait.begin(timeout: timeout) { outcome in
            onEnd(outcome.map { HeldAccess($0, of: coordinator, in: surroundings) })
        }
    }

    /// Asks for the access, on this thread, which a file system may block.
    ///
    /// - Parameters:
    ///   - items: the items, and how each will be accessed.
    ///   - session: returns this process's session.
    ///   - enclosing: held accesses that the caller releases only afterwards.
    ///   - lingering: how long this thread waits for the grant; then it calls `onEnd` itself. Later
    ///     a thread of the pool does.
    package func file(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        enclosing: [RecordReference] = [], lingering: Duration = .zero
    ) {
        wait.file(
            items, in: session, enclosing: enclosing, surroundings: surroundings,
            blocksCaller: true, lingering: lingering)
    }

    /// Asks the server what the access waits for; returns nil if no claim is filed yet, or if no
    /// answer came by `deadline`.
    package func explain(until deadline: Instant) -> [Party]? { wait.explain(until: deadline) }

    /// Ends the wait, at once also if the claim is not filed yet.
    package func cancel() { wait.giveUp(.cancelled) }
}
