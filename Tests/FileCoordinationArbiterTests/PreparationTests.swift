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
        var desk = Desk()
        let presenter = desk.present(place, methods, purpose: "editor")
        let batch = desk.file(items, purpose: purpose, kind: .preparation)
        for effect in desk.last {
            guard case .askToYield(presenter, for: batch, let steps) = effect else { continue }
            #expect(desk.stage(batch) == .asking)
            return steps
        }
        #expect(desk.stage(batch) == .granted)
        return nil
    }

    private let accommodate = YieldSteps(accommodateDeletion: true)

    // MARK: Exclusion

    @Test func `Rule 14.3: a batch waits for no claim, and no claim for it`() {
        var desk = Desk()
        let writer = desk.file(.write("/d/f"))
        let batch = desk.file(.delete("/d/") + .write("/d/f"), kind: .preparation)
        #expect(desk.last == [.grant(batch)])
        let second = desk.file(.move("/d/"), kind: .preparation)
        #expect(desk.last == [.grant(second)])
        desk.end(writer, .changed)
        let next = desk.file(.delete("/d/"))
        #expect(desk.last == [.grant(next)])
        #expect([batch, second].allSatisfy { desk.stage($0) == .granted })
    }

    @Test func `Rules 14.3, 14.9: nor while it asks`() {
        var desk = Desk()
        let editor = desk.present("/f", [.save], purpose: "editor")
        let batch = desk.file(.read("/f"), kind: .preparation)
        #expect(desk.last == [.askToYield(editor, for: batch, .saveOnly)])
        let back = desk.file(.write("/f"), purpose: "editor")
        let outsider = desk.file(.write("/f"))
        #expect(desk.stage(back) == .granted)
        #expect(desk.arbiter.impediments(of: outsider) == [.claim(back)])
        // It does not wait for the save-back either, only for the answer.
        desk.answer(editor, batch)
        #expect(desk.last == [.grant(batch)])
    }

    @Test func `Rule 14.5: what is nested in a batch waits and asks as ever`() {
        var desk = Desk()
        let editor = desk.present("/f")
        let client = desk.client()
        let holder = desk.file(.write("/f"))
        desk.answer(editor, holder)
        let batch = desk.file(.read("/f"), purpose: "b", client: client, kind: .preparation)
        desk.answer(editor, batch)
        let nested = desk.file(.read("/f"), purpose: "b", client: client, inside: [batch])
        #expect(desk.arbiter.impediments(of: nested) == [.claim(holder)])
        desk.end(holder, .unchanged)
        #expect(
            desk.last == [
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
        var desk = Desk()
        let first = desk.present("/d/f")
        let second = desk.present("/d/g")
        let batch = desk.file(.delete("/d/"), kind: .preparation)
        desk.answer(second, batch)
        desk.answer(first, batch, failure: .disk)
        #expect(desk.last == [.fail(batch, .disk)])
        #expect(desk.stage(batch) == nil)
    }

    @Test func `Rules 12.2, 15.8: it can be given up, and its process can die`() {
        var desk = Desk()
        let editor = desk.present("/d/f")
        let client = desk.client()
        let batch = desk.file(.read("/d/"), kind: .preparation)
        desk.cancel(batch)
        #expect(desk.last.isEmpty)
        let second = desk.file(.read("/d/"), client: client, kind: .preparation)
        desk.answer(editor, second)
        #expect(desk.stage(second) == .granted)
        desk.handle(.clientDied(client))
        #expect(desk.last.isEmpty)
    }

    @Test func `Rule 14.3: it has changed nothing, whatever it says`() {
        var desk = Desk()
        _ = desk.present("/d", .didMethods)
        _ = desk.present("/d/f", .didMethods)
        let batch = desk.file(.write("/d/f"), kind: .preparation)
        desk.end(batch, .changed)
        #expect(desk.last.isEmpty)
    }

    @Test func `Rules 11.4, 14.3: moves pass it by, and it holds no new place`() {
        var desk = Desk()
        let editor = desk.present("/d/f", purpose: "editor")
        let batch = desk.file(.read("/d/") + .write("/d/f"), kind: .preparation)
        let mover = desk.file(.move("/d/f"), purpose: "editor")
        desk.announce(mover, move("/d/f", to: "/e/f"))
        #expect(desk.last == [.relocate(editor, to: path("/e/f"), isTold: false)])
        desk.answer(editor, batch)
        #expect(desk.last == [.grant(batch)])
        // Not even when it announces a move itself.
        desk.announce(batch, move("/d/", to: "/x/"))
        let others = [desk.file(.write("/d/f")), desk.file(.write("/x/g"))]
        #expect(desk.arbiter.impediments(of: others[0]) == [.claim(mover)])
        #expect(desk.stage(others[1]) == .granted)
    }

    @Test func `Rule 18.7: it is recovered like any other, and still excludes no claim`() {
        var desk = Desk(recovering: true)
        var running = desk.filed(.write("/f"))
        running.kind = .preparation
        desk.handle(.claimRecovered(running))
        let writer = desk.file(.write("/f"))
        let batch = desk.file(.read("/f"), kind: .preparation)
        desk.handle(.recoveryFinished)
        #expect([writer, batch].allSatisfy { desk.stage($0) == .granted })
    }
}
