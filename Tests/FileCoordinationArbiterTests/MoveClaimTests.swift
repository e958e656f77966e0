// SPDX-License-Identifier: Apache-2.0
//
// Claims that wait while their items move: they follow (Rules 11.4 to 11.6, 11.12).

import FileCoordinationArbiter
import Testing

@Suite struct MoveClaimTests {
    private let fe = move("/d/f", to: "/e/f")

    // MARK: Stage 1

    @Test func `Rules 11.4, 2.20: a claim that waits follows, and waits for the mover's end`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f"))
        let reader = fixture.file(.read("/d/f"))
        fixture.announce(mover, fe)
        #expect(fixture.last == [.retarget(reader, .read("/e/f"))])
        #expect(fixture.stage(reader) == .waiting)
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(reader)])
        #expect(fixture.places(reader) == ["/e/f"])
    }

    @Test(arguments: ["/d/f", "/d/r/s/t/u/f"])
    func `Rules 11.4, 2.8a: so do those inside a directory that moves`(place: String) {
        var fixture = ArbiterFixture()
        let first = fixture.file(.read(place))
        let queued = fixture.file(.write(place))
        let mover = fixture.file(.move("/d/"))
        let late = fixture.file(.read(place))
        fixture.end(first)
        #expect(fixture.last == [.grant(mover)])
        fixture.announce(mover, move("/d/", to: "/x/y/"))
        let new = "/x/y" + place.dropFirst(2)
        #expect(fixture.last == [.retarget(queued, .write(new)), .retarget(late, .read(new))])
        // The claim waits until the mover's claim is over.
        #expect(fixture.stage(queued) == .waiting)
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(queued)])
        fixture.end(queued, .changed)
        #expect(fixture.last == [.grant(late)])
    }

    @Test func `Rule 11.5: one that replaces means the place and stays`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/"))
        let replacing = fixture.file(.replace("/d/f"))
        let both = fixture.file(.read("/d/f") + .replace("/d/g"))
        fixture.announce(mover, move("/d/", to: "/e/"))
        #expect(fixture.last == [.retarget(both, .read("/e/f") + .replace("/d/g"))])
        fixture.end(mover, .unchanged)
        #expect(fixture.places(replacing) == ["/d/f"])
        #expect(fixture.stage(replacing) == .granted)
    }

    @Test func `Rules 2.13, 11.4: of several items only those that moved are elsewhere`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f"))
        let several = fixture.file(.read("/x") + .write("/d/f") + .read("/d"))
        fixture.announce(mover, fe)
        #expect(fixture.last == [.retarget(several, .read("/x") + .write("/e/f") + .read("/d"))])
        fixture.end(mover, .unchanged)
        #expect(fixture.stage(several) == .granted)
        // The claim excludes others at its present path only.
        let newcomers = [fixture.file(.read("/e/f")), fixture.file(.read("/d/f"))]
        #expect(newcomers.map { fixture.stage($0) } == [.waiting, .granted])
    }

    @Test func `Rules 2.10, 11.4: what runs already keeps its place`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f"), purpose: "m")
        let running = fixture.file(.write("/d/f"), purpose: "m")
        fixture.announce(mover, fe)
        #expect(fixture.last.isEmpty)
        fixture.end(mover, .unchanged)
        #expect(fixture.places(running) == ["/d/f"])
        let other = fixture.file(.read("/d/f"))
        #expect(fixture.arbiter.impediments(of: other) == [.claim(running)])
    }

    @Test func `Rule 11.12: a chain of moves composes, across movers too`() {
        var fixture = ArbiterFixture()
        let first = fixture.file(.move("/a"), purpose: "m")
        let second = fixture.file(.move("/b"), purpose: "m")
        let reader = fixture.file(.read("/a"))
        fixture.announce(first, move("/a", to: "/b"))
        fixture.end(first, .unchanged)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(second)])
        fixture.announce(second, move("/b", to: "/c"))
        #expect(fixture.last == [.retarget(reader, .read("/c"))])
        fixture.end(second, .unchanged)
        #expect(fixture.last == [.grant(reader)])
    }

    @Test func `Rule 11.13: a claim on what was deleted goes on at its place`() {
        var fixture = ArbiterFixture()
        let deleting = fixture.file(.delete("/d/f"))
        let reader = fixture.file(.read("/d/f"))
        fixture.end(deleting, .deleted)
        #expect(fixture.last == [.grant(reader)])
        #expect(fixture.places(reader) == ["/d/f"])
    }

    // MARK: The new place

    @Test
    func `Rules 11.4, 2.14: it waits for who holds the new place; others go on at the old`() {
        var fixture = ArbiterFixture()
        let holder = fixture.file(.write("/e/f"))
        let mover = fixture.file(.move("/d/f"))
        let writer = fixture.file(.write("/d/f"))
        let replacing = fixture.file(.replace("/d/f"))
        fixture.announce(mover, fe)
        #expect(fixture.arbiter.impediments(of: writer) == [.claim(holder), .claim(mover)])
        fixture.end(mover, .unchanged)
        // The replacing claim waited behind the writer, whose item has moved away.
        #expect(fixture.last == [.grant(replacing)])
        #expect(fixture.arbiter.impediments(of: writer) == [.claim(holder)])
        fixture.end(holder, .changed)
        #expect(fixture.last == [.grant(writer)])
    }

    @Test func `Rule 2.14: at the new place it is in the queue by its number`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f") + .move("/e/f"))
        let elder = fixture.file(.write("/d/f"))
        let younger = fixture.file(.read("/g"))
        let waiting = fixture.file(.write("/e/f") + .write("/h"))
        fixture.announce(mover, move("/d/f", to: "/h"))
        #expect(fixture.arbiter.impediments(of: elder) == [.claim(mover)])
        #expect(fixture.arbiter.impediments(of: waiting) == [.claim(mover), .claim(elder)])
        fixture.end(mover, .unchanged, .unchanged)
        #expect(fixture.last == [.grant(elder)])
        fixture.end(younger)
    }

    @Test func `Rule 2.20: the mover holds its item where it is now, until it is over`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fe)
        let newcomers = [fixture.file(.read("/e/f")), fixture.file(.read("/d/f"))]
        #expect(newcomers.allSatisfy { fixture.arbiter.impediments(of: $0) == [.claim(mover)] })
        // The mover does not hold the path at which its item was only in between.
        fixture.announce(mover, move("/e/f", to: "/e/g"))
        let between = fixture.file(.read("/e/f"))
        #expect(fixture.places(newcomers[0]) == ["/e/g"])
        #expect(fixture.stage(between) == .granted)
        fixture.end(mover, .changed)
        #expect(fixture.last == [.grant(newcomers[0]), .grant(newcomers[1])])
    }

    @Test(arguments: [AccessItem].innerMoves)
    func `Rule 2.20: what a claim inside its accessor moves it holds there, until it is over`(
        moved: [AccessItem]
    ) {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let outer = fixture.file(.write("/d/f"), purpose: "p", client: client)
        let waiting = fixture.file(.read("/d/f"))
        let inner = fixture.file(moved, purpose: "p", client: client, inside: [outer])
        fixture.announce(inner, fe)
        #expect(fixture.places(waiting) == ["/e/f"])
        fixture.end(inner, .changed)
        #expect(fixture.last.isEmpty)
        #expect(fixture.arbiter.impediments(of: waiting) == [.claim(outer)])
        let newcomer = fixture.file(.write("/e/f"))
        #expect(fixture.stage(newcomer) == .waiting)
        fixture.end(outer, .changed)
        #expect(fixture.last == [.grant(waiting)])
    }

    @Test func `Rule 11.5: what waits for a place in between goes on when the item moves on`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/a"))
        fixture.announce(mover, move("/a", to: "/t"))
        let replacing = fixture.file(.replace("/t"))
        #expect(fixture.stage(replacing) == .waiting)
        fixture.announce(mover, move("/t", to: "/b"))
        #expect(fixture.last == [.grant(replacing)])
    }

    @Test func `Rules 2.17, 2.20: its likes need not wait for those that now wait for it`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/a"), purpose: "m")
        let holder = fixture.file(.read("/b"))
        let writer = fixture.file(.write("/b"))
        let like = fixture.file(.read("/b"), purpose: "m")
        #expect(fixture.arbiter.impediments(of: like) == [.claim(writer)])
        fixture.announce(mover, move("/a", to: "/b"))
        #expect(fixture.last == [.grant(like)])
        #expect(
            fixture.arbiter.impediments(of: writer) == [
                .claim(mover), .claim(holder), .claim(like),
            ])
    }

    // MARK: Packages

    @Test func `Rule 2.0: moved into a package, it is part of it`() {
        var fixture = ArbiterFixture()
        let holder = fixture.file(.write("/p.rtfd/x"))
        let mover = fixture.file(.move("/f"))
        let reader = fixture.file(.read("/f"))
        fixture.announce(mover, move("/f", to: "/p.rtfd/s/f"))
        #expect(fixture.last == [.retarget(reader, .read("/p.rtfd/s/f"))])
        fixture.end(mover, .unchanged)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(holder)])
        fixture.end(holder, .changed)
        #expect(fixture.last == [.grant(reader)])
    }

    @Test func `Rule 2.0: moved out of a package, it is alone`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/p.rtfd/f"), purpose: "m")
        let holder = fixture.file(.write("/p.rtfd/x"), purpose: "m")
        let reader = fixture.file(.read("/p.rtfd/f"))
        fixture.announce(mover, move("/p.rtfd/f", to: "/f"))
        #expect(fixture.last == [.retarget(reader, .read("/f"))])
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(reader)])
        fixture.end(holder, .changed)
    }

    @Test func `Rule 2.0: moved within a package, or along with it, it stays part of it`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/p.rtfd/f"), purpose: "m")
        let holder = fixture.file(.write("/d/p.rtfd/x"), purpose: "m")
        let reader = fixture.file(.read("/d/p.rtfd/f"))
        fixture.announce(mover, move("/d/p.rtfd/f", to: "/d/p.rtfd/s/g"))
        fixture.end(mover, .unchanged)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(holder)])
        let upper = fixture.file(.move("/d/"), purpose: "m")
        fixture.announce(upper, move("/d/", to: "/q.rtfd/d/"))
        fixture.end(upper, .unchanged)
        #expect(fixture.arbiter.claim(reader)?.items == .read("/q.rtfd/d/p.rtfd/s/g"))
        #expect(fixture.arbiter.claim(reader)?.items[0].packageDepths == [1, 3])
        #expect(fixture.stage(reader) == .granted)
        fixture.end(holder, .changed)
        let sibling = fixture.file(.write("/q.rtfd/other"))
        #expect(fixture.arbiter.impediments(of: sibling) == [.claim(reader)])
    }

    @Test func `Rule 2.0: a directory that becomes a package by its new name is one file`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/"))
        let readers = [fixture.file(.read("/d/f")), fixture.file(.write("/d/g"))]
        fixture.announce(mover, move("/d/", to: "/d.rtfd/"))
        fixture.end(mover, .unchanged)
        #expect(readers.map { fixture.stage($0) } == [.granted, .waiting])
        #expect(fixture.arbiter.impediments(of: readers[1]) == [.claim(readers[0])])
    }

    // MARK: Those that go

    @Test func `Rules 12.2, 15.8: who was retargeted can be given up, or die, at its new place`() {
        var fixture = ArbiterFixture()
        let mover = fixture.file(.move("/d/f"))
        let client = fixture.client()
        let first = fixture.file(.write("/d/f"))
        _ = fixture.file(.write("/d/f"), client: client)
        let third = fixture.file(.write("/d/f"))
        fixture.announce(mover, fe)
        fixture.end(mover, .unchanged)
        #expect(fixture.stage(first) == .granted)
        fixture.cancel(third)
        fixture.handle(.clientDied(client))
        fixture.end(first, .changed)
        #expect(fixture.arbiter.isIdle)
    }

    @Test func `Rule 15.8: a mover that dies has moved what it has announced`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let mover = fixture.file(.move("/d/f"), client: client)
        let reader = fixture.file(.read("/d/f"))
        fixture.announce(mover, fe)
        fixture.handle(.clientDied(client))
        #expect(fixture.last == [.grant(reader)])
        #expect(fixture.places(reader) == ["/e/f"])
    }

    @Test func `Rules 2.16, 11.4: a claim leaves those behind that were let past it before a move`()
    {
        var fixture = ArbiterFixture()
        let editor = fixture.client()
        let presenter = fixture.present("/a/f", purpose: "editor", client: editor)
        let writer = fixture.file(.write("/a/f"))
        // The editor's own claim passes the writer, because
        // the writer waits for the editor's answer.
        let save = fixture.file(.write("/a/f"), purpose: "editor", client: editor)
        #expect(fixture.stage(save) == .granted)
        fixture.answer(presenter, writer)
        #expect(fixture.stage(writer) == .asking)
        let mover = fixture.file(.move("/z"))
        fixture.announce(mover, move("/a/f", to: "/b/f"))
        #expect(fixture.places(writer) == ["/b/f"])
        #expect(fixture.stage(writer) == .granted)
    }
}

extension [AccessItem] {
    /// Claims that move `/d/f` or know nothing of it.
    fileprivate static var innerMoves: [[AccessItem]] { [.move("/d/f"), .write("/x")] }
}
