// SPDX-License-Identifier: Apache-2.0
//
// Ordinary claims by the million, alone, several at once, nested in one order, and with presenters
// that save by claims of their own: no process waits for itself, so no call may fail (Rule 18.4).

import FileCoordination
import FileCoordinationSystem
import Glibc

/// The proof `cycles`.
struct Cycles {
    private let options: Options
    private let field: Field

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
    }

    func run() throws -> Verdict {
        let count = options.number("count", 1_000_000)
        let processes = options.number("processes", 8)
        try field.makeFiles(options.number("files", 12))
        var verdict = Verdict()
        let began = Kernel.now
        var running: [pid_t] = []
        for number in 0..<processes {
            running.append(
                try field.start(
                    "claim",
                    [
                        "directory": field.directory, "seed": "\(options.seed)",
                        "number": "\(number)", "count": "\(count / processes)",
                        "threads": "\(options.number("threads", 4))",
                        "files": "\(options.number("files", 12))",
                    ]))
        }
        let patience = 120 + Double(count) / 50
        for process in running {
            let status = field.reap(process, seconds: patience)
            verdict.demand(status == 0, "process \(process) ended with \(status ?? -1)")
        }
        let seconds = Double(Kernel.now - began) / 1e9
        let tally = try (0..<processes).map { try Tally(of: $0, in: field.directory) }
        let claims = tally.map(\.claims).reduce(0, +)
        for error in tally.flatMap(\.errors) { verdict.blame(error) }
        verdict.demand(claims >= count / processes * processes, "\(claims) claims only")
        say(
            "\(claims) claims in \(Int(seconds)) s (\(Int(Double(claims) / seconds))/s), of them "
                + "\(tally.map(\.nested).reduce(0, +)) nested and "
                + "\(tally.map(\.saves).reduce(0, +)) by presenters that saved; "
                + "\(verdict.count) errors; \(Kernel.load)")
        return verdict
    }

    /// What one process has done.
    struct Tally {
        var claims = 0
        var nested = 0
        var saves = 0
        var errors: [String] = []

        init() {}

        init(of number: Int, in directory: String) throws {
            let text = try String(contentsOfFile: Self.path(number, directory), encoding: .utf8)
            var lines = text.split(separator: "\n").map(String.init)
            let numbers = (lines.first ?? "").split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 3 else { throw SoakError("no tally of \(number): \(text)") }
            (claims, nested, saves) = (numbers[0], numbers[1], numbers[2])
            lines.removeFirst()
            errors = lines
        }

        func write(of number: Int, in directory: String) {
            let lines = ["\(claims) \(nested) \(saves)"] + errors
            let text = lines.joined(separator: "\n")
            try? Data(text.utf8).write(to: URL(fileURLWithPath: Self.path(number, directory)))
        }

        private static func path(_ number: Int, _ directory: String) -> String {
            "\(directory)/journals/tally.\(number)"
        }
    }
}

/// A process that makes ordinary claims on several threads.
final class CycleWorker: Sendable {
    private let options: Options
    private let directory: String
    private let files: Int
    private let tally = Lock(Cycles.Tally())

    init(_ options: Options) {
        self.options = options
        directory = options.given("directory")
        files = options.number("files", 12)
    }

    func run() -> Never {
        let number = options.number("number", 0)
        let threads = options.number("threads", 4)
        // Half of the processes present a file.
        let presenter = SavingPresenter(url(number % files), self)
        if number % 2 == 0 { NSFileCoordinator.addFilePresenter(presenter) }
        let isDone = DispatchSemaphore(value: 0)
        for thread in 0..<threads {
            Thread.detachNewThread { [self] in
                work(thread, options.number("count", 0) / threads)
                isDone.signal()
            }
        }
        for _ in 0..<threads { isDone.wait() }
        if number % 2 == 0 { NSFileCoordinator.removeFilePresenter(presenter) }
        tally.withLock { $0.write(of: number, in: directory) }
        exit(0)
    }

