// SPDX-License-Identifier: Apache-2.0
//
// Presenters that were passed over, and answer after their question was withdrawn, was lost with a
// connection or got another number (Rule 18.3). These tests do not use the witness, which considers
// each grant without an answer as a fault.

import FileCoordinationArbiter
import InstantLiterals
import Testing

@Suite struct UnresponsivePresenterTests {
    private let editor = PresenterID(rawValue: 1)
    private let viewer = PresenterID(rawValue: 2)
    private let reader = ClientID(rawValue: 9)
    private let claim = ClaimID(rawValue: 1)

    /// An editor of /f that was passed over, and a claim that waits for a viewer.
    private func arbiter(_ methods: PresenterMethods = .all) -> Arbiter {
        var arbiter = Arbiter()
        let both: [(PresenterID, Duration?)] = [(editor, .microseconds(1)), (viewer, nil)]
        for (presenter, answerTimeout) in both {
            _ = arbiter.handle(
                .presenterAdded(
                    RegisteredPresenter(
                        id: presenter, client: ClientID(rawValue: UInt32(presenter.rawValue)),
                        purpose: Purpose("\(presenter)"), path: path("/f"), methods: methods,
                        answerTimeout: answerTimeout)))
        }
        #expect(asked(file(1, &arbiter)) == [editor, viewer])
        #expect(arbiter.handle(.clockAdvanced(to: 1_000)) == [])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [true, false])
        return arbiter
    }

