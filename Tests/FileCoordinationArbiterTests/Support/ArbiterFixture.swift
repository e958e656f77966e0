// SPDX-License-Identifier: Apache-2.0
//
// An arbiter with everything that a test needs: it generates identifiers, stores the effects, and
// has the witness check every event.

import FileCoordinationArbiter
import Testing

/// An arbiter at work, watched by a ``Witness``.
struct ArbiterFixture {
    var arbiter: Arbiter
    var witness: Witness
    /// The effects of the last event.
    private(set) var last: [Effect] = []
    /// All effects so far.
    private(set) var all: [Effect] = []
    private var serial: UInt64 = 0
    private var registrations: UInt64 = 0
    private var clients: UInt32 = 0

    init(recovering: Bool = false) {
        arbiter = Arbiter(recovering: recovering)
        witness = Witness(recovering: recovering)
    }

    /// Has one event handled and looked at.
    @discardableResult
    mutating func handle(
        _ event: Event, sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Effect] {
        last = arbiter.handle(event)
        all += last
        let complaint = witness.observe(event, last, arbiter)
        #expect(complaint == nil, sourceLocation: sourceLocation)
        return last
    }

    /// A process.
    mutating func client() -> ClientID {
        clients += 1
        return ClientID(rawValue: clients)
    }

    /// Files a claim: by default of a process and a purpose of its own.
    mutating func file(
        _ items: [AccessItem], purpose: String? = nil, client: ClientID? = nil,
        inside: [ClaimID] = [], blocksCaller: Bool = false, kind: ClaimKind = .access,
        standpoint: Standpoint? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) -> ClaimID {
        var claim = filed(items, purpose: purpose, client: client, inside: inside)
        claim.blocksCaller = blocksCaller
        claim.kind = kind
        claim.standpoint = standpoint
        handle(.claimFiled(claim), sourceLocation: sourceLocation)
        return claim.id
    }

    /// A claim with the next serial number.
    mutating func filed(
        _ items: [AccessItem], purpose: String? = nil, client: ClientID? = nil,
        inside: [ClaimID] = []
    ) -> FiledClaim {
        serial += 1
        return FiledClaim(
            id: ClaimID(rawValue: serial), client: client ?? self.client(),
            purpose: Purpose(purpose ?? "own \(serial)"), items: items, enclosing: inside)
    }

    /// Registers a presenter: by default of a process and a purpose of its own, with every method.
    mutating func present(
        _ place: String?, _ methods: PresenterMethods = .all, purpose: String? = nil,
        client: ClientID? = nil, relinquished: Relinquishments = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> PresenterID {
        registrations += 1
        let presenter = RegisteredPresenter(
            id: PresenterID(rawValue: registrations), client: client ?? self.client(),
            purpose: Purpose(purpose ?? "presenter \(registrations)"),
            path: place.map { path($0) }, methods: methods, relinquished: relinquished)
        handle(.presenterAdded(presenter), sourceLocation: sourceLocation)
        return presenter.id
    }

    mutating func answer(
        _ presenter: PresenterID, _ claim: ClaimID, failure: PresenterFailure? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        handle(
            .presenterAnswered(presenter, for: claim, failure: failure),
            sourceLocation: sourceLocation)
    }

    mutating func end(
        _ claim: ClaimID, _ outcomes: ItemOutcome...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        handle(.claimEnded(claim, outcomes: outcomes), sourceLocation: sourceLocation)
    }

    mutating func cancel(_ claim: ClaimID, sourceLocation: SourceLocation = #_sourceLocation) {
        handle(.claimCancelled(claim), sourceLocation: sourceLocation)
    }

    /// Has a claim's accessor announce moves, all at the same time.
    mutating func announce(
        _ claim: ClaimID, _ moves: ItemMove..., sourceLocation: SourceLocation = #_sourceLocation
    ) {
        handle(.claimAnnounced(claim, .moved(moves)), sourceLocation: sourceLocation)
    }

    /// The notices that the last event had for one presenter.
    func heard(_ presenter: PresenterID) -> [Notice] {
        last.compactMap { effect in
            guard case .notify(presenter, let notice) = effect else { return nil }
            return notice
        }
    }

    /// Where the items of a claim are by now.
    func places(_ claim: ClaimID) -> [String] {
        (arbiter.claim(claim)?.items ?? []).map(\.path.description)
    }

    /// How far a claim has got, or nil if it is over.
    func stage(_ claim: ClaimID) -> ClaimStage? { arbiter.stage(of: claim) }

    /// What the last event had said to one presenter.
    func last(to presenter: PresenterID) -> [Effect] { last.filter { $0.addressee == presenter } }

    /// What was said to one presenter since it was registered.
    func all(to presenter: PresenterID) -> [Effect] { all.filter { $0.addressee == presenter } }
}

extension Effect {
    /// The presenter that it concerns, or nil.
    var addressee: PresenterID? {
        switch self {
        case .askToYield(let presenter, _, _), .reacquire(let presenter, _),
            .notify(let presenter, _), .relocate(let presenter, _, _):
            presenter
        case .grant, .fail, .failInCycle, .retarget, .withdrawQuestions, .grantUnreported,
            .delegate, .recall, .openQueue, .startQueue:
            nil
        }
    }
}
