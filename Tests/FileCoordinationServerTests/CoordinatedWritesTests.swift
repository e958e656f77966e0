// SPDX-License-Identifier: Apache-2.0
//
// Whose changes those are that the watcher sees (Rules 7.9, 7.14), and which wait for the end of a
// write.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching
import InstantLiterals
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
            monotonic: .seconds(1) + .milliseconds(milliseconds),
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
        from earlier: ObservedFile?, goneBy gone: UInt64? = nil, seen milliseconds: UInt64,
        since: UInt64 = 0
    ) -> WatchedChange {
        var change = WatchedChange(
            what: what, path: path, observed: now, earlier: earlier,
            goneBy: gone.map { instant($0).real }, seenAt: instant(milliseconds).monotonic)
        change.since = instant(since).monotonic
        return change
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
        #expect(writes.explain(seen, to: own))
        #expect(writes.explain(seen, to: other), "the claim has told it")
        let later = change(
            .changed(.content), item, file(25, inode: 3), from: file(0), seen: 26)
        #expect(!writes.explain(later, to: own))
        #expect(!writes.explain(later, to: other))
    }

    @Test("Rule 7.14: what a plain program wrote before an own save is told")
    func plainBeforeOwn() {
        let writes = writes(at: item, [(own, 10, 20, file(5), file(15))])
        let seen = change(.changed(.content), item, file(15), from: file(0), seen: 21)
        #expect(!writes.explain(seen, to: own))
        #expect(writes.explain(seen, to: other), "it was told of the save after that")
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
        #expect(writes.explain(seen, to: own))
    }

    @Test("Rule 7.9: a save after an own creation and deletion is no news")
    func again() {
        let writes = writes(
            at: item, [(own, 10, 20, file(0), nil), (own, 30, 40, nil, file(35, inode: 4))])
        let seen = change(.appeared, item, file(35, inode: 4), from: nil, seen: 41)
        #expect(writes.explain(seen, to: own))
    }

    @Test("Rule 7.14: a deletion by a claim is explained, and a later one is not")
    func deletions() {
        let writes = writes(at: item, [(other, 10, 20, file(0), nil)])
        func deletion(goneBy gone: UInt64?) -> WatchedChange {
            change(.deleted, item, nil, from: file(0), goneBy: gone, seen: 45)
        }
        #expect(writes.explain(deletion(goneBy: 15), to: own))
        // Something may have come and gone since, as the directory's time shows.
        #expect(!writes.explain(deletion(goneBy: 30), to: own))
        #expect(!writes.explain(deletion(goneBy: nil), to: own), "that is not known")
    }

    @Test("Rule 7.14: inside an own directory, the directory's time tells whose a deletion was")
    func deletionsInside() {
        let writes = writes(at: directory, [(own, 100, 120, nil, nil)])
        for (gone, isExplained) in [(110, true), (130, false), (50, false)] as [(UInt64, Bool)] {
            let seen = change(.deleted, item, nil, from: file(0), goneBy: gone, seen: 140)
            #expect(writes.explain(seen, to: own) == isExplained)
        }
    }

    @Test("Rule 7.14: a write of which all was told explains nothing that comes later")
    func toldSince() {
        let writes = writes(at: item, [(other, 10, 20, nil, file(15))])
        #expect(writes.explain(change(.appeared, item, file(15), from: nil, seen: 30), to: own))
        let back = change(.appeared, item, file(15), from: nil, seen: 60, since: 50)
        #expect(!writes.explain(back, to: own), "it was away meanwhile")
        let told = change(.appeared, item, file(15), from: nil, seen: 60)
        #expect(
            !writes.explain(told, to: own, toldAt: instant(40).monotonic),
            "the presenter has looked since, perhaps while it was away")
    }

    @Test("Rule 7.9: inside a directory that was claimed, the time decides")
    func inside() {
        var folder = file(0, inode: 8)
        folder.isDirectory = true
        let writes = writes(at: directory, [(own, 10, 20, folder, folder)])
        let during = change(.changed(.content), item, file(15), from: file(0), seen: 30)
        let after = change(.changed(.content), item, file(25), from: file(0), seen: 30)
        #expect(writes.explain(during, to: own))
        #expect(!writes.explain(during, to: other), "Rule 7.7: each is told")
        #expect(!writes.explain(after, to: own))
    }

    @Test("Rule 7.9: so it is for folders that a writer has made for its item")
    func folders() {
        var folder = file(12, inode: 8)
        folder.isDirectory = true
        let writes = writes(at: place("/d/e/f"), [(own, 10, 20, nil, file(15))])
        let made = change(.appeared, place("/d/e"), folder, from: nil, seen: 30)
        #expect(writes.explain(made, to: own))
        #expect(!writes.explain(made, to: other))
    }

    @Test("Rule 11.3: what came with a directory that a writer moved is not told by itself")
    func arrivals() {
        let writes = writes(
            at: directory, [(other, 10, 20, nil, file(15, inode: 9))], isArrival: true)
        let inside = change(.appeared, item, file(0), from: nil, seen: 30)
        #expect(writes.explain(inside, to: own))
        let later = change(.appeared, item, file(25), from: nil, seen: 30)
        #expect(!writes.explain(later, to: own))
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

    // MARK: What is told

    private var listener: SeenChanges.Listener {
        SeenChanges.Listener(id: PresenterID(rawValue: 1), path: directory, purpose: other)
    }

    /// What is known while a write to the item runs.
    private func seenBesideWrite() -> SeenChanges {
        var seen = SeenChanges()
        seen.writes.begin(record(1), at: [item], own, instant(10), isAsBegun: true)
        return seen
    }

    /// Ends the write, and returns what the presenter is told then.
    private func end(_ seen: inout SeenChanges) -> [WatchedChange] {
        seen.writes.record(
            WrittenPath(path: item, change: (file(0), file(14, inode: 3)), hasChanged: true),
            by: record(1), at: instant(20))
        seen.writes.end(record(1), at: instant(20))
        var question: UInt64?
        let early = seen.release(answered: 0, at: instant(21), { _ in listener }) {
            question = 1
            return 1
        }
        #expect(early.isEmpty)
        #expect(question == 1, "the watcher may not have read everything")
        return seen.release(answered: 1, at: instant(22), { _ in listener }, ask: { nil })
            .map(\.change)
    }

    @Test("Rule 7.9: what came and went while it waited is told to nobody")
    func temporaries() {
        var seen = seenBesideWrite()
        let temporary = place("/d/tmp")
        let changes = [
            change(.appeared, temporary, file(11), from: nil, seen: 12),
            change(.deleted, temporary, nil, from: file(11), goneBy: 13, seen: 14),
            change(.deleted, place("/d/t2"), nil, from: nil, goneBy: 15, seen: 16),
        ]
        for change in changes {
            #expect(seen.consider(change, listener, at: instant(17)).isEmpty)
        }
        #expect(end(&seen).isEmpty)
    }

    @Test("Rule 7.9: a temporary that becomes the item is the claim's change, and no move")
    func renamedTemporary() {
        var seen = seenBesideWrite()
        let temporary = place("/d/tmp")
        let changes = [
            change(.appeared, temporary, file(11, inode: 3), from: nil, seen: 12),
            change(
                .moved(former: temporary), item, file(14, inode: 3), from: file(0), seen: 15),
        ]
        for change in changes {
            #expect(seen.consider(change, listener, at: instant(16)).isEmpty)
        }
        #expect(end(&seen).isEmpty)
    }

    @Test("Rule 7.14: what others did beside a write is told after it, and moves are moves")
    func besideWrite() {
        var seen = seenBesideWrite()
        let (x, y, z) = (place("/d/x"), place("/d/y"), place("/d/z"))
        let moved = file(3, inode: 8)
        let changes = [
            change(.moved(former: x), y, moved, from: nil, seen: 13),
            change(.moved(former: y), z, moved, from: nil, seen: 14),
            change(.changed(.content), place("/d/w"), file(12, inode: 9), from: file(1), seen: 15),
        ]
        for change in changes {
            #expect(seen.consider(change, listener, at: instant(16)).isEmpty)
        }
        let told = end(&seen)
        #expect(told.map(\.path) == [place("/d/w"), z])
        #expect(told.last?.what == .moved(former: x), "it went there in two steps")
    }

    @Test("Rule 7.14: a name that was told while something may have been there is told as gone")
    func toldBetween() {
        var seen = SeenChanges()
        let gone = place("/d/t")
        let before = change(.deleted, gone, nil, from: file(0), goneBy: 5, seen: 6)
        #expect(seen.consider(before, listener, at: instant(11)).count == 1)
        seen.writes.begin(record(1), at: [item], own, instant(12), isAsBegun: true)
        // It had come back by then, and is gone again.
        let after = change(.deleted, gone, nil, from: nil, goneBy: 13, seen: 14)
        _ = seen.consider(after, listener, at: instant(16))
        #expect(end(&seen).map(\.path) == [gone])
    }
}
