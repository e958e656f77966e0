// SPDX-License-Identifier: Apache-2.0
//
// The two kinds of access that block no thread while they wait: for an accessor on a queue, and in
// a task (Rules 13.1, 18.11).

extension Coordinator {
    /// Adds `run` to a queue; calls `dropped` if the queue discards it without running it.
    package typealias Enqueue =
        @Sendable (
            _ run: @escaping @Sendable () -> Void, _ dropped: @escaping @Sendable () -> Void
        ) -> Void

    /// Requests access and returns at once.
    ///
    /// `accessor` is called once, on the queue behind `enqueue`, with the granted items or the
    /// failure (Rules 13.1, 13.2).
    package func access(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        on enqueue: @escaping Enqueue,
        accessor: @escaping @Sendable (Result<[GrantedItem], AccessFailure>) -> Void
    ) {
        let wait = AwaitedAccess(
            of: self, at: CallPlace(), finishing: enqueue, failing: enqueue)
        wait.begin { outcome in
            switch outcome {
            case .success(let access):
                self.run(access) { accessor(.success($0)) }
                self.placePresenter()
            case .failure(let failure): accessor(.failure(failure))
            }
        }
        wait.file(items, in: session, enclosing: AccessorStack.current, blocksCaller: false)
    }

    /// Waits for access in a task without blocking a thread.
    ///
    /// Cancelling the task, or the deadline, ends the wait (Rules 18.1, 18.2, 18.11).
    package func obtain(
        _ items: [RequestedItem],
        in session: @escaping @Sendable () throws(AccessFailure) -> Session,
        surroundings: SurroundingClaims = SurroundingClaims(), timeout: Duration?,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(AccessFailure) -> CoordinatedAccess {
        let wait = AwaitedAccess(
            of: self, at: .ofTask, finishing: { job, _ in BlockingWorkPool.start(job) },
            failing: { job, _ in job() })
        let enclosing = AccessorStack.current
        // The task is resumed once, when everything is done, so that ten thousand tasks do not
        // occupy the few threads of the cooperative pool. An unsafe continuation suffices, because
        // it is resumed in one place.
        let outcome = await withTaskCancellationHandler {
            unsafe await withUnsafeContinuation(isolation: isolation) { waiter in
                wait.begin(timeout: timeout) { unsafe waiter.resume(returning: $0) }
                // Filing examines files.
                BlockingWorkPool.start {
                    wait.file(
                        items, in: session, enclosing: enclosing, surroundings: surroundings,
                        blocksCaller: true)
                }
            }
        } onCancel: {
            wait.giveUp(.cancelled)
        }
        return try outcome.get()
    }
}
