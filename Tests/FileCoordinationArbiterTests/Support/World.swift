// SPDX-License-Identifier: Apache-2.0
//
// A small world: a few processes with a few things to do each, a presenter or two, an arbiter and a
// witness. A world knows everything that can happen next, so that all of it can be tried.

import FileCoordinationArbiter

/// What one process does: a claim, and perhaps another inside its accessor.
struct Program: Hashable {
    var outer: [AccessItem]
    var inner: [AccessItem]?
    var purpose: String?
    /// What it makes known while its outer claim runs: all, some or none of it, in this order.
    var announcements: [Announcement]
    /// Whether it makes that known in the accessor of its inner claim.
    var announcesInside = false
    var kind: ClaimKind
    /// Where its coordinator believes the first presenter to be.
    var standpoint: Standpoint?

    init(
        _ outer: [AccessItem], inner: [AccessItem]? = nil, purpose: String? = nil,
        announcing announcements: [Announcement] = [], kind: ClaimKind = .access,
        standpoint: Standpoint? = nil
    ) {
        self.outer = outer
        self.inner = inner
        self.purpose = purpose
        self.announcements = announcements
        self.kind = kind
        self.standpoint = standpoint
    }
}

/// What else may happen besides claims, grants and answers.
struct Trouble: OptionSet, Hashable {
    let rawValue: Int
    /// Claims are given up before they are granted.
    static let cancels = Trouble(rawValue: 1)
    /// Claimants die.
    static let deaths = Trouble(rawValue: 2)
    /// Presenters fail.
    static let failures = Trouble(rawValue: 4)
    /// Presenters go.
    static let removals = Trouble(rawValue: 8)
    static let all: Trouble = [.cancels, .deaths, .failures, .removals]
}

struct World: Hashable {
    /// How far a process has got.
    enum Progress: Hashable {
        case idle
        case outside(ClaimID)
        case inside(ClaimID, ClaimID)
        case leaving(ClaimID)
        case over

        /// Whether one of its accessors is that of this claim.
        func isInside(_ claim: ClaimID) -> Bool {
            switch self {
            case .idle, .over: false
            case .outside(claim), .leaving(claim), .inside(claim, _), .inside(_, claim): true
            case .outside, .leaving, .inside: false
            }
        }
    }

    let programs: [Program]
    let trouble: Trouble
    var arbiter = Arbiter()
    var witness = Witness()
    var progress: [Progress]
    /// How many of its announcements each has made.
    var announced: [Int]
    var serial: UInt64 = 0

    init(
        _ programs: [Program], presenters: [(place: String, purpose: String)] = [],
        trouble: Trouble = .all
    ) {
        self.programs = programs
        self.trouble = trouble
        progress = programs.map { _ in .idle }
        announced = programs.map { _ in 0 }
        for (index, presenter) in presenters.enumerated() {
            let registered = RegisteredPresenter(
                id: PresenterID(rawValue: UInt64(index + 1)),
                client: ClientID(rawValue: UInt32(100 + index)),
                purpose: Purpose(presenter.purpose), path: path(presenter.place), methods: .all)
            _ = handle(.presenterAdded(registered))
        }
    }

    /// Has an event handled; returns the witness's complaint.
    mutating func handle(_ event: Event) -> String? {
        let effects = arbiter.handle(event)
        let complaint = witness.observe(event, effects, arbiter)
        for index in progress.indices { follow(index) }
        return complaint
    }

    /// Records what a process sees of its claims.
    private mutating func follow(_ index: Int) {
        switch progress[index] {
        case .idle, .over:
            break
        case .outside(let outer), .leaving(let outer):
            if arbiter.stage(of: outer) == nil { progress[index] = .over }
        case .inside(let outer, let inner):
            if arbiter.stage(of: outer) == nil {
                progress[index] = .over
            } else if arbiter.stage(of: inner) == nil {
                progress[index] = .leaving(outer)
            }
        }
    }

    private func claim(_ index: Int, _ items: [AccessItem], inside: [ClaimID]) -> Event {
        .claimFiled(
            FiledClaim(
                id: ClaimID(rawValue: serial + 1), client: ClientID(rawValue: UInt32(index + 1)),
                purpose: Purpose(programs[index].purpose ?? "process \(index)"), items: items,
                enclosing: inside, kind: inside.isEmpty ? programs[index].kind : .access,
                standpoint: programs[index].standpoint, blocksCaller: !inside.isEmpty))
    }

