// SPDX-License-Identifier: Apache-2.0
//
// Announced moves, and the presenters that they concern (section 11).

import FileCoordinationArbiter
import Testing

@Suite struct MoveTests {
    /// What a presenter is told of a move of an item of another process's claim.
    private func heard(
        _ moves: ItemMove..., of items: [AccessItem], at place: String,
        _ methods: PresenterMethods = .didMethods
    ) -> [Effect] {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place, methods)
        let claim = fixture.file(items)
        fixture.answer(presenter, claim)
        fixture.handle(.claimAnnounced(claim, .moved(moves)))
        return fixture.last.map { $0 }
    }

    private let editor = PresenterID(rawValue: 1)
    private let fg = move("/d/f", to: "/d/g")
    private let fe = move("/d/f", to: "/e/f")

    private func relocated(_ place: String, isTold: Bool = true) -> [Effect] {
        [.relocate(editor, to: path(place), isTold: isTold)]
    }

    private func notice(_ notice: Notice) -> [Effect] { [.notify(editor, notice)] }

    private func moved(_ old: String, _ new: String) -> [Effect] {
        notice(.subitemDidMove(path(old), to: path(new)))
    }

    private func changed(_ places: String...) -> [Effect] {
        places.flatMap { notice(.subitemDidChange(path($0))) }
    }

    // MARK: Recipients

    @Test func `Rule 11.2: presenters of the item are tied to its new place, and told`() {
        #expect(heard(fg, of: .move("/d/f"), at: "/d/f") == relocated("/d/g"))
        #expect(heard(fg, of: .move("/d/f"), at: "/d/f2").isEmpty)
        #expect(heard(fg, of: .move("/d/f"), at: "/e").isEmpty)
        #expect(heard(fg, of: .move("/d/f"), at: "/d/g", .subitemDidMove).isEmpty)
    }

    @Test func `Rules 5.3, 11.4: who has no method for it is tied anew all the same`() {
        let silent = PresenterMethods.didMethods.subtracting(.itemDidMove)
        let untold = relocated("/d/g", isTold: false)
        #expect(
            heard(fg, of: .move("/d/f"), at: "/d/f", silent) == untold)
        #expect(heard(fg, of: .move("/d/f"), at: "/d/f", []) == untold)
    }

    @Test(arguments: ["/d", "/d/f", "/d/s/t/u/v/w", "/d/p.rtfd/a"])
    func `Rules 11.2, 11.4: what is inside a directory moves along, at any depth`(place: String) {
        let effects = heard(move("/d/", to: "/x/y"), of: .move("/d/"), at: place)
        #expect(effects == relocated("/x/y" + place.dropFirst(2)))
        #expect(heard(move("/d/", to: "/x/y"), of: .move("/d/"), at: "/d2").isEmpty)
    }

    @Test func `Rules 11.2, 11.3: directories that the item leaves hear of the move`() {
        for place in ["/d", "/"] {
            #expect(
                heard(fg, of: .move("/d/f"), at: place)
                    == moved("/d/f", "/d/g") + changed("/d/g", "/d/f"))
        }
        #expect(
            heard(fe, of: .move("/d/f"), at: "/d") == moved("/d/f", "/e/f") + changed("/d/f"))
        #expect(
            heard(fe, of: .move("/d/f"), at: "/")
                == moved("/d/f", "/e/f") + changed("/e/f", "/d/f"))
    }

    @Test func `Rule 11.3: a directory hears of changes at both ends, whatever it implements`() {
        let change = PresenterMethods.subitemDidChange
        for place in ["/d", "/"] {
            #expect(heard(fg, of: .move("/d/f"), at: place, change) == changed("/d/g", "/d/f"))
        }
        #expect(heard(fe, of: .move("/d/f"), at: "/d", change) == changed("/d/f"))
        #expect(heard(fe, of: .move("/d/f"), at: "/e", change) == changed("/e/f"))
    }

    @Test func `Rule 11.3: directories that it only comes to hear of its appearance`() {
        #expect(
            heard(fe, of: .move("/d/f"), at: "/e")
                == notice(.subitemDidAppear(path("/e/f"))) + changed("/e/f"))
        #expect(heard(fe, of: .move("/d/f"), at: "/e", .subitemDidMove).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/d", .subitemDidAppear).isEmpty)
    }

    @Test func `Rule 11.2: a package without the method hears that it changed itself`() {
        let out = move("/p.rtfd/f", to: "/f")
        let inside = move("/f", to: "/p.rtfd/s/f")
        let change = notice(.itemDidChange)
        #expect(heard(out, of: .move("/p.rtfd/f"), at: "/p.rtfd", .itemDidChange) == change)
        #expect(heard(inside, of: .move("/f"), at: "/p.rtfd", .itemDidChange) == change)
        #expect(
            heard(out, of: .move("/p.rtfd/f"), at: "/p.rtfd")
                == moved("/p.rtfd/f", "/f") + changed("/p.rtfd/f"))
        // Presenters of plain directories, in the package or outside, are told nothing.
        #expect(heard(inside, of: .move("/f"), at: "/p.rtfd/s", .itemDidChange).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/d", .itemDidChange).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/e", .itemDidChange).isEmpty)
    }

    @Test func `Rule 11.2: item first, then contents, then containers`() {
        var fixture = ArbiterFixture()
        let above = fixture.present("/", .didMethods)
        let deep = fixture.present("/d/s/t/u/v", .didMethods)
        let target = fixture.present("/e", .didMethods)
        let item = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/"))
        fixture.announce(mover, move("/d/", to: "/e/d"))
        #expect(
            fixture.last == [
                .relocate(item, to: path("/e/d"), isTold: true),
                .relocate(deep, to: path("/e/d/s/t/u/v"), isTold: true),
                .notify(above, .subitemDidMove(path("/d"), to: path("/e/d"))),
                .notify(target, .subitemDidAppear(path("/e/d"))),
                .notify(target, .subitemDidChange(path("/e/d"))),
                .notify(above, .subitemDidChange(path("/e/d"))),
                .notify(above, .subitemDidChange(path("/d"))),
            ])
    }

    @Test func `Rules 4.5, 11.2: no presenter of the mover's purpose is told, all are tied anew`() {
        var fixture = ArbiterFixture()
        let own = fixture.present("/d/f", .didMethods, purpose: "mover")
        let twin = fixture.present("/d/f", .didMethods, purpose: "mover")
        _ = fixture.present("/d", .didMethods, purpose: "mover")
        _ = fixture.present("/e", .didMethods, purpose: "mover")
        _ = fixture.present("/e/f", .didMethods, purpose: "mover")
        let mover = fixture.file(.move("/d/f"), purpose: "mover")
        fixture.announce(mover, fe)
        #expect(
            fixture.last == [
                .relocate(own, to: path("/e/f"), isTold: false),
                .relocate(twin, to: path("/e/f"), isTold: false),
            ])
    }

    // MARK: Afterwards

    @Test func `Rules 5.12, 11.4: later messages come to the new place`() {
        var fixture = ArbiterFixture()
        let folder = fixture.present("/d", .didMethods)
        let mover = fixture.file(.move("/d/"))
        fixture.announce(mover, move("/d/", to: "/e/"))
        fixture.end(mover, .unchanged)
        let writer = fixture.file(.write("/e/s/f"))
        fixture.end(writer, .changed)
        #expect(fixture.heard(folder) == [.subitemDidChange(path("/e/s/f"))])
        let stranger = fixture.file(.write("/d/f"))
        fixture.end(stranger, .changed)
        #expect(fixture.heard(folder).isEmpty)
    }

    @Test func `Rules 6.1, 11.4: and they are asked at the new place`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f")
        let mover = fixture.file(.move("/d/f"))
        fixture.answer(editor, mover)
        fixture.announce(mover, fe)
        fixture.end(mover, .unchanged)
        let old = fixture.file(.read("/d/f"))
        #expect(fixture.stage(old) == .granted)
        let new = fixture.file(.read("/e/f"))
        #expect(fixture.last(to: editor) == [.askToYield(editor, for: new, .toReaderAndSave)])
    }

    @Test
    func `Rules 7.2, 11.14: moved, then changed, is heard at the new place, then given back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f")
        let above = fixture.present("/d", .didMethods)
        let target = fixture.present("/e", .didMethods)
        let mover = fixture.file(.move("/d/f"))
        fixture.answer(editor, mover)
        fixture.announce(mover, fe)
        fixture.end(mover, .changed)
        #expect(
            fixture.last == [
                .notify(editor, .itemDidChange),
                .notify(target, .subitemDidChange(path("/e/f"))),
                .reacquire(editor, .writer),
            ])
        #expect(fixture.heard(above).isEmpty)
    }

    @Test func `Rule 7.6: moved and then deleted is heard at the new place`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", .didMethods)
        let target = fixture.present("/e", .didMethods)
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fe)
        fixture.end(mover, .deleted)
        #expect(fixture.heard(editor) == [.itemDidChange])
        #expect(fixture.heard(target) == [.subitemDidChange(path("/e/f"))])
    }

    @Test func `Rule 11.12: moved twice by one accessor, changed where it is in the end`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", .didMethods)
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fg)
        fixture.announce(mover, move("/d/g", to: "/e/h"))
        #expect(fixture.last == [.relocate(editor, to: path("/e/h"), isTold: true)])
        let target = fixture.present("/e", .didMethods)
        fixture.end(mover, .changed)
        #expect(fixture.heard(editor) == [.itemDidChange])
        #expect(fixture.heard(target) == [.subitemDidChange(path("/e/h"))])
    }

    @Test func `Rule 11.5: what the mover itself replaces is heard of at its place`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/a", .didMethods)
        let target = fixture.present("/b", .didMethods)
        let mover = fixture.file(.move("/a") + .replace("/b"))
        fixture.announce(mover, move("/a", to: "/t"))
        fixture.announce(mover, move("/b", to: "/c"))
        let late = fixture.present("/b", .didMethods)
        fixture.end(mover, .unchanged, .changed)
        #expect(fixture.last == [.notify(late, .itemDidChange)])
        #expect(fixture.heard(editor).isEmpty && fixture.heard(target).isEmpty)
    }

    @Test func `Rules 7.8, 15.8: a mover that dies is taken to have changed it where it is now`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let editor = fixture.present("/d/f")
        let mover = fixture.file(.move("/d/f"), client: client)
        fixture.answer(editor, mover)
        fixture.announce(mover, fe)
        let target = fixture.present("/e", .didMethods)
        fixture.handle(.clientDied(client))
        #expect(
            fixture.last == [
                .notify(editor, .itemDidChange),
                .notify(target, .subitemDidChange(path("/e/f"))),
                .reacquire(editor, .writer),
            ])
    }

    @Test func `Rules 7.3, 2.20: what a command inside has moved away may be written anew`() {
        var fixture = ArbiterFixture()
        let target = fixture.present("/e", .didMethods)
        let outer = fixture.file(.write("/d/f"), purpose: "p")
        // Of another process, as when an accessor runs a command.
        let inner = fixture.file(.move("/d/f"), purpose: "p", inside: [outer])
        fixture.announce(inner, fe)
        fixture.end(inner, .unchanged)
        let folder = fixture.present("/d", .didMethods)
        fixture.end(outer, .changed)
        #expect(fixture.heard(folder) == [.subitemDidChange(path("/d/f"))])
        #expect(fixture.heard(target) == [.subitemDidChange(path("/e/f"))])
    }

    @Test func `Rule 5.7: a presenter that was moved is removed from where it is`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", .didMethods)
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fe)
        fixture.handle(.presenterRemoved(editor))
        fixture.end(mover, .changed)
        #expect(fixture.last.isEmpty)
        #expect(fixture.arbiter.isIdle)
    }
}
