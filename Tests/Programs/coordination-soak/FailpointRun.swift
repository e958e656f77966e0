// SPDX-License-Identifier: Apache-2.0
//
// A process that uses every function once: it presents, reads, writes, gives up, moves, and
// coordinates asynchronously. So it reaches every failpoint, and can be made to die there; a
// process that does not die prints that.

import FileCoordination
import FileCoordinationSystem
import Glibc

/// The role `tour`.
final class FailpointRun: Sendable {
    private let options: Options
    private let directory: String
    private let goal: Int

    init(_ options: Options) {
        self.options = options
        directory = options.given("directory")
        goal = options.number("goal", 10)
    }

    /// Says "ready", takes a line, goes round, says "done", takes another line and leaves.
    func run() -> Never {
        say("ready")
        _ = readLine()
        let presenter = TourPresenter(url("shared"))
        NSFileCoordinator.addFilePresenter(presenter)
        say("presents")
        for round in 0..<goal {
            note(round)
            if round == 1 { giveUp() }
            if round == 2 { move() }
            if round == 3 { later() }
            if round == 4 { read() }
        }
        NSFileCoordinator.removeFilePresenter(presenter)
        say("done")
        while readLine() != nil {}
        exit(0)
    }

    private func url(_ name: String) -> URL {
        URL(fileURLWithPath: "\(directory)/\(name)", isDirectory: false)
    }

    private func coordinate(_ url: URL, _ body: (URL) -> Void) {
        var failure: NSError?
        NSFileCoordinator().coordinate(writingItemAt: url, error: &failure, byAccessor: body)
        if let failure { say("error \(failure)") }
    }

    /// Adds a line to the shared file: its own number, as far as the file's length tells.
    private func note(_ round: Int) {
        coordinate(url("shared")) { url in
            let file = open(url.path, O_RDWR | O_APPEND | O_CLOEXEC)
            defer { close(file) }
            let length = CounterLine.length
            let lines = Int(lseek(file, 0, SEEK_END)) / length
            sched_yield()
            let line = CounterLine(
                value: lines + 1, process: getpid(), sequence: round, hasRepaired: false)
            _ = write(file, line.bytes, length)
        }
    }

    private func read() {
        var failure: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url("shared"), error: &failure) { _ in }
        if let failure { say("error \(failure)") }
    }

    /// Waits for what this process holds itself, and is cancelled.
    private func giveUp() {
        let own = url("own.\(getpid())")
        coordinate(own) { _ in
            let waiting = NSFileCoordinator()
            let isOver = DispatchSemaphore(value: 0)
            let queue = OperationQueue()
            let intent = NSFileAccessIntent.writingIntent(with: own)
            waiting.coordinate(with: [intent], queue: queue) { error in
                if error == nil { say("error: a cancelled call was granted") }
                isOver.signal()
            }
            waiting.cancel()
            isOver.wait()
        }
    }

    /// Moves an item that it presents itself, in a directory of its own.
    private func move() {
        let from = url("from.\(getpid())")
        let to = url("to.\(getpid())")
        close(open(from.path, O_CREAT | O_WRONLY, 0o600))
        let presenter = TourPresenter(from)
        NSFileCoordinator.addFilePresenter(presenter)
        let coordinator = NSFileCoordinator()
        var failure: NSError?
        coordinator.coordinate(writingItemAt: from, options: .forMoving, error: &failure) { url in
            coordinator.item(at: url, willMoveTo: to)
            guard rename(url.path, to.path) == 0 else { return say("error: no rename") }
            coordinator.item(at: url, didMoveTo: to)
        }
        if let failure { say("error \(failure)") }
        NSFileCoordinator.removeFilePresenter(presenter)
    }

    private func later() {
        let isOver = DispatchSemaphore(value: 0)
        let intent = NSFileAccessIntent.readingIntent(with: url("shared"))
        NSFileCoordinator().coordinate(with: [intent], queue: OperationQueue()) { error in
            if let error { say("error \(error)") }
            isOver.signal()
        }
        isOver.wait()
    }
}

/// A presenter that answers everything at once.
final class TourPresenter: NSObject, NSFilePresenter, Sendable {
    private let place: Lock<URL>
    let presentedItemOperationQueue: OperationQueue
    private let own = DispatchQueue(label: "presenter")

    init(_ url: URL) {
        place = Lock(url)
        presentedItemOperationQueue = OperationQueue()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = own
        super.init()
    }

    var presentedItemURL: URL? { place.withLock { $0 } }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader {} }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer {} }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }

    func presentedItemDidMove(to newURL: URL) { place.withLock { $0 = newURL } }
    func presentedItemDidChange() {}
}
