// SPDX-License-Identifier: Apache-2.0
//
// An access for which no thread waits. When its claim is decided, it continues on a queue or a
// thread of a pool, repeatedly if links are followed (Rules 1.5, 13.1). The wait can have a
// deadline and can be given up before the claim is filed (Rules 18.1, 18.2).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// One asynchronous access, until it is granted or fails.
final class AwaitedAccess: Sendable {
    /// Runs a job at some time; calls `dropped` instead if the job will never run.
    typealias Executor =
        @Sendable (
            _ job: @escaping @Sendable () -> Void, _ dropped: @escaping @Sendable () -> Void
        ) -> Void
    typealias Outcome = Result<CoordinatedAccess, AccessFailure>

    private let coordinator: Coordinator
    /// The context of the waiting call, in case a presenter needs the same queue.
    private let place: CallPlace
    /// Runs the jobs that finish granted accesses, which examine files and so may block.
    private let finishing: Executor
    /// Runs the jobs that finish failed accesses.
    private let failing: Executor
    private let state = Lock(State())

    private struct State {
        var wait = AwaitedState<CoordinatedAccess>()
        /// The access, until the wait has ended.
        ///
        /// The access keeps this object alive in order to report to it.
        var access: CoordinatedAccess?
        /// Called once with the outcome.
        var onEnd: (@Sendable (Outcome) -> Void)?
        /// Why the access is given up, also once its claim is filed.
        var givenUp: AccessEnding?
        /// The failure for a deadline that has passed.
        var timeOut: AccessFailure?
        /// The deadline, until the wait has ended.
        var deadline: Deadlines.Key?

        /// The failure for an ending without access.
        func failure(of ending: AccessEnding) -> AccessFailure {
            switch ending {
            case .failed(let failure): failure
            case .timedOut: timeOut ?? .cancelled
            case .cancelled, .granted: .cancelled
            }
        }
    }

    init(
        of coordinator: Coordinator, at place: CallPlace, finishing: @escaping Executor,
        failing: @escaping Executor
    ) {
        self.coordinator = coordinator
        self.place = place
        self.finishing = finishing
        self.failing = failing
    }

    // MARK: Start

    /// Begins the wait, before the claim is filed: that examines files and may take long.
    ///
    /// `onEnd` is called once, by the executor for granted or for failed accesses.
    func begin(timeout: Duration? = nil, onEnd: @escaping @Sendable (Outcome) -> Void) {
        let deadline = timeout.map { timeout in
            Deadlines.add(MonotonicClock.after(timeout)) { [weak self] in
                self?.deadlinePassed(timeout)
            }
        }
        let failure = state.withLock { state -> AccessFailure? in
            if let givenUp = state.givenUp { return state.failure(of: givenUp) }
            state.onEnd = onEnd
            state.deadline = deadline
            return nil
        }
        guard let failure else { return }
        if let deadline { Deadlines.remove(deadline) }
        failing({ onEnd(.failure(failure)) }, {})
    }

    /// Files the claim, unless the access was given up.
    ///
    /// With `lingering`, this thread waits so long for the grant, and then finishes the access
    /// itself: most claims are granted at once, and no other thread need be woken.
    func file(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        enclosing: [RecordReference], surroundings: SurroundingClaims = SurroundingClaims(),
        blocksCaller: Bool, lingering: Duration = .zero
    ) {
        guard state.withLock({ $0.givenUp == nil }) else { return }
        let access: CoordinatedAccess
        do throws(AccessFailure) {
            access = try coordinator.begin(
                items, in: session, enclosing: enclosing, surroundings: surroundings,
                blocksCaller: blocksCaller,
                onEnding: { self.decided($0) })
        } catch {
            return failing({ self.goOn(.failure(error)) }, {})
        }
        beginWait(of: access)
        let givenUp = state.withLock { state in
            state.access = access
            return state.givenUp
        }
        // The outcome is known already. What was filed ends without an accessor, even if it was
        // granted at once.
        if let givenUp { access.giveUp(givenUp) }
        guard lingering > .zero else { return filed(access) }
        filed(access, finishing: Self.atOnce)
        guard access.claim.takeGrant(until: MonotonicClock.after(lingering)),
            let access = state.withLock({ $0.wait.decided(.granted) })
        else { return }
        follow(access, .granted, finishing: Self.atOnce)
    }

    /// Runs jobs on the thread that has them.
    private static let atOnce: Executor = { job, _ in job() }

