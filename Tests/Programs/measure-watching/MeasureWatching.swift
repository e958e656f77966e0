// SPDX-License-Identifier: Apache-2.0
//
// What watching costs: `measure-watching latency` compares the time from a plain write to the
// message with a bare inotify thread in the same run; `measure-watching files COUNT` prints the
// processor time of the watcher while a child writes files under a directory's presenter;
// `measure-watching listening COUNT` measures how long a presenter's registration takes beside a
// directory's presenter with that many files, at rest and while files are written.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching
import Glibc

@main
enum MeasureWatching {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let number = words.dropFirst().first.flatMap { Int($0) }
        var template = Array("/tmp/measure-watching-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw SystemError(code: errno, operation: "mkdtemp")
        }
        let place = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { shell("rm -rf \(place)") }
        switch words.first {
        case "files": try files(number ?? 100_000, in: place)
        case "listening": try listening(number ?? 100_000, in: place)
        default: try latency(number ?? 2000, in: place)
        }
    }

    private static func shell(_ script: String) {
        guard system(script) == 0 else { return print("failed: \(script)") }
    }

    // MARK: Latency

    /// A thread that waits for inotify and says when it was woken.
    private static func startBareThread(
        _ path: String, _ seen: WakeUp, _ instant: Lock<Instant>
    ) throws {
        let watch = try DirectoryWatch()
        _ = try watch.add(path, [.modified, .closedAfterWriting, .attributes])
        let poller = try Poller()
        try poller.add(watch.descriptor, token: 1, .readable)
        try DetachedThread.start(name: "bare") {
            var ready: [Poller.Ready] = []
            while (try? poller.wait(into: &ready, until: nil)) != nil {
                let now = MonotonicClock.now
                guard let batch = try? watch.read(), !batch.events.isEmpty else { continue }
                instant.withLock { $0 = now }
                seen.signal()
            }
        }
    }

    private static func latency(_ count: Int, in place: String) throws {
        let path = place + "/f"
        let file = open(path, O_CREAT | O_RDWR, 0o600)
        guard file >= 0, let item = ItemPath(path) else { return }
        var configuration = Watcher.Configuration()
        // Without a pause between messages each write is the first one.
        configuration.limits.pause = .zero
        let watcher = try Watcher(configuration)
        watcher.present(1, item, .file)
        let poller = try Poller()
        try poller.add(watcher.mailbox.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        try poller.wait(into: &ready, until: nil)
        _ = watcher.mailbox.take()
        let seen = try WakeUp()
        let instant = Lock(Instant.distantPast)
        try startBareThread(path, seen, instant)
        let barePoller = try Poller()
        try barePoller.add(seen.descriptor, token: 1, .readable)
        var bare: [UInt64] = []
        var told: [UInt64] = []
        for round in 0..<count {
            let start = MonotonicClock.now
            var byte = UInt8(truncatingIfNeeded: round)
            guard pwrite(file, &byte, 1, 0) == 1 else { return }
            try poller.wait(into: &ready, until: nil)
            told.append((MonotonicClock.now - start).nanoseconds)
            _ = watcher.mailbox.take()
            try barePoller.wait(into: &ready, until: nil)
            seen.drain()
            bare.append((instant.withLock { $0 } - start).nanoseconds)
        }
        report("bare inotify in a thread", bare)
        report("message of the watcher", told)
        let ratios = [0.5, 0.99].map { Double(told.at($0)) / Double(bare.at($0)) }
        print("ratio: p50 \(ratios[0]), p99 \(ratios[1])")
    }

    private static func report(_ name: String, _ times: [UInt64]) {
        print(
            "\(name): p50 \(times.at(0.5) / 1000) µs, p99 \(times.at(0.99) / 1000) µs,",
            "\(times.count) times")
    }

    // MARK: Registrations beside many files

    private static func listening(_ count: Int, in place: String) throws {
        guard let item = ItemPath(place) else { return }
        var status: Int32 = 0
        waitpid(startWriter(count, place), &status, 0)
        let watcher = try Watcher()
        watcher.present(1, item, .directory)
        let poller = try Poller()
        try poller.add(watcher.mailbox.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        func untilListening(_ id: UInt64) throws {
            var isListening = false
            while !isListening {
                try poller.wait(into: &ready, until: nil)
                isListening = watcher.mailbox.take().contains {
                    $0.presenter == id && $0.body == .listening
                }
            }
        }
        try untilListening(1)
        for name in ["at rest", "while a file is written"] {
            var times: [UInt64] = []
            for round in 1...200 {
                guard let own = ItemPath("\(place)/0/\(round)") else { return }
                if name != "at rest" { shell("echo more >>\(place)/0/0") }
                let start = MonotonicClock.now
                watcher.present(UInt64(round + 1), own, .file)
                try untilListening(UInt64(round + 1))
                times.append((MonotonicClock.now - start).nanoseconds)
                watcher.unpresent(UInt64(round + 1))
            }
            report("registration beside \(count) files, \(name)", times)
        }
    }

    // MARK: Many files

    private static func files(_ count: Int, in place: String) throws {
        guard let item = ItemPath(place) else { return }
        let watcher = try Watcher()
        watcher.present(1, item, .directory)
        let poller = try Poller()
        try poller.add(watcher.mailbox.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        try poller.wait(into: &ready, until: nil)
        _ = watcher.mailbox.take()
        let before = processorTime()
        let start = MonotonicClock.now
        let child = startWriter(count, place)
        var messages = 0
        var changes = 0
        var wholes = 0
        var first: UInt64?
        var isOver = false
        var quiet = MonotonicClock.now
        while !isOver || MonotonicClock.now < quiet + .milliseconds(500) {
            try poller.wait(into: &ready, until: MonotonicClock.after(.milliseconds(100)))
            for news in watcher.mailbox.take() {
                messages += 1
                quiet = MonotonicClock.now
                if first == nil { first = sinceFirstWrite(in: place) }
                if case .changes(let list) = news.body { changes += list.count }
                if case .wholeMayHaveChanged = news.body { wholes += 1 }
            }
            var status: Int32 = 0
            if !isOver, waitpid(child, &status, WNOHANG) == child {
                isOver = true
                print("writer: \((MonotonicClock.now - start).nanoseconds / 1_000_000) ms")
                quiet = MonotonicClock.now
            }
        }
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let rest = (quiet - start).nanoseconds / 1_000_000
        print("quiet after: \(rest) ms; first message", terminator: "")
        print(" \((first ?? 0) / 1000) µs after the first write")
        print("processor: \((processorTime() - before) / 1000) ms for \(count) files")
        print("messages: \(messages), with \(changes) changes, \(wholes) times the whole item")
        print("memory: at most \(usage.ru_maxrss) kB")
    }

    /// How long ago the first of the files was written, in nanoseconds.
    private static func sinceFirstWrite(in place: String) -> UInt64? {
        var status = stat()
        guard stat(place + "/0/0", &status) == 0 else { return nil }
        let written = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return UInt64(max(0, RealTimeClock.now - written))
    }

    /// Starts a program that writes `count` files.
    private static func startWriter(_ count: Int, _ place: String) -> pid_t {
        let script = """
            import os
            for i in range(\(count)):
                if i % 1000 == 0: os.mkdir('\(place)/%d' % i)
                with open('\(place)/%d/%d' % (i - i % 1000, i), 'w') as f: f.write('text')
            """
        var child: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = []
        for word in ["python3", "-c", script] { words.append(strdup(word)) }
        words.append(nil)
        posix_spawnp(&child, "python3", nil, nil, words, environ)
        for word in words { free(word) }
        return child
    }

    private static func processorTime() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
            + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    }
}

extension [UInt64] {
    /// The time that this part of all is below.
    func at(_ part: Double) -> UInt64 { sorted()[Swift.min(count - 1, Int(Double(count) * part))] }
}
