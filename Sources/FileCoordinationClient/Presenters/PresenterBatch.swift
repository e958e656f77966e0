// SPDX-License-Identifier: Apache-2.0
//
// Delivers messages that arrived together to the queues of their presenters. A file can have a
// thousand presenters in one process, which usually share a queue. One operation for each message
// would then cost more than all other work.

/// Messages that arrived together.
///
/// Used by one thread, which calls ``commit()`` at the end.
///
/// On a serial queue, one operation calls many presenters in the order of their messages; this
/// preserves everything that such a queue promises (Rule 5.3). On other queues, each message is an
/// operation, so that a slow method blocks no other presenter.
package final class PresenterBatch {
    /// The delivery of one message, to be run on the queue.
    package typealias Step = @Sendable () -> Void

    private struct QueueSteps {
        let queue: any PresenterQueue
        var steps: [Step] = []
    }

    /// The most steps in one operation; then other operations of the queue have their turn.
    private static let longestRun = 64

    private let beforeRun: Step
    private let afterRun: Step
    /// In most cases all presenters share one queue.
    private var queues: [QueueSteps] = []
    /// The mailboxes that have added steps, each once.
    ///
    /// They continue when those are on their queues.
    private var contributors: [PresenterMailbox] = []

    /// Creates an empty batch.
    ///
    /// The closures are called around each operation of several steps, on the queue, and around the
    /// work that the steps have left to the batch.
    package init(
        beforeRun: @escaping Step = {}, afterRun: @escaping Step = {}
    ) {
        self.beforeRun = beforeRun
        self.afterRun = afterRun
    }

    /// Adds a step for the queue of a mailbox's presenter.
    func add(on queue: any PresenterQueue, _ step: @escaping Step) {
        if let index = queues.firstIndex(where: { $0.queue === queue }) {
            queues[index].steps.append(step)
        } else {
            queues.append(QueueSteps(queue: queue, steps: [step]))
        }
    }

    /// Notes that a mailbox has added steps for the first time since the last ones were enqueued.
    func note(_ contributor: PresenterMailbox) { contributors.append(contributor) }

    /// Adds all steps to their queues, and then those that were decided meanwhile.
    package func commit() {
        while !contributors.isEmpty || !queues.isEmpty {
            for entry in queues { enqueue(entry.steps[...], on: entry.queue) }
            let former = contributors
            queues = []
            contributors = []
            // A fast queue may have run the steps already and left it to this thread to pass on the
            // answers.
            beforeRun()
            for mailbox in former { mailbox.goOn(in: self) }
            afterRun()
        }
    }

    private func enqueue(_ steps: ArraySlice<Step>, on queue: any PresenterQueue) {
        guard steps.count > 1, queue.isSerial else {
            for step in steps { queue.add(step) }
            return
        }
        var rest = steps
        while !rest.isEmpty {
            let run = PresenterRun(rest.prefix(Self.longestRun), on: queue, beforeRun, afterRun)
            rest = rest.dropFirst(Self.longestRun)
            queue.add { run.perform() }
        }
    }
}

/// Several steps that run as one operation.
private struct PresenterRun: Sendable {
    private let steps: ArraySlice<PresenterBatch.Step>
    private let queue: any PresenterQueue
    private let before: PresenterBatch.Step
    private let after: PresenterBatch.Step

    init(
        _ steps: ArraySlice<PresenterBatch.Step>, on queue: any PresenterQueue,
        _ before: @escaping PresenterBatch.Step, _ after: @escaping PresenterBatch.Step
    ) {
        self.steps = steps
        self.queue = queue
        self.before = before
        self.after = after
    }

    func perform() {
        before()
        defer { after() }
        for index in steps.indices {
            // The owner of the queue has suspended it or made it concurrent.
            if index > steps.startIndex, queue.isSuspended || !queue.isSerial {
                return postpone(from: index)
            }
            steps[index]()
        }
    }

    /// Moves the remaining steps to new operations at the front of the queue.
    private func postpone(from index: Int) {
        let rest = PresenterRun(steps[index...], on: queue, before, after)
        let later = queue.isSerial ? [{ rest.perform() }] : Array(steps[index...])
        for step in later { queue.addFirst(step) }
    }
}
