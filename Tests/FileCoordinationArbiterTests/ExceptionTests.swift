// SPDX-License-Identifier: Apache-2.0
//
// The three exceptions to first come, first served (Rules 2.8a, 2.16, 2.17), and where they end.

import FileCoordinationArbiter
import Testing

@Suite struct ExceptionTests {
    // MARK: 2.8a

    @Test func `Rule 2.8a: moving a directory goes before what is queued inside`() {
        expectTimeline(
            .claim("reader inside", .read("/d/f"), "===       "),
            .claim("writer inside", .write("/d/f"), " .....==  "),
            .claim("mover        ", .move("/d/"), "  .===    "))
    }

    @Test func `Rule 2.8a: moving a directory takes its place before what is queued inside`() {
        expectTimeline(
            .presenter("presenter       ", at: "/d/g", "  ??ww    "),
            .claim("holder elsewhere", .write("/x"), "====      "),
            .claim("queued inside   ", .write("/x") + .write("/d/f"), " .....==  "),
            .claim("mover           ", .move("/d/"), "  ..==    "))
    }

    @Test func `Rule 2.8a: the outer one of two directories goes first, filed first or not`() {
        expectTimeline(
            .claim("reader inside", .read("/d/e/f"), "===          "),
            .claim("inner mover  ", .move("/d/e/"), " .....==     "),
            .claim("outer mover  ", .move("/d/"), "  .===       "))
        expectTimeline(
            .claim("reader inside", .read("/d/e/f"), "===          "),
            .claim("outer mover  ", .move("/d/"), " ..===       "),
            .claim("inner mover  ", .move("/d/e/"), "  ....==     "))
    }

    @Test func `Rule 2.8a: an outer mover that is held back lets an earlier inner one go on`() {
        expectTimeline(
            .claim("reader of the directory", .read("/d/"), "=====       "),
            .claim("reader inside          ", .read("/d/e/f"), "==          "),
            .claim("inner mover            ", .move("/d/e/"), " .==        "),
            .claim("outer mover            ", .move("/d/"), "  ...==     "))
    }

    @Test func `Rule 2.8a: so it does before a claim that moves another item, too`() {
        expectTimeline(
            .claim("reader     ", .read("/d/e/f") + .read("/a"), "===         "),
            .claim("inner mover", .move("/a") + .write("/d/e/f"), " .....==    "),
            .claim("outer mover", .move("/d/"), "  .===      "))
        // The outer one is held back here by the outermost.
        let all = [AccessItem].read("/d/e/f") + .read("/a/f") + .read("/b/f")
        expectTimeline(
            .claim("reader     ", all, "====         "),
            .claim("inner mover", .move("/a/") + .write("/d/e/f"), " ...==      "),
            .claim("outer mover", .move("/d/") + .write("/b/f"), "  ....==    "),
            .claim("outermost  ", .move("/b/"), "   .==      "))
    }

    @Test func `Rule 2.8a: the outermost goes first, also past a claim of its own purpose`() {
        let all = [AccessItem].read("/a/f") + .read("/x/y/z")
        expectTimeline(
            .claim("reader   ", all, "====         "),
            .claim("first    ", .move("/a/") + .read("/x/y/z"), purpose: "p", " ...==       "),
            .claim("inner    ", .move("/x/y/"), "  ....==     "),
            .claim("outermost", .move("/x/"), purpose: "p", "   .==       "))
    }

    @Test func `Rule 2.8a: claims that move directories around each other go on in turn`() {
        let all = [AccessItem].read("/a/f") + .read("/b/f") + .read("/c/f")
        expectTimeline(
            .claim("reader", all, "====          "),
            .claim("first ", .move("/a/") + .write("/b/f"), " .....==      "),
            .claim("second", .move("/b/") + .write("/c/f"), "  ..==        "),
            .claim("third ", .move("/c/") + .write("/a/f"), "   .....==    "))
    }

    @Test func `Rule 2.8a: a mover that is held back lets earlier claims inside go on`() {
        expectTimeline(
            .claim("reader of the directory", .read("/d/"), "======      "),
            .claim("writer inside          ", .write("/d/f"), "==          "),
            .claim("earlier, queued        ", .write("/d/f"), " .==        "),
            .claim("mover                  ", .move("/d/"), " .....===   "),
            .claim("later                  ", .read("/d/g"), "  .......== "))
    }

    @Test func `Rule 2.8a: it waits for those inside that hold their place`() {
        expectTimeline(
            .presenter("editor       ", at: "/d/f", " ??ww??ww  "),
            .claim("writer inside", .write("/d/f"), " ..==      "),
            .claim("mover        ", .move("/d/"), "  .....==  "))
    }

    @Test(arguments: [WritingOptions.deleting, .replacing])
    func `Rule 2.8a does not hold for deleting and replacing`(mode: WritingOptions) {
        expectTimeline(
            .claim("reader inside", .read("/d/f"), "===        "),
            .claim("writer inside", .write("/d/f"), " ..==      "),
            .claim("deleter      ", .write("/d/", mode), "  ...===   "))
    }

