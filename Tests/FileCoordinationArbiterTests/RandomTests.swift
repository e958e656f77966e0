// SPDX-License-Identifier: Apache-2.0
//
// Larger worlds than can be tried out completely: many claims in a small tree, several presenters,
// everything at random. Each walk is told by its seed alone.

import FileCoordinationArbiter
import Testing

@Suite struct RandomTests {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64
        /// SplitMix64: small, and the same everywhere.
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static let places = [
        "/d/", "/d/f", "/d/s/", "/d/s/g", "/d/p.rtfd", "/d/p.rtfd/a", "/d/p.rtfd/b/",
        "/d/p.rtfd/b/c", "/d/p.rtfd/q.rtfd/h", "/e",
    ]

    /// One walk; returns a complaint.
    private func walk(seed: UInt64, steps: Int) -> String? {
        var dice = Dice(state: seed)
        var arbiter = Arbiter()
        var witness = Witness()
        var ticket: UInt64 = 0
        var registrations: UInt64 = 0

        func access(_ dice: inout Dice) -> Access {
            if Bool.random(using: &dice) {
                return .reading(Bool.random(using: &dice) ? [] : .withoutChanges)
            }
            return .writing(WritingMode.allCases.randomElement(using: &dice) ?? .plain)
        }

        func event(_ dice: inout Dice) -> Event? {
            let claims = witness.rules.claims
            switch Int.random(in: 0..<12, using: &dice) {
            case 0, 1, 2:
                guard claims.count < 9 else { return nil }
                ticket += 1
                let client = ClientID(rawValue: UInt32.random(in: 1...4, using: &dice))
                let running = claims.filter { $0.isGranted && $0.filed.client == client }
                let outer = running.randomElement(using: &dice)
                let isNested = outer != nil && Bool.random(using: &dice)
                let purpose = Purpose("\(Int.random(in: 1...6, using: &dice))")
                let items = (0..<Int.random(in: 1...2, using: &dice)).map { _ in
                    item(Self.places.randomElement(using: &dice) ?? "/", access(&dice))
                }
                return .claimFiled(
                    FiledClaim(
                        id: ClaimID(rawValue: ticket), client: client,
                        purpose: isNested ? outer?.filed.purpose ?? purpose : purpose,
                        items: items, enclosing: isNested ? [outer?.id].compactMap { $0 } : []))
            case 3, 4, 5:
                let running = claims.filter(\.isGranted)
                return running.randomElement(using: &dice).map {
                    .claimEnded($0.id, outcomes: $0.items.map { _ in .changed })
                }
            case 6, 7, 8:
                return witness.open.randomElement(using: &dice).map {
                    let isFailing = Int.random(in: 0..<8, using: &dice) == 0
                    return .presenterAnswered(
                        $0.presenter, for: $0.claim, failure: isFailing ? .disk : nil)
                }
            case 9:
                return claims.randomElement(using: &dice).map { .claimCancelled($0.id) }
            case 10:
                guard witness.presenters.count < 3 else {
                    return witness.presenters.randomElement(using: &dice).map {
                        .presenterRemoved($0.registered.id)
                    }
                }
                registrations += 1
                let purpose = Purpose("\(Int.random(in: 1...6, using: &dice))")
                let bits = UInt32.random(in: 0...PresenterMethods.all.rawValue, using: &dice)
                return .presenterAdded(
                    RegisteredPresenter(
                        id: PresenterID(rawValue: registrations),
                        client: ClientID(rawValue: UInt32.random(in: 1...4, using: &dice)),
                        purpose: purpose,
                        path: Self.places.randomElement(using: &dice).map { path($0) },
                        methods: PresenterMethods(rawValue: bits)))
            default:
                guard Int.random(in: 0..<6, using: &dice) == 0 else { return nil }
                return .clientDied(ClientID(rawValue: UInt32.random(in: 1...4, using: &dice)))
            }
        }

        for step in 0..<steps {
            guard let event = event(&dice) else { continue }
            let effects = arbiter.handle(event)
            if let complaint = witness.observe(event, effects, arbiter) {
                return "seed \(seed), step \(step), \(event): \(complaint)"
            }
        }
        // Everybody goes, and nothing is left.
        for client in UInt32(1)...4 { _ = arbiter.handle(.clientDied(ClientID(rawValue: client))) }
        return arbiter.isIdle ? nil : "seed \(seed): something was left behind"
    }

    @Test func `Random walks in a small tree`() {
        for seed in UInt64(1)...150 {
            let complaint = walk(seed: seed, steps: 120)
            #expect(complaint == nil)
            if complaint != nil { return }
        }
    }
}
