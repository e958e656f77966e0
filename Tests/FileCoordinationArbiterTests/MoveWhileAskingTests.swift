// SPDX-License-Identifier: Apache-2.0
//
// Claims that hold their place and ask (stage 2) when their items move: a presenter that is asked
// may move its own item first (Rules 2.16, 11.6).

import FileCoordinationArbiter
import Testing

@Suite struct MoveWhileAskingTests {
    private let fe = move("/d/f", to: "/e/f")

    @Test func `Rules 2.16, 11.6: a presenter moves its item while it is asked`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let reader = fixture.file(.read("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        #expect(fixture.stage(mover) == .granted)
        fixture.announce(mover, fe)
        #expect(
            fixture.last == [
                .relocate(editor, to: path("/e/f"), isTold: false),
                .retarget(reader, .read("/e/f")),
            ])
        #expect(fixture.stage(reader) == .asking)
        fixture.answer(editor, reader)
        #expect(fixture.stage(reader) == .asking)
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(reader)])
        // The reader holds the new path, and the old one no more.
        let others = [fixture.file(.write("/d/f")), fixture.file(.write("/e/f"))]
        #expect(others.map { fixture.stage($0) } == [.granted, .waiting])
        fixture.end(reader)
        #expect(fixture.last(to: editor).first == .reacquire(editor, .reader))
    }

    @Test func `Rule 2.16: the mover holds back those that ask where it has come to`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/e/f")
        let reader = fixture.file(.read("/e/f"))
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fe)
        fixture.answer(editor, reader)
        #expect(fixture.arbiter.impediments(of: reader) == [.claim(mover)])
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(reader)])
    }

    @Test func `Rules 2.16, 2.20: not any more when the mover has gone on from there`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/e/f")
        // A replacing claim means the path, and stays there (Rule 11.5).
        let replacing = fixture.file(.replace("/e/f"))
        let mover = fixture.file(.move("/d/f"))
        fixture.announce(mover, fe)
        #expect(fixture.arbiter.impediments(of: replacing).contains(.claim(mover)))
        fixture.announce(mover, move("/e/f", to: "/g"))
        #expect(!fixture.arbiter.impediments(of: replacing).contains(.claim(mover)))
        fixture.answer(editor, replacing)
        #expect(fixture.stage(replacing) == .granted)
    }

    @Test func `Rules 2.3, 11.6: it waits for those that hold the new place`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let other = fixture.present("/e/f")
        let holder = fixture.file(.write("/e/f"))
        let writer = fixture.file(.write("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        fixture.announce(mover, fe)
        fixture.end(mover, .unchanged)
        fixture.answer(editor, writer)
        #expect(fixture.arbiter.impediments(of: writer) == [.claim(holder)])
        fixture.answer(other, holder)
        #expect(fixture.stage(holder) == .granted)
        #expect(fixture.stage(writer) == .asking)
        fixture.end(holder, .changed)
        // The writer's item has moved to where the other presenter is.
        let steps = YieldSteps(relinquish: [.writer])
        #expect(fixture.last.contains(.askToYield(other, for: writer, steps)))
        fixture.answer(other, writer)
        #expect(fixture.last == [.grant(writer)])
    }

    @Test func `Rule 18.9: of two that come to one place the elder goes first`() {
        var fixture = ArbiterFixture()
        let editors = ["/a", "/b"].map { fixture.present($0, purpose: "editor") }
        let claims = ["/a", "/b"].map { fixture.file(.write($0)) }
        let mover = fixture.file(.move("/a") + .move("/b"), purpose: "editor")
        fixture.announce(mover, move("/a", to: "/p.rtfd/a"), move("/b", to: "/p.rtfd/b"))
        fixture.end(mover, .unchanged, .unchanged)
        fixture.answer(editors[1], claims[1])
        #expect(fixture.arbiter.impediments(of: claims[1]) == [.claim(claims[0])])
        fixture.answer(editors[0], claims[0])
        #expect(fixture.last == [.grant(claims[0])])
        fixture.end(claims[0], .changed)
        // The presenter was asked for the other item. By
        // its move, it presents an item of this package.
        let steps = YieldSteps(relinquish: [.writer])
        #expect(fixture.last.contains(.askToYield(editors[0], for: claims[1], steps)))
        fixture.answer(editors[0], claims[1])
        #expect(fixture.last == [.grant(claims[1])])
    }

    @Test func `Rule 11.5: what is to be replaced is asked for where it stays`() {
        var fixture = ArbiterFixture()
        let folder = fixture.present("/d.rtfd", purpose: "editor")
        let reader = fixture.file(.read("/d.rtfd/g"), purpose: "both")
        // The replacer's question is postponed: the presenter must have its item back first.
        let replacer = fixture.file(.replace("/d.rtfd/f") + .read("/d.rtfd/f"), purpose: "both")
        let mover = fixture.file(.move("/d.rtfd/f"), purpose: "editor")
        fixture.announce(mover, move("/d.rtfd/f", to: "/e/f"))
        fixture.end(mover, .unchanged)
        fixture.answer(folder, reader)
        fixture.end(reader)
        let asked = fixture.all(to: folder).compactMap { effect -> YieldSteps? in
            guard case .askToYield(_, let claim, let steps) = effect, claim == replacer
            else { return nil }
            return steps
        }
        #expect(asked.map(\.accommodateSubitemDeletions) == [[path("/d.rtfd/f")]])
    }

    @Test func `Rule 11.12: two that change places do not wait for one another`() {
        var fixture = ArbiterFixture()
        let editors = ["/a", "/b"].map { fixture.present($0, purpose: "editor") }
        let claims = ["/a", "/b"].map { fixture.file(.write($0)) }
        let mover = fixture.file(.move("/a") + .move("/b"), purpose: "editor")
        fixture.announce(mover, move("/a", to: "/b"), move("/b", to: "/a"))
        fixture.end(mover, .unchanged, .unchanged)
        for index in [1, 0] {
            fixture.answer(editors[index], claims[index])
            #expect(fixture.last == [.grant(claims[index])])
        }
        #expect(claims.map { fixture.places($0) } == [["/b"], ["/a"]])
    }

    @Test func `Rule 18.4: it does not wait for one that waits for it in a roundabout way`() {
        var fixture = ArbiterFixture()
        let second = fixture.present("/b", purpose: "second")
        let first = fixture.present("/a", purpose: "first")
        let third = fixture.present("/a", purpose: "third")
        let reader = fixture.file(.read("/b"))
        // `bypasser` passes the reader, and `writer` passes `bypasser`: the reader waits for both.
        let bypasser = fixture.file(.write("/b") + .write("/a"), purpose: "second")
        let writer = fixture.file(.write("/a"), purpose: "first")
        let mover = fixture.file(.move("/a"), purpose: "third")
        #expect([reader, bypasser, writer].allSatisfy { fixture.stage($0) == .asking })
        fixture.announce(mover, move("/a", to: "/b"))
        fixture.end(mover, .unchanged)
        fixture.answer(second, reader)
        fixture.answer(first, bypasser)
        fixture.answer(third, bypasser)
        fixture.answer(third, writer)
        for claim in [writer, bypasser, reader] {
            #expect(fixture.stage(claim) == .granted)
            fixture.handle(.claimEnded(claim, outcomes: []))
        }
    }

    @Test func `Rule 11.5: a claim that waited behind it at the old place goes on at once`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let reader = fixture.file(.read("/d/f"))
        let replacing = fixture.file(.replace("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        fixture.announce(mover, fe)
        #expect(fixture.arbiter.impediments(of: replacing) == [.claim(mover)])
        fixture.end(mover, .unchanged)
        #expect(fixture.last == [.grant(replacing)])
        #expect(fixture.stage(reader) == .asking)
        fixture.answer(editor, reader)
        #expect(fixture.stage(reader) == .granted)
    }

    @Test func `Rules 6.3, 11.6: what could not be asked before the move is asked by the new name`()
    {
        var fixture = ArbiterFixture()
        let package = fixture.present("/p.rtfd", purpose: "package")
        let writer = fixture.file(.write("/p.rtfd/a"), purpose: "w")
        let deleting = fixture.file(.delete("/p.rtfd/f"), purpose: "w")
        #expect(fixture.last(to: package).isEmpty)
        let mover = fixture.file(.move("/p.rtfd/f"), purpose: "package")
        fixture.announce(mover, move("/p.rtfd/f", to: "/p.rtfd/g"))
        fixture.end(mover, .unchanged)
        fixture.answer(package, writer)
        let steps = YieldSteps(accommodateSubitemDeletions: [path("/p.rtfd/g")])
        #expect(fixture.last(to: package) == [.askToYield(package, for: deleting, steps)])
    }

    @Test func `Rules 11.6, 11.12: what changes places is asked for once by each new name`() {
        var fixture = ArbiterFixture()
        let package = fixture.present("/p.rtfd", purpose: "package")
        let writer = fixture.file(.write("/p.rtfd/c"), purpose: "w")
        let deleting = fixture.file(.delete("/p.rtfd/a") + .delete("/p.rtfd/b"), purpose: "w")
        let mover = fixture.file(.move("/z"))
        fixture.announce(
            mover, move("/p.rtfd/a", to: "/p.rtfd/b"), move("/p.rtfd/b", to: "/p.rtfd/a"))
        fixture.answer(package, writer)
        let steps = YieldSteps(
            accommodateSubitemDeletions: [path("/p.rtfd/b"), path("/p.rtfd/a")])
        #expect(fixture.last(to: package) == [.askToYield(package, for: deleting, steps)])
    }

    @Test func `Rules 6.2, 11.6: what has left a package is not asked for there`() {
        var fixture = ArbiterFixture()
        let package = fixture.present("/p.rtfd", purpose: "package")
        let writer = fixture.file(.write("/p.rtfd/a"), purpose: "w")
        let deleting = fixture.file(.delete("/p.rtfd/f"), purpose: "w")
        let mover = fixture.file(.move("/z"))
        fixture.announce(mover, move("/p.rtfd/f", to: "/e/f"))
        fixture.answer(package, writer)
        #expect(fixture.last == [.grant(writer), .grant(deleting)])
    }

    @Test func `Rules 2.15, 11.6: a claim that was let past blocks none where it is no longer`() {
        var fixture = ArbiterFixture()
        let editors = ["first", "second"].map { fixture.present("/p.rtfd", purpose: $0) }
        let writer = fixture.file(.write("/p.rtfd/a"))
        let bypasser = fixture.file(.write("/p.rtfd/f"), purpose: "first")
        #expect(fixture.stage(bypasser) == .asking)
        let mover = fixture.file(.move("/z"))
        fixture.announce(mover, move("/p.rtfd/f", to: "/e/f"))
        for editor in editors { fixture.answer(editor, writer) }
        #expect(fixture.stage(writer) == .granted)
        let waiting = fixture.file(.read("/e/f"))
        #expect(fixture.arbiter.impediments(of: waiting) == [.claim(bypasser)])
    }

    @Test func `Rules 8.4, 12.2: given up while its item moves, it leaves nothing behind`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let holder = fixture.file(.write("/e/f"))
        let reader = fixture.file(.read("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        let behind = fixture.file(.read("/e/f"))
        fixture.announce(mover, fe)
        fixture.cancel(reader)
        #expect(fixture.last == [.reacquire(editor, .reader)])
        fixture.end(mover, .unchanged)
        fixture.end(holder, .changed)
        #expect(fixture.stage(behind) == .asking)
        fixture.answer(editor, behind)
        fixture.end(behind)
        fixture.handle(.presenterRemoved(editor))
        #expect(fixture.arbiter.isIdle)
    }

    // MARK: Presenters of the new place

    @Test func `Rule 11.6: presenters of the new place are asked when the mover is done`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", [.relinquishToReader, .save], purpose: "editor")
        let other = fixture.present("/e/f", purpose: "other")
        let reader = fixture.file(.read("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        fixture.announce(mover, fe)
        fixture.answer(editor, reader)
        // The mover still runs at the other presenter's path, so that presenter is not asked yet.
        #expect(fixture.last.isEmpty)
        let save = fixture.file(.write("/e/f"), purpose: "other")
        #expect(fixture.stage(save) == .waiting)
        fixture.end(mover, .unchanged)
        let steps = YieldSteps(relinquish: [.reader], save: true)
        #expect(fixture.last == [.askToYield(other, for: reader, steps), .grant(save)])
        fixture.end(save, .changed)
        fixture.answer(other, reader)
        #expect(fixture.last == [.grant(reader)])
        fixture.end(reader)
        for presenter in [editor, other] {
            #expect(fixture.last(to: presenter) == [.reacquire(presenter, .reader)])
            let asked = fixture.all(to: presenter).filter {
                if case .askToYield = $0 { true } else { false }
            }
            #expect(asked.count == 1)
        }
    }

    @Test func `Rules 6.4, 11.6: only what was not asked for before the move is asked for`() {
        var fixture = ArbiterFixture()
        let package = fixture.present("/p.rtfd", [.save], purpose: "package")
        let inside = fixture.present("/p.rtfd/g", [.relinquishToReader, .save])
        let reader = fixture.file(.read("/p.rtfd/f"))
        #expect(
            fixture.last(to: inside)
                == [.askToYield(inside, for: reader, YieldSteps(relinquish: [.reader]))])
        let mover = fixture.file(.move("/p.rtfd/f"), purpose: "package")
        fixture.announce(mover, move("/p.rtfd/f", to: "/p.rtfd/g"))
        fixture.end(mover, .unchanged)
        fixture.answer(inside, reader)
        #expect(fixture.last.isEmpty)
        fixture.answer(package, reader)
        #expect(fixture.last == [.askToYield(inside, for: reader, YieldSteps(save: true))])
        fixture.answer(inside, reader)
        #expect(fixture.last == [.grant(reader)])
    }

    @Test func `Rules 6.3, 11.6: what leaves a package for another is asked for in that one`() {
        var fixture = ArbiterFixture()
        let old = fixture.present("/p.rtfd", purpose: "old")
        let new = fixture.present("/q.rtfd", .accommodateSubitemDeletion)
        let deleting = fixture.file(.delete("/p.rtfd/f"))
        let mover = fixture.file(.move("/p.rtfd/f"), purpose: "old")
        fixture.announce(
            mover,
            ItemMove(
                from: path("/p.rtfd/f"), oldPackageDepths: [1], to: path("/q.rtfd/f"),
                newPackageDepths: [1]))
        fixture.end(mover, .unchanged)
        fixture.answer(old, deleting)
        let steps = YieldSteps(accommodateSubitemDeletions: [path("/q.rtfd/f")])
        #expect(fixture.last == [.askToYield(new, for: deleting, steps)])
        fixture.answer(new, deleting)
        #expect(fixture.last == [.grant(deleting)])
    }

    @Test func `Rules 8.4, 11.6: a claim that is given up asks no more`() {
        var fixture = ArbiterFixture()
        let editor = fixture.present("/d/f", purpose: "editor")
        let other = fixture.present("/e/f", .save)
        let reader = fixture.file(.read("/d/f"))
        let mover = fixture.file(.move("/d/f"), purpose: "editor")
        fixture.announce(mover, fe)
        fixture.answer(editor, reader)
        fixture.cancel(reader)
        fixture.end(mover, .unchanged)
        #expect(fixture.all(to: other).isEmpty)
    }

    // MARK: Recovery

    @Test func `Rule 18.7: what is announced while a former arbiter's leavings are told counts`() {
        var fixture = ArbiterFixture(recovering: true)
        let mover = fixture.filed(.move("/d/"))
        fixture.handle(.claimRecovered(mover))
        let editor = fixture.present("/d/f", .didMethods)
        let reader = fixture.file(.read("/d/f"))
        fixture.announce(mover.id, move("/d/", to: "/e/"))
        #expect(
            fixture.last == [
                .relocate(editor, to: path("/e/f"), isTold: true),
                .retarget(reader, .read("/e/f")),
            ])
        let late = fixture.file(.read("/e/g"))
        fixture.handle(.recoveryFinished)
        #expect(fixture.last.isEmpty)
        #expect(fixture.arbiter.impediments(of: late) == [.claim(mover.id)])
        fixture.handle(.claimEnded(mover.id, outcomes: [.unchanged]))
        #expect(fixture.last == [.grant(reader), .grant(late)])
    }

    @Test func `Rules 18.7, 11.4: a claim that is found after its item has moved is where it says`()
    {
        var fixture = ArbiterFixture(recovering: true)
        let mover = fixture.filed(.move("/d/f"))
        let reader = fixture.filed(.read("/d/f"))
        fixture.handle(.claimRecovered(mover))
        fixture.announce(mover.id, fe)
        fixture.handle(.claimFiled(reader))
        fixture.handle(.recoveryFinished)
        #expect(fixture.places(reader.id) == ["/d/f"])
        fixture.handle(.claimEnded(mover.id, outcomes: [.unchanged]))
        #expect(fixture.last == [.grant(reader.id)])
    }
}