    @Test func `Rule 2.8a does not hold for a package, which is one file`() {
        expectTimeline(
            .claim("reader inside", .read("/p.rtfd/f"), "===       "),
            .claim("writer inside", .write("/p.rtfd/f"), " ..==     "),
            .claim("mover        ", .move("/p.rtfd"), "  ...==   "))
    }

    @Test func `Rule 2.8a does not hold for what the claims also want besides`() {
        expectTimeline(
            .claim("reader inside", .read("/d/f"), "===       "),
            .claim("queued inside", .write("/d/f") + .write("/x"), " ..==     "),
            .claim("mover        ", .move("/d/") + .write("/x"), "  ...==   "))
    }

    // MARK: 2.16

    @Test func `Rule 2.16: a presenter may save back while it is asked`() {
        expectTimeline(
            .presenter("editor   ", at: "/d/f", purpose: "editor", " ????rrr "),
            .claim("reader   ", .read("/d/f"), " ....=== "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "  ==     "))
    }

    @Test func `Rule 2.16: the asker starts only when what it let past has ended`() {
        expectTimeline(
            .presenter("editor   ", at: "/d/f", purpose: "editor", " ??rrrrr  "),
            .claim("reader   ", .read("/d/f"), " .....==  "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "  ====    "))
    }

    @Test func `Rule 2.16: the exception ends with the answer`() {
        expectTimeline(
            .presenter("editor   ", at: "/d/f", purpose: "editor", " ??rrrr    "),
            .claim("reader   ", .read("/d/f"), " ...===    "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "  ==       "),
            .claim("too late ", .write("/d/f"), purpose: "editor", "   ....==  "))
    }

    @Test func `Rule 2.16: it is for that presenter's purpose only`() {
        expectTimeline(
            .presenter(
                "editor  ", at: "/d/f", methods: .relinquishToReader, purpose: "editor",
                " ???rrr    "),
            .claim("reader  ", .read("/d/f"), " ...===    "),
            .claim("stranger", .write("/d/f"), "  .....==  "))
    }

    @Test func `Rule 2.16: a save-back does not wait for what is stuck behind its asker`() {
        expectTimeline(
            .presenter(
                "editor   ", at: "/d/f", methods: .relinquishToReader, purpose: "editor",
                " ????rrrrr    "),
            .claim("reader   ", .read("/d/f"), " ......===    "),
            .claim("queued   ", .write("/d/f"), "  ........==  "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "   ====       "))
    }

    @Test func `Rule 2.16: a save-back that waited already goes on when its presenter is asked`() {
        expectTimeline(
            .presenter(
                "editor   ", at: "/d/f", methods: .relinquishToReader, purpose: "editor",
                "   ????rr     "),
            .claim("holder   ", .write("/d/f"), "===           "),
            .claim("reader   ", .read("/d/f"), " ......==     "),
            .claim("queued   ", .write("/d/f"), "  .......==   "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "  .====       "))
    }

