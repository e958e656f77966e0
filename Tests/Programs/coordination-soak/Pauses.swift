// SPDX-License-Identifier: Apache-2.0
//
// How long the deaths of arbiters held up those who called or waited then.

import FileCoordination

/// How long the deaths of arbiters held others up.
struct Pauses {
    /// From the death to the access, for calls that waited at that time.
    private(set) var waiting = Sample()
    /// From the call to the access, for calls that were made before a process was served again.
    private(set) var calling = Sample()
    /// From the call to the access, for all others.
    private(set) var usual = Sample()
    /// The longest ones, in words.
    private(set) var longest: [(pause: UInt64, text: String)] = []

    var all: Sample {
        var all = waiting
        for value in calling.values { all.add(value) }
        return all
    }

    init(_ history: History, _ deaths: [Instant]) {
        let calls = history.attempts.compactMap { attempt in
            attempt.entered.map { (called: attempt.called, entered: $0, attempt: attempt) }
        }.sorted { $0.called < $1.called }
        // For each death, when the first access began that was called for after it.
        var served: [Instant] = []
        var next = 0
        for death in deaths {
            while next < calls.count, calls[next].called <= death { next += 1 }
            served.append(calls[next...].prefix(500).map(\.entered).min() ?? .max)
        }
        for call in calls {
            // The last death before the access.
            let index = Self.lastIndex(deaths, before: call.entered)
            guard let index, served[index] >= call.called || deaths[index] >= call.called else {
                usual.add(call.entered - call.called)
                continue
            }
            let pause = call.entered - max(call.called, deaths[index])
            if call.called <= deaths[index] { waiting.add(pause) } else { calling.add(pause) }
            longest.append((pause, "after \(deaths[index]): \(history.name(call.attempt))"))
            longest.sort { $0.pause > $1.pause }
            longest = Array(longest.prefix(5))
        }
    }

    private static func lastIndex(_ times: [Instant], before limit: Instant) -> Int? {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
