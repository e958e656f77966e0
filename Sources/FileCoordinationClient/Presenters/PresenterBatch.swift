// SPDX-License-Identifier: Apache-2.0
//
// Messages that came together, on their way to the queues of the presenters that they are for. A
// file can have a thousand presenters in one process, and as a rule they share a queue: then an
// operation for each costs more than everything else that is done for it.

/// Messages that came together; used on one thread, which commits it.
///
/// On a queue that does one thing at a time, one operation calls many presenters, in the order in
/// which they were added: nothing that such a queue promises is lost (Rule 5.3). On any other queue
/// each message is an operation, because there a method that takes long blocks no other presenter.
package final class PresenterBatch {
    /// One message, as it is to be carried out on the queue.
    package typealias Step = @Sendable () -> Void

    private struct QueueSteps {
        let queue: any PresenterQueue
        var steps: [Step] = []
    }

    /// So many go into one operation; then others of the queue have their turn.
    private static let longestRun = 64

    private let beforeRun: Step
    private let afterRun: Step
    private var queues: [ObjectIdentifier: QueueSteps] = [:]
    /// The mailboxes that have added something, and go on when it is on its queue.
    private var contributors: [ObjectIdentifier: PresenterMailbox] = [:]

    /// An empty batch; what is given is called around each run of several steps, on the queue, and
    /// around what they led to and left to the batch.
    package init(
        beforeRun: @escaping Step = {}, afterRun: @escaping Step = {}
    ) {
        self.beforeRun = beforeRun
        self.afterRun = afterRun
    }

    /// Adds what a mailbox wants done on its presenter's queue.
    func add(on queue: any PresenterQueue, by mailbox: PresenterMailbox, _ step: @escaping Step) {
        queues[ObjectIdentifier(queue), default: QueueSteps(queue: queue)].steps.append(step)
        contributors[ObjectIdentifier(mailbox)] = mailbox
    }

    /// Puts everything on its queue, and then what was decided meanwhile.
    package func commit() {
        while !contributors.isEmpty {
            for entry in queues.values { enqueue(entry.steps[...], on: entry.queue) }
            let former = contributors
            queues = [:]
            contributors = [:]
            // A queue that was quick may have called all of them by now, and left it to us to pass
            // on what they answered.
            beforeRun()
            for mailbox in former.values { mailbox.goOn(in: self) }
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

/// Several steps that are one operation.
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
            // Its owner wants nothing to start there now, or several things at a time.
            if index > steps.startIndex, queue.isSuspended || !queue.isSerial {
                return postpone(from: index)
            }
            steps[index]()
        }
    }

    /// Leaves the rest to operations that come before all that were added since.
    private func postpone(from index: Int) {
        let rest = PresenterRun(steps[index...], on: queue, before, after)
        let later = queue.isSerial ? [{ rest.perform() }] : Array(steps[index...])
        for step in later { queue.addFirst(step) }
    }
}