    /// Asks the server what the access waits for; returns nil if no claim is filed yet, or if no
    /// answer came by `deadline`.
    func explain(until deadline: Instant) -> [Party]? {
        state.withLock { $0.access }?.explain(until: deadline)
    }

    /// Gives the access up, even before its claim is filed.
    func giveUp(_ reason: AccessEnding) {
        if let access = endUnfiled(reason) { access.giveUp(reason) }
    }

    /// Ends the wait at once if no claim is filed yet; else returns the access.
    private func endUnfiled(
        _ reason: AccessEnding, timeOut: AccessFailure? = nil
    ) -> CoordinatedAccess? {
        let (access, end, failure, deadline) = state.withLock { state in
            if let access = state.access {
                return (
                    CoordinatedAccess?.some(access), (@Sendable (Outcome) -> Void)?.none,
                    AccessFailure.cancelled, Deadlines.Key?.none
                )
            }
            // The first reason counts.
            if state.givenUp == nil { (state.givenUp, state.timeOut) = (reason, timeOut) }
            let failure = state.failure(of: state.givenUp ?? reason)
            return (nil, state.onEnd.take(), failure, state.deadline.take())
        }
        if let deadline { Deadlines.remove(deadline) }
        if let end { failing({ end(.failure(failure)) }, {}) }
        return access
    }

    // MARK: Continuation

    private func filed(_ access: CoordinatedAccess, finishing: Executor? = nil) {
        if let ending = state.withLock({ $0.wait.filed(access) }) {
            follow(access, ending, finishing: finishing)
        }
    }

    /// Called on any thread when a claim of the access has been granted or given up.
    private func decided(_ ending: AccessEnding) {
        if let access = state.withLock({ $0.wait.decided(ending) }) { follow(access, ending) }
    }

    private func follow(
        _ access: CoordinatedAccess, _ ending: AccessEnding, finishing: Executor? = nil
    ) {
        guard case .granted = ending else {
            return failing({ self.end(access, ending) }, { self.drop(access) })
        }
        access.queued()
        (finishing ?? self.finishing)(
            {
                let record = access.claim.record
                let finished = access.finishWait()
                self.endWait(of: access, record)
                if let finished { return self.end(access, finished) }
                // The wait continues for the target of a link.
                self.beginWait(of: access)
                self.filed(access)
            },
            {
                // Without its accessor, the claim would never be released.
                self.drop(access)
                access.abandon()
            })
    }

    private func end(_ access: CoordinatedAccess, _ ending: AccessEnding) {
        endWait(of: access, access.claim.record)
        coordinator.endWaiting(access)
        switch ending {
        case .granted: goOn(.success(access))
        case .failed, .timedOut, .cancelled:
            goOn(.failure(state.withLock { $0.failure(of: ending) }))
        }
    }

    /// Ends the wait without an outcome, because the caller no longer expects one.
    private func drop(_ access: CoordinatedAccess) {
        endWait(of: access, access.claim.record)
        coordinator.endWaiting(access)
        _ = takeEnd()
    }

    private func goOn(_ outcome: Outcome) { takeEnd()?(outcome) }

    private func takeEnd() -> (@Sendable (Outcome) -> Void)? {
        let (end, deadline) = state.withLock { state in
            state.access = nil
            return (state.wait.end() ? state.onEnd.take() : nil, state.deadline.take())
        }
        if let deadline { Deadlines.remove(deadline) }
        return end
    }

    private func beginWait(of access: CoordinatedAccess) {
        guard !place.isNowhere else { return }
        access.session.beginWait(access.claim.record, at: place)
    }

    private func endWait(of access: CoordinatedAccess, _ record: RecordReference) {
        guard !place.isNowhere else { return }
        access.session.endWait(record)
    }

    // MARK: Deadlines

    private func deadlinePassed(_ timeout: Duration) {
        let failure = AccessFailure.timedOut(after: timeout, [])
        guard let access = endUnfiled(.timedOut, timeOut: failure) else { return }
        // The server is asked which processes are in the way.
        BlockingWorkPool.start { self.timeOut(access, timeout) }
    }

    private func timeOut(_ access: CoordinatedAccess, _ timeout: Duration) {
        guard access.isWaiting else { return }
        let failure = access.timeOut(after: timeout)
        state.withLock { $0.timeOut = failure }
        access.giveUp(.timedOut)
    }
}
