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

    @Test("What is at a place, around it or in it counts as presented there")
    func presentedAround() {
        let arbiter = arbiter(.all)
        for text in ["/d/f", "/d/f/x/y", "/d", "/"] {
            #expect(arbiter.isPresented(around: path(text)), "\(text)")
        }
        for text in ["/e", "/d/g"] { #expect(!arbiter.isPresented(around: path(text))) }
    }
}
