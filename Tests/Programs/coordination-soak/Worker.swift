// SPDX-License-Identifier: Apache-2.0
//
// A process that coordinates as programs do, at a moderate rate, and writes down what it sees: now
// waiting for a read or a write, now asking for it on a queue; some present a file besides.

import FileCoordination
import Glibc
import Synchronization

/// One process of `kills`, `exits` and `stops`.
final class Worker: Sendable {
    private let options: Options
    private let directory: String
    private let journal: JournalWriter
    private let witness: FilingWitness
    private let isEnding = Atomic(false)

    init(_ options: Options) {
        self.options = options
        directory = options.given("directory")
        let name = options.given("name")
        journal = JournalWriter(directory: directory, name: name)
        witness = FilingWitness(directory: directory, name: name, journal)
        SlowCalls(directory: directory, name: name).watch { [witness] in witness.current }
    }

    /// Works until SIGTERM asks for an end, or SIGUSR1 for an exit in the middle of everything.
    func run() -> Never {
        let signals = [SIGTERM, SIGUSR1]
        Kernel.block(signals)
        Thread.detachNewThread { [self] in
            work()
            exit(0)
        }
        while true {
            if Kernel.take(signals) == SIGUSR1 {
                journal.note(.exiting, 0, 0, isWrite: false)
                exit(0)
            }
            isEnding.store(true, ordering: .relaxed)
        }
    }

    private func work() {
        var dice = Dice(options.seed, options.number("stream", 0))
        let files = options.number("files", 100)
        let presenter = present(options.number("presents", -1))
        let pause = 1000 / max(1, options.number("rate", 25))
        let queue = OperationQueue()
        let own = DispatchQueue(label: "later")
        queue.underlyingQueue = own
        // An operation queue does not retain its underlying queue.
        defer { withExtendedLifetime(own) {} }
        // Claims wait where accessors take long; only then the order of grants can be checked.
        let (hot, work) = (options.number("hot", 3), options.number("work", 10))
        let thread = Kernel.thread
        var access = 0
        while !isEnding.load(ordering: .relaxed) {
            Kernel.pause(milliseconds: dice.below(2 * pause + 1))
            access += 1
            let isHot = dice.once(in: 3)
            let attempt = Attempt(
                number: access, item: dice.below(isHot ? min(hot, files) : files),
                isWrite: dice.below(10) < 6,
                work: isHot ? dice.below(work + 1) : dice.once(in: 4) ? dice.below(3) : 0)
            if dice.once(in: 3) {
                later(attempt, on: queue)
            } else {
                now(attempt, on: thread)
            }
            journal.markProgress(access)
        }
        if let presenter { NSFileCoordinator.removeFilePresenter(presenter) }
    }

    /// One access.
    private struct Attempt: Sendable {
        var number: Int
        var item: Int
        var isWrite: Bool
        var work: Int

        func call(on thread: Int?) -> FilingWitness.Call {
            FilingWitness.Call(number: number, item: item, isWrite: isWrite, thread: thread)
        }
    }

    private func url(_ item: Int) -> URL {
        URL(fileURLWithPath: "\(directory)/files/\(item)", isDirectory: false)
    }

    /// Waits for access on this thread.
    private func now(_ attempt: Attempt, on thread: Int) {
        journal.note(.call, attempt.number, attempt.item, isWrite: attempt.isWrite)
        witness.begin(attempt.number)
        witness.watch(attempt.call(on: thread))
        var failure: NSError?
        let accessor = { (url: URL) in self.accessor(attempt, url) }
        let coordinator = NSFileCoordinator()
        if attempt.isWrite {
            coordinator.coordinate(
                writingItemAt: url(attempt.item), error: &failure, byAccessor: accessor)
        } else {
            coordinator.coordinate(
                readingItemAt: url(attempt.item), error: &failure, byAccessor: accessor)
        }
        if let failure { fail(attempt, failure) }
    }

    /// Asks for access, and waits until the accessor has run on the queue.
    private func later(_ attempt: Attempt, on queue: OperationQueue) {
        let isOver = DispatchSemaphore(value: 0)
        let intent: NSFileAccessIntent =
            attempt.isWrite
            ? .writingIntent(with: url(attempt.item)) : .readingIntent(with: url(attempt.item))
        let path = url(attempt.item)
        journal.note(.call, attempt.number, attempt.item, isWrite: attempt.isWrite)
        witness.begin(attempt.number)
        NSFileCoordinator().coordinate(with: [intent], queue: queue) { [self] error in
            if let error { fail(attempt, error) } else { accessor(attempt, path) }
            isOver.signal()
        }
        witness.watch(attempt.call(on: nil))
        isOver.wait()
    }

    private func fail(_ attempt: Attempt, _ error: any Error) {
        witness.end()
        journal.planRetry(attempt.number, attempt.item, isWrite: attempt.isWrite, error)
    }

    private func accessor(_ attempt: Attempt, _ url: URL) {
        witness.end()
        journal.note(.enter, attempt.number, attempt.item, isWrite: attempt.isWrite)
        do {
            let lock = SideLock(directory: directory, item: attempt.item)
            if let owner = lock.take(isWrite: attempt.isWrite) {
                journal.note(.taken, Int(owner), attempt.item, isWrite: attempt.isWrite)
            }
            if attempt.work > 0 { Kernel.pause(milliseconds: attempt.work) }
            if attempt.isWrite { change(url) }
        }
        journal.note(.leave, attempt.number, attempt.item, isWrite: attempt.isWrite)
    }

    /// Changes the file in place.
    private func change(_ url: URL) {
        let file = open(url.path, O_WRONLY | O_CLOEXEC)
        let bytes = Array("\(Kernel.now)\n".utf8)
        _ = pwrite(file, bytes, bytes.count, 0)
        close(file)
    }

    // MARK: Presenting

    private func present(_ item: Int) -> WorkerPresenter? {
        guard item >= 0 else { return nil }
        let presenter = WorkerPresenter(url(item), item, journal)
        NSFileCoordinator.addFilePresenter(presenter)
        journal.note(.presented, 0, item, isWrite: false)
        return presenter
    }
}

/// A presenter that relinquishes at once, and records that in the journal.
final class WorkerPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let item: Int
    private let journal: JournalWriter
    private let own = DispatchQueue(label: "presenter")

    init(_ url: URL, _ item: Int, _ journal: JournalWriter) {
        presentedItemURL = url
        self.item = item
        self.journal = journal
        presentedItemOperationQueue = OperationQueue()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = own
        super.init()
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        journal.note(.yielded, 0, item, isWrite: false)
        reader { [journal, item] in journal.note(.back, 0, item, isWrite: false) }
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        journal.note(.yielded, 0, item, isWrite: true)
        writer { [journal, item] in journal.note(.back, 0, item, isWrite: true) }
    }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    func presentedItemDidChange() {}
}
