// SPDX-License-Identifier: Apache-2.0
//
// The two ways of waiting that hold no thread: for an accessor that runs on a queue, and in a task
// (Rules 13.1, 18.11).

extension Coordinator {
    /// Adds `run` to a queue; calls `dropped` if the queue gives it up without running it.
    package typealias Enqueue =
        @Sendable (
            _ run: @escaping @Sendable () -> Void, _ dropped: @escaping @Sendable () -> Void
        ) -> Void

    /// Asks for access and returns at once; `accessor` runs on the queue behind `enqueue`, once,
    /// with access or with the reason why there is none (Rules 13.1, 13.2).
    package func access(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        on enqueue: @escaping Enqueue,
        accessor: @escaping @Sendable (Result<[GrantedItem], AccessFailure>) -> Void
    ) {
        let wait = AwaitedAccess(
            of: self, at: CallPlace(), finishing: enqueue, failing: enqueue)
        wait.file(
            items, in: session, enclosing: AccessorStack.current, blocksCaller: false
        ) { outcome in
            switch outcome {
            case .success(let access):
                self.run(access) { accessor(.success($0)) }
                self.placePresenter()
            case .failure(let failure): accessor(.failure(failure))
            }
        }
    }

    /// Waits for access without holding a thread; cancelling the task, or the deadline, ends the
    /// wait (Rules 18.1, 18.2, 18.11).
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
        // The task goes on once, when all is done: what is done for ten thousand of them must not
        // keep the pool's few threads from others. Unsafe, because it is resumed in one place.
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation(isolation: isolation) { waiter in
                // Filing looks at files.
                BlockingWorkPool.start {
                    wait.file(
                        items, in: session, enclosing: enclosing, surroundings: surroundings,
                        blocksCaller: true, timeout: timeout
                    ) { waiter.resume(returning: $0) }
                }
            }
        } onCancel: {
            wait.giveUp(.cancelled)
        }
        return try outcome.get()
    }
}
