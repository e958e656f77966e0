// SPDX-License-Identifier: Apache-2.0
//
// Waits that had no end, each found by a simulation. These tests do not use the witness, which
// checks neither bounds nor long chains of readers.

import FileCoordinationArbiter
import InstantLiterals
import Testing

@Suite struct EndlessWaitTests {
    private static let both: PresenterMethods = [.relinquishToReader, .relinquishToWriter]

    private func claim(
        _ serial: UInt64, _ items: [AccessItem], purpose: String? = nil, client: UInt32 = 2,
        inside: [UInt64] = []
    ) -> Event {
        .claimFiled(
            FiledClaim(
                id: ClaimID(rawValue: serial), client: ClientID(rawValue: client),
                purpose: Purpose(purpose ?? "\(serial)"), items: items,
                enclosing: inside.map { ClaimID(rawValue: $0) }, blocksCaller: !inside.isEmpty))
    }

    private func presenter(
        _ number: UInt64, _ methods: PresenterMethods, answerTimeout: Duration? = nil
    ) -> Event {
        .presenterAdded(
            RegisteredPresenter(
                id: PresenterID(rawValue: number), client: ClientID(rawValue: 1),
                purpose: Purpose("presenter \(number)"), path: path("/f"), methods: methods,
                answerTimeout: answerTimeout))
    }

    private func answer(_ number: UInt64, for serial: UInt64) -> Event {
        .presenterAnswered(
            PresenterID(rawValue: number), for: ClaimID(rawValue: serial), failure: nil)
    }

    /// An arbiter that has granted a reader without the answer of a presenter, at its deadline.
    private func afterPassingOver() -> Arbiter {
        var arbiter = Arbiter()
        _ = arbiter.handle(presenter(1, Self.both, answerTimeout: .seconds(10)))
        _ = arbiter.handle(claim(1, .read("/f")))
        let late = arbiter.handle(.clockAdvanced(to: .seconds(10)))
        #expect(late == [.grant(ClaimID(rawValue: 1))])
        return arbiter
    }

    @Test func `Rule 18.3: an answer that came too late for one claim counts for the next`() {
        var arbiter = afterPassingOver()
        _ = arbiter.handle(answer(1, for: 1))
        let effects = arbiter.handle(claim(2, .read("/f"), inside: [1]))
        #expect(effects == [.grant(ClaimID(rawValue: 2))])
    }

    @Test
    func `Rule 18.3: who waits for an answer to a claim that has gone on waits for the bound`() {
        var arbiter = afterPassingOver()
        // The presenter's process files a claim, but the presenter still has not answered.
        _ = arbiter.handle(claim(2, .read("/g"), purpose: "presenter 1", client: 1))
        let filed = arbiter.handle(claim(3, .read("/f"), inside: [1]))
        #expect(filed == [])
        #expect(arbiter.nextDeadline == .seconds(20))
        let late = arbiter.handle(.clockAdvanced(to: .seconds(20)))
        #expect(late.contains(.grant(ClaimID(rawValue: 3))))
    }

    @Test func `Rule 18.4: a call that is moved to where the accessor that waits for it works`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(presenter(1, Self.both))
        _ = arbiter.handle(claim(1, .write("/a")))
        _ = arbiter.handle(claim(2, .write("/f"), inside: [1]))
        _ = arbiter.handle(claim(3, .move("/z"), client: 3))
        let moved = arbiter.handle(
            .claimAnnounced(ClaimID(rawValue: 3), .moved([move("/f", to: "/a")])))
        let victims = moved.compactMap { effect -> UInt64? in
            if case .failInCycle(let id, _) = effect { id.rawValue } else { nil }
        }
        #expect(victims == [2])
    }

    @Test func `Rule 6.11: no claim outlasts a reader that waits for it`() {
        var arbiter = Arbiter()
        // Presenter 1 never answers that it has saved; 2
        // never relinquishes to a writer; 3 answers all.
        _ = arbiter.handle(presenter(1, [.save]))
        _ = arbiter.handle(presenter(2, Self.both))
        _ = arbiter.handle(presenter(3, Self.both))
        _ = arbiter.handle(claim(1, .read("/f")))
        _ = arbiter.handle(answer(2, for: 1))
        _ = arbiter.handle(answer(3, for: 1))
        // Presenter 1 writes before the reader (Rule
        // 2.16), and presenter 2 is asked for that write.
        _ = arbiter.handle(claim(2, .write("/f"), purpose: "presenter 1", client: 1))
        _ = arbiter.handle(answer(3, for: 2))
        _ = arbiter.handle(.clockAdvanced(to: .seconds(31)))
        // Presenter 2 reads first, so its claim passes that write.
        let effects = arbiter.handle(
            claim(3, .read("/f", .withoutChanges), purpose: "presenter 2", client: 1))
        #expect(effects == [.grant(ClaimID(rawValue: 3))])
    }
}
