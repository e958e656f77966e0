// SPDX-License-Identifier: Apache-2.0
//
// What threads hand to each other: values under a lock, and queues that can be waited for.

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

/// What waits to be taken, in order.
final class Inbox<Element: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private var elements: [Element] = []

    func put(_ element: Element) {
        condition.lock()
        elements.append(element)
        condition.signal()
        condition.unlock()
    }

    /// Takes the oldest, waiting for one.
    func take() -> Element {
        condition.lock()
        defer { condition.unlock() }
        while elements.isEmpty { condition.wait() }
        return elements.removeFirst()
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
