// SPDX-License-Identifier: Apache-2.0
//
// What presenters are told after a write (section 7).

import FileCoordinationArbiter
import Testing

@Suite struct NoticeTests {
    /// What a presenter at `place` hears after a write with this outcome.
    private func heard(
        _ items: [AccessItem], _ outcomes: [ItemOutcome], at place: String,
        _ methods: PresenterMethods = .didMethods, purpose: String? = nil
    ) -> [Notice] {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place, methods, purpose: "editor")
        let claim = fixture.file(items, purpose: purpose)
        fixture.answer(presenter, claim)
        #expect(fixture.stage(claim) == .granted)
        fixture.handle(.claimEnded(claim, outcomes: outcomes))
        return fixture.last.compactMap { effect in
            guard case .notify(presenter, let notice) = effect else { return nil }
            return notice
        }
    }

    private static let change = Notice.subitemDidChange(path("/d/s/f"))
    private static let appearance = Notice.subitemDidAppear(path("/d/s/f"))

    @Test(arguments: WritingOptions.every)
    func `Rules 7.3, 7.13: presenters of the item hear of every kind of write`(mode: WritingOptions)
    {
        #expect(heard(.write("/d/f", mode), [.changed], at: "/d/f") == [.itemDidChange])
        #expect(heard(.write("/p.rtfd", mode), [.changed], at: "/p.rtfd") == [.itemDidChange])
    }

    @Test func `Rule 7.7: also if it is a plain directory`() {
        #expect(heard(.write("/d/s/"), [.changed], at: "/d/s") == [.itemDidChange])
        let change = Notice.subitemDidChange(path("/d/s"))
        #expect(heard(.write("/d/s/"), [.changed], at: "/d") == [change])
        #expect(heard(.write("/d/s/"), [.changed], at: "/d/s/f").isEmpty)
    }

    @Test func `Rule 7.4: presenters of directories above hear of it at any depth`() {
        for place in ["/d/s", "/d", "/"] {
            #expect(heard(.write("/d/s/f"), [.changed], at: place) == [Self.change])
        }
        #expect(heard(.write("/d/s/f"), [.changed], at: "/d/t").isEmpty)
        #expect(heard(.write("/d/s/f"), [.changed], at: "/d/s/f/x").isEmpty)
    }

    @Test func `Rule 7.4: a package without the subitem method hears that it changed itself`() {
        let write = [AccessItem].write("/p.rtfd/s/f")
        let change = Notice.subitemDidChange(path("/p.rtfd/s/f"))
        #expect(heard(write, [.changed], at: "/p.rtfd") == [change])
        #expect(heard(write, [.changed], at: "/p.rtfd", .itemDidChange) == [.itemDidChange])
        #expect(heard(write, [.changed], at: "/p.rtfd", .subitemDidAppear).isEmpty)
        // There is no fallback for plain directories, in packages and elsewhere.
        #expect(heard(write, [.changed], at: "/p.rtfd/s", .itemDidChange).isEmpty)
        #expect(heard(.write("/d/f"), [.changed], at: "/d", .itemDidChange).isEmpty)
    }

    @Test func `Rule 7.5: creation is an appearance and then a change`() {
        let write = [AccessItem].write("/d/s/f")
        #expect(heard(write, [.created], at: "/d") == [Self.appearance, Self.change])
        #expect(heard(write, [.created], at: "/d/s/f") == [.itemDidChange])
    }

    @Test func `Rule 7.5: which of them is implemented never changes whether the other arrives`() {
        let write = [AccessItem].write("/d/s/f")
        #expect(heard(write, [.created], at: "/d", .subitemDidAppear) == [Self.appearance])
        #expect(heard(write, [.created], at: "/d", .subitemDidChange) == [Self.change])
        #expect(heard(write, [.created], at: "/d", .itemDidChange).isEmpty)
        let inPackage = [AccessItem].write("/p.rtfd/f")
        let appearance = Notice.subitemDidAppear(path("/p.rtfd/f"))
        #expect(
            heard(inPackage, [.created], at: "/p.rtfd", [.subitemDidAppear, .itemDidChange])
                == [appearance, .itemDidChange])
        #expect(heard(inPackage, [.created], at: "/p.rtfd", .itemDidChange) == [.itemDidChange])
    }

    @Test(arguments: WritingOptions.every)
    func `Rule 7.6: directories above hear of a deletion by any write`(mode: WritingOptions) {
        #expect(heard(.write("/d/s/f", mode), [.deleted], at: "/d") == [Self.change])
    }

    @Test func `Rule 7.6: the item's presenter hears of it unless it accommodated`() {
        let accommodates: PresenterMethods = [.itemDidChange, .accommodateDeletion]
        for mode in WritingOptions.every {
            let notices = heard(.write("/f", mode), [.deleted], at: "/f", accommodates)
            let hasAccommodated = mode.has(.deleting, .replacing)
            #expect(notices == (hasAccommodated ? [] : [.itemDidChange]))
            #expect(heard(.write("/f", mode), [.deleted], at: "/f") == [.itemDidChange])
            #expect(
                heard(.write("/f", mode), [.changed], at: "/f", accommodates) == [.itemDidChange])
        }
    }

    @Test func `Rule 7.6: one that came too late to accommodate hears of it`() {
        var fixture = ArbiterFixture()
        let deleter = fixture.file(.delete("/f"))
        let late = fixture.present("/f")
        fixture.end(deleter, .deleted)
        #expect(fixture.last == [.notify(late, .itemDidChange)])
    }

    @Test func `Rule 7.8: nothing is said if nothing changed`() {
        #expect(heard(.write("/d/s/f"), [.unchanged], at: "/d").isEmpty)
        #expect(heard(.write("/d/s/f"), [.unchanged], at: "/d/s/f").isEmpty)
    }

    @Test func `Rule 7.8: if it cannot be told, it is said`() {
        #expect(heard(.write("/d/s/f"), [], at: "/d") == [Self.change])
    }

    @Test func `Rules 4.5, 7.9: nothing is said to the writer's own purpose`() {
        for place in ["/d/s/f", "/d"] {
            #expect(heard(.write("/d/s/f"), [.changed], at: place, purpose: "editor").isEmpty)
        }
    }

    @Test func `Rule 7.11: reads say nothing`() {
        #expect(heard(.read("/d/s/f"), [.changed], at: "/d/s/f").isEmpty)
        #expect(heard(.read("/d/s/f") + .write("/x"), [.changed, .unchanged], at: "/d").isEmpty)
    }

    @Test func `Rule 7.12: each equal notice once per claim`() {
        let write = [AccessItem].write("/d/s/f")
        #expect(heard(write + write, [.changed, .created], at: "/d/s/f") == [.itemDidChange])
        #expect(
            heard(write + write + write, [.changed, .created, .deleted], at: "/d")
                == [Self.change, Self.appearance])
    }

    @Test func `Rule 7.2: notices come before the item is given back`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/p.rtfd")
        let inside = fixture.present("/p.rtfd/f")
        let writer = fixture.file(.write("/p.rtfd/f"))
        fixture.answer(editor, writer)
        fixture.answer(inside, writer)
        fixture.end(writer, .changed)
        #expect(
            fixture.last == [
                .notify(inside, .itemDidChange),
                .notify(editor, .subitemDidChange(path("/p.rtfd/f"))),
                .reacquire(editor, .writer), .reacquire(inside, .writer),
            ])
    }

    @Test func `Rule 5.11: a presenter of what does not exist hears of its creation`() {
        #expect(heard(.write("/d/s/f"), [.created], at: "/d/s/f") == [.itemDidChange])
    }

    @Test func `Rule 5.4: a presenter that comes during the write hears of its end`() {
        var fixture = ArbiterFixture()
        let writer = fixture.file(.write("/f"))
        let late = fixture.present("/f")
        fixture.end(writer, .changed)
        #expect(fixture.last == [.notify(late, .itemDidChange)])
    }
}
