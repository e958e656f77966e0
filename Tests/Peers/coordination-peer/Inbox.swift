// SPDX-License-Identifier: Apache-2.0
//
// Lines for one accessor, which waits for them on its own thread.

import FileCoordination

/// A value under a lock.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

/// Lines that wait to be taken.
final class Inbox: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [[String]] = []

    func put(_ words: [String]) {
        condition.lock()
        lines.append(words)
        condition.signal()
        condition.unlock()
    }

    /// Takes the oldest line, waiting for one.
    func take() -> [String] {
        condition.lock()
        defer { condition.unlock() }
        while lines.isEmpty { condition.wait() }
        return lines.removeFirst()
    }
}

/// Operation queues with a thread of their own, which they do not keep themselves.
enum SerialQueue {
    private static let underlying = Guarded<[DispatchQueue]>([])

    static func make() -> OperationQueue {
        let own = DispatchQueue(label: "serial")
        underlying.withLock { $0.append(own) }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = own
        return queue
    }
}
