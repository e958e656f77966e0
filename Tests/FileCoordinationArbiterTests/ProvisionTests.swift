// SPDX-License-Identifier: Apache-2.0
//
// Providers of files: who is asked for contents, what happens while no provider runs, and how
// contents are given up again (Rules 15.4 to 15.6).

import InstantLiterals
import Testing

@testable import FileCoordinationArbiter

@Suite struct ProvisionTests {
    /// A provider of everything below /d.
    private func provided(
        _ fixture: inout ArbiterFixture, client: ClientID? = nil
    ) -> PresenterID {
        fixture.present("/d", .provideContents, purpose: "provider", client: client)
    }

    private func asked(_ effects: [Effect], _ provider: PresenterID) -> [String] {
        effects.flatMap { effect -> [String] in
            guard case .askToYield(provider, _, let steps) = effect else { return [] }
            return steps.provideContents.map(\.description)
        }
    }

    // MARK: Who is asked

    @Test func `Rule 15.4: a read is granted when the provider has answered`() {
        var fixture = ArbiterFixture()
        let provider = provided(&fixture)
        let read = fixture.file(.read("/d/a"))
        #expect(asked(fixture.last, provider) == ["/d/a"])
        #expect(fixture.stage(read) == .asking)
        fixture.answer(provider, read)
        #expect(fixture.stage(read) == .granted)
    }

    @Test(arguments: [
        ([AccessItem].read("/d/a"), true), (.read("/d/a", .withoutChanges), true),
        (.read("/d/a", .immediatelyAvailableMetadataOnly), false), (.write("/d/a"), true),
        (.write("/d/a", .merging), true), (.write("/d/a", [.merging, .replacing]), true),
        (.replace("/d/a"), false), (.delete("/d/a"), false), (.move("/d/a"), false),
        (.write("/d/a", .metadataOnly), false), (.read("/d"), false), (.read("/e/a"), false),
        (.read("/da"), false), (.readTree("/d/b/"), true),
    ])
    func `Rule 15.4: the provider is asked only for contents that are used`(
        _ items: [AccessItem], _ isAsked: Bool
    ) {
        var fixture = ArbiterFixture()
        let provider = provided(&fixture)
        let claim = fixture.file(items)
        #expect(asked(fixture.last, provider).isEmpty == !isAsked)
        #expect(fixture.stage(claim) == (isAsked ? .asking : .granted))
    }

    @Test func `The provider's own claims are not asked for, and pass those that wait for it`() {
        var fixture = ArbiterFixture()
        let client = fixture.client()
        let provider = provided(&fixture, client: client)
        let read = fixture.file(.read("/d/a"))
        let fetch = fixture.file(.write("/d/a"), purpose: "provider", client: client, kind: .upkeep)
        #expect(fixture.stage(fetch) == .granted)
        fixture.answer(provider, read)
        #expect(fixture.stage(read) == .asking)
        fixture.end(fetch, .changed)
        #expect(fixture.stage(read) == .granted)
    }

    @Test func `An item that may leave its domain is brought here first`() {
        var fixture = ArbiterFixture()
        let provider = provided(&fixture)
        _ = fixture.arbiter.handle(
            .claimFiled(fixture.filed(.move("/d/a") + .replace("/d/b"))))
        var other = fixture.arbiter
        let leaving = fixture.filed(.move("/d/c") + .replace("/e/c"))
        #expect(asked(other.handle(.claimFiled(leaving)), provider) == ["/d/c"])
    }

    @Test func `An error of the provider is the claim's`() {
        var fixture = ArbiterFixture()
        let provider = provided(&fixture)
        let read = fixture.file(.read("/d/a"))
        let failure = PresenterFailure(payload: [7])
        fixture.answer(provider, read, failure: failure)
        #expect(fixture.last == [.fail(read, failure)])
    }

