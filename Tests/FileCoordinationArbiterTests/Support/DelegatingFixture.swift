// SPDX-License-Identifier: Apache-2.0
//
// An arbiter and what its clients do by delegation: they grant claims to themselves, and a recall
// finds those that run. The test says when a recall is answered.

import FileCoordinationArbiter
import InstantLiterals
import Testing

/// An arbiter whose clients, claims and purposes have numbers of the test's choice.
struct DelegatingFixture {
    var arbiter: Arbiter
    private(set) var last: [Effect] = []
    /// What is delegated, by number.
    private(set) var delegations: [DelegationID: Delegation] = [:]
    /// Recalls that are not answered.
    private(set) var recalls: [DelegationID] = []
    /// Claims that run unknown to the arbiter.
    private(set) var hidden: [ClaimID: FiledClaim] = [:]
    private(set) var granted: [UInt64] = []
    /// The entries of claims that were granted without reports.
    private(set) var entries: [UInt64: DelegationID] = [:]
    private(set) var time = Instant.distantPast

    init(policy: DelegationPolicy = DelegationPolicy()) { arbiter = Arbiter(policy: policy) }

    mutating func handle(_ event: Event, sourceLocation: SourceLocation = #_sourceLocation) {
        last = arbiter.handle(event)
        for effect in last {
            switch effect {
            case .grant(let id): granted.append(id.rawValue)
            case .grantUnreported(let id, let entry):
                granted.append(id.rawValue)
                entries[id.rawValue] = entry
            case .delegate(let delegation): delegations[delegation.id] = delegation
            case .recall(let id): recalls.append(id)
            case .fail, .failInCycle, .withdrawQuestions, .askToYield, .reacquire, .notify,
                .retarget, .relocate, .openQueue, .startQueue:
                continue
            }
        }
        #expect(arbiter.brokenInvariant == nil, sourceLocation: sourceLocation)
    }

    /// A plain claim of the client that has the number; it asks for its slot of the same number.
    func claim(
        _ number: UInt64, by client: UInt32, _ items: [AccessItem], slot: Int? = 0,
        forDirectory: Bool = false
    ) -> FiledClaim {
        FiledClaim(
            id: ClaimID(rawValue: number), client: ClientID(rawValue: client),
            purpose: Purpose("\(number)"), items: items,
            request: slot.map { DelegationRequest(slot: $0, forDirectory: forDirectory) },
            mayGoUnreported: true)
    }

    /// Files a claim; one that needs no report is hidden from then on.
    mutating func file(_ claim: FiledClaim, sourceLocation: SourceLocation = #_sourceLocation) {
        handle(.claimFiled(claim), sourceLocation: sourceLocation)
        if last.contains(where: { if case .grantUnreported = $0 { true } else { false } }) {
            hidden[claim.id] = claim
        }
    }

    mutating func file(
        _ number: UInt64, by client: UInt32, _ items: [AccessItem], slot: Int? = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        file(claim(number, by: client, items, slot: slot), sourceLocation: sourceLocation)
    }

    /// A client grants itself a claim, or a hidden one is over.
    mutating func grantLocally(_ number: UInt64, by client: UInt32, _ items: [AccessItem]) {
        hidden[ClaimID(rawValue: number)] = claim(number, by: client, items, slot: nil)
    }

    mutating func endHidden(_ number: UInt64) { hidden[ClaimID(rawValue: number)] = nil }

    /// The same, and the server has seen it.
    mutating func endSeen(_ number: UInt64) {
        endHidden(number)
        if let entry = entries[number] { handle(.delegationRecalled(entry)) }
    }

    /// Answers the oldest recall with the hidden claims that run under it.
    mutating func answerRecall(sourceLocation: SourceLocation = #_sourceLocation) {
        guard !recalls.isEmpty else { return }
        let id = recalls.removeFirst()
        let delegation = delegations.removeValue(forKey: id)
        for claim in hidden.values.sorted(by: { $0.id < $1.id }) {
            let isMeant =
                delegation.map { $0.client == claim.client && $0.path == claim.items[0].path }
                ?? true
            guard isMeant else { continue }
            hidden[claim.id] = nil
            handle(.claimRecovered(claim), sourceLocation: sourceLocation)
        }
        handle(.delegationRecalled(id), sourceLocation: sourceLocation)
    }

    mutating func end(_ number: UInt64, _ outcome: ItemOutcome = .changed) {
        handle(.claimEnded(ClaimID(rawValue: number), outcomes: [outcome]))
    }

    mutating func present(_ number: UInt64, _ place: String, _ methods: PresenterMethods) {
        handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: number), client: ClientID(rawValue: UInt32(number)),
                    purpose: Purpose("presenter"), path: path(place), methods: methods)))
    }

    mutating func presentPatiently(
        _ number: UInt64, _ place: String, _ methods: PresenterMethods, nanoseconds: UInt64
    ) {
        handle(
            .presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: number), client: ClientID(rawValue: UInt32(number)),
                    purpose: Purpose("presenter"), path: path(place), methods: methods,
                    answerTimeout: .nanoseconds(nanoseconds))))
    }

    mutating func pass(milliseconds: UInt64) {
        time = time + .milliseconds(milliseconds)
        handle(.clockAdvanced(to: time))
    }

    /// What clients have, as "2: shared".
    var held: [String] {
        delegations.values.map { delegation in
            switch delegation.holding {
            case .place(let client, _, let mode, let reportsWrites):
                "\(client.rawValue): \(mode)\(reportsWrites ? ", reported" : "")"
            case .directory(let client, _): "\(client.rawValue): directory"
            case .claim(let client, _): "\(client.rawValue): claim"
            case .queue: "queue"
            }
        }.sorted()
    }
}
