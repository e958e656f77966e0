// SPDX-License-Identifier: Apache-2.0
//
// Coordinated accesses as programs make them: a coordinator for each access, an existing URL, and a
// check of the error. The accessor only records that it ran.

import CPeers
import FileCoordination
import Synchronization

/// An access that has no other work to do than to be had.
enum PlainAccess {
    /// Writes an item.
    static func write(_ url: URL) throws {
        var failure: NSError?
        var hasRun = false
        NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in hasRun = true }
        if let failure { throw failure }
        guard hasRun else { throw MeasuringError("the accessor did not run") }
    }

    /// Reads an item.
    static func read(_ url: URL) throws {
        var failure: NSError?
        var hasRun = false
        NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { _ in hasRun = true }
        if let failure { throw failure }
        guard hasRun else { throw MeasuringError("the accessor did not run") }
    }
}

/// Tasks that coordinate.
final class AccessTasks {
    private var urls: [String: [URL]] = [:]
    private let waiting = OperationQueue()
    private let doorstep = DispatchSemaphore(value: 0)

    var tasks: [String: WorkerTask] {
        [
            "write": write, "change": change, "truncate": truncateAlone, "read": read,
            "sweep": sweep, "read-each": readEach, "read-batch": readBatch, "contend": contend,
            "hold": hold, "wait": wait, "hold-reading": holdReading, "keep": keep,
        ]
    }

    /// An URL is made once, as programs do.
    private func url(_ path: String) -> URL {
        if let known = urls[path]?.first { return known }
        let url = URL(fileURLWithPath: path, isDirectory: false)
        urls[path] = [url]
        return url
    }

    /// FILE COUNT.
    private func write(_ words: [String]) throws -> [Double] {
        let (url, count) = (url(try words.text(0)), try words.number(1))
        let start = nanoseconds_now()
        for _ in 0..<count { try PlainAccess.write(url) }
        return [Double(nanoseconds_now() - start)]
    }

