// SPDX-License-Identifier: Apache-2.0
//
// An arbiter for tests with thousands of claims. The witness of other tests compares all claims
// after each event, which would take longer than what is tested.

@testable import FileCoordinationArbiter

/// An arbiter without a witness, who looks at everything after each event.
struct Hall {
    var arbiter = Arbiter()
    var lastID: UInt64 = 0

    mutating func file(
        _ items: [AccessItem], client: UInt32 = 1, purpose: String? = nil,
        inside outer: ClaimID? = nil, blocksCaller: Bool = false
    ) -> ClaimID {
        var claim = claim(items, client: client, purpose: purpose)
        if let outer { claim.enclosing = [outer] }
        claim.blocksCaller = blocksCaller
        _ = arbiter.handle(.claimFiled(claim))
        return claim.id
    }

    mutating func claim(
        _ items: [AccessItem], client: UInt32 = 1, purpose: String? = nil
    ) -> FiledClaim {
        lastID += 1
        return FiledClaim(
            id: ClaimID(rawValue: lastID), client: ClientID(rawValue: client),
            purpose: Purpose(purpose ?? "own \(lastID)"), items: items)
    }

    mutating func presenter(_ place: String, client: UInt32 = 2) -> RegisteredPresenter {
        lastID += 1
        return RegisteredPresenter(
            id: PresenterID(rawValue: lastID), client: ClientID(rawValue: client),
            purpose: Purpose("own \(lastID)"), path: path(place), methods: .all)
    }

    mutating func end(_ claim: ClaimID) -> [Effect] {
        arbiter.handle(.claimEnded(claim, outcomes: [.changed]))
    }
}
