// SPDX-License-Identifier: Apache-2.0
//
// Who waits, asks and holds, counted by purpose. All of it can be computed from the claims; it is
// kept because the two exceptions (Rules 2.16, 2.17) are rare, and must cost nothing when nobody
// could need them.

/// Claims by stage and purpose.
struct Census: Hashable, Sendable {
    private var waitingByPurpose: [Purpose: OrderedIDs<ClaimID>] = [:]
    private var grantedByPurpose: [Purpose: Int] = [:]
    private var awaitedByPurpose: [Purpose: Int] = [:]
    /// How many claims in stage 1 have a purpose of which a presenter's answer is missing.
    private var waitingWhileAwaited = 0
    /// Claims in stage 1 whose call was made inside an accessor.
    private(set) var nestedWaiting: OrderedIDs<ClaimID> = []
    /// Claims in stage 2.
    private(set) var asking: OrderedIDs<ClaimID> = []
    /// Claims in stage 2 whose call was made inside an accessor.
    private(set) var nestedAsking: OrderedIDs<ClaimID> = []

    /// Claims that keep presenters from answering, once for each (Rule 18.4).
    private(set) var hindering: OrderedIDs<ClaimID> = []

    /// Whether some claim is in stage 1.
    var hasWaiting: Bool { !waitingByPurpose.isEmpty }

    /// Whether somebody might wait for himself.
    var mayCloseCycle: Bool {
        !nestedWaiting.isEmpty || !nestedAsking.isEmpty || !hindering.isEmpty
    }

    /// Counts a claim in that keeps a presenter from answering.
    mutating func beginHindering(_ claim: ClaimID) { hindering.insert(claim) }

    /// Counts it out.
    mutating func endHindering(_ claim: ClaimID) { hindering.remove(claim) }

    /// Claims of a purpose that are in stage 1.
    func waiting(_ purpose: Purpose) -> OrderedIDs<ClaimID> { waitingByPurpose[purpose] ?? [] }

    /// Whether some claim of the purpose is granted.
    func holdsGrant(_ purpose: Purpose) -> Bool { grantedByPurpose[purpose] != nil }

    /// Whether the answer of some presenter of the purpose is missing.
    func isAwaited(_ purpose: Purpose) -> Bool { awaitedByPurpose[purpose] != nil }

    /// Whether some claim in stage 1 can come free by an exception (see
    /// ``Arbiter/reconsiderExcusable(_:)``).
    var mayExcuseSomeone: Bool { waitingWhileAwaited > 0 || !nestedWaiting.isEmpty }

    /// Counts a claim in.
    mutating func enter(_ claim: FiledClaim, _ stage: ClaimStage) {
        switch stage {
        case .waiting:
            waitingByPurpose[claim.purpose, default: []].insert(claim.id)
            if isAwaited(claim.purpose) { waitingWhileAwaited += 1 }
            if !claim.enclosing.isEmpty { nestedWaiting.insert(claim.id) }
        case .asking:
            asking.insert(claim.id)
            if !claim.enclosing.isEmpty { nestedAsking.insert(claim.id) }
        case .granted:
            grantedByPurpose[claim.purpose, default: 0] += 1
        }
    }

    /// Counts a claim out of the stage that it was counted in.
    mutating func leave(_ claim: FiledClaim, _ stage: ClaimStage) {
        switch stage {
        case .waiting:
            var ids = waiting(claim.purpose)
            waitingByPurpose[claim.purpose] = nil
            ids.remove(claim.id)
            if !ids.isEmpty { waitingByPurpose[claim.purpose] = ids }
            if isAwaited(claim.purpose) { waitingWhileAwaited -= 1 }
            if !claim.enclosing.isEmpty { nestedWaiting.remove(claim.id) }
        case .asking:
            asking.remove(claim.id)
            if !claim.enclosing.isEmpty { nestedAsking.remove(claim.id) }
        case .granted:
            grantedByPurpose.decrement(claim.purpose)
        }
    }

    /// Counts one missing answer of a presenter of the purpose in.
    mutating func beginAwaiting(_ purpose: Purpose) {
        if !isAwaited(purpose) { waitingWhileAwaited += waiting(purpose).count }
        awaitedByPurpose[purpose, default: 0] += 1
    }

    /// Counts one missing answer of a presenter of the purpose out.
    mutating func endAwaiting(_ purpose: Purpose) {
        guard isAwaited(purpose) else { return }
        awaitedByPurpose.decrement(purpose)
        if !isAwaited(purpose) { waitingWhileAwaited -= waiting(purpose).count }
    }
}

extension [Purpose: Int] {
    /// Counts one down; a purpose that nobody has is forgotten.
    fileprivate mutating func decrement(_ purpose: Purpose) {
        guard let count = self[purpose] else { return }
        self[purpose] = count > 1 ? count - 1 : nil
    }
}
