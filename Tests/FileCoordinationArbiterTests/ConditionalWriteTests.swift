// SPDX-License-Identifier: Apache-2.0
//
// Writes that happen only if the item is as the caller has seen it: presenters save first, whatever
// the other options, and one that does not answer makes the claim fail (Rule 18.16).

import InstantLiterals
import Testing

@testable import FileCoordinationArbiter

@Suite struct ConditionalWriteTests {
    private let editor = PresenterID(rawValue: 1)
    private let viewer = PresenterID(rawValue: 2)
    private let writer = ClientID(rawValue: 9)

    /// An arbiter with an editor that must answer in a microsecond, and perhaps a viewer.
    private func arbiter(purpose: String = "editor", withViewer: Bool = false) -> Arbiter {
        var arbiter = Arbiter()
        add(editor, Purpose(purpose), .microseconds(1), to: &arbiter)
        if withViewer { add(viewer, Purpose("viewer"), nil, to: &arbiter) }
        return arbiter
    }

    private func add(
        _ presenter: PresenterID, _ purpose: Purpose, _ answerTimeout: Duration?,
        to arbiter: inout Arbiter
    ) {
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: presenter, client: ClientID(rawValue: UInt32(presenter.rawValue)),
                    purpose: purpose, path: path("/f"), methods: .all,
                    answerTimeout: answerTimeout)))
    }

    private func write(
        _ serial: UInt64, _ options: WritingOptions, kind: ClaimKind = .access,
        _ arbiter: inout Arbiter
    ) -> [Effect] {
        arbiter.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: serial), client: writer, purpose: Purpose("writer"),
                    items: [AccessItem(path: path("/f"), access: .writing(options))], kind: kind)))
    }

    private func steps(_ effects: [Effect]) -> [YieldSteps] {
        effects.compactMap { effect in
            guard case .askToYield(_, _, let steps) = effect else { return nil }
            return steps
        }
    }

    @Test(arguments: [WritingOptions.plain, .deleting, .moving, .replacing, .metadataOnly])
    func `Rule 18.16: presenters save before a conditional write, whatever its options`(
        _ options: WritingOptions
    ) {
        var arbiter = arbiter()
        #expect(steps(write(1, options, &arbiter)).map(\.save) == [false])
        _ = arbiter.handle(.claimCancelled(ClaimID(rawValue: 1)))
        var other = self.arbiter()
        let asked = steps(write(1, options.union(.conditional), &other))
        #expect(asked.map(\.save) == [true])
        #expect(asked.map { Array($0.relinquish) } == [[.writer]])
    }

    @Test func `Rule 18.16: the writer's own presenters are not asked`() {
        var arbiter = arbiter(purpose: "writer")
        #expect(write(1, .conditional, &arbiter) == [.grant(ClaimID(rawValue: 1))])
    }

    @Test func `Rule 18.16: a presenter that does not answer makes a conditional write fail`() {
        var arbiter = arbiter(withViewer: true)
        #expect(steps(write(1, .conditional, &arbiter)).count == 2)
        let effects = arbiter.handle(.clockAdvanced(to: 1_000))
        #expect(effects.contains(.fail(ClaimID(rawValue: 1), .noAnswer)))
        #expect(arbiter.claim(ClaimID(rawValue: 1)) == nil)
        // Nor is the next one granted while the presenter is passed over.
        let next = write(2, .conditional, &arbiter)
        #expect(next.contains(.fail(ClaimID(rawValue: 2), .noAnswer)))
        #expect(arbiter.claim(ClaimID(rawValue: 2)) == nil)
        // Another write goes on without it (Rule 18.3).
        #expect(steps(write(3, .plain, &arbiter)).count == 1)
        _ = arbiter.handle(
            .presenterAnswered(viewer, for: ClaimID(rawValue: 3), failure: nil))
        #expect(arbiter.stage(of: ClaimID(rawValue: 3)) == .granted)
    }

    @Test func `Rule 18.16: a user who passes a presenter over ends a conditional write`() {
        var arbiter = arbiter()
        _ = write(1, .conditional, &arbiter)
        let effects = arbiter.handle(.presenterDismissed(editor))
        #expect(effects.contains(.fail(ClaimID(rawValue: 1), .noAnswer)))
    }

    @Test func `Rule 18.16: a presenter that only relinquishes and does not answer counts, too`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: editor, client: ClientID(rawValue: 1), purpose: Purpose("editor"),
                    path: path("/f"), methods: .relinquishToWriter,
                    answerTimeout: .microseconds(1))))
        #expect(steps(write(1, .conditional, &arbiter)).count == 1)
        let effects = arbiter.handle(.clockAdvanced(to: 1_000))
        #expect(effects.contains(.fail(ClaimID(rawValue: 1), .noAnswer)))
    }

    @Test func `Rule 18.16: where a presenter saves, no write is delegated`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: editor, client: ClientID(rawValue: 1), purpose: Purpose("editor"),
                    path: path("/f"), methods: .save)))
        let item = AccessItem(path: path("/f"), access: .writing(.conditional))
        #expect(item.isDelegable)
        #expect(!arbiter.delegationScope(path("/f")).toWrites)
    }
}
