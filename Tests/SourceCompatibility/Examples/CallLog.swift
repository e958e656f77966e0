// SPDX-License-Identifier: Apache-2.0
//
// What the presenters of CalledTests share: a log of calls, and a presenter's two properties. The
// conformance is not stated here, so that each presenter's own methods are what is looked at.
//
// Programs do not document these members, and need not.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import FileCoordination
import TestHome

/// The calls that presenters got, in order, from any thread.
final class CallLog: @unchecked Sendable {
    private let condition = NSCondition()
    private var calls: [String] = []

    func note(_ call: String) {
        condition.lock()
        calls.append(call)
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until all of `expected` were called; returns those that were not.
    func missing(of expected: Set<String>) -> [String] {
        let limit = Date(timeIntervalSinceNow: test_patience(30))
        condition.lock()
        defer { condition.unlock() }
        while !expected.isSubset(of: calls) {
            if !condition.wait(until: limit) { break }
        }
        return expected.subtracting(calls).sorted()
    }
}

/// The queue of a presenter, with the `DispatchQueue` that an `OperationQueue` does not keep.
final class KeptQueue: Sendable {
    private let dispatchQueue = DispatchQueue(label: "presenter")
    let queue = OperationQueue()

    init() {
        queue.maxConcurrentOperationCount = 1
        queue.underlyingQueue = dispatchQueue
    }
}

/// The properties of a presenter, and where its methods note their calls.
class Presenting: NSObject {
    let presentedItemURL: URL?
    let log: CallLog
    private let kept = KeptQueue()
    var presentedItemOperationQueue: OperationQueue { kept.queue }

    required init(_ url: URL, _ log: CallLog) {
        presentedItemURL = url
        self.log = log
    }

    func note(_ call: String) { log.note(call) }
}
