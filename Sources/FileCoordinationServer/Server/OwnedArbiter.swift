// SPDX-License-Identifier: Apache-2.0
//
// The server's arbiter, as something that cannot be copied. An ordinary value in a property of a
// class is copied for each question that another module answers, because the compiler cannot know
// that the answer does not change the property. These copies were an eighth of all instructions
// for a claim that the server grants.

import FileCoordinationArbiter

/// Owns an arbiter, and passes events and questions on.
///
/// Each member is that of ``Arbiter`` with the same name.
struct OwnedArbiter: ~Copyable {
    private var arbiter: Arbiter

    init(_ arbiter: consuming Arbiter) { self.arbiter = arbiter }

    mutating func handle(_ event: Event) -> [Effect] { arbiter.handle(event) }

    var nextDeadline: UInt64? { arbiter.nextDeadline }
    var isIdle: Bool { arbiter.isIdle }
    var brokenInvariant: String? { arbiter.brokenInvariant }

    // MARK: Claims

    var claims: [ClaimStatus] { arbiter.claims }
    var claimIDs: [ClaimID] { arbiter.claimIDs }
    var hasWaitingClaims: Bool { arbiter.hasWaitingClaims }

    func claim(_ id: ClaimID) -> FiledClaim? { arbiter.claim(id) }
    func status(of claim: ClaimID) -> ClaimStatus? { arbiter.status(of: claim) }
    func stage(of claim: ClaimID) -> ClaimStage? { arbiter.stage(of: claim) }
    func isSkipped(_ claim: ClaimID) -> Bool { arbiter.isSkipped(claim) }
    func isUnreported(_ claim: FiledClaim) -> Bool { arbiter.isUnreported(claim) }
    func redirected(_ claim: FiledClaim) -> FiledClaim { arbiter.redirected(claim) }

    func impediments(of claim: ClaimID, amongFirst limit: Int = .max) -> [Impediment] {
        arbiter.impediments(of: claim, amongFirst: limit)
    }

    func movedItems(around claim: ClaimID) -> [(claim: ClaimID, items: MovedItems)] {
        arbiter.movedItems(around: claim)
    }

    func movedItems(of claim: ClaimID) -> MovedItems? { arbiter.movedItems(of: claim) }

    // MARK: Paths

    func isClaimed(_ path: ItemPath) -> Bool { arbiter.isClaimed(path) }
    func isPresented(around path: ItemPath) -> Bool { arbiter.isPresented(around: path) }
    func contenders(at path: ItemPath) -> [ClaimID]? { arbiter.contenders(at: path) }

    func runningWriters(onTheWayTo path: ItemPath) -> [ClaimID] {
        arbiter.runningWriters(onTheWayTo: path)
    }

    // MARK: Presenters

    var presenters: [PresenterStatus] { arbiter.presenters }
    var presenterIDs: [PresenterID] { arbiter.presenterIDs }

    func presenter(_ id: PresenterID) -> RegisteredPresenter? { arbiter.presenter(id) }
    func presenters(of client: ClientID) -> [PresenterStatus] { arbiter.presenters(of: client) }
    func status(of presenter: PresenterID) -> PresenterStatus? {
        arbiter.status(of: presenter)
    }
    func isAsked(_ presenter: PresenterID) -> Bool { arbiter.isAsked(presenter) }

    func mayAskPresenters(besides purpose: Purpose) -> Bool {
        arbiter.mayAskPresenters(besides: purpose)
    }

    func purposesOfPresenters(towards path: ItemPath) -> Set<Purpose> {
        arbiter.purposesOfPresenters(towards: path)
    }

    // MARK: Clients

    var clientsToLookAt: [ClientID] { arbiter.clientsToLookAt }
    func mustBeToldOfStop(of client: ClientID) -> Bool { arbiter.mustBeToldOfStop(of: client) }

    // MARK: Delegations

    var awaitsRecalls: Bool { arbiter.awaitsRecalls }
    var delegationIDs: [DelegationID] { arbiter.delegationIDs }
    func delegation(_ id: DelegationID) -> Delegation? { arbiter.delegation(id) }
    func recalls(before event: Event) -> [DelegationID] { arbiter.recalls(before: event) }
}