    private func file(_ serial: UInt64, _ arbiter: inout Arbiter) -> [Effect] {
        arbiter.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: serial), client: reader, purpose: Purpose("\(serial)"),
                    items: .read("/f"))))
    }

    private func asked(_ effects: [Effect]) -> [PresenterID] {
        effects.compactMap { effect in
            guard case .askToYield(let presenter, _, _) = effect else { return nil }
            return presenter
        }
    }

    /// The editor answers a question that is not open any more, and is asked again.
    private func expectHeard(_ arbiter: inout Arbiter) {
        #expect(asked(file(2, &arbiter)) == [viewer])
        _ = arbiter.handle(.claimCancelled(ClaimID(rawValue: 2)))
        #expect(arbiter.handle(.presenterAnsweredLate(editor)) == [.notify(editor, .itemDidChange)])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [false, false])
        #expect(asked(file(3, &arbiter)) == [editor, viewer])
    }

    @Test func `Rule 18.3: an answer counts after the claim that asked was cancelled`() {
        var arbiter = arbiter()
        _ = arbiter.handle(.claimCancelled(claim))
        expectHeard(&arbiter)
    }

    @Test func `Rule 18.3: an answer counts after the process that asked has died`() {
        var arbiter = arbiter()
        _ = arbiter.handle(.clientDied(reader))
        expectHeard(&arbiter)
    }

    @Test func `Rule 18.3: an answer counts after the claim that asked was granted, and is over`() {
        var arbiter = arbiter()
        _ = arbiter.handle(.presenterAnswered(viewer, for: claim, failure: nil))
        #expect(arbiter.stage(of: claim) == .granted)
        _ = arbiter.handle(.claimEnded(claim, outcomes: [.unchanged]))
        expectHeard(&arbiter)
    }

    //  editor      reader            server
    //              read(f)           asks
    //              stopped           withdraws the question
    //              goes on           asks by another number, but not the editor
    //  answers by the first number
    //
    @Test func `Rules 18.3, 18.6: an answer counts after its question got another number`() {
        var arbiter = arbiter()
        #expect(arbiter.handle(.clientStopped(reader)).contains(.withdrawQuestions(claim)))
        #expect(asked(arbiter.handle(.clientContinued(reader))) == [viewer])
        #expect(arbiter.handle(.presenterAnsweredLate(editor)) == [.notify(editor, .itemDidChange)])
        // The claim that holds its position now does not wait for the editor.
        #expect(
            arbiter.handle(.presenterAnswered(viewer, for: claim, failure: nil))
                == [.grant(claim)])
        #expect(asked(file(2, &arbiter)) == [editor, viewer])
    }

    //  editor      reader            server
    //              read(f)           asks
    //              goes on           asks only the viewer
    //  (a new connection, on which it has its item)
    //  answers no question
    //
    @Test func `Rule 18.3: one that is heard while the claim asks others has its item back`() {
        var arbiter = arbiter()
        #expect(
            arbiter.handle(.presenterAnsweredLate(editor))
                == [.notify(editor, .itemDidChange), .reacquire(editor, .reader)])
        #expect(asked(file(2, &arbiter)).contains(editor))
        #expect(
            arbiter.handle(.presenterAnswered(viewer, for: claim, failure: nil))
                .contains(.grant(claim)))
        #expect(arbiter.handle(.claimEnded(claim, outcomes: [.unchanged])) == [])
    }

    /// The editor's process reads or writes something, with the purpose of the editor or another.
    private func access(
        _ serial: UInt64, _ items: [AccessItem], as purpose: Purpose? = nil,
        _ arbiter: inout Arbiter
    ) -> [Effect] {
        arbiter.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: serial), client: ClientID(rawValue: 1),
                    purpose: purpose ?? Purpose("\(editor)"), items: items)))
    }

    /// A claim inside `outer`, which waits for it.
    private func nest(
        _ serial: UInt64, in outer: ClaimID, _ arbiter: inout Arbiter
    ) -> [Effect] {
        var nested = FiledClaim(
            id: ClaimID(rawValue: serial), client: reader, purpose: Purpose("nested"),
            items: .read("/f"))
        nested.surrounding = [outer]
        nested.blocksCaller = true
        return arbiter.handle(.claimFiled(nested))
    }

    private func cycle(_ effects: [Effect]) -> [UInt64] {
        for case .failInCycle(_, let steps) in effects { return steps.map(\.claim.id.rawValue) }
        return []
    }

    @Test func `Rule 18.3: an access, and then a late answer, give the item back`() {
        var arbiter = arbiter()
        #expect(access(2, .read("/g"), &arbiter).contains(.notify(editor, .itemDidChange)))
        #expect(
            arbiter.handle(.presenterAnsweredLate(editor)) == [.reacquire(editor, .reader)])
        #expect(asked(file(3, &arbiter)).contains(editor))
    }

    //  editor              reader                      server
    //                      read(f)                     goes on without the editor
    //  reads g
    //                      read(f) inside, waits       asks the editor when it has answered
    //  saves in the late callback                      fails: it waits for itself
    //
    @Test func `Rule 18.4: a late callback waits for the claim whose inner claim waits for it`() {
        var arbiter = arbiter()
        _ = arbiter.handle(.presenterRemoved(viewer))
        #expect(arbiter.stage(of: claim) == .granted)
        // The server hears of the editor: it may be asked again.
        _ = access(2, .read("/g"), &arbiter)
        _ = nest(4, in: claim, &arbiter)
        #expect(arbiter.stage(of: ClaimID(rawValue: 4)) == .asking)
        _ = access(5, .write("/f"), &arbiter)
        let effects = arbiter.handle(
            .presenterBlocked(editor, for: claim, by: ClaimID(rawValue: 5)))
        #expect(cycle(effects) == [5, 1, 4])
        _ = arbiter.handle(.presenterAnswered(editor, for: claim, failure: nil))
        _ = arbiter.handle(
            .presenterAnswered(editor, for: ClaimID(rawValue: 4), failure: nil))
        #expect(arbiter.stage(of: ClaimID(rawValue: 4)) == .granted)
    }

    @Test func `Rule 18.4: what kept a presenter from answering still does when it is late`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: editor, client: ClientID(rawValue: 1), purpose: Purpose("\(editor)"),
                    path: path("/f"), methods: .all, answerTimeout: .nanoseconds(1_000))))
        #expect(asked(file(1, &arbiter)) == [editor])
        let holder = FiledClaim(
            id: ClaimID(rawValue: 2), client: reader, purpose: Purpose("holder"),
            items: .write("/g"))
        _ = arbiter.handle(.claimFiled(holder))
        _ = access(3, .write("/g"), as: Purpose("call"), &arbiter)
        #expect(
            cycle(arbiter.handle(.presenterBlocked(editor, for: claim, by: ClaimID(rawValue: 3))))
                .isEmpty)
        _ = arbiter.handle(.clockAdvanced(to: 1_000))
        #expect(arbiter.stage(of: claim) == .granted)
        _ = access(4, .read("/h"), &arbiter)
        #expect(cycle(nest(5, in: holder.id, &arbiter)) == [3, 2, 5])
    }

    @Test func `A presenter that was not passed over is told nothing when it is heard`() {
        var arbiter = arbiter()
        #expect(arbiter.handle(.presenterAnsweredLate(viewer)) == [])
        #expect(arbiter.stage(of: claim) == .asking)
        #expect(arbiter.handle(.presenterAnsweredLate(PresenterID(rawValue: 7))) == [])
    }

    @Test func `Rules 7.14, 18.3: one with methods for subitems alone is told of its directory`() {
        var arbiter = arbiter([.save, .subitemDidChange, .subitemDidAppear])
        #expect(
            arbiter.handle(.presenterAnsweredLate(editor))
                == [.notify(editor, .subitemDidChange(path("/f")))])
    }
}
