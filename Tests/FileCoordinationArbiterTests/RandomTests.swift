// SPDX-License-Identifier: Apache-2.0
//
// Larger worlds than can be tried out completely: many claims in a small tree, several presenters,
// everything at random. Each walk is told by its seed alone.

import FileCoordinationArbiter
import Testing

@Suite struct RandomTests {
    /// One walk, and everything that it has come to.
    private struct Walk {
        var dice: Dice
        let hasMoves: Bool
        var arbiter = Arbiter()
        var witness = Witness()
        var serial: UInt64 = 0
        var registrations: UInt64 = 0

        private static let places = [
            "/d/", "/d/f", "/d/s/", "/d/s/g", "/d/p.rtfd", "/d/p.rtfd/a", "/d/p.rtfd/b/",
            "/d/p.rtfd/b/c", "/d/p.rtfd/q.rtfd/h", "/e",
        ]

        mutating func place() -> String { Self.places.randomElement(using: &dice) ?? "/" }
        mutating func one(in count: Int) -> Bool { Int.random(in: 0..<count, using: &dice) == 0 }
        mutating func purpose() -> Purpose { Purpose("\(Int.random(in: 1...6, using: &dice))") }
        mutating func client() -> ClientID {
            ClientID(rawValue: UInt32.random(in: 1...4, using: &dice))
        }

        mutating func event() -> Event? {
            let claims = witness.rules.claims
            if hasMoves, one(in: 5) {
                return claims.filter(\.isGranted).randomElement(using: &dice).map {
                    .claimAnnounced($0.id, announcement(by: $0))
                }
            }
            switch Int.random(in: 0..<12, using: &dice) {
            case 0, 1, 2:
                return claims.count < 9 ? filing() : nil
            case 3, 4, 5:
                return claims.filter(\.isGranted).randomElement(using: &dice).map {
                    .claimEnded($0.id, outcomes: $0.items.map { _ in .changed })
                }
            case 6, 7, 8:
                let failure: PresenterFailure? = one(in: 8) ? .disk : nil
                return witness.open.randomElement(using: &dice).map {
                    .presenterAnswered($0.presenter, for: $0.claim, failure: failure)
                }
            case 9:
                return claims.randomElement(using: &dice).map { .claimCancelled($0.id) }
            case 10:
                if witness.presenters.count < 3 { return registration() }
                return witness.presenters.randomElement(using: &dice).map {
                    .presenterRemoved($0.registered.id)
                }
            default:
                return one(in: 6) ? .clientDied(client()) : nil
            }
        }

        /// A few moves, mostly of what the claim is about; seldom other news.
        private mutating func announcement(by claim: SeenClaim) -> Announcement {
            if one(in: 10) {
                return .versionChanged(path(place()), VersionNews(.gained, identifier: [1]))
            }
            if one(in: 20) { return .ubiquityAttributesChanged(path(place()), [[1]]) }
            return .moved(
                (0...(one(in: 3) ? 1 : 0)).map { _ in
                    let own = claim.items.randomElement(using: &dice)?.place ?? "/"
                    return move(one(in: 3) ? place() : own, to: place())
                })
        }

        private mutating func access() -> Access {
            if one(in: 2) {
                let options: ReadingOptions = one(in: 2) ? [] : .withoutChanges
                return .reading(one(in: 4) ? options.union(.includingContents) : options)
            }
            let all = one(in: 3) ? WritingOptions.every : WritingOptions.single
            let options = all.randomElement(using: &dice) ?? .plain
            return .writing(one(in: 5) ? options.union(.includingContents) : options)
        }

        private mutating func filing() -> Event {
            serial += 1
            let client = client()
            let purpose = purpose()
            let items = (0...(one(in: 2) ? 1 : 0)).map { _ in item(place(), access()) }
            let running = witness.rules.claims.filter {
                $0.isGranted && $0.filed.client == client
            }
            let id = ClaimID(rawValue: serial)
            guard let outer = running.randomElement(using: &dice), one(in: 2) else {
                var claim = FiledClaim(id: id, client: client, purpose: purpose, items: items)
                if hasMoves { embellish(&claim) }
                return .claimFiled(claim)
            }
            return .claimFiled(
                FiledClaim(
                    id: id, client: client, purpose: outer.filed.purpose, items: items,
                    enclosing: [outer.id], blocksCaller: one(in: 2)))
        }

        /// Sometimes makes the claim a batch, or one of a coordinator whose presenter has moved.
        private mutating func embellish(_ claim: inout FiledClaim) {
            if one(in: 6) { claim.kind = .preparation }
            guard one(in: 3), let seen = witness.presenters.randomElement(using: &dice) else {
                return
            }
            claim.standpoint = Standpoint(seen.registered.id, at: path(place()))
        }

        private mutating func registration() -> Event {
            registrations += 1
            let bits = UInt32.random(in: 0...PresenterMethods.all.rawValue, using: &dice)
            return .presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: registrations), client: client(),
                    purpose: purpose(), path: path(place()),
                    methods: PresenterMethods(rawValue: bits)))
        }

        /// Returns a complaint.
        mutating func go(steps: Int) -> String? {
            for step in 0..<steps {
                guard let event = event() else { continue }
                let effects = arbiter.handle(event)
                if let complaint = witness.observe(event, effects, arbiter) {
                    return "step \(step), \(event): \(complaint)"
                }
            }
            // All clients leave, and nothing is left.
            for client in UInt32(1)...4 {
                _ = arbiter.handle(.clientDied(ClientID(rawValue: client)))
            }
            return arbiter.isIdle ? nil : "something was left behind"
        }
    }

    private func expectNoComplaint(
        hasMoves: Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for seed in UInt64(1)...(Length.isLong ? 5_000 : 80) {
            var walk = Walk(dice: Dice(seed: seed), hasMoves: hasMoves)
            let complaint = walk.go(steps: 120)
            #expect(complaint == nil, "seed \(seed)", sourceLocation: sourceLocation)
            if complaint != nil { return }
        }
    }

    @Test func `Random walks in a small tree`() { expectNoComplaint(hasMoves: false) }

    @Test func `Random walks in a small tree in which things move`() {
        expectNoComplaint(hasMoves: true)
    }
}
