// SPDX-License-Identifier: Apache-2.0
//
// The queue of the steps that the present input still requires. It is first in, first out, with one
// exception: an item that needs other steps done first puts them in its own place, and itself
// behind them. So "recall, then file" needs neither nested calls nor a flag. The server takes the
// next input when the queue is empty.

/// Steps in the order in which they are performed.
struct WorkQueue {
    /// The steps that replace the item that was taken out last, in reverse order.
    private var replacing: [Work] = []
    /// The following steps, from ``head`` on, in order.
    private var following: [Work] = []
    private var head = 0

    /// Whether no step is left.
    var isEmpty: Bool { replacing.isEmpty && head == following.count }

    /// Removes and returns the next step, or nil if none is left.
    mutating func next() -> Work? {
        if let work = replacing.popLast() { return work }
        guard head < following.count else { return nil }
        defer {
            head += 1
            if head == following.count {
                following.removeAll(keepingCapacity: true)
                head = 0
            }
        }
        return following[head]
    }

    /// Adds a step behind all others.
    mutating func append(_ work: Work) { following.append(work) }

    /// Puts one step in the place of the item that was taken out last, before steps that are there
    /// already: of several calls, the step of the last one is performed first.
    mutating func replace(by work: Work) { replacing.append(work) }

    /// Puts steps in the place of the item that was taken out last, in this order.
    mutating func replace(by work: [Work]) { replacing.append(contentsOf: work.reversed()) }

    /// Inserts looks at pending claims among the next steps by filing time (Rule 2.14).
    mutating func insertInOrder(_ checks: [RecordCheck]) {
        for check in checks {
            guard let filedAt = check.filedAt else { continue }
            var place = replacing.endIndex
            for index in replacing.indices.reversed() {
                guard case .check(let other) = replacing[index], let time = other.filedAt else {
                    continue
                }
                guard time <= filedAt else { break }
                place = index
            }
            replacing.insert(.check(check), at: place)
        }
    }
}
