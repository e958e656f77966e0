// SPDX-License-Identifier: Apache-2.0
//
// Several moves at the same time, moves over something else, and moves that move nothing (Rules
// 11.1, 11.8, 11.12).

import FileCoordinationArbiter
import Testing

@Suite struct MoveSetTests {
    private func place(_ desk: Desk, _ presenter: PresenterID) -> String? {
        desk.arbiter.presenter(presenter)?.path?.description
    }

    // MARK: Over an existing item

    @Test func `Rule 11.8: who presents what is overwritten stays, who presents the source comes`()
    {
        var desk = Desk()
        let source = desk.present("/a", .didMethods)
        let target = desk.present("/b", .didMethods)
        let mover = desk.file(.move("/a"))
        desk.announce(mover, move("/a", to: "/b"))
        #expect(
            desk.last == [
                .relocate(source, to: path("/b"), isTold: true),
                .notify(target, .itemDidChange),
            ])
        #expect(place(desk, target) == "/b")
    }

    @Test func `Rules 11.8, 7.6: who has accommodated the replacement knows already`() {
        var desk = Desk()
        let target = desk.present("/b")
        let unable = desk.present("/b", .didMethods)
        let mover = desk.file(.move("/a") + .replace("/b"))
        #expect(
            desk.last(to: target)
                == [.askToYield(target, for: mover, .toWriterAndAccommodate)])
        desk.answer(target, mover)
        desk.announce(mover, move("/a", to: "/b"))
        #expect(desk.last == [.notify(unable, .itemDidChange)])
    }

    @Test func `Rule 11.8: what was moved there before stays when more is moved over it`() {
        var desk = Desk()
        let first = desk.present("/a", .didMethods)
        let second = desk.present("/b", .didMethods)
        let mover = desk.file(.move("/a") + .move("/b"))
        desk.announce(mover, move("/a", to: "/c"))
        desk.announce(mover, move("/b", to: "/c"))
        #expect(
            desk.last == [
                .relocate(second, to: path("/c"), isTold: true), .notify(first, .itemDidChange),
            ])
    }

    // MARK: At the same time

    @Test func `Rule 11.12: two items change places in one announcement`() {
        var desk = Desk()
        let a = desk.present("/d/a", .didMethods)
        let b = desk.present("/d/b", .didMethods)
        let inside = desk.present("/d/b/s/t", .didMethods)
        let above = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/a") + .move("/d/b"))
        desk.announce(mover, move("/d/a", to: "/d/b"), move("/d/b", to: "/d/a"))
        #expect(
            desk.last == [
                .relocate(a, to: path("/d/b"), isTold: true),
                .relocate(b, to: path("/d/a"), isTold: true),
                .relocate(inside, to: path("/d/a/s/t"), isTold: true),
                .notify(above, .subitemDidMove(path("/d/a"), to: path("/d/b"))),
                .notify(above, .subitemDidMove(path("/d/b"), to: path("/d/a"))),
            ])
        desk.end(mover, .changed, .unchanged)
        #expect(desk.heard(a) == [.itemDidChange])
        #expect(desk.heard(b).isEmpty)
    }

    @Test func `Rule 11.12: or by way of a third place, in three announcements`() {
        var desk = Desk()
        let a = desk.present("/a", .didMethods)
        let b = desk.present("/b", .didMethods)
        let reader = { (desk: inout Desk, place: String) in desk.file(.read(place)) }
        let mover = desk.file(.move("/a") + .move("/b"))
        let readers = [reader(&desk, "/a"), reader(&desk, "/b")]
        desk.announce(mover, move("/a", to: "/t"))
        desk.announce(mover, move("/b", to: "/a"))
        desk.announce(mover, move("/t", to: "/b"))
        #expect([place(desk, a), place(desk, b)] == ["/b", "/a"])
        #expect(readers.map { desk.places($0) } == [["/b"], ["/a"]])
        desk.end(mover, .changed, .unchanged)
        #expect(desk.heard(a) == [.itemDidChange])
        #expect(desk.heard(b).isEmpty)
        #expect(readers.allSatisfy { desk.stage($0) == .granted })
    }

    @Test func `Rule 11.12: the nearest of what moves decides`() {
        var desk = Desk()
        let inner = desk.present("/d/s/f", .didMethods)
        let outer = desk.present("/d/g", .didMethods)
        let folder = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/"))
        desk.announce(mover, move("/d/", to: "/e/"), move("/d/s/", to: "/x/"))
        #expect(place(desk, inner) == "/x/f")
        #expect(place(desk, outer) == "/e/g")
        #expect(place(desk, folder) == "/e")
        #expect(desk.heard(folder) == [.subitemDidMove(path("/d/s"), to: path("/x"))])
    }

    @Test func `Rule 11.3: a directory that moves at the same time counts where it is afterwards`()
    {
        var desk = Desk()
        let folder = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/") + .move("/x") + .move("/y"))
        // What comes to the place it has left is not inside it; what comes to its new one is.
        desk.announce(
            mover, move("/d/", to: "/e/"), move("/x", to: "/d/x"), move("/y", to: "/e/y"))
        #expect(desk.heard(folder) == [.subitemDidAppear(path("/e/y"))])
    }

    @Test func `Rule 11.1: one move told twice is one`() {
        var desk = Desk()
        let editor = desk.present("/a", .didMethods)
        let above = desk.present("/", .didMethods)
        let mover = desk.file(.move("/a"))
        let ab = move("/a", to: "/b")
        desk.announce(mover, ab, ab, move("/a", to: "/c"))
        #expect(
            desk.last == [
                .relocate(editor, to: path("/b"), isTold: true),
                .notify(above, .subitemDidMove(path("/a"), to: path("/b"))),
            ])
    }

    // MARK: Useless

    @Test func `Rule 11.1: moves that move nothing, or everything, are harmless`() {
        var desk = Desk()
        _ = desk.present("/", .didMethods)
        _ = desk.present("/a", .didMethods)
        let mover = desk.file(.move("/a"))
        _ = desk.file(.read("/a"))
        for useless in [move("/a", to: "/a"), move("/", to: "/b"), move("/a", to: "/")] {
            desk.announce(mover, useless)
            #expect(desk.last.isEmpty)
        }
        desk.announce(mover)
        #expect(desk.last.isEmpty)
    }

    @Test func `Rule 11.10: what is said outside of an accessor counts for nothing`() {
        var desk = Desk()
        _ = desk.present("/a", .didMethods)
        let ended = desk.file(.move("/a"))
        let waiting = desk.file(.move("/a"))
        desk.announce(waiting, move("/a", to: "/b"))
        #expect(desk.last.isEmpty)
        #expect(desk.places(waiting) == ["/a"])
        desk.end(ended, .unchanged)
        desk.announce(ended, move("/a", to: "/b"))
        #expect(desk.last.isEmpty)
        desk.announce(ClaimID(rawValue: 99), move("/a", to: "/b"))
        #expect(desk.last.isEmpty)
    }

    @Test func `Rule 11.4: what would have too long a path stays where it was`() {
        var desk = Desk()
        let name = String(repeating: "n", count: 200)
        let deep = "/d/" + (0..<15).map { _ in name }.joined(separator: "/")
        let editor = desk.present(deep, .didMethods)
        let folder = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/"))
        let reader = desk.file(.read(deep))
        let far = "/" + (0..<7).map { _ in name }.joined(separator: "/")
        desk.announce(mover, move("/d/", to: far))
        #expect(place(desk, folder) == far)
        #expect(place(desk, editor) == deep)
        #expect(desk.places(reader) == [deep])
    }

    @Test func `Rule 11.4: a directory that is said to have moved into itself breaks nothing`() {
        var desk = Desk()
        let editor = desk.present("/d/f", .didMethods)
        let mover = desk.file(.move("/d/"))
        desk.announce(mover, move("/d/", to: "/d/s/"))
        #expect(place(desk, editor) == "/d/s/f")
        desk.end(mover, .changed)
    }

    @Test func `Rule 11.4: the root's neighbours and unknown items move without a word`() {
        var desk = Desk()
        let mover = desk.file(.move("/a"))
        desk.announce(mover, move("/unknown", to: "/elsewhere"))
        #expect(desk.last.isEmpty)
        desk.end(mover, .unchanged)
        #expect(desk.arbiter.isIdle)
    }
}
