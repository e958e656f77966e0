// SPDX-License-Identifier: Apache-2.0
//
// Presenters that do not answer (Rule 18.3). These tests do not use the witness, which considers
// each grant without an answer as a fault.

import FileCoordinationArbiter
import InstantLiterals
import Testing

@Suite struct AnswerDeadlineTests {
    private let editor = PresenterID(rawValue: 1)

    /// An arbiter with an editor of /f that may take ten seconds to answer.
    private func arbiter(answerTimeout: Duration? = .seconds(10)) -> Arbiter {
        var arbiter = Arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: editor, client: ClientID(rawValue: 1), purpose: Purpose("editor"),
                    path: path("/f"), methods: .all, answerTimeout: answerTimeout)))
        return arbiter
    }

    private func file(
        _ serial: UInt64, _ items: [AccessItem], purpose: String? = nil, _ arbiter: inout Arbiter
    ) -> [Effect] {
        arbiter.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: serial), client: ClientID(rawValue: 2),
                    purpose: Purpose(purpose ?? "\(serial)"), items: items)))
    }

    private func isAsked(_ effects: [Effect]) -> Bool {
        effects.contains { if case .askToYield = $0 { true } else { false } }
    }

    @Test func `Rule 18.3: one claim waits for the bound, the next not at all`() {
        var arbiter = arbiter()
        let filed = file(1, .read("/f"), &arbiter)
        #expect(isAsked(filed))
        #expect(arbiter.nextDeadline == .seconds(10))
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(10) - .nanoseconds(1))) == [])
        #expect(
            arbiter.handle(.clockAdvanced(to: .seconds(10))) == [.grant(ClaimID(rawValue: 1))])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [true])
        #expect(file(2, .read("/f"), &arbiter) == [.grant(ClaimID(rawValue: 2))])
    }

    @Test func `A presenter that is dismissed is passed over at once, also without a bound`() {
        var arbiter = arbiter(answerTimeout: nil)
        // As long as the presenter is not asked, dismissing it has no effect.
        #expect(arbiter.handle(.presenterDismissed(editor)) == [])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [false])
        #expect(isAsked(file(1, .read("/f"), &arbiter)))
        #expect(arbiter.handle(.presenterDismissed(editor)) == [.grant(ClaimID(rawValue: 1))])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [true])
        #expect(file(2, .read("/f"), &arbiter) == [.grant(ClaimID(rawValue: 2))])
        let late = arbiter.handle(
            .presenterAnswered(editor, for: ClaimID(rawValue: 1), failure: nil))
        #expect(late == [.notify(editor, .itemDidChange)])
    }

    @Test func `Rule 18.3: a client that is heard of again is told to look, and asked again`() {
        var arbiter = arbiter()
        _ = file(1, .read("/f"), &arbiter)
        _ = arbiter.handle(.clockAdvanced(to: .seconds(10)))
        let late = arbiter.handle(
            .presenterAnswered(editor, for: ClaimID(rawValue: 1), failure: nil))
        #expect(late == [.notify(editor, .itemDidChange)])
        #expect(arbiter.presenters.map(\.isUnresponsive) == [false])
        _ = arbiter.handle(.claimEnded(ClaimID(rawValue: 1), outcomes: [.unchanged]))
        #expect(isAsked(file(2, .read("/f"), &arbiter)))
    }

    @Test func `Rule 18.3: an access of its own gives it more time, and another when it ends`() {
        var arbiter = arbiter()
        _ = file(1, .read("/f"), &arbiter)
        _ = arbiter.handle(.clockAdvanced(to: .seconds(9)))
        // By exception A, the presenter's own claim passes the reader (Rule 2.16).
        let own = file(2, .write("/f"), purpose: "editor", &arbiter)
        #expect(own.contains(.grant(ClaimID(rawValue: 2))))
        #expect(!arbiter.handle(.clockAdvanced(to: .seconds(18))).contains(.grant(.one)))
        _ = arbiter.handle(.claimEnded(ClaimID(rawValue: 2), outcomes: [.changed]))
        #expect(!arbiter.handle(.clockAdvanced(to: .seconds(27))).contains(.grant(.one)))
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(28))).contains(.grant(.one)))
    }

    @Test func `Rule 18.3: an access of its own elsewhere gives it no more time`() {
        var arbiter = arbiter()
        _ = file(1, .read("/f"), &arbiter)
        _ = arbiter.handle(.clockAdvanced(to: .seconds(9)))
        #expect(
            file(2, .write("/g"), purpose: "editor", &arbiter) == [.grant(ClaimID(rawValue: 2))])
        _ = arbiter.handle(.claimEnded(ClaimID(rawValue: 2), outcomes: [.changed]))
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(10))) == [.grant(.one)])
    }

    @Test func `Rule 18.3: an access to a directory around its item gives it more time`() {
        var arbiter = arbiter()
        _ = file(1, .read("/f"), &arbiter)
        _ = arbiter.handle(.clockAdvanced(to: .seconds(9)))
        _ = file(2, .read("/"), purpose: "editor", &arbiter)
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(18))) == [])
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(19))) == [.grant(.one)])
    }

    @Test func `Rule 18.3: without a bound it is waited for as long as it takes`() {
        var arbiter = arbiter(answerTimeout: nil)
        _ = file(1, .read("/f"), &arbiter)
        #expect(arbiter.handle(.clockAdvanced(to: Instant(nanoseconds: .max / 2))) == [])
    }

    @Test func `Rule 18.3: a bound beyond all time is none`() {
        var arbiter = arbiter(answerTimeout: .nanoseconds(UInt64.max))
        _ = arbiter.handle(.clockAdvanced(to: 5))
        _ = file(1, .read("/f"), &arbiter)
        #expect(arbiter.handle(.clockAdvanced(to: Instant(nanoseconds: .max / 2))) == [])
    }

    @Test func `Rule 18.3: of two that do not answer each has a bound of its own`() {
        var arbiter = arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: 2), client: ClientID(rawValue: 3),
                    purpose: Purpose("viewer"), path: path("/f"), methods: .all,
                    answerTimeout: .seconds(20))))
        _ = file(1, .read("/f"), &arbiter)
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(10))) == [])
        #expect(arbiter.nextDeadline == .seconds(20))
        #expect(arbiter.handle(.clockAdvanced(to: .seconds(20))) == [.grant(.one)])
    }

    @Test func `Rule 18.3: all who wait for one that does not answer go on`() {
        var arbiter = Arbiter()
        // A presenter that only saves is asked for all claims at the same time.
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: editor, client: ClientID(rawValue: 1), purpose: Purpose("editor"),
                    path: path("/f"), methods: .save, answerTimeout: .seconds(1))))
        #expect(isAsked(file(1, .read("/f"), &arbiter)))
        #expect(isAsked(file(2, .read("/f"), &arbiter)))
        #expect(
            arbiter.handle(.clockAdvanced(to: .seconds(1)))
                == [.grant(.one), .grant(ClaimID(rawValue: 2))])
    }

    /// In a package, a move makes the claim ask for more than before (Rule 6.4).
    @Test func `Rules 11.6, 18.3: what was passed over is not asked again by the same claim`() {
        var arbiter = Arbiter()
        let inside = PresenterID(rawValue: 2)
        for (id, name, place, timeout) in [
            (editor, "package", "/p.rtfd", Duration?.none),
            (inside, "inside", "/p.rtfd/g", .nanoseconds(1)),
        ] {
            let registered = RegisteredPresenter(
                id: id, client: ClientID(rawValue: 1), purpose: Purpose(name), path: path(place),
                methods: [.relinquishToReader, .save], answerTimeout: timeout)
            _ = arbiter.handle(.presenterAdded(registered))
        }
        #expect(isAsked(file(1, .read("/p.rtfd/f"), &arbiter)))
        _ = arbiter.handle(.clockAdvanced(to: 1))
        // An access of its own shows that it is alive.
        _ = file(2, .read("/x"), purpose: "inside", &arbiter)
        let (mover, second) = (ClaimID(rawValue: 3), ClaimID(rawValue: 4))
        #expect(file(3, .move("/p.rtfd/f"), purpose: "package", &arbiter) == [.grant(mover)])
        let moves = [move("/p.rtfd/f", to: "/p.rtfd/g")]
        _ = arbiter.handle(.claimAnnounced(mover, .moved(moves)))
        _ = arbiter.handle(.claimEnded(mover, outcomes: [.unchanged]))
        let answered = arbiter.handle(.presenterAnswered(editor, for: .one, failure: nil))
        #expect(answered == [.grant(.one)])
        // Another claim waits until the presenter has answered the first question.
        _ = file(4, .read("/p.rtfd/g"), &arbiter)
        #expect(arbiter.handle(.presenterAnswered(editor, for: second, failure: nil)) == [])
        let steps = YieldSteps(relinquish: [.reader], save: true)
        #expect(
            arbiter.handle(.presenterAnsweredLate(inside))
                == [.reacquire(inside, .reader), .askToYield(inside, for: second, steps)])
        #expect(
            arbiter.handle(.presenterAnswered(inside, for: second, failure: nil))
                == [.grant(second)])
    }

    @Test func `Rule 5.7: one that was passed over and is removed leaves nothing`() {
        var arbiter = arbiter()
        _ = file(1, .read("/f"), &arbiter)
        _ = arbiter.handle(.clockAdvanced(to: .seconds(10)))
        _ = arbiter.handle(.presenterRemoved(editor))
        _ = arbiter.handle(.claimEnded(ClaimID(rawValue: 1), outcomes: [.unchanged]))
        #expect(arbiter.isIdle)
    }
}

extension ClaimID {
    fileprivate static let one = ClaimID(rawValue: 1)
}
