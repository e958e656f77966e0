// SPDX-License-Identifier: Apache-2.0
//
// What presenters are told of changes that the watcher saw, and what only claims tell.

import FileCoordinationArbiter
import FileCoordinationWatching
import Testing

@testable import FileCoordinationServer

/// A place whose path is known to be one.
private func place(_ text: String) -> ItemPath {
    guard let path = ItemPath(text) else { preconditionFailure("\(text) is no path") }
    return path
}

struct PlainNoticesTests {
    private let item = place("/d/f")
    private let directory = place("/d")
    private let now = CoordinatedWrites.Instant(monotonic: 1_000_000_000, real: 100)

    private func instant(after nanoseconds: UInt64) -> CoordinatedWrites.Instant {
        .init(monotonic: now.monotonic + nanoseconds, real: now.real + Int64(nanoseconds))
    }

    private func presenter(
        _ path: ItemPath, _ methods: PresenterMethods = .all,
        _ item: WatchedPresenter.Item = .directory
    ) -> WatchedPresenter {
        WatchedPresenter(
            path: path, methods: methods, purpose: Purpose(bytes: [1]), item: item)
    }

    private func observed(changed: Int64) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: 2),
            stamp: FileStamp(size: 1, modified: changed, changed: changed))
    }

    private func change(
        _ what: WatchedChange.What, _ path: ItemPath, _ origin: ChangeOrigin = .uncoordinated,
        changed: Int64? = 5
    ) -> WatchedChange {
        WatchedChange(
            what: what, path: path, origin: origin, observed: changed.map { observed(changed: $0) })
    }

    @Test("Rules 7.3 to 7.6: the item, what is inside, what came and what went")
    func messages() {
        let inside = presenter(directory)
        #expect(
            inside.messages(of: change(.appeared, item))
                == [.notice(.subitemDidAppear(item)), .notice(.subitemDidChange(item))])
        for what in [WatchedChange.What.changed(.content), .changed(.attributes), .deleted] {
            #expect(
                inside.messages(of: change(what, item)) == [.notice(.subitemDidChange(item))])
            #expect(presenter(item).messages(of: change(what, item)) == [.notice(.itemDidChange)])
        }
    }

    @Test("Rules 11.3, 11.9: a move of the item is followed, one inside is told with both ends")
    func moves() {
        let new = place("/d/g")
        let move = change(.moved(former: item), new)
        #expect(presenter(item).messages(of: move) == [.moved(to: new)])
        let changes: [WatchedPresenter.Message] = [
            .notice(.subitemDidChange(new)), .notice(.subitemDidChange(item)),
        ]
        #expect(
            presenter(directory).messages(of: move)
                == [.notice(.subitemDidMove(item, to: new))] + changes)
        #expect(presenter(directory, .subitemDidChange).messages(of: move) == changes)
        // A package's presenter without the method hears once that its item has changed.
        #expect(
            presenter(directory, .itemDidChange, .package).messages(of: move)
                == [.notice(.itemDidChange)])
    }

    @Test("Rule 7.4: a package's presenter with no method for it hears of a change of its item")
    func packages() {
        let changed = change(.changed(.content), item)
        let terse = PresenterMethods.itemDidChange
        #expect(
            presenter(directory, terse, .package).messages(of: changed) == [.notice(.itemDidChange)]
        )
        #expect(presenter(directory, terse, .directory).messages(of: changed).isEmpty)
        #expect(presenter(directory, terse, .package).kind == .directory)
        #expect(presenter(directory, terse, .directory).kind == .file)
    }

    @Test("Rule 7.14: that anything may have changed is told of a directory with what there is")
    func anyChange() {
        let all = presenter(directory)
        #expect(all.messagesOfAll == [.notice(.itemDidChange)])
        let terse = presenter(directory, [.subitemDidChange, .subitemDidMove])
        #expect(terse.messagesOfAll == [.notice(.subitemDidChange(directory))])
        // The message of a move of the directory itself may still follow.
        let former = change(.changed(.content), place("/e/f"))
        #expect(terse.messages(of: former) == [.notice(.subitemDidChange(directory))])
        #expect(presenter(directory, .itemDidMove).messagesOfAll.isEmpty)
        // Rule 7.4: if the change is known, no other method is called instead.
        #expect(terse.messages(of: change(.changed(.attributes), directory)).isEmpty)
    }

    @Test("What is not about the item any more is told as a change of it, never swallowed")
    func stale() {
        let elsewhere = place("/e/f")
        #expect(
            presenter(directory).messages(of: change(.appeared, elsewhere))
                == [.notice(.itemDidChange)])
    }

    @Test("The names that filecoord uses for a moment are not told")
    func temporaries() {
        let temporary = place("/d/.filecoord-0123")
        #expect(change(.appeared, temporary).withoutTemporaries == nil)
        let moved = change(.moved(former: temporary), item).withoutTemporaries
        #expect(moved?.what == .changed(.content))
    }

    @Test("Rule 7.14: what a claim tells is not told again, and what came later is")
    func explained() {
        var writes = CoordinatedWrites()
        let other = Purpose(bytes: [2])
        let own = Purpose(bytes: [1])
        writes.record(
            item, by: other, after: observed(changed: 10), hasChanged: true, knownFrom: 4, at: now)
        func isExplained(
            _ change: WatchedChange, seen: UInt64, to purpose: Purpose = own, later: UInt64 = 0
        ) -> Bool {
            writes.explains(change, commandsSeen: seen, to: purpose, at: instant(after: later))
        }
        let during = change(.changed(.content), item, changed: 9)
        let after = change(.changed(.content), item, changed: 11)
        #expect(isExplained(during, seen: 3))
        #expect(!isExplained(after, seen: 3))
        // The watcher knew of the write when it saw the
        // change, and reports another program's change.
        #expect(!isExplained(during, seen: 4))
        #expect(!isExplained(during, seen: 3, later: 60_000_000_000))
        #expect(isExplained(change(.changed(.content), item, .coordinated), seen: 9))
        let mixed = change(.changed(.content), item, .either, changed: 9)
        #expect(isExplained(mixed, seen: 3))
        #expect(!isExplained(mixed, seen: 4))
        #expect(!isExplained(change(.changed(.content), item, .either, changed: 11), seen: 3))
        writes.record(
            item, by: other, after: nil, hasChanged: true, knownFrom: 4, at: now)
        #expect(isExplained(mixed, seen: 9), "what the writer left is not known")
        // The next writer deletes the item; the watcher tells what it had seen before.
        writes.record(
            item, by: other, after: .some(nil), hasChanged: true, knownFrom: 6,
            at: instant(after: 50))
        #expect(isExplained(mixed, seen: 5, later: 60))
        #expect(!isExplained(mixed, seen: 6, later: 60), "the watcher knew of the deletion")
        let later = change(.changed(.content), item, .either, changed: 101)
        #expect(!isExplained(later, seen: 5, later: 60))
        // The claim on the directory does not tell which items inside changed (Rule 7.7).
        let inner = change(.changed(.content), place("/d/f/x"), .either)
        #expect(!isExplained(inner, seen: 9))
        #expect(isExplained(inner, seen: 9, to: other))
    }

    @Test("Rule 11.3: what came with a directory that a writer moved is not told by itself")
    func arrivals() {
        let other = Purpose(bytes: [2])
        func isExplained(_ change: WatchedChange, isArrival: Bool = true) -> Bool {
            var writes = CoordinatedWrites()
            writes.record(
                directory, by: other, after: nil, hasChanged: true, isArrival: isArrival,
                knownFrom: 4, at: now)
            return writes.explains(
                change, commandsSeen: 9, to: Purpose(bytes: [1]), at: now)
        }
        #expect(isExplained(change(.appeared, item, .either)))
        #expect(isExplained(change(.appeared, place("/d/e/g"), .either)))
        #expect(!isExplained(change(.appeared, item, .either), isArrival: false))
        // A plain program did these, or may have.
        #expect(!isExplained(change(.appeared, item, .uncoordinated)))
        #expect(!isExplained(change(.changed(.content), item, .either)))
        #expect(!isExplained(change(.appeared, place("/e/g"), .either)))
    }

    @Test("Rule 7.9: what a presenter's own side does is no news to it")
    func own() {
        var writes = CoordinatedWrites()
        let own = Purpose(bytes: [1])
        let isNew = writes.begin(
            ClaimID(rawValue: 1), at: [directory], own, isAsBegun: true)
        #expect(isNew)
        let inner = change(.changed(.content), item, .either)
        #expect(writes.explains(inner, commandsSeen: 9, to: own, at: now))
        #expect(!writes.explains(inner, commandsSeen: 9, to: Purpose(bytes: [2]), at: now))
        let wasKnown = writes.end(ClaimID(rawValue: 1))
        #expect(wasKnown)
        #expect(!writes.explains(inner, commandsSeen: 9, to: own, at: now))
    }

    @Test("Rule 7.14: what was done after the end of a write is told, whatever the write did")
    func laterChanges() {
        let (own, other) = (Purpose(bytes: [1]), Purpose(bytes: [2]))
        var writes = CoordinatedWrites()
        writes.record(directory, by: own, after: nil, hasChanged: true, knownFrom: 4, at: now)
        func isExplained(
            _ what: WatchedChange.What, _ path: ItemPath, to purpose: Purpose, changed: Int64?,
            later: UInt64
        ) -> Bool {
            writes.explains(
                change(what, path, .either, changed: changed), commandsSeen: 9, to: purpose,
                at: instant(after: later))
        }
        // A writer was killed, or its presenter saves a package; then a plain program writes.
        let ends: [(ItemPath, Purpose)] = [(directory, other), (item, own)]
        for (path, purpose) in ends {
            let before = now.real
            #expect(
                isExplained(.changed(.content), path, to: purpose, changed: before, later: 1000))
            #expect(
                !isExplained(
                    .changed(.content), path, to: purpose, changed: before + 1, later: 1000))
            // A file server's clock is ahead.
            #expect(
                isExplained(
                    .changed(.content), path, to: purpose, changed: before + 2000, later: 1000))
            #expect(isExplained(.deleted, path, to: purpose, changed: nil, later: 1000))
            #expect(!isExplained(.deleted, path, to: purpose, changed: nil, later: 500_000_000))
        }
        writes.record(
            directory, by: other, after: nil, hasChanged: true, isArrival: true, knownFrom: 5,
            at: now)
        #expect(isExplained(.appeared, item, to: own, changed: now.real, later: 1000))
        #expect(!isExplained(.appeared, item, to: own, changed: now.real + 1, later: 1000))
    }

    @Test("Rule 7.14: each of several writes explains what the watcher saw before it knew of it")
    func severalWrites() {
        var writes = CoordinatedWrites()
        let other = Purpose(bytes: [2])
        writes.record(
            item, by: other, after: observed(changed: 10), hasChanged: true, knownFrom: 4, at: now)
        writes.record(
            item, by: other, after: .some(nil), hasChanged: true, knownFrom: 6, at: now)
        func isExplained(_ what: WatchedChange.What, changed: Int64?, seen: UInt64) -> Bool {
            writes.explains(
                change(what, item, changed: changed), commandsSeen: seen,
                to: Purpose(bytes: [1]), at: now)
        }
        #expect(isExplained(.changed(.content), changed: 9, seen: 3))
        #expect(!isExplained(.changed(.content), changed: 9, seen: 4))
        #expect(!isExplained(.changed(.content), changed: 11, seen: 3))
        #expect(isExplained(.deleted, changed: nil, seen: 5))
        #expect(!isExplained(.deleted, changed: nil, seen: 6))
    }

    @Test("What a plain program moved on from where a claim left it is told as that")
    func onward() {
        let left = place("/d/left")
        var move = change(.moved(former: place("/d/former")), item, .coordinated)
        #expect(move.remainder { _ in false } == nil)
        move.leftAt = left
        let onward = move.remainder { _ in true }
        #expect(onward?.what == .moved(former: left))
        #expect(onward?.path == item)
        #expect(onward?.origin == .uncoordinated)
    }

    @Test("A move that a claim tells of leaves the name of a helper, of which it does not")
    func remainder() {
        let helper = place("/d/helper")
        var move = change(.moved(former: helper), item, .coordinated)
        #expect(move.remainder { $0 == item } == nil)
        move.departure = .either
        #expect(move.remainder { $0 == item }?.path == helper)
        #expect(move.remainder { $0 == item }?.what == .deleted)
        #expect(move.remainder { _ in true } == nil)
    }

    @Test("A move of which a claim tells the departure alone has brought the item to its new path")
    func arrivalAlone() {
        var move = change(.moved(former: place("/d/former")), item, .coordinated)
        #expect(move.remainder { _ in false } == nil)
        move.arrival = .either
        #expect(move.remainder { $0 != item }?.what == .appeared)
        #expect(move.remainder { $0 != item }?.path == item)
        #expect(move.remainder { $0 != item }?.observed == move.observed)
        #expect(move.remainder { _ in true } == nil)
        move.leftAt = place("/d/left")
        #expect(move.remainder { $0 != item }?.what == .moved(former: place("/d/left")))
    }
}