    @Test func `Rule 2.16: presenters may save back while they are asked about save-backs`() {
        var fixture = ArbiterFixture()
        let first = fixture.present("/d/f", [.relinquishToReader], purpose: "first")
        let second = fixture.present("/d/f", [.relinquishToWriter], purpose: "second")
        let reader = fixture.file(.read("/d/f"))
        let ofFirst = fixture.file(.write("/d/f"), purpose: "first")
        #expect(fixture.last == [.askToYield(second, for: ofFirst, .toWriter)])
        // The reader waits for `ofFirst`, which asks
        // `second`: the reader waits for `second` indirectly.
        let ofSecond = fixture.file(.write("/d/f"), purpose: "second")
        #expect(fixture.stage(ofSecond) == .granted)
        fixture.answer(second, ofFirst)
        #expect(fixture.stage(ofFirst) == .asking)
        fixture.end(ofSecond, .unchanged)
        #expect(fixture.last == [.grant(ofFirst)])
        fixture.answer(first, reader)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(ofFirst)])
        fixture.end(ofFirst, .unchanged)
        #expect(fixture.last.contains(.grant(reader)))
    }

    @Test func `Rule 2.16: a save-back still waits for those who run`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let elsewhere = fixture.file(.write("/d/g"))
        let reader = fixture.file(.read("/d/f"))
        let back = fixture.file(.write("/d/f") + .write("/d/g"), purpose: "editor")
        #expect(fixture.arbiter.impediments(of: back) == [.claim(elsewhere)])
        fixture.end(elsewhere, .changed)
        #expect(fixture.last == [.grant(back)])
        fixture.answer(editor, reader)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(back)])
        fixture.end(back, .changed)
        #expect(fixture.last == [.grant(reader)])
    }

    // MARK: 2.17

    @Test func `Rule 2.17: a nested claim does not wait for what waits for the outer one`() {
        expectTimeline(
            .claim("outer ", .read("/d/f"), "======   "),
            .claim("writer", .write("/d/f"), " .....== "),
            .claim("nested", .write("/d/f"), inside: "outer", "  ===    "))
    }

    @Test func `Rule 2.17: nor for what waits for it in a roundabout way`() {
        expectTimeline(
            .claim("outer    ", .read("/d/f"), "======       "),
            .claim("writer   ", .write("/d/f"), " .....==     "),
            .claim("behind it", .read("/d/f"), "  ......==    "),
            .claim("nested   ", .write("/d/f"), inside: "outer", "   ==        "))
        expectTimeline(
            .claim("outer    ", .read("/d/f"), "======       "),
            .claim("writer   ", .write("/d/f") + .write("/d/g"), " .....==     "),
            .claim("second   ", .write("/d/g") + .write("/d/h"), "  ......==   "),
            .claim("nested   ", .write("/d/h"), inside: "outer", "   ==        "))
    }

    @Test(arguments: [false, true])
    func `Rule 2.17: but its turn comes, if the accessor does not wait for it`(waits: Bool) {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let outer = fixture.file(.read("/d/f"), purpose: "app", client: client)
        let writer = fixture.file(.write("/d/f") + .write("/d/g"))
        let behind = fixture.file(.write("/d/g") + .write("/d/h"))
        let nested = fixture.file(
            .write("/d/h"), purpose: "app", client: client, inside: [outer], blocksCaller: waits)
        #expect(fixture.stage(nested) == (waits ? .granted : .waiting))
        // A claim always passes those that wait for the surrounding accessor itself.
        let direct = fixture.file(
            .write("/d/f"), purpose: "app", client: client, inside: [outer], blocksCaller: waits)
        #expect(fixture.stage(direct) == .granted)
        for claim in [direct, outer, writer, behind] { fixture.end(claim, .unchanged) }
        #expect(fixture.stage(nested) == .granted)
    }

    @Test func `Rule 2.17: nor for a claim in stage 2 that let the outer one past`() {
        expectTimeline(
            .presenter("editor   ", at: "/d/f", purpose: "editor", " ??rrrrrr  "),
            .claim("reader   ", .read("/d/f"), " ......==  "),
            .claim("save-back", .write("/d/f"), purpose: "editor", "  =====    "),
            .claim("nested   ", .read("/d/f"), inside: "save-back", "    ==     "))
    }

    @Test func `Rule 2.17: the same purpose passes if the holder was granted first`() {
        expectTimeline(
            .claim("holder ", .read("/d/f"), purpose: "app", "=====     "),
            .claim("writer ", .write("/d/f"), " ....==   "),
            .claim("another", .read("/d/f"), purpose: "app", "  ===     "))
    }

    @Test func `Rule 2.17: but not if the holder was granted after the writer came`() {
        expectTimeline(
            .claim("blocker", .write("/d/f"), "===            "),
            .claim("holder ", .read("/d/f"), purpose: "app", " ..===         "),
            .claim("writer ", .write("/d/f"), "  ....==       "),
            .claim("another", .read("/d/f"), purpose: "app", "    ....==     "))
    }

    @Test func `Rule 2.17: overlapping reads of one purpose cannot keep a writer out`() {
        expectTimeline(
            .claim("first ", .read("/d/f"), purpose: "app", "====         "),
            .claim("writer", .write("/d/f"), " .....==     "),
            .claim("second", .read("/d/f"), purpose: "app", "  ====       "),
            .claim("third ", .read("/d/f"), purpose: "app", "    ....==   "))
    }

    @Test func `Rules 2.17, 3.3: it is for equal purposes only`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let outer = fixture.file(.read("/d/f"), purpose: "one", client: client)
        let writer = fixture.file(.write("/d/f"))
        let nested = fixture.file(.read("/d/f"), purpose: "two", client: client, inside: [outer])
        #expect(fixture.arbiter.impediments(of: nested) == [.claim(writer)])
    }

    @Test func `Rule 2.17: no claim nests in a claim of another process`() {
        var fixture = ArbiterFixture()
        let blocker = fixture.file(.write("/d/f"))
        let holder = fixture.file(.read("/d/f"), purpose: "app")
        let writer = fixture.file(.write("/d/f"))
        fixture.end(blocker, .changed)
        let liar = fixture.file(.read("/d/f"), purpose: "app", inside: [holder])
        #expect(fixture.arbiter.impediments(of: liar) == [.claim(writer)])
    }

    @Test func `Rules 3.1, 3.2: nesting on one purpose never waits, in any order`() {
        for outer in [[AccessItem].read("/d/f"), .write("/d/f"), .delete("/d/"), .move("/d/")] {
            for inner in [[AccessItem].read("/d/f"), .write("/d/f"), .delete("/d/")] {
                expectTimeline(
                    .claim("outer", outer, "======   "),
                    .claim("queued", .write("/d/f"), " .....== "),
                    .claim("inner", inner, inside: "outer", "  ==     "))
            }
        }
    }
}
