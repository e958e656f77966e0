// SPDX-License-Identifier: Apache-2.0
//
// Who made a change, as the reports of coordinated writes tell.

import FileCoordinationArbiter
import Testing

@testable import FileCoordinationWatching

@Suite("Claim book")
struct ChangeAttributionTests {
    private let path: ItemPath
    private var place: ClaimedPath { ClaimedPath(path) }

    init() throws { path = try #require(ItemPath("/d/g")) }

    private func observed(size: UInt64 = 3, modified: Int64 = 10, changed: Int64) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: 2),
            stamp: FileStamp(size: size, modified: modified, changed: changed))
    }

    private func origins(
        told: ObservedFile, before: ObservedFile, after: ObservedFile
    ) -> [ChangeOrigin] {
        var book = ChangeAttribution()
        book.began(1, [path])
        _ = book.ended(1, [ClaimedChange(path: path, before: before, after: after)])
        return book.origins(at: place, told: told, now: after)
    }

    /// Rules 7.14, 11.4: a coordinated writer moved the item to the path, which changed its change
    /// time; another one wrote it before the watcher looked.
    @Test func `A move before a write is not another program's change`() {
        let after = observed(size: 4, modified: 30, changed: 30)
        #expect(
            origins(told: observed(changed: 10), before: observed(changed: 20), after: after)
                == [.coordinated])
    }

    @Test func `Contents that were written before the claim are another program's`() {
        let after = observed(size: 4, modified: 30, changed: 30)
        let before = observed(modified: 20, changed: 20)
        #expect(
            origins(told: observed(changed: 10), before: before, after: after)
                == [.uncoordinated, .coordinated])
    }

    @Test func `A change time that no claim has seen is another program's`() {
        var book = ChangeAttribution()
        book.began(1, [path])
        let (before, after) = (observed(changed: 10), observed(size: 4, modified: 30, changed: 30))
        _ = book.ended(1, [ClaimedChange(path: path, before: before, after: after)])
        let now = observed(size: 4, modified: 30, changed: 40)
        #expect(
            book.origins(at: place, told: before, now: now) == [.uncoordinated, .coordinated])
    }

    /// Rule 7.14: a program moved the item away and another one there, and a writer that was found
    /// running wrote that one.
    @Test(arguments: [false, true])
    func `A departure before the first write is another program's`(isFound: Bool) {
        var book = ChangeAttribution()
        book.began(1, [path], isFound: isFound)
        var (before, after) = (observed(changed: 20), observed(size: 4, modified: 30, changed: 30))
        before.identity.inode = 3
        after.identity.inode = 3
        _ = book.ended(1, [ClaimedChange(path: path, before: before, after: after)])
        let told = observed(changed: 10)
        let origins = book.originsOfDeparture(from: place, told: told, taker: nil)
        #expect(origins.contains(.uncoordinated))
        #expect(book.originsOfDeparture(from: place, told: before, taker: nil) != [.coordinated])
    }

    /// Rule 7.14: claims report inode numbers, which are used again.
    @Test(arguments: [25, 31] as [Int64])
    func `A directory that was born after a writer's is a program's`(_ born: Int64) {
        func directory(changed: Int64, born: Int64?) -> ObservedFile {
            ObservedFile(
                identity: FileIdentity(device: 1, inode: 2, born: born), isDirectory: true,
                stamp: FileStamp(size: 0, modified: changed, changed: changed))
        }
        var book = ChangeAttribution()
        book.began(1, [path])
        let made = directory(changed: 30, born: nil)
        _ = book.ended(1, [ClaimedChange(path: path, before: nil, after: made)])
        let now = directory(changed: 40, born: born)
        #expect(
            book.origins(at: place, told: nil, now: now)
                == (born < 30 ? [.coordinated] : [.uncoordinated, .coordinated]))
    }

    /// Rule 7.14: a writer moves a directory over an empty one, in which writers have created and
    /// deleted an item of the same name as one that they have changed.
    @Test func `A change in a directory that is moved over another one is the writer's`() throws {
        func directory(_ inode: UInt64) -> ObservedFile {
            ObservedFile(
                identity: FileIdentity(device: 1, inode: inode), isDirectory: true,
                stamp: FileStamp(size: 0, modified: 1, changed: 1, mode: 0o40755))
        }
        let inner = try #require(ItemPath("/c/g"))
        let places = try [#require(ItemPath("/c")), #require(ItemPath("/d"))]
        var book = ChangeAttribution()
        func write(_ number: UInt64, _ changes: [ClaimedChange]) {
            book.began(number, changes.map(\.path))
            _ = book.ended(number, changes)
        }
        let (before, after) = (observed(changed: 10), observed(size: 4, modified: 30, changed: 30))
        write(1, [ClaimedChange(path: path, before: nil, after: observed(changed: 25))])
        write(2, [ClaimedChange(path: path, before: observed(changed: 25), after: nil)])
        write(3, [ClaimedChange(path: inner, before: before, after: after)])
        write(
            4,
            [
                ClaimedChange(path: places[0], before: directory(7), after: nil),
                ClaimedChange(path: places[1], before: directory(8), after: directory(7)),
            ])
        #expect(book.origins(at: place, told: before, now: after) == [.coordinated])
    }

    /// Rule 7.14: the moved item has the inode number of one that a writer moved away from the
    /// present path before.
    @Test func `A change of a moved item is the writer's whatever had its number before`() throws {
        let former = ClaimedPath(try #require(ItemPath("/c/g")))
        var book = ChangeAttribution()
        func write(_ number: UInt64, _ changes: [ClaimedChange]) {
            book.began(number, changes.map(\.path))
            _ = book.ended(number, changes)
        }
        let earlier = observed(size: 9, modified: 5, changed: 5)
        write(1, [ClaimedChange(path: path, before: earlier, after: nil)])
        var told = observed(changed: 10)
        told.identity.born = 10
        let (arrived, after) = (observed(changed: 20), observed(size: 4, modified: 30, changed: 30))
        write(
            2,
            [
                ClaimedChange(path: former.path, before: observed(changed: 10), after: nil),
                ClaimedChange(path: path, before: nil, after: arrived),
            ])
        write(3, [ClaimedChange(path: path, before: arrived, after: after)])
        #expect(
            book.originsOfDifference(movedFrom: former, to: place, told: told, now: after)
                == [.coordinated])
    }

    /// Rule 7.14: presenters were told of a new item before its writer had finished.
    ///
    /// The watcher did not know of that writer yet. Another writer moves the item.
    @Test(arguments: [true, false])
    func `What was told of a write that is found late is the writer's, after a move, too`(
        isFound: Bool
    ) throws {
        let moved = ClaimedPath(try #require(ItemPath("/c/g")))
        let told = observed(size: 0, changed: 10)
        let (after, now) = (observed(changed: 12), observed(changed: 20))
        var book = ChangeAttribution()
        book.began(1, [path], isFound: isFound)
        _ = book.ended(1, [ClaimedChange(path: path, before: nil, after: after)])
        book.began(2, [path, moved.path])
        _ = book.ended(
            2,
            [
                ClaimedChange(path: path, before: after, after: nil),
                ClaimedChange(path: moved.path, before: nil, after: now),
            ])
        let writers = book.originsOfDifference(movedFrom: place, to: moved, told: told, now: now)
        #expect((writers == [.coordinated]) == isFound)
        #expect(book.announceDeparture(of: told, from: place) == isFound)
    }
}
