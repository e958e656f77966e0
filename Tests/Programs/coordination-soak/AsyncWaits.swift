// SPDX-License-Identifier: Apache-2.0
//
// Thousands of tasks wait at once for files that another process holds. Meanwhile the cooperative
// pool, which has a thread per core, must go on as if nothing were: a task that is woken every few
// milliseconds tells by how much it is late. Then they are cancelled one after the other, and the
// rest all at once (Rules 18.2, 18.11).

import FileCoordination
import Glibc
import Synchronization

/// The proof `async`.
enum AsyncWaits {
    static func run(_ options: Options) async {
        do {
            let field = try Field(options)
            field.clearOnSignal()
            say("seed \(options.seed)")
            let verdict: Verdict
            do {
                verdict = try await prove(options, field)
            } catch {
                field.clear()
                throw error
            }
            field.clear()
            verdict.finish()
        } catch {
            say("FAILED: \(error)")
            exit(2)
        }
    }

    /// A process that holds files until it is killed; it serves as well.
    static func hold(_ options: Options) -> Never {
        let urls = (0..<options.number("files", 1)).map { item in
            URL(fileURLWithPath: "\(options.given("directory"))/files/\(item)", isDirectory: false)
        }
        let intents = urls.map { NSFileAccessIntent.writingIntent(with: $0) }
        let queue = OperationQueue()
        NSFileCoordinator().coordinate(with: intents, queue: queue) { error in
            guard error == nil else { exit(1) }
            close(open(options.given("directory") + "/held", O_CREAT | O_WRONLY, 0o600))
            while true { pause() }
        }
        while true { pause() }
    }

    private static func prove(_ options: Options, _ field: Field) async throws -> Verdict {
        let files = options.number("files", 100)
        let waits = options.number("waits", 10_000)
        try field.makeFiles(files)
        _ = try field.start("hold", ["directory": field.directory, "files": "\(files)"])
        guard Kernel.until(seconds: 20, { access(field.directory + "/held", F_OK) == 0 }) else {
            throw SoakError("no process holds the files")
        }
        var verdict = Verdict()
        let heartbeat = Heartbeat()
        let filing = Kernel.now
        let book = WaitBook()
        let tasks = (0..<waits).map { number in
            let path = field.file(number % files)
            return Task { await book.wait(number, for: path) }
        }
        // All tasks have begun. When the arbiter answers
        // a later access, it has read all their claims.
        while book.begun < waits { await heartbeat.beat() }
        try await roundTrip(field)
        let filed = Double(Kernel.now - filing) / 1e9
        for _ in 0..<400 { await heartbeat.beat() }
        let late = await heartbeat.stop()
        let waited = book.ended
        verdict.demand(waited == 0, "\(waited) waits were cancelled without a request")

        // One after the other, of all kinds of places in the queue.
        var one = Sample()
        var dice = Dice(options.seed, -5)
        let chosen = Array(tasks.indices.shuffled(using: &dice).prefix(min(1000, waits / 2)))
        for number in chosen {
            let began = Kernel.now
            tasks[number].cancel()
            await tasks[number].value
            if let end = book.end(of: number) { one.add(end - began) }
        }
        let began = Kernel.now
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        let rest = Double(Kernel.now - began) / 1e6
        verdict.demand(book.ended == waits, "not all waits ended by being cancelled")
        for fault in book.faults { verdict.blame(fault) }
        say("\(waits) tasks wait for \(files) files; filed in \(filed) s; \(Kernel.load)")
        say("heartbeat late by: \(late.text)")
        say("cancelled one by one, until it returned: \(one.text)")
        say("the other \(waits - chosen.count) cancelled at once: \(rest) ms until the last")
        verdict.demand(late.quantile(1) < options.number("late-bound", 20.0), "a late heartbeat")
        verdict.demand(
            one.quantile(0.99) < options.number("cancel-bound", 10.0), "cancelling takes long")
        return verdict
    }

    /// Writes an item that no other process wants.
    private static func roundTrip(_ field: Field) async throws {
        let url = URL(fileURLWithPath: field.directory + "/files/alone", isDirectory: false)
        try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in }
    }
}

/// The results of the waits.
///
/// With a lock of Foundation's: the thread sanitizer does not see those of the module
/// Synchronization.
private final class WaitBook: @unchecked Sendable {
    private struct State {
        var begun = 0
        var ends: [Int: Instant] = [:]
        var faults: [String] = []
    }

    private let lock = NSLock()
    private var state = State()

    var begun: Int { withLock { $0.begun } }
    var ended: Int { withLock { $0.ends.count } }
    var faults: [String] { withLock { $0.faults } }
    func end(of number: Int) -> Instant? { withLock { $0.ends[number] } }

    private func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        lock.withLock { body(&state) }
    }

    /// Waits until it is cancelled.
    func wait(_ number: Int, for path: String) async {
        withLock { $0.begun += 1 }
        let url = URL(fileURLWithPath: path, isDirectory: false)
        do {
            try await NSFileCoordinator().coordinate(writingItemAt: url) { _ in }
            withLock { $0.faults.append("task \(number) got what another holds") }
        } catch let error as CocoaError where error.code == .userCancelled {
            withLock { $0.ends[number] = Kernel.now }
        } catch {
            withLock { $0.faults.append("task \(number): \(error)") }
        }
    }
}

/// A task on the cooperative pool that a thread wakes every few milliseconds.
final class Heartbeat: Sendable {
    private let beats: AsyncStream<Void>
    private let ticks: AsyncStream<Void>.Continuation
    private let isOver = Atomic(false)
    private let listener: Task<Sample, Never>

    init() {
        let (sends, sender) = AsyncStream<Instant>.makeStream()
        (beats, ticks) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let ticks = ticks
        listener = Task.detached {
            var late = Sample()
            for await sent in sends {
                late.add(Kernel.now - sent)
                ticks.yield()
            }
            return late
        }
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) {
                Kernel.pause(milliseconds: 5)
                sender.yield(Kernel.now)
            }
            sender.finish()
        }
    }

    /// Waits for the next beat.
    func beat() async { for await _ in beats { return } }

    func stop() async -> Sample {
        isOver.store(true, ordering: .relaxed)
        return await listener.value
    }
}
