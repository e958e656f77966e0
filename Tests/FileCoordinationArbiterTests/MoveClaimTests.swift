// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait while their items move: they follow (Rules 11.4 to 11.6, 11.12).

import FileCoordinationArbiter
import Testing

@Suite struct MoveClaimTests {
    private let fe = move("/d/f", to: "/e/f")

    // MARK: Stage 1

    @Test func `Rules 11.4, 2.20: a claim that waits follows, and waits for the mover's end`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f"))
        let reader = desk.file(.read("/d/f"))
        desk.announce(mover, fe)
        #expect(desk.last == [.retarget(reader, .read("/e/f"))])
        #expect(desk.stage(reader) == .waiting)
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(reader)])
        #expect(desk.places(reader) == ["/e/f"])
    }

    @Test(arguments: ["/d/f", "/d/r/s/t/u/f"])
    func `Rules 11.4, 2.8a: so do those inside a directory that moves`(place: String) {
        var desk = Desk()
        let first = desk.file(.read(place))
        let queued = desk.file(.write(place))
        let mover = desk.file(.move("/d/"))
        let late = desk.file(.read(place))
        desk.end(first)
        #expect(desk.last == [.grant(mover)])
        desk.announce(mover, move("/d/", to: "/x/y/"))
        let new = "/x/y" + place.dropFirst(2)
        #expect(desk.last == [.retarget(queued, .write(new)), .retarget(late, .read(new))])
        // Until the move is over.
        #expect(desk.stage(queued) == .waiting)
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(queued)])
        desk.end(queued, .changed)
        #expect(desk.last == [.grant(late)])
    }

    @Test func `Rule 11.5: one that replaces means the place and stays`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/"))
        let replacing = desk.file(.replace("/d/f"))
        let both = desk.file(.read("/d/f") + .replace("/d/g"))
        desk.announce(mover, move("/d/", to: "/e/"))
        #expect(desk.last == [.retarget(both, .read("/e/f") + .replace("/d/g"))])
        desk.end(mover, .unchanged)
        #expect(desk.places(replacing) == ["/d/f"])
        #expect(desk.stage(replacing) == .granted)
    }

    @Test func `Rules 2.13, 11.4: of several items only those that moved are elsewhere`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f"))
        let several = desk.file(.read("/x") + .write("/d/f") + .read("/d"))
        desk.announce(mover, fe)
        #expect(desk.last == [.retarget(several, .read("/x") + .write("/e/f") + .read("/d"))])
        desk.end(mover, .unchanged)
        #expect(desk.stage(several) == .granted)
        // It excludes others where it is now and nowhere else.
        let newcomers = [desk.file(.read("/e/f")), desk.file(.read("/d/f"))]
        #expect(newcomers.map { desk.stage($0) } == [.waiting, .granted])
    }

    @Test func `Rules 2.10, 11.4: what runs already keeps its place`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f"), purpose: "m")
        let running = desk.file(.write("/d/f"), purpose: "m")
        desk.announce(mover, fe)
        #expect(desk.last.isEmpty)
        desk.end(mover, .unchanged)
        #expect(desk.places(running) == ["/d/f"])
        let other = desk.file(.read("/d/f"))
        #expect(desk.arbiter.impediments(of: other) == [.claim(running)])
    }

    @Test func `Rule 11.12: a chain of moves composes, across movers too`() {
        var desk = Desk()
        let first = desk.file(.move("/a"), purpose: "m")
        let second = desk.file(.move("/b"), purpose: "m")
        let reader = desk.file(.read("/a"))
        desk.announce(first, move("/a", to: "/b"))
        desk.end(first, .unchanged)
        #expect(desk.arbiter.impediments(of: reader) == [.claim(second)])
        desk.announce(second, move("/b", to: "/c"))
        #expect(desk.last == [.retarget(reader, .read("/c"))])
        desk.end(second, .unchanged)
        #expect(desk.last == [.grant(reader)])
    }

    @Test func `Rule 11.13: a claim on what was deleted goes on at its place`() {
        var desk = Desk()
        let deleting = desk.file(.delete("/d/f"))
        let reader = desk.file(.read("/d/f"))
        desk.end(deleting, .deleted)
        #expect(desk.last == [.grant(reader)])
        #expect(desk.places(reader) == ["/d/f"])
    }

    // MARK: The new place

    @Test
    func `Rules 11.4, 2.14: it waits for who holds the new place; others go on at the old`() {
        var desk = Desk()
        let holder = desk.file(.write("/e/f"))
        let mover = desk.file(.move("/d/f"))
        let writer = desk.file(.write("/d/f"))
        let replacing = desk.file(.replace("/d/f"))
        desk.announce(mover, fe)
        #expect(desk.arbiter.impediments(of: writer) == [.claim(holder), .claim(mover)])
        desk.end(mover, .unchanged)
        // It waited behind the writer, which is not there any more.
        #expect(desk.last == [.grant(replacing)])
        #expect(desk.arbiter.impediments(of: writer) == [.claim(holder)])
        desk.end(holder, .changed)
        #expect(desk.last == [.grant(writer)])
    }

    @Test func `Rule 2.14: at the new place it is in line by its number`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f") + .move("/e/f"))
        let elder = desk.file(.write("/d/f"))
        let younger = desk.file(.read("/g"))
        let waiting = desk.file(.write("/e/f") + .write("/h"))
        desk.announce(mover, move("/d/f", to: "/h"))
        #expect(desk.arbiter.impediments(of: elder) == [.claim(mover)])
        #expect(desk.arbiter.impediments(of: waiting) == [.claim(mover), .claim(elder)])
        desk.end(mover, .unchanged, .unchanged)
        #expect(desk.last == [.grant(elder)])
        desk.end(younger)
    }

    @Test func `Rule 2.20: the mover holds its item where it is now, until it is over`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fe)
        let newcomers = [desk.file(.read("/e/f")), desk.file(.read("/d/f"))]
        #expect(newcomers.allSatisfy { desk.arbiter.impediments(of: $0) == [.claim(mover)] })
        // Not where it was only in between.
        desk.announce(mover, move("/e/f", to: "/e/g"))
        let between = desk.file(.read("/e/f"))
        #expect(desk.places(newcomers[0]) == ["/e/g"])
        #expect(desk.stage(between) == .granted)
        desk.end(mover, .changed)
        #expect(desk.last == [.grant(newcomers[0]), .grant(newcomers[1])])
    }

    @Test func `Rule 11.5: what waits for a place in between goes on when the item moves on`() {
        var desk = Desk()
        let mover = desk.file(.move("/a"))
        desk.announce(mover, move("/a", to: "/t"))
        let replacing = desk.file(.replace("/t"))
        #expect(desk.stage(replacing) == .waiting)
        desk.announce(mover, move("/t", to: "/b"))
        #expect(desk.last == [.grant(replacing)])
    }

    @Test func `Rules 2.17, 2.20: its likes need not wait for those that now wait for it`() {
        var desk = Desk()
        let mover = desk.file(.move("/a"), purpose: "m")
        let holder = desk.file(.read("/b"))
        let writer = desk.file(.write("/b"))
        let like = desk.file(.read("/b"), purpose: "m")
        #expect(desk.arbiter.impediments(of: like) == [.claim(writer)])
        desk.announce(mover, move("/a", to: "/b"))
        #expect(desk.last == [.grant(like)])
        #expect(
            desk.arbiter.impediments(of: writer) == [.claim(mover), .claim(holder), .claim(like)])
    }

    // MARK: Packages

    @Test func `Rule 2.0: moved into a package, it is part of it`() {
        var desk = Desk()
        let holder = desk.file(.write("/p.rtfd/x"))
        let mover = desk.file(.move("/f"))
        let reader = desk.file(.read("/f"))
        desk.announce(mover, move("/f", to: "/p.rtfd/s/f"))
        #expect(desk.last == [.retarget(reader, .read("/p.rtfd/s/f"))])
        desk.end(mover, .unchanged)
        #expect(desk.arbiter.impediments(of: reader) == [.claim(holder)])
        desk.end(holder, .changed)
        #expect(desk.last == [.grant(reader)])
    }

    @Test func `Rule 2.0: moved out of a package, it is alone`() {
        var desk = Desk()
        let mover = desk.file(.move("/p.rtfd/f"), purpose: "m")
        let holder = desk.file(.write("/p.rtfd/x"), purpose: "m")
        let reader = desk.file(.read("/p.rtfd/f"))
        desk.announce(mover, move("/p.rtfd/f", to: "/f"))
        #expect(desk.last == [.retarget(reader, .read("/f"))])
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(reader)])
        desk.end(holder, .changed)
    }

    @Test func `Rule 2.0: moved within a package, or along with it, it stays part of it`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/p.rtfd/f"), purpose: "m")
        let holder = desk.file(.write("/d/p.rtfd/x"), purpose: "m")
        let reader = desk.file(.read("/d/p.rtfd/f"))
        desk.announce(mover, move("/d/p.rtfd/f", to: "/d/p.rtfd/s/g"))
        desk.end(mover, .unchanged)
        #expect(desk.arbiter.impediments(of: reader) == [.claim(holder)])
        let upper = desk.file(.move("/d/"), purpose: "m")
        desk.announce(upper, move("/d/", to: "/q.rtfd/d/"))
        desk.end(upper, .unchanged)
        #expect(desk.arbiter.claim(reader)?.items == .read("/q.rtfd/d/p.rtfd/s/g"))
        #expect(desk.arbiter.claim(reader)?.items[0].packageDepths == [1, 3])
        #expect(desk.stage(reader) == .granted)
        desk.end(holder, .changed)
        let sibling = desk.file(.write("/q.rtfd/other"))
        #expect(desk.arbiter.impediments(of: sibling) == [.claim(reader)])
    }

    @Test func `Rule 2.0: a directory that becomes a package by its new name is one file`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/"))
        let readers = [desk.file(.read("/d/f")), desk.file(.write("/d/g"))]
        desk.announce(mover, move("/d/", to: "/d.rtfd/"))
        desk.end(mover, .unchanged)
        #expect(readers.map { desk.stage($0) } == [.granted, .waiting])
        #expect(desk.arbiter.impediments(of: readers[1]) == [.claim(readers[0])])
    }

    // MARK: Those that go

    @Test func `Rules 12.2, 15.8: who was retargeted can be given up, or die, at its new place`() {
        var desk = Desk()
        let mover = desk.file(.move("/d/f"))
        let client = desk.client()
        let first = desk.file(.write("/d/f"))
        _ = desk.file(.write("/d/f"), client: client)
        let third = desk.file(.write("/d/f"))
        desk.announce(mover, fe)
        desk.end(mover, .unchanged)
        #expect(desk.stage(first) == .granted)
        desk.cancel(third)
        desk.handle(.clientDied(client))
        desk.end(first, .changed)
        #expect(desk.arbiter.isIdle)
    }

    @Test func `Rule 15.8: a mover that dies has moved what it has announced`() {
        var desk = Desk()
        let client = desk.client()
        let mover = desk.file(.move("/d/f"), client: client)
        let reader = desk.file(.read("/d/f"))
        desk.announce(mover, fe)
        desk.handle(.clientDied(client))
        #expect(desk.last == [.grant(reader)])
        #expect(desk.places(reader) == ["/e/f"])
    }

    @Test func `Rules 2.16, 11.4: a claim leaves those behind that were let past it before a move`()
    {
        var desk = Desk()
        let editor = desk.client()
        let presenter = desk.present("/a/f", purpose: "editor", client: editor)
        let writer = desk.file(.write("/a/f"))
        // The editor goes before it, because the writer waits for its answer.
        let save = desk.file(.write("/a/f"), purpose: "editor", client: editor)
        #expect(desk.stage(save) == .granted)
        desk.answer(presenter, writer)
        #expect(desk.stage(writer) == .asking)
        let mover = desk.file(.move("/z"))
        desk.announce(mover, move("/a/f", to: "/b/f"))
        #expect(desk.places(writer) == ["/b/f"])
        #expect(desk.stage(writer) == .granted)
    }
}
