// SPDX-License-Identifier: Apache-2.0
//
// Items that programs move which do not coordinate (Rule 11.9): presenters go with them, claims
// stay where they are (Rule 1.15).

import FileCoordinationArbiter
import Testing

struct PlainMoveTests {
    private let old = path("/d/f")
    private let new = path("/e/g")
    private let client = ClientID(rawValue: 1)
    private let id = PresenterID(rawValue: 1)

    private func arbiter(_ methods: PresenterMethods) -> Arbiter {
        var arbiter = Arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: id, client: client, purpose: Purpose(bytes: [1]), path: old,
                    methods: methods)))
        return arbiter
    }

    private func write(_ number: UInt64, _ path: ItemPath) -> FiledClaim {
        FiledClaim(
            id: ClaimID(rawValue: number), client: ClientID(rawValue: 2),
            purpose: Purpose(bytes: [UInt8(number)]),
            items: [AccessItem(path: path, access: .writing([]), isDirectory: false)])
    }

    @Test("Rule 11.9: the presenter is told, and is asked at the new place alone")
    func followed() {
        var arbiter = arbiter(.all)
        #expect(
            arbiter.handle(.presenterMoved(id, to: new))
                == [.relocate(id, to: new, isTold: true)])
        #expect(arbiter.presenter(id)?.path == new)
        #expect(arbiter.presenter(id)?.formerPlaces == [old])
        #expect(arbiter.handle(.claimFiled(write(2, old))) == [.grant(ClaimID(rawValue: 2))])
        let asked = arbiter.handle(.claimFiled(write(3, new)))
        #expect(
            asked.contains {
                if case .askToYield(id, for: ClaimID(rawValue: 3), _) = $0 { true } else { false }
            })
    }

    @Test("A presenter that cannot hear of it is followed all the same; a second time is none")
    func untold() {
        var arbiter = arbiter(.save)
        #expect(
            arbiter.handle(.presenterMoved(id, to: new))
                == [.relocate(id, to: new, isTold: false)])
        #expect(arbiter.handle(.presenterMoved(id, to: new)).isEmpty)
    }

    @Test("Rule 1.15: a claim that waits keeps the place that it means")
    func claimsStay() {
        var arbiter = arbiter(.itemDidMove)
        _ = arbiter.handle(.claimFiled(write(2, old)))
        _ = arbiter.handle(.claimFiled(write(3, old)))
        _ = arbiter.handle(.presenterMoved(id, to: new))
        let ended = arbiter.handle(.claimEnded(ClaimID(rawValue: 2), outcomes: [.unchanged]))
        #expect(ended == [.grant(ClaimID(rawValue: 3))])
        #expect(arbiter.claim(ClaimID(rawValue: 3))?.items.first?.path == old)
    }

    // MARK: Claims that await moves

    private func awaiting(_ number: UInt64, _ path: ItemPath) -> FiledClaim {
        var claim = write(number, path)
        claim.awaitsMoves = true
        return claim
    }

    private func asked(_ effects: [Effect]) -> [ClaimID] {
        effects.compactMap { effect in
            if case .askToYield(id, let claim, _) = effect { claim } else { nil }
        }
    }

    @Test("Rule 1.15: it is granted when all moves were told")
    func awaits() {
        var arbiter = arbiter(.all)
        let claim = awaiting(2, new)
        #expect(arbiter.handle(.claimFiled(claim)).isEmpty)
        #expect(arbiter.stage(of: claim.id) == .asking)
        #expect(arbiter.impediments(of: claim.id).isEmpty)
        #expect(arbiter.handle(.movesTold(before: claim.id)) == [.grant(claim.id)])
        #expect(arbiter.handle(.movesTold(before: claim.id)).isEmpty)
    }

    @Test("Rule 1.15: a presenter that was moved to its item is asked, whatever is told first")
    func asksWhatCame() {
        for isAnsweredFirst in [false, true] {
            var arbiter = arbiter(.all)
            let claim = awaiting(2, new)
            _ = arbiter.handle(.claimFiled(claim))
            #expect(asked(arbiter.handle(.presenterMoved(id, to: new))) == [claim.id])
            let answer = Event.presenterAnswered(id, for: claim.id, failure: nil)
            let told = Event.movesTold(before: claim.id)
            let events = isAnsweredFirst ? [answer, told] : [told, answer]
            #expect(arbiter.handle(events[0]).isEmpty)
            #expect(arbiter.handle(events[1]) == [.grant(claim.id)])
        }
    }

    @Test("Presenters that are there are asked while it waits, and once")
    func asksMeanwhile() {
        var arbiter = arbiter(.all)
        let claim = awaiting(2, old)
        #expect(asked(arbiter.handle(.claimFiled(claim))) == [claim.id])
        _ = arbiter.handle(.presenterAnswered(id, for: claim.id, failure: nil))
        #expect(arbiter.handle(.movesTold(before: claim.id)) == [.grant(claim.id)])
    }

    @Test("A claim that awaits no moves does not ask who is moved to its item later")
    func doesNotAskLate() {
        var arbiter = arbiter(.all)
        let other = PresenterID(rawValue: 9)
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: other, client: client, purpose: Purpose(bytes: [9]), path: new,
                    methods: .all)))
        let claim = awaiting(2, new)
        _ = arbiter.handle(.claimFiled(claim))
        _ = arbiter.handle(.movesTold(before: claim.id))
        #expect(asked(arbiter.handle(.presenterMoved(id, to: new))).isEmpty)
    }

    @Test("It keeps its place in the queue, and claims elsewhere do not wait for it")
    func keepsItsPlace() {
        var arbiter = arbiter(.all)
        let claim = awaiting(2, new)
        _ = arbiter.handle(.claimFiled(claim))
        #expect(arbiter.handle(.claimFiled(write(3, new))).isEmpty)
        let elsewhere = write(4, path("/x"))
        #expect(arbiter.handle(.claimFiled(elsewhere)) == [.grant(elsewhere.id)])
        #expect(arbiter.handle(.movesTold(before: claim.id)) == [.grant(claim.id)])
    }

    @Test("One that still waits behind others when all is told waits for them alone")
    func waitsFirst() {
        var arbiter = arbiter(.all)
        _ = arbiter.handle(.claimFiled(write(2, new)))
        let claim = awaiting(3, new)
        #expect(arbiter.handle(.claimFiled(claim)).isEmpty)
        #expect(arbiter.handle(.movesTold(before: claim.id)).isEmpty)
        let ended = arbiter.handle(.claimEnded(ClaimID(rawValue: 2), outcomes: [.unchanged]))
        #expect(ended == [.grant(claim.id)])
    }

    @Test("Rule 18.6: one of a stopped process is skipped, and goes on when that runs")
    func stopped() {
        var arbiter = arbiter(.all)
        let claim = awaiting(2, new)
        _ = arbiter.handle(.claimFiled(claim))
        _ = arbiter.handle(.clientStopped(claim.client))
        #expect(arbiter.isSkipped(claim.id))
        #expect(arbiter.handle(.movesTold(before: claim.id)).isEmpty)
        #expect(arbiter.handle(.clientContinued(claim.client)) == [.grant(claim.id)])
    }

    @Test("It is not granted without a report while it awaits moves")
    func isReported() {
        var claim = awaiting(2, new)
        claim.mayGoUnreported = true
        let arbiter = arbiter(.all)
        #expect(!arbiter.isUnreported(claim))
        claim.awaitsMoves = false
        #expect(arbiter.isUnreported(claim))
    }

    @Test("Only presenters that may be asked, of other purposes, make claims await moves")
    func askable() {
        var arbiter = arbiter(.all)
        #expect(arbiter.mayAskPresenters(besides: Purpose(bytes: [2])))
        #expect(!arbiter.mayAskPresenters(besides: Purpose(bytes: [1])))
        _ = arbiter.handle(.presenterRemoved(id))
        #expect(!arbiter.mayAskPresenters(besides: Purpose(bytes: [2])))
        #expect(!self.arbiter(.itemDidChange).mayAskPresenters(besides: Purpose(bytes: [2])))
    }

    @Test("What is at a place, around it or in it counts as presented there")
    func presentedAround() {
        let arbiter = arbiter(.all)
        for text in ["/d/f", "/d/f/x/y", "/d", "/"] {
            #expect(arbiter.isPresented(around: path(text)), "\(text)")
        }
        for text in ["/e", "/d/g"] { #expect(!arbiter.isPresented(around: path(text))) }
    }
}