    @Test func `A batch has its items brought here`() {
        var fixture = ArbiterFixture()
        let provider = provided(&fixture)
        _ = fixture.file(.read("/d/a") + .read("/d/b"), kind: .preparation)
        #expect(asked(fixture.last, provider) == ["/d/a", "/d/b"])
    }

    // MARK: Without a provider

    private func claim(
        _ arbiter: inout Arbiter, lacksContents: Bool = true, besides others: [AccessItem] = []
    ) -> [Effect] {
        var items: [AccessItem] = .read("/d/a")
        items[0].lacksContents = lacksContents
        return arbiter.handle(
            .claimFiled(
                FiledClaim(
                    id: ClaimID(rawValue: 1), client: ClientID(rawValue: 1),
                    purpose: Purpose("reader"), items: items + others)))
    }

    private func provider(_ number: UInt64, timeout: Duration? = nil) -> RegisteredPresenter {
        RegisteredPresenter(
            id: PresenterID(rawValue: number), client: ClientID(rawValue: UInt32(number)),
            purpose: Purpose("provider"), path: path("/d"), methods: .provideContents,
            answerTimeout: timeout)
    }

    @Test func `Rule 15.4: where there is no provider, there is nothing to wait for`() {
        var arbiter = Arbiter()
        #expect(claim(&arbiter, lacksContents: false) == [.grant(ClaimID(rawValue: 1))])
    }

