// SPDX-License-Identifier: Apache-2.0
//
// Claims that hold their place and ask (stage 2) when their items move: a presenter that is asked
// may move its own item first (Rules 2.16, 11.6).

import FileCoordinationArbiter
import Testing

@Suite struct MoveWhileAskingTests {
    private let fe = move("/d/f", to: "/e/f")

    @Test func `Rules 2.16, 11.6: a presenter moves its item while it is asked`() {
        var desk = Desk()
        let editor = desk.present("/d/f", purpose: "editor")
        let reader = desk.file(.read("/d/f"))
        let mover = desk.file(.move("/d/f"), purpose: "editor")
        #expect(desk.stage(mover) == .granted)
        desk.announce(mover, fe)
        #expect(
            desk.last == [
                .relocate(editor, to: path("/e/f"), isTold: false),
                .retarget(reader, .read("/e/f")),
            ])
        #expect(desk.stage(reader) == .asking)
        desk.answer(editor, reader)
        #expect(desk.stage(reader) == .asking)
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(reader)])
        // It holds the new place, and the old one no more.
        let others = [desk.file(.write("/d/f")), desk.file(.write("/e/f"))]
        #expect(others.map { desk.stage($0) } == [.granted, .waiting])
        desk.end(reader)
        #expect(desk.last(to: editor).first == .reacquire(editor, .reader))
    }

    @Test func `Rule 2.16: the mover holds back those that ask where it has come to`() {
        var desk = Desk()
        let editor = desk.present("/e/f")
        let reader = desk.file(.read("/e/f"))
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fe)
        desk.answer(editor, reader)
        #expect(desk.arbiter.impediments(of: reader) == [.claim(mover)])
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(reader)])
    }

    @Test func `Rules 2.16, 2.20: not any more when the mover has gone on from there`() {
        var desk = Desk()
        let editor = desk.present("/e/f")
        // It means the place, and stays there (Rule 11.5).
        let replacing = desk.file(.replace("/e/f"))
        let mover = desk.file(.move("/d/f"))
        desk.announce(mover, fe)
        #expect(desk.arbiter.impediments(of: replacing).contains(.claim(mover)))
        desk.announce(mover, move("/e/f", to: "/g"))
        #expect(!desk.arbiter.impediments(of: replacing).contains(.claim(mover)))
        desk.answer(editor, replacing)
        #expect(desk.stage(replacing) == .granted)
    }

    @Test func `Rules 2.3, 11.6: it waits for those that hold the new place`() {
        var desk = Desk()
        let editor = desk.present("/d/f", purpose: "editor")
        let other = desk.present("/e/f")
        let holder = desk.file(.write("/e/f"))
        let writer = desk.file(.write("/d/f"))
        let mover = desk.file(.move("/d/f"), purpose: "editor")
        desk.announce(mover, fe)
        desk.end(mover, .unchanged)
        desk.answer(editor, writer)
        #expect(desk.arbiter.impediments(of: writer) == [.claim(holder)])
        desk.answer(other, holder)
        #expect(desk.stage(holder) == .granted)
        #expect(desk.stage(writer) == .asking)
        desk.end(holder, .changed)
        #expect(desk.last.contains(.grant(writer)))
    }

    @Test func `Rule 18.9: of two that come to one place the elder goes first`() {
        var desk = Desk()
        let editors = ["/a", "/b"].map { desk.present($0, purpose: "editor") }
        let claims = ["/a", "/b"].map { desk.file(.write($0)) }
        let mover = desk.file(.move("/a") + .move("/b"), purpose: "editor")
        desk.announce(mover, move("/a", to: "/p.rtfd/a"), move("/b", to: "/p.rtfd/b"))
        desk.end(mover, .unchanged, .unchanged)
        desk.answer(editors[1], claims[1])
        #expect(desk.arbiter.impediments(of: claims[1]) == [.claim(claims[0])])
        desk.answer(editors[0], claims[0])
        #expect(desk.last == [.grant(claims[0])])
        desk.end(claims[0], .changed)
        #expect(desk.last.contains(.grant(claims[1])))
    }

    @Test func `Rule 11.5: what is to be replaced is asked for where it stays`() {
        var desk = Desk()
        let folder = desk.present("/d.rtfd", purpose: "editor")
        let reader = desk.file(.read("/d.rtfd/g"), purpose: "both")
        // Its question is postponed: the presenter must have its item back first.
        let replacer = desk.file(.replace("/d.rtfd/f") + .read("/d.rtfd/f"), purpose: "both")
        let mover = desk.file(.move("/d.rtfd/f"), purpose: "editor")
        desk.announce(mover, move("/d.rtfd/f", to: "/e/f"))
        desk.end(mover, .unchanged)
        desk.answer(folder, reader)
        desk.end(reader)
        let asked = desk.all(to: folder).compactMap { effect -> YieldSteps? in
            guard case .askToYield(_, let claim, let steps) = effect, claim == replacer
            else { return nil }
            return steps
        }
        #expect(asked.map(\.accommodateSubitemDeletions) == [[path("/d.rtfd/f")]])
    }

    @Test func `Rule 11.12: two that change places do not wait for one another`() {
        var desk = Desk()
        let editors = ["/a", "/b"].map { desk.present($0, purpose: "editor") }
        let claims = ["/a", "/b"].map { desk.file(.write($0)) }
        let mover = desk.file(.move("/a") + .move("/b"), purpose: "editor")
        desk.announce(mover, move("/a", to: "/b"), move("/b", to: "/a"))
        desk.end(mover, .unchanged, .unchanged)
        for index in [1, 0] {
            desk.answer(editors[index], claims[index])
            #expect(desk.last == [.grant(claims[index])])
        }
        #expect(claims.map { desk.places($0) } == [["/b"], ["/a"]])
    }

    @Test func `Rule 18.4: it does not wait for one that waits for it in a roundabout way`() {
        var desk = Desk()
        let second = desk.present("/b", purpose: "second")
        let first = desk.present("/a", purpose: "first")
        let third = desk.present("/a", purpose: "third")
        let reader = desk.file(.read("/b"))
        // Let past the reader, and this one past it: the reader waits for both.
        let passer = desk.file(.write("/b") + .write("/a"), purpose: "second")
        let writer = desk.file(.write("/a"), purpose: "first")
        let mover = desk.file(.move("/a"), purpose: "third")
        #expect([reader, passer, writer].allSatisfy { desk.stage($0) == .asking })
        desk.announce(mover, move("/a", to: "/b"))
        desk.end(mover, .unchanged)
        desk.answer(second, reader)
        desk.answer(first, passer)
        desk.answer(third, passer)
        desk.answer(third, writer)
        for claim in [writer, passer, reader] {
            #expect(desk.stage(claim) == .granted)
            desk.handle(.claimEnded(claim, outcomes: []))
        }
    }

    @Test func `Rule 11.5: a claim that waited behind it at the old place goes on at once`() {
        var desk = Desk()
        let editor = desk.present("/d/f", purpose: "editor")
        let reader = desk.file(.read("/d/f"))
        let replacing = desk.file(.replace("/d/f"))
        let mover = desk.file(.move("/d/f"), purpose: "editor")
        desk.announce(mover, fe)
        #expect(desk.arbiter.impediments(of: replacing) == [.claim(mover)])
        desk.end(mover, .unchanged)
        #expect(desk.last == [.grant(replacing)])
        #expect(desk.stage(reader) == .asking)
        desk.answer(editor, reader)
        #expect(desk.stage(reader) == .granted)
    }

    @Test func `Rules 6.3, 11.6: what could not be asked before the move is asked by the new name`()
    {
        var desk = Desk()
        let package = desk.present("/p.rtfd", purpose: "package")
        let writer = desk.file(.write("/p.rtfd/a"), purpose: "w")
        let deleting = desk.file(.delete("/p.rtfd/f"), purpose: "w")
        #expect(desk.last(to: package).isEmpty)
        let mover = desk.file(.move("/p.rtfd/f"), purpose: "package")
        desk.announce(mover, move("/p.rtfd/f", to: "/p.rtfd/g"))
        desk.end(mover, .unchanged)
        desk.answer(package, writer)
        let steps = YieldSteps(accommodateSubitemDeletions: [path("/p.rtfd/g")])
        #expect(desk.last(to: package) == [.askToYield(package, for: deleting, steps)])
    }

    @Test func `Rules 11.6, 11.12: what changes places is asked for once by each new name`() {
        var desk = Desk()
        let package = desk.present("/p.rtfd", purpose: "package")
        let writer = desk.file(.write("/p.rtfd/c"), purpose: "w")
        let deleting = desk.file(.delete("/p.rtfd/a") + .delete("/p.rtfd/b"), purpose: "w")
        let mover = desk.file(.move("/z"))
        desk.announce(
            mover, move("/p.rtfd/a", to: "/p.rtfd/b"), move("/p.rtfd/b", to: "/p.rtfd/a"))
        desk.answer(package, writer)
        let steps = YieldSteps(
            accommodateSubitemDeletions: [path("/p.rtfd/b"), path("/p.rtfd/a")])
        #expect(desk.last(to: package) == [.askToYield(package, for: deleting, steps)])
    }

    @Test func `Rules 6.2, 11.6: what has left a package is not asked for there`() {
        var desk = Desk()
        let package = desk.present("/p.rtfd", purpose: "package")
        let writer = desk.file(.write("/p.rtfd/a"), purpose: "w")
        let deleting = desk.file(.delete("/p.rtfd/f"), purpose: "w")
        let mover = desk.file(.move("/z"))
        desk.announce(mover, move("/p.rtfd/f", to: "/e/f"))
        desk.answer(package, writer)
        #expect(desk.last == [.grant(writer), .grant(deleting)])
    }

    @Test func `Rules 2.15, 11.6: a claim that was let past blocks none where it is no longer`() {
        var desk = Desk()
        let editors = ["first", "second"].map { desk.present("/p.rtfd", purpose: $0) }
        let writer = desk.file(.write("/p.rtfd/a"))
        let passer = desk.file(.write("/p.rtfd/f"), purpose: "first")
        #expect(desk.stage(passer) == .asking)
        let mover = desk.file(.move("/z"))
        desk.announce(mover, move("/p.rtfd/f", to: "/e/f"))
        for editor in editors { desk.answer(editor, writer) }
        #expect(desk.stage(writer) == .granted)
        let waiting = desk.file(.read("/e/f"))
        #expect(desk.arbiter.impediments(of: waiting) == [.claim(passer)])
    }

    @Test func `Rules 8.4, 12.2: given up while its item moves, it leaves nothing behind`() {
        var desk = Desk()
        let editor = desk.present("/d/f", purpose: "editor")
        let holder = desk.file(.write("/e/f"))
        let reader = desk.file(.read("/d/f"))
        let mover = desk.file(.move("/d/f"), purpose: "editor")
        let behind = desk.file(.read("/e/f"))
        desk.announce(mover, fe)
        desk.cancel(reader)
        #expect(desk.last == [.reacquire(editor, .reader)])
        desk.end(mover, .unchanged)
        desk.end(holder, .changed)
        #expect(desk.stage(behind) == .asking)
        desk.answer(editor, behind)
        desk.end(behind)
        desk.handle(.presenterRemoved(editor))
        #expect(desk.arbiter.isIdle)
    }

    // MARK: Recovery

    @Test func `Rule 18.7: what is announced while a former arbiter's leavings are told counts`() {
        var desk = Desk(recovering: true)
        let mover = desk.filed(.move("/d/"))
        desk.handle(.claimRecovered(mover))
        let editor = desk.present("/d/f", .didMethods)
        let reader = desk.file(.read("/d/f"))
        desk.announce(mover.id, move("/d/", to: "/e/"))
        #expect(
            desk.last == [
                .relocate(editor, to: path("/e/f"), isTold: true),
                .retarget(reader, .read("/e/f")),
            ])
        let late = desk.file(.read("/e/g"))
        desk.handle(.recoveryFinished)
        #expect(desk.last.isEmpty)
        #expect(desk.arbiter.impediments(of: late) == [.claim(mover.id)])
        desk.handle(.claimEnded(mover.id, outcomes: [.unchanged]))
        #expect(desk.last == [.grant(reader), .grant(late)])
    }

    @Test func `Rules 18.7, 11.4: a claim that is found after its item has moved is where it says`()
    {
        var desk = Desk(recovering: true)
        let mover = desk.filed(.move("/d/f"))
        let reader = desk.filed(.read("/d/f"))
        desk.handle(.claimRecovered(mover))
        desk.announce(mover.id, fe)
        desk.handle(.claimFiled(reader))
        desk.handle(.recoveryFinished)
        #expect(desk.places(reader.id) == ["/d/f"])
        desk.handle(.claimEnded(mover.id, outcomes: [.unchanged]))
        #expect(desk.last == [.grant(reader.id)])
    }
}
