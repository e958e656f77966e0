// SPDX-License-Identifier: Apache-2.0
//
// The rules about waiting, said again as naively as possible: paths are strings, everything is
// compared with everything, nothing is remembered. Slow and independent of the arbiter's own code.

import FileCoordinationArbiter

/// An item of a claim as an onlooker sees it: places are strings.
struct SeenItem: Hashable {
    let place: String
    let line: String
    let isWriting: Bool
    let isMoving: Bool
    /// What the places inside begin with, if the access concerns them too.
    let inside: String?

    init(_ item: AccessItem) {
        place = item.path.description
        line = item.path.prefix(depth: item.packageDepths.first ?? item.path.depth).description
        let isWide: Bool
        switch item.access {
        case .reading(let options):
            (isWriting, isMoving) = (false, false)
            isWide = options.contains(.includingContents)
        case .writing(let mode):
            isWriting = true
            isMoving =
                mode.has(.moving) && !mode.has(.deleting, .replacing, .includingContents)
            isWide = mode.has(.moving, .deleting, .replacing, .includingContents)
        }
        inside = isWide ? (place == "/" ? "/" : place + "/") : nil
    }

    func contains(_ other: SeenItem) -> Bool {
        guard let inside else { return false }
        return other.place != place && other.place.hasPrefix(inside)
    }
}

/// A claim as an onlooker knows it.
struct SeenClaim: Hashable {
    /// How far it has got.
    enum Stage: Hashable {
        case waiting
        case asking
        /// The accessor may run; `youngest` is the youngest claim that was filed by then.
        case granted(youngest: UInt64)
    }

    /// Its items are where they are by now.
    private(set) var filed: FiledClaim
    private(set) var items: [SeenItem]
    /// Where it has moved items of its own: it holds them there, too (2.8a, 2.20).
    var moved: [Int: AccessItem] = [:]
    /// What it has moved out of the trees that it covers: it holds that, too (2.20, 2.23).
    var itemsMovedOut: [AccessItem] = []
    var stage = Stage.waiting
    /// Presenters whose answer is missing.
    var awaited: [PresenterID] = []
    /// Those that were let past it while it asked; ascending.
    var bypassers: [ClaimID] = []

    var id: ClaimID { filed.id }

    init(filed: FiledClaim, stage: Stage = .waiting) {
        self.filed = filed
        self.stage = stage
        items = filed.items.map { SeenItem($0) }
    }

    /// Everything that it keeps others away from; a batch keeps no claim away (14.3).
    var reach: [SeenItem] {
        switch filed.kind {
        case .access, .upkeep: items + (moved.values + itemsMovedOut).map { SeenItem($0) }
        case .preparation: []
        }
    }

    /// The claim with the places to which it has moved items.
    var everywhere: FiledClaim {
        var result = filed
        result.items += moved.keys.sorted().compactMap { moved[$0] } + itemsMovedOut
        return result
    }

    /// Has it follow its items.
    mutating func retarget(_ new: [AccessItem]) {
        filed.items = new
        items = new.map { SeenItem($0) }
    }

    /// The claim as it was in the queue.
    var asWaiting: SeenClaim {
        var result = self
        (result.stage, result.awaited, result.bypassers) = (.waiting, [], [])
        return result
    }

    var isAsking: Bool {
        switch stage {
        case .waiting, .granted: false
        case .asking: true
        }
    }

    var isGranted: Bool {
        switch stage {
        case .waiting, .asking: false
        case .granted: true
        }
    }
}

/// The rules of section 2 over a list of claims.
struct Rulebook: Hashable {
    var claims: [SeenClaim] = []
    var purposes: [PresenterID: Purpose] = [:]

    func claim(_ id: ClaimID) -> SeenClaim? { claims.first { $0.id == id } }

    /// The state of the rules if that claim had not taken its place yet.
    func withoutArrival(of id: ClaimID) -> Rulebook {
        var result = self
        for index in claims.indices {
            result.claims[index].bypassers.removeAll { $0 == id }
            if claims[index].id == id { result.claims[index] = claims[index].asWaiting }
        }
        return result
    }

    // MARK: Conflicts (2.1 to 2.9)

    static func conflict(_ a: SeenItem, _ b: SeenItem) -> Bool {
        guard a.isWriting || b.isWriting else { return false }
        return a.place == b.place || a.line == b.line || a.contains(b) || b.contains(a)
    }

    static func conflict(_ a: SeenClaim, _ b: SeenClaim) -> Bool {
        guard a.id != b.id, a.filed.purpose != b.filed.purpose else { return false }
        return a.reach.contains { item in b.reach.contains { conflict(item, $0) } }
    }

    /// Whether all that connects `b` with `a` is inside directories that `a` moves (2.8a).
    static func isOnlyInsideMove(_ b: SeenClaim, of a: SeenClaim) -> Bool {
        for item in a.reach {
            for other in b.reach where conflict(item, other) {
                guard item.isMoving, item.contains(other), item.line != other.line else {
                    return false
                }
            }
        }
        return true
    }

    // MARK: Who waits for whom (2.14 to 2.17)

    /// Everything that a claim waits for, by the rules: claims only.
    func obstacles(of claim: SeenClaim) -> [ClaimID] {
        switch claim.stage {
        case .granted:
            return []
        case .asking:
            return claim.bypassers
        case .waiting:
            return claims.filter { isObstacle($0, to: claim) }.map(\.id)
        }
    }

    func isObstacle(_ other: SeenClaim, to claim: SeenClaim) -> Bool {
        guard Self.conflict(claim, other) else { return false }
        switch other.stage {
        case .granted:
            return true
        case .asking:
            return !canBypass(claim, from: other)
        case .waiting:
            if other.id > claim.id { return false }
            if Self.isOnlyInsideMove(other, of: claim) { return false }
            return !canBypass(claim, from: other)
        }
    }

    /// Exceptions A and B.
    func canBypass(_ claim: SeenClaim, from other: SeenClaim) -> Bool {
        // The exceptions need a claim of this purpose
        // that runs, or a presenter of it that is asked.
        let purpose = claim.filed.purpose
        guard
            claims.contains(where: { seen in
                seen.isGranted && seen.filed.purpose == purpose
                    || seen.awaited.contains { purposes[$0] == purpose }
            })
        else { return false }
        let isSavingBack = leads(from: other) { seen in
            seen.awaited.contains { purposes[$0] == purpose }
        }
        if isSavingBack { return true }

        let holders = claims.filter { $0.isGranted && $0.filed.purpose == purpose }
        let blocking = obstacles(of: other)
        for holder in holders where blocking.contains(holder.id) {
            if case .granted(let youngest) = holder.stage, youngest < other.id.rawValue {
                return true
            }
            if isSurrounding(holder, of: claim) { return true }
        }
        // An indirect wait counts only if it would otherwise never end.
        guard claim.filed.blocksCaller else { return false }
        return leads(from: other) { isSurrounding($0, of: claim) }
    }

    /// Whether a claim was made inside the accessor of another one of its purpose.
    private func isSurrounding(_ seen: SeenClaim, of claim: SeenClaim) -> Bool {
        seen.isGranted && claim.filed.enclosing.contains(seen.id)
            && seen.filed.purpose == claim.filed.purpose
            && seen.filed.client == claim.filed.client
    }

    func leads(from start: SeenClaim, to test: (SeenClaim) -> Bool) -> Bool {
        test(start)
            || obstacles(of: start).contains { id in
                claim(id).map { leads(from: $0, to: test) } ?? false
            }
    }
}