    /// FILE COUNT: writes that change the item's size, so that presenters are told of each.
    private func change(_ words: [String]) throws -> [Double] {
        let (path, count) = (try words.text(0), try words.number(1))
        let url = url(path)
        var failure: NSError?
        var result: Int32 = 0
        let start = nanoseconds_now()
        for number in 0..<count where failure == nil && result == 0 {
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in
                result = truncate(path, number % 2 + 1)
            }
        }
        let end = nanoseconds_now()
        if let failure { throw failure }
        guard result == 0 else { throw MeasuringError("the item could not be changed") }
        return [Double(end - start)]
    }

    /// FILE COUNT: the changes of ``change(_:)``, without coordination.
    private func truncateAlone(_ words: [String]) throws -> [Double] {
        let (path, count) = (try words.text(0), try words.number(1))
        var result: Int32 = 0
        let start = nanoseconds_now()
        for number in 0..<count where result == 0 { result = truncate(path, number % 2 + 1) }
        let end = nanoseconds_now()
        guard result == 0 else { throw MeasuringError("the item could not be changed") }
        return [Double(end - start)]
    }

    /// FILE: keeps a version of it.
    private func keep(_ words: [String]) throws -> [Double] {
        let url = url(try words.text(0))
        try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        return [0]
    }

    /// FILE COUNT.
    private func read(_ words: [String]) throws -> [Double] {
        let (url, count) = (url(try words.text(0)), try words.number(1))
        let start = nanoseconds_now()
        for _ in 0..<count { try PlainAccess.read(url) }
        return [Double(nanoseconds_now() - start)]
    }

    /// DIRECTORY FILES COUNT: so many writes of each of the files 0/f, 1/f ...
    private func sweep(_ words: [String]) throws -> [Double] {
        let (directory, files) = (try words.text(0), try words.number(1))
        let count = try words.number(2)
        let known =
            urls[directory]
            ?? (0..<files).map { URL(fileURLWithPath: "\(directory)/\($0)/f", isDirectory: false) }
        urls[directory] = known
        let start = nanoseconds_now()
        for url in known {
            for _ in 0..<count { try PlainAccess.write(url) }
        }
        return [Double(nanoseconds_now() - start)]
    }

    /// DIRECTORY COUNT: the files f0 and so on.
    private func numbered(_ words: [String]) throws -> [URL] {
        let directory = try words.text(0)
        return try (0..<words.number(1)).map {
            URL(fileURLWithPath: "\(directory)/f\($0)", isDirectory: false)
        }
    }

    /// DIRECTORY COUNT: one batch of all of them, and one read of each inside.
    private func readBatch(_ words: [String]) throws -> [Double] {
        let urls = try numbered(words)
        let start = nanoseconds_now()
        let coordinator = NSFileCoordinator()
        var failure: NSError?
        var read = 0
        coordinator.prepare(
            forReadingItemsAt: urls, writingItemsAt: [], error: &failure
        ) { completion in
            for url in urls {
                coordinator.coordinate(readingItemAt: url, error: nil) { _ in read += 1 }
            }
            completion()
        }
        if let failure { throw failure }
        guard read == urls.count else { throw MeasuringError("\(read) of them were read") }
        return [Double(nanoseconds_now() - start)]
    }

    /// DIRECTORY COUNT: one read of each of them.
    private func readEach(_ words: [String]) throws -> [Double] {
        let urls = try numbered(words)
        let start = nanoseconds_now()
        for url in urls { try PlainAccess.read(url) }
        return [Double(nanoseconds_now() - start)]
    }

    /// FILE BARRIER WORDS MILLISECONDS NUMBER CONTENDERS: how often this process came to have the
    /// file while all contended, and how long that was; see ``ContestWord``.
    private func contend(_ words: [String]) throws -> [Double] {
        let url = url(try words.text(0))
        let barrier = try checked(open_lock_file(try words.text(1)))
        defer { close(barrier) }
        guard let shared = map_words(try words.text(2), Int32(ContestWord.count)) else {
            throw MeasuringError("no shared memory")
        }
        defer { munmap(shared, 8 * ContestWord.count) }
        let span = Int64(try words.number(3)) * 1_000_000
        let own = UInt64(try words.number(4))
        let allContenders = (UInt64(1) << UInt64(try words.number(5))) - 1
        let comers = shared + ContestWord.comers
        let others = try (0..<words.number(5)).filter { $0 != Int(own) - 1 }
        let alternates = try words.text(6) == "alternating"
        try Barrier.pass(barrier)
        var count = 0.0
        var start: Int64 = 0
        while start == 0 || nanoseconds_now() < start + span {
            var failure: NSError?
            comers[Int(own) - 1] = 1
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in
                comers[Int(own) - 1] = 0
                defer {
                    if alternates {
                        while shared[ContestWord.isOver] == 0,
                            others.allSatisfy({ comers[$0] == 0 })
                        {
                            sched_yield()
                        }
                    }
                }
                // No other contender is here: the claim ensures that.
                guard shared[ContestWord.contenders] == allContenders else {
                    shared[ContestWord.contenders] |= 1 << (own - 1)
                    shared[ContestWord.start] = UInt64(nanoseconds_now())
                    shared[ContestWord.holder] = own
                    return
                }
                start = Int64(shared[ContestWord.start])
                guard shared[ContestWord.isOver] == 0 else { return }
                if shared[ContestWord.holder] != own {
                    shared[ContestWord.holder] = own
                    shared[ContestWord.changes] += 1
                }
                count += 1
            }
            if let failure { throw failure }
        }
        shared[ContestWord.isOver] = 1
        return [count, Double(span)]
    }

    /// FILE: writes it until the process ends.
    private func hold(_ words: [String]) throws -> [Double] {
        hold(try words.text(0)) { url, accessor in
            NSFileCoordinator().coordinate(writingItemAt: url, error: nil, byAccessor: accessor)
        }
    }

    /// FILE: reads it until the process ends, after it has read it a few times.
    private func holdReading(_ words: [String]) throws -> [Double] {
        for _ in 0..<8 { try PlainAccess.read(url(try words.text(0))) }
        return hold(try words.text(0)) { url, accessor in
            NSFileCoordinator().coordinate(readingItemAt: url, error: nil, byAccessor: accessor)
        }
    }

    private func hold(
        _ path: String, _ coordinate: @escaping @Sendable (URL, (URL) -> Void) -> Void
    ) -> [Double] {
        let (url, doorstep) = (url(path), doorstep)
        let hasIt = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            coordinate(url) { _ in
                hasIt.signal()
                doorstep.wait()
            }
        }
        hasIt.wait()
        return []
    }

    /// FILE COUNT OTHER: so many writes that wait, filed when this returns.
    private func wait(_ words: [String]) throws -> [Double] {
        let url = url(try words.text(0))
        for _ in 0..<(try words.number(1)) {
            let intent = NSFileAccessIntent.writingIntent(with: url)
            NSFileCoordinator().coordinate(with: [intent], queue: waiting) { _ in }
        }
        // The arbiter answers this when it has seen all that was filed before.
        try PlainAccess.write(self.url(try words.text(2)))
        return []
    }
}

/// The first access of a process.
enum FirstAccess {
    /// The first argument of a process that makes one access and says how long it took.
    static let word = "first"

    static func run(_ arguments: [String]) -> Never {
        let url = URL(fileURLWithPath: arguments.first ?? "/", isDirectory: false)
        let start = nanoseconds_now()
        do {
            try PlainAccess.write(url)
            Worker.say("ok\t\(Double(nanoseconds_now() - start) / 1e6)")
        } catch {
            Worker.say("error\t\(error)")
        }
        // Until the message has arrived: if this process serves the arbiter, its end ends the
        // arbiter.
        _ = readLine()
        _exit(0)
    }
}

/// So many accesses and nothing else, for a profiler.
enum ProfiledAccesses {
    /// The first argument of a process that is looked at by a profiler.
    static let word = "accesses"
    /// The same with a presenter in another queue of the process, which relinquishes each time.
    static let yieldingWord = "yielding-accesses"
    /// A process that only has a presenter, which relinquishes each time.
    static let presentingWord = "presenting"
    /// What that process says when its presenter is registered.
    static let readyLine = "presenting"

    /// FILE: presents it until a line comes in.
    static func present(_ arguments: [String]) -> Never {
        guard let path = arguments.first else { exit(64) }
        PresenterTasks.addYielding(URL(fileURLWithPath: path, isDirectory: false))
        Worker.say(readyLine)
        _ = readLine()
        exit(0)
    }

    /// FILE COUNT.
    static func run(_ arguments: [String], isYielding: Bool = false) -> Never {
        do {
            let url = URL(fileURLWithPath: try arguments.text(0), isDirectory: false)
            if isYielding { PresenterTasks.addYielding(url) }
            for _ in 0..<(try arguments.number(1)) { try PlainAccess.write(url) }
            exit(0)
        } catch {
            Terminal.complain("\(error)")
            exit(1)
        }
    }
}
