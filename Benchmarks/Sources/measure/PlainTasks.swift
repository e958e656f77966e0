// SPDX-License-Identifier: Apache-2.0
//
// A plain writer, and two listeners that write down when they were told of it: in one word of
// memory that the processes share. The writer clears the word, writes, and finds the time there.

import CPeers
import FileCoordination

/// The word in which a listener writes the time at which it was told, if it is 0.
private struct TimeWord: Sendable {
    /// The memory's address, which stays mapped until the process ends.
    private let address: UInt

    init(_ path: String) throws {
        guard let words = map_words(path, 1) else { throw MeasuringError("no shared memory") }
        address = UInt(bitPattern: words)
    }

    private var word: UnsafeMutablePointer<UInt64>? { UnsafeMutablePointer(bitPattern: address) }

    func clear() { word?.pointee = 0 }

    /// Called when a change was told.
    func stamp() {
        let now = UInt64(nanoseconds_now())
        if word?.pointee == 0 { word?.pointee = now }
    }

    var time: UInt64 { word?.pointee ?? 0 }
}

/// Writes down when it is told.
private final class TimingPresenter: NSObject, NSFilePresenter {
    let presentedItemURL: URL?
    let presentedItemOperationQueue: OperationQueue
    private let word: TimeWord

    init(_ url: URL, _ queue: OperationQueue, _ word: TimeWord) {
        presentedItemURL = url
        presentedItemOperationQueue = queue
        self.word = word
    }

    func presentedItemDidChange() { word.stamp() }
}

/// Tasks with plain writes.
enum PlainTasks {
    /// The time between two writes in milliseconds: longer than the pause between two messages.
    private static let pause: Int32 = 60

    static var tasks: [String: WorkerTask] {
        ["plain-write": write, "present-timing": present, "inotify-timing": watch]
    }

    /// FILE WORDS COUNT: the time until a listener was told of each of so many writes.
    private static func write(_ words: [String]) throws -> [Double] {
        let word = try TimeWord(try words.text(1))
        let file = open(try words.text(0), O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw MeasuringError("the file cannot be opened") }
        defer { close(file) }
        poll(nil, 0, pause)
        return try (0..<words.number(2)).map { number in
            word.clear()
            var byte = UInt8(truncatingIfNeeded: number)
            let start = UInt64(nanoseconds_now())
            guard pwrite(file, &byte, 1, 0) == 1 else {
                throw MeasuringError("the file cannot be written")
            }
            // Looks rarely, so as not to be in the way. The next write comes after the pause.
            for _ in 0..<100 where word.time == 0 { poll(nil, 0, pause) }
            guard word.time > start else { throw MeasuringError("a write was not told") }
            return Double(word.time - start)
        }
    }

    /// FILE WORDS: a presenter of the file.
    private static func present(_ words: [String]) throws -> [Double] {
        let url = URL(fileURLWithPath: try words.text(0), isDirectory: false)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        NSFileCoordinator.addFilePresenter(
            TimingPresenter(url, queue, try TimeWord(try words.text(1))))
        return []
    }

    /// FILE WORDS: a thread that waits for notifications of the kernel.
    private static func watch(_ words: [String]) throws -> [Double] {
        let word = try TimeWord(try words.text(1))
        let kernel = inotify_init1(Int32(IN_CLOEXEC))
        let changes = UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB)
        guard kernel >= 0, inotify_add_watch(kernel, try words.text(0), changes) >= 0 else {
            throw MeasuringError("the file cannot be watched")
        }
        Thread.detachNewThread {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while read(kernel, &chunk, chunk.count) > 0 { word.stamp() }
        }
        return []
    }
}