    @Test func `What is not here waits for a provider, for a minute`() {
        var arbiter = Arbiter()
        #expect(claim(&arbiter) == [])
        #expect(arbiter.stage(of: ClaimID(rawValue: 1)) == .asking)
        let minute = Instant.distantPast + .seconds(60)
        #expect(arbiter.nextDeadline == minute)
        var other = arbiter
        #expect(
            arbiter.handle(.clockAdvanced(to: minute)) == [
                .fail(ClaimID(rawValue: 1), .noProvider)
            ])
        #expect(
            asked(other.handle(.presenterAdded(provider(2))), PresenterID(rawValue: 2)) == ["/d/a"])
        #expect(other.handle(.clockAdvanced(to: minute)) == [])
        let answer = Event.presenterAnswered(
            PresenterID(rawValue: 2), for: ClaimID(rawValue: 1), failure: nil)
        #expect(other.handle(answer) == [.grant(ClaimID(rawValue: 1))])
    }

    @Test func `After the death of a provider, the next one is asked`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(.presenterAdded(provider(2)))
        _ = claim(&arbiter)
        #expect(arbiter.handle(.clientDied(ClientID(rawValue: 2))) == [])
        #expect(arbiter.stage(of: ClaimID(rawValue: 1)) == .asking)
        var other = arbiter
        #expect(
            asked(arbiter.handle(.presenterAdded(provider(3))), PresenterID(rawValue: 3)) == [
                "/d/a"
            ])
        #expect(
            other.handle(.clockAdvanced(to: .distantPast + .seconds(60))) == [
                .fail(ClaimID(rawValue: 1), .noProvider)
            ])
    }

    @Test func `A provider that was started before the death of the former one is asked`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(.presenterAdded(provider(2)))
        _ = claim(&arbiter)
        #expect(arbiter.handle(.presenterAdded(provider(3))) == [])
        let effects = arbiter.handle(.clientDied(ClientID(rawValue: 2)))
        #expect(asked(effects, PresenterID(rawValue: 3)) == ["/d/a"])
    }

    @Test func `A provider that does not answer in time makes the claim fail`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(.presenterAdded(provider(2, timeout: .seconds(1))))
        _ = claim(&arbiter)
        #expect(
            arbiter.handle(.clockAdvanced(to: .distantPast + .seconds(1))) == [
                .fail(ClaimID(rawValue: 1), .noProvider)
            ])
    }

    @Test func `What is here waits for no provider that is gone, or does not answer`() {
        for event in [
            Event.clientDied(ClientID(rawValue: 2)), .clockAdvanced(to: .distantPast + .seconds(1)),
        ] {
            var arbiter = Arbiter()
            _ = arbiter.handle(.presenterAdded(provider(2, timeout: .seconds(1))))
            _ = claim(&arbiter, lacksContents: false)
            #expect(arbiter.handle(event) == [.grant(ClaimID(rawValue: 1))])
        }
    }

    @Test func `Beside what is not here, an item without a provider waits for none`() {
        var arbiter = Arbiter()
        _ = arbiter.handle(.presenterAdded(provider(2)))
        _ = claim(&arbiter, besides: .read("/e/x"))
        let answer = Event.presenterAnswered(
            PresenterID(rawValue: 2), for: ClaimID(rawValue: 1), failure: nil)
        #expect(arbiter.handle(answer) == [.grant(ClaimID(rawValue: 1))])
    }

    @Test func `A claim that waits for a provider can be cancelled`() {
        var arbiter = Arbiter()
        _ = claim(&arbiter)
        #expect(arbiter.handle(.claimCancelled(ClaimID(rawValue: 1))) == [])
        #expect(arbiter.isIdle)
        #expect(arbiter.handle(.presenterAdded(provider(2))) == [])
    }

    // MARK: No edits

    @Test(arguments: [WritingOptions.plain, .deleting])
    func `What a provider does is told to no presenter`(_ options: WritingOptions) {
        var fixture = ArbiterFixture()
        let presenter = fixture.present("/d/a", [.itemDidChange, .accommodateEviction])
        let folder = fixture.present("/d", [.subitemDidChange, .subitemDidAppear])
        let upkeep = fixture.file(.write("/d/a", options), kind: .upkeep)
        if options == .deleting { fixture.answer(presenter, upkeep) }
        fixture.end(upkeep, .changed)
        #expect(fixture.heard(presenter).isEmpty)
        #expect(fixture.heard(folder).isEmpty)
    }

    @Test func `Rule 15.6: presenters agree to an eviction, or prevent it`() {
        var fixture = ArbiterFixture()
        let presenter = fixture.present("/d/a", [.save, .accommodateEviction])
        let upkeep = fixture.file(.delete("/d/a"), kind: .upkeep)
        let steps = YieldSteps(accommodateEviction: true)
        #expect(fixture.last == [.askToYield(presenter, for: upkeep, steps)])
        let failure = PresenterFailure(payload: [7])
        fixture.answer(presenter, upkeep, failure: failure)
        #expect(fixture.last == [.fail(upkeep, failure)])

        var arbiter = fixture.arbiter
        _ = arbiter.handle(.presenterRemoved(presenter))
        let silent = RegisteredPresenter(
            id: PresenterID(rawValue: 9), client: ClientID(rawValue: 9),
            purpose: Purpose("silent"), path: path("/d/a"), methods: .save)
        _ = arbiter.handle(.presenterAdded(silent))
        var claim = fixture.filed(.delete("/d/a"))
        claim.kind = .upkeep
        #expect(arbiter.handle(.claimFiled(claim)) == [.fail(claim.id, .presented)])
    }

    // MARK: Delegation

    @Test func `Only items whose contents were provided are delegated`() {
        var fixture = DelegatingFixture()
        fixture.present(9, "/d", .provideContents)
        fixture.file(1, by: 1, .read("/d/a", .immediatelyAvailableMetadataOnly))
        #expect(fixture.granted == [1])
        fixture.end(1)
        #expect(fixture.held.isEmpty)
        fixture.file(2, by: 1, .read("/d/a"))
        #expect(fixture.granted == [1])
        fixture.handle(
            .presenterAnswered(
                PresenterID(rawValue: 9), for: ClaimID(rawValue: 2), failure: nil))
        #expect(fixture.granted == [1, 2])
    }

    @Test func `A provider that comes recalls what is delegated below`() {
        var fixture = DelegatingFixture()
        fixture.file(1, by: 1, .write("/d/a"))
        #expect(fixture.delegations.count + fixture.entries.count > 0)
        fixture.present(9, "/d", .provideContents)
        #expect(!fixture.recalls.isEmpty)
    }
}
