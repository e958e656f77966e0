// SPDX-License-Identifier: Apache-2.0
//
// Who has written items last, and what that left, for callers whose item is not as they have seen
// it (Rule 18.16). Only claims that ask for it are remembered, as others would pay for it, and a
// few items, until others take their places. A writer is named only if what it left is what is
// there now, so never a wrong one.

import FileCoordinationArbiter
import FileCoordinationWire

/// The last writers of some items.
struct LastWriters {
    /// A process that has written.
    struct Writer {
        let process: Processes.Numbers
        /// The label of the access, or else that of its process, or else the name of its program.
        let label: String
    }

    private struct Entry {
        let path: ItemPath
        let left: ItemProperties
        let writer: Writer
    }

    /// The most unfinished claims whose writers are to be remembered.
    private static let mostExpected = 16_384

    /// The number of items: a power of two.
    private static let capacity = 1024

    /// Empty until something is written; then each path has one place, which others share.
    private var entries: [Entry?] = []

    /// The records of unfinished claims whose writers are to be remembered.
    private var expected: Set<RecordAddress> = []

    /// Records that the writer of a claim is to be remembered when it ends.
    ///
    /// Those of clients that have died stay, and are forgotten with all others.
    mutating func expect(_ claim: RecordAddress) {
        if expected.count >= Self.mostExpected { expected.removeAll() }
        expected.insert(claim)
    }

    /// Returns whether the writer of a claim that ends is to be remembered.
    mutating func takeExpected(_ claim: RecordAddress) -> Bool {
        !expected.isEmpty && expected.remove(claim) != nil
    }

    /// Remembers who has written an item.
    ///
    /// A write that left no item names no writer: others may have made and removed one there.
    mutating func remember(_ path: ItemPath, left: ItemProperties?, by writer: Writer) {
        guard let left else { return }
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.capacity) }
        entries[Self.place(of: path)] = Entry(path: path, left: left, writer: writer)
    }

    /// Returns the last writer of an item, if it has left what is there now.
    func writer(of path: ItemPath, leaving left: ItemProperties?) -> Writer? {
        guard let left, !entries.isEmpty, let entry = entries[Self.place(of: path)],
            entry.path == path,
            entry.left == left
        else { return nil }
        return entry.writer
    }

    private static func place(of path: ItemPath) -> Int {
        path.hashValue & (capacity - 1)
    }
}