    private func url(_ item: Int) -> URL {
        URL(fileURLWithPath: "\(directory)/files/\(item)", isDirectory: false)
    }

    private func work(_ thread: Int, _ count: Int) {
        var dice = Dice(options.seed, options.number("number", 0) * 64 + thread)
        var done = 0
        while done < count {
            let coordinator = NSFileCoordinator()
            switch dice.below(10) {
            case 0..<3: read(dice.below(files), coordinator)
            case 3..<6: write(dice.below(files), coordinator) {}
            case 6:
                // Not among the files of nested calls: a call for two items waits in both queues,
                // and so connects queues that the order of nesting keeps apart.
                let third = files / 3
                let from = files - third
                two(from + dice.below(third), from + dice.below(third), coordinator)
            case 7:
                // Nested through the same coordinator, in any order (Rule 3.2). The read does not
                // ask presenters to save: a presenter that saves by its own claim would wait for
                // the write around the read, and the read for the presenter.
                let item = dice.below(files)
                let isWrite = dice.once(in: 2)
                write(item, coordinator) { self.nest(item, coordinator, isWrite, saving: false) }
                done += 1
            case _:
                // Nested through others: in one order, so that there is no cycle.
                let nested = files - files / 3
                let first = dice.below(nested - 1)
                let second = first + 1 + dice.below(nested - 1 - first)
                let isWrite = dice.once(in: 2)
                write(first, coordinator) { self.nest(second, NSFileCoordinator(), isWrite) }
                done += 1
            }
            done += 1
        }
    }

    private func nest(
        _ item: Int, _ coordinator: NSFileCoordinator, _ isWrite: Bool, saving: Bool = true
    ) {
        tally.withLock { $0.nested += 1 }
        if isWrite {
            write(item, coordinator) {}
        } else {
            read(item, coordinator, saving ? [] : .withoutChanges)
        }
    }

    private func read(
        _ item: Int, _ coordinator: NSFileCoordinator,
        _ options: NSFileCoordinator.ReadingOptions = []
    ) {
        var failure: NSError?
        coordinator.coordinate(readingItemAt: url(item), options: options, error: &failure) { _ in }
        note(failure)
    }

    func write(_ item: Int, _ coordinator: NSFileCoordinator, _ body: () -> Void) {
        var failure: NSError?
        coordinator.coordinate(writingItemAt: url(item), error: &failure) { _ in body() }
        note(failure)
    }

    private func two(_ first: Int, _ second: Int, _ coordinator: NSFileCoordinator) {
        var failure: NSError?
        coordinator.coordinate(
            writingItemAt: url(first), writingItemAt: url(second), error: &failure
        ) { _, _ in }
        note(failure)
    }

    private func note(_ failure: NSError?) {
        tally.withLock { tally in
            tally.claims += 1
            if let failure, tally.errors.count < 20 { tally.errors.append("error: \(failure)") }
        }
    }

    /// What a presenter does while it is asked to save (Rule 2.16).
    func save(_ presenter: SavingPresenter, _ url: URL) {
        var failure: NSError?
        NSFileCoordinator(filePresenter: presenter).coordinate(
            writingItemAt: url, error: &failure
        ) { _ in }
        note(failure)
        tally.withLock { $0.saves += 1 }
    }
}

/// A presenter that saves by a claim of its own.
final class SavingPresenter: NSObject, NSFilePresenter, Sendable {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let worker: CycleWorker
    private let own = DispatchQueue(label: "presenter")

    init(_ url: URL, _ worker: CycleWorker) {
        presentedItemURL = url
        self.worker = worker
        presentedItemOperationQueue = OperationQueue()
        presentedItemOperationQueue.maxConcurrentOperationCount = 1
        presentedItemOperationQueue.underlyingQueue = own
        super.init()
    }

    func relinquishPresentedItem(
        toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { reader {} }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) { writer {} }

    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        if let url = presentedItemURL { worker.save(self, url) }
        completionHandler(nil)
    }
}
