// SPDX-License-Identifier: Apache-2.0
//
// The queue of what is left to do because of one input. It is first in, first out, with one
// exception: an item that finds that others must come before it puts those in its own place, and
// itself behind them. So "recall first, then file" needs neither a call within a call nor a flag.
// The next input is taken when the queue is empty.

/// Work in the order in which it is to be done.
struct WorkQueue {
    /// What takes the place of an item that was taken out; the next one last.
    private var replacing: [Work] = []
    /// What follows, in its order, from ``head`` on.
    private var following: [Work] = []
    private var head = 0

    /// Whether nothing is left to do.
    var isEmpty: Bool { replacing.isEmpty && head == following.count }

    /// Takes out what is to be done next.
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

    /// Adds what is to be done when everything else is done.
    mutating func append(_ work: Work) { following.append(work) }

    /// Puts work in the place of the item that was taken out last: it comes next, in this order.
    mutating func replace(by work: [Work]) { replacing.append(contentsOf: work.reversed()) }

    /// Puts claims that ask behind all others that were filed before them and come next, and before
    /// the first that was filed later (Rule 2.14).
    mutating func insertInOrder(_ looks: [RecordLook]) {
        for look in looks {
            guard let filedAt = look.filedAt else { continue }
            var place = replacing.endIndex
            for index in replacing.indices.reversed() {
                guard case .look(let other) = replacing[index], let time = other.filedAt else {
                    continue
                }
                guard time <= filedAt else { break }
                place = index
            }
            replacing.insert(.look(look), at: place)
        }
    }
}
