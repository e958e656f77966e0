// SPDX-License-Identifier: Apache-2.0
//
// Whose changes those are that the watcher sees (Rules 7.9, 7.14), and which wait for the end of a
// write.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching
import Testing

@testable import FileCoordinationServer

/// A place whose path is known to be one.
private func place(_ text: String) -> ItemPath {
    guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
    return path
}

@Suite("Coordinated writes beside the watcher")
struct CoordinatedWritesTests {
    private let item = place("/d/f")
    private let directory = place("/d")
    private let own = Purpose(bytes: [1])
    private let other = Purpose(bytes: [2])
    private let start = RealTimeClock.now - 10_000_000_000

    /// So many milliseconds after the start.
    private func instant(_ milliseconds: UInt64) -> WriteInstant {
        WriteInstant(
            monotonic: 1_000_000_000 + milliseconds * 1_000_000,
            real: start + Int64(milliseconds) * 1_000_000)
    }

    private func file(_ milliseconds: UInt64, inode: UInt64 = 2) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: inode),
            stamp: FileStamp(
                size: 1, modified: instant(milliseconds).real, changed: instant(milliseconds).real))
    }

    private func change(
        _ what: WatchedChange.What, _ path: ItemPath, _ now: ObservedFile?,
        from earlier: ObservedFile?, seen milliseconds: UInt64
    ) -> WatchedChange {
        WatchedChange(
            what: what, path: path, observed: now, earlier: earlier,
            seenAt: instant(milliseconds).monotonic)
    }

    private func record(_ number: UInt32) -> RecordAddress {
        RecordAddress(
            client: ClientID(rawValue: 1), record: RecordReference(index: number, generation: 1))
    }

    /// Writes from `begin` to `end`, in milliseconds, that have found and left something at a path.
    private func writes(
        at path: ItemPath,
        _ all: [(by: Purpose, begin: UInt64, end: UInt64, ObservedFile?, ObservedFile?)],
        isArrival: Bool = false
    ) -> CoordinatedWrites {
        var writes = CoordinatedWrites()
        for (index, write) in all.enumerated() {
            let record = record(UInt32(index))
            writes.begin(record, at: [path], write.by, instant(write.begin), isAsBegun: true)
            writes.record(
                WrittenPath(path: path, change: (write.3, write.4), hasChanged: true), by: record,
                isArrival: isArrival, at: instant(write.end))
            writes.end(record, at: instant(write.end))
        }
        return writes
    }

    @Test("Rule 7.9: an own save is no news, whatever of it the watcher saw")
    func ownSave() {
        let writes = writes(at: item, [(own, 10, 20, file(0), file(15, inode: 3))])
        let seen = change(
            .changed(.content), item, file(15, inode: 3), from: file(0), seen: 21)
        #expect(writes.explain(seen, at: item, to: own))
        #expect(writes.explain(seen, at: item, to: other), "the claim has told it")
        let later = change(
            .changed(.content), item, file(25, inode: 3), from: file(0), seen: 26)
        #expect(!writes.explain(later, at: item, to: own))
        #expect(!writes.explain(later, at: item, to: other))
    }

    @Test("Rule 7.14: what a plain program wrote before an own save is told")
    func plainBeforeOwn() {
        let writes = writes(at: item, [(own, 10, 20, file(5), file(15))])
        let seen = change(.changed(.content), item, file(15), from: file(0), seen: 21)
        #expect(!writes.explain(seen, at: item, to: own))
        #expect(writes.explain(seen, at: item, to: other), "it was told of the save after that")
    }

    @Test("Rule 7.9: saves that follow each other are one")
    func series() {
        let writes = writes(
            at: item,
            [
                (own, 10, 20, file(0), file(15)), (other, 30, 40, file(15), file(35)),
                (own, 50, 60, file(35), file(55)),
            ])
        let seen = change(.changed(.content), item, file(55), from: file(0), seen: 61)
        #expect(writes.explain(seen, at: item, to: own))
    }

    @Test("Rule 7.14: a deletion by a claim is explained, and a later one is not")
    func deletions() {
        let writes = writes(at: item, [(other, 10, 20, file(0), nil)])
        #expect(
            writes.explain(
                change(.deleted, item, nil, from: file(0), seen: 25), at: item, to: own))
        #expect(
            !writes.explain(
                change(.deleted, item, nil, from: file(30), seen: 45), at: item, to: own))
        #expect(
            writes.explain(
                change(.deleted, item, nil, from: file(0), seen: 500), at: item, to: own),
            "the claim has told that nothing is there")
    }

    @Test("Rule 7.9: inside a directory that was claimed, the time decides")
    func inside() {
        let writes = writes(at: directory, [(own, 10, 20, nil, nil)])
        let during = change(.changed(.content), item, file(15), from: file(0), seen: 30)
        let after = change(.changed(.content), item, file(25), from: file(0), seen: 30)
        #expect(writes.explain(during, at: item, to: own))
        #expect(!writes.explain(during, at: item, to: other), "Rule 7.7: each is told")
        #expect(!writes.explain(after, at: item, to: own))
    }

    @Test("Rule 7.9: so it is for folders that a writer has made for its item")
    func folders() {
        var folder = file(12, inode: 8)
        folder.isDirectory = true
        let writes = writes(at: place("/d/e/f"), [(own, 10, 20, nil, file(15))])
        let made = change(.appeared, place("/d/e"), folder, from: nil, seen: 30)
        #expect(writes.explain(made, at: made.path, to: own))
        #expect(!writes.explain(made, at: made.path, to: other))
    }

    @Test("Rule 11.3: what came with a directory that a writer moved is not told by itself")
    func arrivals() {
        let writes = writes(
            at: directory, [(other, 10, 20, nil, file(15, inode: 9))], isArrival: true)
        let inside = change(.appeared, item, file(0), from: nil, seen: 30)
        #expect(writes.explain(inside, at: item, to: own))
        let later = change(.appeared, item, file(25), from: nil, seen: 30)
        #expect(!writes.explain(later, at: item, to: own))
    }

    @Test("Rule 7.14: a change of, beside, inside or around what is written waits for its end")
    func waiting() {
        var writes = CoordinatedWrites()
        writes.begin(record(1), at: [item], own, instant(10), isAsBegun: true)
        for path in ["/d/f", "/d/tmp", "/d/f/x", "/d"] {
            #expect(
                writes.runs(
                    concerning: change(.appeared, place(path), file(11), from: nil, seen: 12)))
        }
        for path in ["/e", "/e/x", "/d/g/x"] {
            #expect(
                !writes.runs(
                    concerning: change(.appeared, place(path), file(11), from: nil, seen: 12)))
        }
        writes.record(
            WrittenPath(path: item, change: (nil, file(11)), hasChanged: true), by: record(1),
            at: instant(20))
        writes.end(record(1), at: instant(20))
        let temporary = change(.appeared, place("/d/tmp"), file(11), from: nil, seen: 12)
        #expect(!writes.runs(concerning: temporary))
        #expect(writes.mayHaveRun(concerning: temporary), "it may be gone by now")
        let later = change(.appeared, place("/d/tmp"), file(30), from: nil, seen: 31)
        #expect(!writes.mayHaveRun(concerning: later))
    }

    @Test("Rule 7.9: what came and went while it waited is nothing")
    func temporaries() {
        var held = HeldChanges()
        let presenter = PresenterID(rawValue: 1)
        let temporary = place("/d/tmp")
        held.add(change(.appeared, temporary, file(11), from: nil, seen: 12), to: presenter, at: 0)
        held.add(
            change(.deleted, temporary, nil, from: file(11), seen: 14), to: presenter, at: 1)
        let taken = held.take { _, _ in true }
        #expect(taken.map(\.held.change).allSatisfy(HeldChanges.isNothing))
        #expect(taken.count == 1)
        // One that was renamed over the item leaves a change of that.
        held.add(change(.appeared, temporary, file(11), from: nil, seen: 12), to: presenter, at: 0)
        held.add(
            change(.moved(former: temporary), item, file(11), from: file(11), seen: 14),
            to: presenter, at: 1)
        let moved = held.take { _, _ in true }
        #expect(moved.map(\.name.path) == [item])
        #expect(moved.first?.held.isFormerUntold == true)
    }

    @Test("A change waits a second at most")
    func patience() {
        var held = HeldChanges()
        held.add(
            change(.appeared, item, file(11), from: nil, seen: 12),
            to: PresenterID(rawValue: 1), at: 5)
        held.add(
            change(.changed(.content), item, file(12), from: file(11), seen: 13),
            to: PresenterID(rawValue: 1), at: 900_000_000)
        #expect(held.nextDeadline == 5 + HeldChanges.patience)
    }
}
