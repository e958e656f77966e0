// SPDX-License-Identifier: Apache-2.0
//
// Finds out when the arbiter certainly has a call that waits, so that order can be judged without
// allowing for a busy machine. The caller's thread sleeps on shared memory: so its claim has been
// sent, or has a serial number. Then this process asks the arbiter for something else, on the
// connection on which the claim was sent. When that is granted and the thread still sleeps at the
// same place, the arbiter has read the claim before: whatever is called from now on came later.

import FileCoordination
import Glibc
import Synchronization

/// Watches the calls of one worker.
final class FilingWitness: Sendable {
    /// A call that is watched.
    struct Call: Sendable {
        var number: Int
        var item: Int
        var isWrite: Bool
        /// The thread that sleeps in the call; nil if the call does not wait.
        var thread: Int?
    }

    private let journal: JournalWriter
    private let probes: (URL, URL)
    private let queue = DispatchQueue(label: "witness")
    /// The number of the call that waits now; 0 if none does.
    private let waiting = Atomic(0)

    init(directory: String, name: String, _ journal: JournalWriter) {
        self.journal = journal
        let place = URL(fileURLWithPath: "\(directory)/probes", isDirectory: true)
        probes = (
            place.appendingPathComponent(name + ".1", isDirectory: false),
            place.appendingPathComponent(name + ".2", isDirectory: false)
        )
    }

    /// Records that a call begins.
    func begin(_ number: Int) { waiting.store(number, ordering: .sequentiallyConsistent) }

    /// Watches a call that is about to wait, or, without a thread, has been sent.
    func watch(_ call: Call) { queue.async { [self] in observe(call) } }

    /// Records that the accessor has begun, or the call has failed.
    func end() { waiting.store(0, ordering: .sequentiallyConsistent) }

    /// The number of the call that waits now; 0 if none does.
    var current: Int { waiting.load(ordering: .sequentiallyConsistent) }

    private func isWaiting(_ call: Call) -> Bool {
        current == call.number
    }

    private func observe(_ call: Call) {
        while isWaiting(call) {
            Kernel.pause(milliseconds: 1)
            let place = call.thread.flatMap { Kernel.sharedSleep(of: $0) }
            guard place != nil || call.thread == nil, isWaiting(call), askArbiter() else {
                continue
            }
            let isStill = call.thread.map { Kernel.sharedSleep(of: $0) == place } ?? true
            guard isStill, isWaiting(call) else { continue }
            return journal.note(.filed, call.number, call.item, isWrite: call.isWrite)
        }
    }

    /// A round trip through the arbiter: a call for two items never stays in its process.
    private func askArbiter() -> Bool {
        var failure: NSError?
        var hasRun = false
        NSFileCoordinator().coordinate(
            readingItemAt: probes.0, writingItemAt: probes.1, error: &failure
        ) { _, _ in hasRun = true }
        return hasRun
    }
}
