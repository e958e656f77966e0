// SPDX-License-Identifier: Apache-2.0
//
// How the cost of work grows with its size. The processor time of the thread counts, so that it
// hardly matters what else the machine does.

import Glibc

enum Growth {
    /// How many times as much processor time `work` takes for four times a size.
    ///
    /// Each is the least of three runs that take turns: a disturbance only adds time.
    static func ofFourTimes(_ size: Int, _ work: (Int) -> Void) -> Double {
        let times = (1...3).map { _ in (time { work(size) }, time { work(4 * size) }) }
        let small = times.map { $0.0 }.min() ?? 1
        let large = times.map { $0.1 }.min() ?? 1
        return Double(large) / Double(max(1, small))
    }

    private static func time(_ work: () -> Void) -> UInt64 {
        let start = now
        work()
        return now - start
    }

    /// What the thread has used of a processor, in nanoseconds.
    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
