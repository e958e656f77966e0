// SPDX-License-Identifier: Apache-2.0
//
// Announced moves, and the presenters that they concern (section 11).

import FileCoordinationArbiter
import Testing

@Suite struct MoveTests {
    /// What a presenter hears of a move of an item of another process's claim.
    private func heard(
        _ moves: ItemMove..., of items: [AccessItem], at place: String,
        _ methods: PresenterMethods = .didMethods
    ) -> [Effect] {
        var desk = Desk()
        let presenter = desk.present(place, methods)
        let claim = desk.file(items)
        desk.answer(presenter, claim)
        desk.handle(.claimAnnounced(claim, .moved(moves)))
        return desk.last.map { $0 }
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
            #expect(heard(fg, of: .move("/d/f"), at: place) == moved("/d/f", "/d/g"))
            #expect(heard(fe, of: .move("/d/f"), at: place) == moved("/d/f", "/e/f"))
        }
    }

    @Test func `Rule 11.3: directories that it only comes to hear of its appearance`() {
        #expect(
            heard(fe, of: .move("/d/f"), at: "/e") == notice(.subitemDidAppear(path("/e/f"))))
        #expect(heard(fe, of: .move("/d/f"), at: "/e", .subitemDidMove).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/d", .subitemDidAppear).isEmpty)
    }

    @Test func `Rule 11.2: a package without the method hears that it changed itself`() {
        let out = move("/p.rtfd/f", to: "/f")
        let inside = move("/f", to: "/p.rtfd/s/f")
        let change = notice(.itemDidChange)
        #expect(heard(out, of: .move("/p.rtfd/f"), at: "/p.rtfd", .itemDidChange) == change)
        #expect(heard(inside, of: .move("/f"), at: "/p.rtfd", .itemDidChange) == change)
        #expect(heard(out, of: .move("/p.rtfd/f"), at: "/p.rtfd") == moved("/p.rtfd/f", "/f"))
        // A plain directory in it does not, and neither does one outside.
        #expect(heard(inside, of: .move("/f"), at: "/p.rtfd/s", .itemDidChange).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/d", .itemDidChange).isEmpty)
        #expect(heard(fe, of: .move("/d/f"), at: "/e", .itemDidChange).isEmpty)
    }

    @Test func `Rule 11.2: item first, then contents, then containers`() {
        var desk = Desk()
        let above = desk.present("/", .didMethods)
        let deep = desk.present("/d/s/t/u/v", .didMethods)
        let target = desk.present("/e", .didMethods)
        let item = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/"))
        desk.announce(mover, move("/d/", to: "/e/d"))
        #expect(
            desk.last == [
                .relocate(item, to: path("/e/d"), isTold: true),
                .relocate(deep, to: path("/e/d/s/t/u/v"), isTold: true),
                .notify(above, .subitemDidMove(path("/d"), to: path("/e/d"))),
                .notify(target, .subitemDidAppear(path("/e/d"))),
            ])
    }

    @Test func `Rules 4.5, 11.2: no presenter of the mover's purpose is told, all are tied anew`() {
        var desk = Desk()
        let own = desk.present("/d/f", .didMethods, purpose: "mover")
        let twin = desk.present("/d/f", .didMethods, purpose: "mover")
        _ = desk.present("/d", .didMethods, purpose: "mover")
        _ = desk.present("/e", .didMethods, purpose: "mover")
        _ = desk.present("/e/f", .didMethods, purpose: "mover")
        let mover = desk.file(.move("/d/f"), purpose: "mover")
        desk.announce(mover, fe)
        #expect(
            desk.last == [
                .relocate(own, to: path("/e/f"), isTold: false),
                .relocate(twin, to: path("/e/f"), isTold: false),
            ])
    }

    // MARK: Afterwards

    @Test func `Rules 5.12, 11.4: later messages come to the new place`() {
        var desk = Desk()
        let folder = desk.present("/d", .didMethods)
        let mover = desk.file(.move("/d/"))
        desk.announce(mover, move("/d/", to: "/e/"))
        desk.end(mover, .unchanged)
        let writer = desk.file(.write("/e/s/f"))
        desk.end(writer, .changed)
        #expect(desk.heard(folder) == [.subitemDidChange(path("/e/s/f"))])
        let stranger = desk.file(.write("/d/f"))
        desk.end(stranger, .changed)
        #expect(desk.heard(folder).isEmpty)
    }

    @Test func `Rules 6.1, 11.4: and they are asked at the new place`() {
        var desk = Desk()
        let editor = desk.present("/d/f")
        let mover = desk.file(.move("/d/f"))
        desk.answer(editor, mover)
        desk.announce(mover, fe)
        desk.end(mover, .unchanged)
        let old = desk.file(.read("/d/f"))
        #expect(desk.stage(old) == .granted)
        let new = desk.file(.read("/e/f"))
        #expect(desk.last(to: editor) == [.askToYield(editor, for: new, .toReaderAndSave)])
    }

    @Test
    func `Rules 7.2, 11.14: moved, then changed, is heard at the new place, then given back`() {
        var desk = Desk()
        let editor = desk.present("/d/f")
        let above = desk.present("/d", .didMethods)
        let target = desk.present("/e", .didMethods)
        let mover = desk.file(.move("/d/f"))
        desk.answer(editor, mover)
        desk.announce(mover, fe)
        desk.end(mover, .changed)
        #expect(
            desk.last == [
                .notify(editor, .itemDidChange),
                .notify(target, .subitemDidChange(path("/e/f"))),
                .reacquire(editor, .writer),
            ])
        #expect(desk.heard(above).isEmpty)
    }

    @Test func `Rule 7.6: moved and then deleted is heard at the new place`() {
        var desk = Desk()
        let editor = desk.present("/d/f", .didMethods)
        let target = desk.present("/e", .didMethods)
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fe)
        desk.end(mover, .deleted)
        #expect(desk.heard(editor) == [.itemDidChange])
        #expect(desk.heard(target) == [.subitemDidChange(path("/e/f"))])
    }

    @Test func `Rule 11.12: moved twice by one accessor, changed where it is in the end`() {
        var desk = Desk()
        let editor = desk.present("/d/f", .didMethods)
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fg)
        desk.announce(mover, move("/d/g", to: "/e/h"))
        #expect(desk.last == [.relocate(editor, to: path("/e/h"), isTold: true)])
        let target = desk.present("/e", .didMethods)
        desk.end(mover, .changed)
        #expect(desk.heard(editor) == [.itemDidChange])
        #expect(desk.heard(target) == [.subitemDidChange(path("/e/h"))])
    }

    @Test func `Rule 11.5: what the mover itself replaces is heard of at its place`() {
        var desk = Desk()
        let editor = desk.present("/a", .didMethods)
        let target = desk.present("/b", .didMethods)
        let mover = desk.file(.move("/a") + .replace("/b"))
        desk.announce(mover, move("/a", to: "/t"))
        desk.announce(mover, move("/b", to: "/c"))
        let late = desk.present("/b", .didMethods)
        desk.end(mover, .unchanged, .changed)
        #expect(desk.last == [.notify(late, .itemDidChange)])
        #expect(desk.heard(editor).isEmpty && desk.heard(target).isEmpty)
    }

    @Test func `Rules 7.8, 15.8: a mover that dies is taken to have changed it where it is now`() {
        var desk = Desk()
        let client = desk.client()
        let editor = desk.present("/d/f")
        let mover = desk.file(.move("/d/f"), client: client)
        desk.answer(editor, mover)
        desk.announce(mover, fe)
        let target = desk.present("/e", .didMethods)
        desk.handle(.clientDied(client))
        #expect(
            desk.last == [
                .notify(editor, .itemDidChange),
                .notify(target, .subitemDidChange(path("/e/f"))),
                .reacquire(editor, .writer),
            ])
    }

    @Test func `Rule 5.7: a presenter that was moved is removed from where it is`() {
        var desk = Desk()
        let editor = desk.present("/d/f", .didMethods)
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fe)
        desk.handle(.presenterRemoved(editor))
        desk.end(mover, .changed)
        #expect(desk.last.isEmpty)
        #expect(desk.arbiter.isIdle)
    }
}
