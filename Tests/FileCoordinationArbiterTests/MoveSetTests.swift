// SPDX-License-Identifier: Apache-2.0
//
// Several moves at the same time, moves over something else, and moves that move nothing (Rules
// 11.1, 11.8, 11.12).

import FileCoordinationArbiter
import Testing

@Suite struct MoveSetTests {
    private func place(_ fixture: ArbiterFixture, _ presenter: PresenterID) -> String? {
        fixture.arbiter.presenter(presenter)?.path?.description
    }

    // MARK: Over an existing item

    @Test func `Rule 11.8: who presents what is overwritten stays, who presents the source comes`()
    {
        var fixture = ArbiterFixture()
        let source = fixture.present("/a", .didMethods)
        let target = fixture.present("/b", .didMethods)
        let mover = fixture.file(.move("/a"))
        fixture.announce(mover, move("/a", to: "/b"))
        #expect(
            fixture.last == [
                .relocate(source, to: path("/b"), isTold: true),
                .notify(target, .itemDidChange),
            ])
        #expect(place(fixture, target) == "/b")
    }

    @Test func `Rules 11.8, 7.6: who has accommodated the replacement knows already`() {
        var fixture = ArbiterFixture()
        let target = fixture.present("/b")
        let unable = fixture.present("/b", .didMethods)
        let mover = fixture.file(.move("/a") + .replace("/b"))
        #expect(
            fixture.last(to: target)
                == [.askToYield(target, for: mover, .toWriterAndAccommodate)])
        fixture.answer(target, mover)
        fixture.announce(mover, move("/a", to: "/b"))
        #expect(fixture.last == [.notify(unable, .itemDidChange)])
    }

    @Test func `Rule 11.8: what was moved there before stays when more is moved over it`() {
        var fixture = ArbiterFixture()
        let first = fixture.present("/a", .didMethods)
        let second = fixture.present("/b", .didMethods)
        let mover = fixture.file(.move("/a") + .move("/b"))
        fixture.announce(mover, move("/a", to: "/c"))
        fixture.announce(mover, move("/b", to: "/c"))
        #expect(
            fixture.last == [
                .relocate(second, to: path("/c"), isTold: true), .notify(first, .itemDidChange),
            ])
    }

    // MARK: At the same time

    @Test func `Rule 11.12: two items change places in one announcement`() {
        var fixture = ArbiterFixture()
        let a = fixture.present("/d/a", .didMethods)
        let b = fixture.present("/d/b", .didMethods)
        let inside = fixture.present("/d/b/s/t", .didMethods)
        let above = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/a") + .move("/d/b"))
        fixture.announce(mover, move("/d/a", to: "/d/b"), move("/d/b", to: "/d/a"))
        #expect(
            fixture.last == [
                .relocate(a, to: path("/d/b"), isTold: true),
                .relocate(b, to: path("/d/a"), isTold: true),
                .relocate(inside, to: path("/d/a/s/t"), isTold: true),
                .notify(above, .subitemDidMove(path("/d/a"), to: path("/d/b"))),
                .notify(above, .subitemDidChange(path("/d/b"))),
                .notify(above, .subitemDidChange(path("/d/a"))),
                .notify(above, .subitemDidMove(path("/d/b"), to: path("/d/a"))),
            ])
        fixture.end(mover, .changed, .unchanged)
        #expect(fixture.heard(a) == [.itemDidChange])
        #expect(fixture.heard(b).isEmpty)
    }

    @Test func `Rule 11.12: or by way of a third place, in three announcements`() {
        var fixture = ArbiterFixture()
        let a = fixture.present("/a", .didMethods)
        let b = fixture.present("/b", .didMethods)
        let reader = { (fixture: inout ArbiterFixture, place: String) in fixture.file(.read(place))
        }
        let mover = fixture.file(.move("/a") + .move("/b"))
        let readers = [reader(&fixture, "/a"), reader(&fixture, "/b")]
        fixture.announce(mover, move("/a", to: "/t"))
        fixture.announce(mover, move("/b", to: "/a"))
        fixture.announce(mover, move("/t", to: "/b"))
        #expect([place(fixture, a), place(fixture, b)] == ["/b", "/a"])
        #expect(readers.map { fixture.places($0) } == [["/b"], ["/a"]])
        fixture.end(mover, .changed, .unchanged)
        #expect(fixture.heard(a) == [.itemDidChange])
        #expect(fixture.heard(b).isEmpty)
        #expect(readers.allSatisfy { fixture.stage($0) == .granted })
    }

    @Test func `Rule 11.12: the nearest of what moves decides`() {
        var fixture = ArbiterFixture()
        let inner = fixture.present("/d/s/f", .didMethods)
        let outer = fixture.present("/d/g", .didMethods)
        let folder = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/"))
        fixture.announce(mover, move("/d/", to: "/e/"), move("/d/s/", to: "/x/"))
        #expect(place(fixture, inner) == "/x/f")
        #expect(place(fixture, outer) == "/e/g")
        #expect(place(fixture, folder) == "/e")
        // What it misses has the name that it had in the folder, where the folder is now.
        #expect(
            fixture.heard(folder) == [
                .subitemDidMove(path("/d/s"), to: path("/x")), .subitemDidChange(path("/e/s")),
            ])
    }

    @Test func `Rule 11.3: a directory that moves at the same time counts where it is afterwards`()
    {
        var fixture = ArbiterFixture()
        let folder = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/") + .move("/x") + .move("/y"))
        // An item that moves to the folder's old path is
        // not inside the folder; one at its new path is.
        fixture.announce(
            mover, move("/d/", to: "/e/"), move("/x", to: "/d/x"), move("/y", to: "/e/y"))
        #expect(
            fixture.heard(folder) == [
                .subitemDidAppear(path("/e/y")), .subitemDidChange(path("/e/y")),
            ])
    }

    @Test func `Rule 11.1: one move told twice is one`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/a", .didMethods)
        let above = fixture.present("/", .didMethods)
        let mover = fixture.file(.move("/a"))
        let ab = move("/a", to: "/b")
        fixture.announce(mover, ab, ab, move("/a", to: "/c"))
        #expect(
            fixture.last == [
                .relocate(editor, to: path("/b"), isTold: true),
                .notify(above, .subitemDidMove(path("/a"), to: path("/b"))),
                .notify(above, .subitemDidChange(path("/b"))),
                .notify(above, .subitemDidChange(path("/a"))),
            ])
    }

    // MARK: Useless

    @Test func `Rule 11.1: moves that move nothing, or everything, are harmless`() {
        var fixture = ArbiterFixture()
        _ = fixture.present("/", .didMethods)
        _ = fixture.present("/a", .didMethods)
        let mover = fixture.file(.move("/a"))
        _ = fixture.file(.read("/a"))
        for useless in [move("/a", to: "/a"), move("/", to: "/b"), move("/a", to: "/")] {
            fixture.announce(mover, useless)
            #expect(fixture.last.isEmpty)
        }
        fixture.announce(mover)
        #expect(fixture.last.isEmpty)
    }

    @Test func `Rule 11.10: what is said outside of an accessor counts for nothing`() {
        var fixture = ArbiterFixture()
        _ = fixture.present("/a", .didMethods)
        let ended = fixture.file(.move("/a"))
        let waiting = fixture.file(.move("/a"))
        fixture.announce(waiting, move("/a", to: "/b"))
        #expect(fixture.last.isEmpty)
        #expect(fixture.places(waiting) == ["/a"])
        fixture.end(ended, .unchanged)
        fixture.announce(ended, move("/a", to: "/b"))
        #expect(fixture.last.isEmpty)
        fixture.announce(ClaimID(rawValue: 99), move("/a", to: "/b"))
        #expect(fixture.last.isEmpty)
    }

    @Test func `Rule 11.4: what would have too long a path stays where it was`() {
        var fixture = ArbiterFixture()
        let name = String(repeating: "n", count: 200)
        let deep = "/d/" + (0..<15).map { _ in name }.joined(separator: "/")
        let editor = fixture.present(deep, .didMethods)
        let folder = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/"))
        let reader = fixture.file(.read(deep))
        let far = "/" + (0..<7).map { _ in name }.joined(separator: "/")
        fixture.announce(mover, move("/d/", to: far))
        #expect(place(fixture, folder) == far)
        #expect(place(fixture, editor) == deep)
        #expect(fixture.places(reader) == [deep])
    }

    @Test func `Rule 11.4: a directory that is said to have moved into itself breaks nothing`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", .didMethods)
        let mover = fixture.file(.move("/d/"))
        fixture.announce(mover, move("/d/", to: "/d/s/"))
        #expect(place(fixture, editor) == "/d/s/f")
        fixture.end(mover, .changed)
    }

    @Test func `Rule 11.4: the root's neighbours and unknown items move without a word`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/a"))
        fixture.announce(mover, move("/unknown", to: "/elsewhere"))
        #expect(fixture.last.isEmpty)
        fixture.end(mover, .unchanged)
        #expect(fixture.arbiter.isIdle)
    }
}
