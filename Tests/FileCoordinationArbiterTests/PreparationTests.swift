// SPDX-License-Identifier: Apache-2.0
//
// Batches (section 14): they ask beforehand, and exclude no claim.

import FileCoordinationArbiter
import Testing

@Suite struct PreparationTests {
    /// What one presenter is asked for a batch with these items; nil if nothing.
    private func asked(
        _ items: [AccessItem], at place: String, _ methods: PresenterMethods = .all,
        purpose: String? = nil
    ) -> YieldSteps? {
        var fixture = ArbiterFixture()
        let presenter = fixture.present(place, methods, purpose: "editor")
        let batch = fixture.file(items, purpose: purpose, kind: .preparation)
        for effect in fixture.last {
            guard case .askToYield(presenter, for: batch, let steps) = effect else { continue }
            #expect(fixture.stage(batch) == .asking)
            return steps
        }
        #expect(fixture.stage(batch) == .granted)
        return nil
    }

    private let accommodate = YieldSteps(accommodateDeletion: true)

    // MARK: Exclusion

    @Test func `Rule 14.3: a batch waits for no claim, and no claim for it`() {
        var fixture = ArbiterFixture()
        let writer = fixture.file(.write("/d/f"))
        let batch = fixture.file(.delete("/d/") + .write("/d/f"), kind: .preparation)
        #expect(fixture.last == [.grant(batch)])
        let second = fixture.file(.move("/d/"), kind: .preparation)
        #expect(fixture.last == [.grant(second)])
        fixture.end(writer, .changed)
        let next = fixture.file(.delete("/d/"))
        #expect(fixture.last == [.grant(next)])
        #expect([batch, second].allSatisfy { fixture.stage($0) == .granted })
    }