    /// What a process may make known next.
    private func announcement(_ index: Int) -> Event? {
        let claim: ClaimID
        switch (progress[index], programs[index].announcesInside) {
        case (.idle, _), (.over, _), (.outside, true), (.leaving, true): return nil
        case (.outside(let outer), false), (.leaving(let outer), false),
            (.inside(let outer, _), false):
            claim = outer
        case (.inside(_, let inner), true): claim = inner
        }
        let left = programs[index].announcements.dropFirst(announced[index])
        guard let next = left.first, arbiter.stage(of: claim) == .granted else { return nil }
        return .claimAnnounced(claim, next)
    }

    /// What happens if all clients do what is expected of them.
    var ordinaryEvents: [Event] {
        var result = programs.indices.compactMap { announcement($0) }
        for index in programs.indices {
            switch progress[index] {
            case .idle:
                result.append(claim(index, programs[index].outer, inside: []))
            case .outside(let outer):
                guard arbiter.stage(of: outer) == .granted else { continue }
                if let inner = programs[index].inner {
                    result.append(claim(index, inner, inside: [outer]))
                } else {
                    result.append(end(outer, programs[index].outer))
                }
            case .inside(_, let inner):
                guard arbiter.stage(of: inner) == .granted else { continue }
                result.append(end(inner, programs[index].inner ?? []))
            case .leaving(let outer):
                result.append(end(outer, programs[index].outer))
            case .over:
                continue
            }
        }
        for question in witness.open {
            result.append(.presenterAnswered(question.presenter, for: question.claim, failure: nil))
        }
        return result
    }

    private func end(_ claim: ClaimID, _ items: [AccessItem]) -> Event {
        .claimEnded(claim, outcomes: items.map { _ in .changed })
    }

    /// What happens if a client gives up, fails or dies.
    var troublesomeEvents: [Event] {
        var result: [Event] = []
        for (index, progress) in progress.enumerated() {
            let innermost: ClaimID
            switch progress {
            case .idle, .over: continue
            case .outside(let outer), .leaving(let outer): innermost = outer
            case .inside(_, let inner): innermost = inner
            }
            if trouble.contains(.cancels), arbiter.stage(of: innermost) != .granted {
                result.append(.claimCancelled(innermost))
            }
            if trouble.contains(.deaths) {
                result.append(.clientDied(ClientID(rawValue: UInt32(index + 1))))
            }
        }
        if trouble.contains(.failures) {
            for question in witness.open {
                result.append(
                    .presenterAnswered(question.presenter, for: question.claim, failure: .disk))
            }
        }
        if trouble.contains(.removals) {
            result += witness.presenters.map { .presenterRemoved($0.registered.id) }
        }
        return result
    }

    /// The world after an event, and the witness's complaint.
    func after(_ event: Event) -> (World, String?) {
        var next = self
        if case .claimFiled(let claim) = event {
            next.serial += 1
            let index = Int(claim.client.rawValue) - 1
            if let outer = claim.enclosing.first {
                next.progress[index] = .inside(outer, claim.id)
            } else {
                next.progress[index] = .outside(claim.id)
            }
        }
        if case .claimAnnounced(let claim, _) = event,
            let index = next.progress.firstIndex(where: { $0.isInside(claim) })
        {
            next.announced[index] += 1
        }
        let complaint = next.handle(event)
        return (next, complaint)
    }
}

/// What became of trying everything.
struct Exploration {
    var worlds = 0
    var complaint: String?
    /// The events that led to the complaint.
    var history: [Event] = []
}

/// Tries everything that can happen in a world, each reachable world once.
func explore(_ start: World) -> Exploration {
    var result = Exploration()
    var seen: Set<World> = [start]
    var ahead: [(World, [Event])] = [(start, [])]
    while let (world, history) = ahead.popLast() {
        result.worlds += 1
        let ordinary = world.ordinaryEvents
        if ordinary.isEmpty && !(world.witness.isQuiet && world.arbiter.claims.isEmpty) {
            result.complaint = "all claims are stuck: \(world.progress)"
            result.history = history
            return result
        }
        for event in ordinary + world.troublesomeEvents {
            let (next, complaint) = world.after(event)
            if let complaint {
                result.complaint = complaint
                result.history = history + [event]
                return result
            }
            if seen.insert(next).inserted { ahead.append((next, history + [event])) }
        }
    }
    return result
}