    @Test func `Rules 14.3, 14.9: nor while it asks`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f", [.save], purpose: "editor")
        let batch = fixture.file(.read("/f"), kind: .preparation)
        #expect(fixture.last == [.askToYield(editor, for: batch, .saveOnly)])
        let back = fixture.file(.write("/f"), purpose: "editor")
        let outsider = fixture.file(.write("/f"))
        #expect(fixture.stage(back) == .granted)
        #expect(fixture.arbiter.impediments(of: outsider) == [.claim(back)])
        // The batch waits only for the presenter's answer, and not for the save-back.
        fixture.answer(editor, batch)
        #expect(fixture.last == [.grant(batch)])
    }

    @Test func `Rule 14.5: what is nested in a batch waits and asks as ever`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/f")
        let client = fixture.client()
        let holder = fixture.file(.write("/f"))
        fixture.answer(editor, holder)
        let batch = fixture.file(.read("/f"), purpose: "b", client: client, kind: .preparation)
        fixture.answer(editor, batch)
        let nested = fixture.file(.read("/f"), purpose: "b", client: client, inside: [batch])
        #expect(fixture.arbiter.impediments(of: nested) == [.claim(holder)])
        fixture.end(holder, .unchanged)
        #expect(
            fixture.last == [
                .reacquire(editor, .writer), .askToYield(editor, for: nested, .toReaderAndSave),
            ])
    }

    // MARK: Whom it asks what

    @Test(arguments: ["/d", "/d/f", "/d/r/s/t/u"])
    func `Rules 14.1, 14.2: of the items and of everything inside, saving for those to be read`(
        place: String
    ) {
        #expect(asked(.read("/d/"), at: place) == .saveOnly)
        #expect(asked(.read("/d/", .withoutChanges), at: place) == nil)
        #expect(asked(.write("/d/", .merging), at: place) == .saveOnly)
        #expect(asked(.read("/d/"), at: place, [.relinquishToReader]) == nil)
    }

    @Test(arguments: ["/d", "/d/f", "/d/r/s/t/u"])
    func `Rule 14.2: accommodating for those to be deleted, without relinquishing`(place: String) {
        #expect(asked(.delete("/d/"), at: place) == accommodate)
        #expect(asked(.delete("/d/"), at: place, .all.subtracting(.accommodateDeletion)) == nil)
    }

    @Test(arguments: [WritingOptions.plain, .moving, .metadataOnly])
    func `Rule 14.2: nothing for other writes`(mode: WritingOptions) {
        for place in ["/d", "/d/f", "/"] { #expect(asked(.write("/d/", mode), at: place) == nil) }
    }

    @Test func `Rules 6.2, 14.1: no presenter beside, and no plain directory above`() {
        for items in [[AccessItem].read("/d/s/"), .delete("/d/s/")] {
            for place in ["/d", "/", "/d/t", "/d/s2"] { #expect(asked(items, at: place) == nil) }
        }
    }

    @Test func `Rules 6.3, 14.2: a package that contains the item is asked, too`() {
        let lost = YieldSteps(accommodateSubitemDeletions: [path("/p.rtfd/s/f")])
        #expect(asked(.read("/p.rtfd/s/f"), at: "/p.rtfd") == .saveOnly)
        #expect(asked(.delete("/p.rtfd/s/f"), at: "/p.rtfd") == lost)
        #expect(asked(.delete("/p.rtfd/s/f"), at: "/p.rtfd/s") == nil)
        #expect(asked(.delete("/p.rtfd/s/f"), at: "/p.rtfd/t") == nil)
    }

    @Test func `Rules 6.10, 14.2: once for all items together`() {
        #expect(
            asked(.read("/d/") + .delete("/d/f") + .write("/d/f"), at: "/d/f")
                == YieldSteps(save: true, accommodateDeletion: true))
    }

    @Test func `Rules 4.5, 14.2: nothing for its own purpose`() {
        #expect(asked(.read("/d/"), at: "/d/f", purpose: "editor") == nil)
    }

    // MARK: Endings

    @Test func `Rules 9.1, 14.7: an error ends it, and no presenter is told more`() {
        var fixture = ArbiterFixture()
        let first = fixture.present("/d/f")
        let second = fixture.present("/d/g")
        let batch = fixture.file(.delete("/d/"), kind: .preparation)
        fixture.answer(second, batch)
        fixture.answer(first, batch, failure: .disk)
        #expect(fixture.last == [.fail(batch, .disk)])
        #expect(fixture.stage(batch) == nil)
    }

    @Test func `Rules 12.2, 15.8: it can be given up, and its process can die`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f")
        let client = fixture.client()
        let batch = fixture.file(.read("/d/"), kind: .preparation)
        fixture.cancel(batch)
        #expect(fixture.last.isEmpty)
        let second = fixture.file(.read("/d/"), client: client, kind: .preparation)
        fixture.answer(editor, second)
        #expect(fixture.stage(second) == .granted)
        fixture.handle(.clientDied(client))
        #expect(fixture.last.isEmpty)
    }

    @Test func `Rule 14.3: it has changed nothing, whatever it says`() {
        var fixture = ArbiterFixture()
        _ = fixture.present("/d", .didMethods)
        _ = fixture.present("/d/f", .didMethods)
        let batch = fixture.file(.write("/d/f"), kind: .preparation)
        fixture.end(batch, .changed)
        #expect(fixture.last.isEmpty)
    }

    @Test func `Rules 11.4, 14.3: moves pass it by, and it holds no new place`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let batch = fixture.file(.read("/d/") + .write("/d/f"), kind: .preparation)
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        fixture.announce(mover, move("/d/f", to: "/e/f"))
        #expect(fixture.last == [.relocate(editor, to: path("/e/f"), isTold: false)])
        fixture.answer(editor, batch)
        #expect(fixture.last == [.grant(batch)])
        // A batch excludes no claim, even if it announces a move itself.
        fixture.announce(batch, move("/d/", to: "/x/"))
        let others = [fixture.file(.write("/d/f")), fixture.file(.write("/x/g"))]
        #expect(fixture.arbiter.impediments(of: others[0]) == [.claim(mover)])
        #expect(fixture.stage(others[1]) == .granted)
    }

    @Test func `Rule 18.7: it is recovered like any other, and still excludes no claim`() {
        var fixture = ArbiterFixture(recovering: true)
        var running = fixture.filed(.write("/f"))
        running.kind = .preparation
        fixture.handle(.claimRecovered(running))
        let writer = fixture.file(.write("/f"))
        let batch = fixture.file(.read("/f"), kind: .preparation)
        fixture.handle(.recoveryFinished)
        #expect([writer, batch].allSatisfy { fixture.stage($0) == .granted })
    }
}
