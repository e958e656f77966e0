// SPDX-License-Identifier: Apache-2.0
//
// The contents of an explanation of one item, for `filecoord explain`, without its wording.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The facts about an item that are found in the file system.
struct ItemFacts {
    /// The path by which the arbiter knows the item.
    var path: ItemPath
    /// The kind of the item, or nil if it does not exist.
    var kind: FileStatus.Kind?
    /// The target of a symbolic link, as it is stored.
    var linkTarget: [UInt8]?
    /// The number of path components of each package that is or contains the item, outermost first.
    var packageDepths: [Int] = []
    /// The number of hard links of a file.
    var linkCount: UInt64 = 1
    /// Other paths of the item, because a directory above it is mounted there, too.
    var otherPlaces: [[UInt8]] = []

    /// The outermost package that is or contains the item (Rule 1.12).
    var package: ItemPath? { packageDepths.first.map { path.prefix(depth: $0) } }

    /// Returns the item of a claim that requests this access.
    func item(_ access: Access) -> AccessItem {
        AccessItem(
            path: path, access: access, isDirectory: kind == .directory,
            packageDepths: packageDepths)
    }
}

extension ItemFacts {
    /// Collects the facts about the item at a path.
    static func read(at path: ItemPath, _ packages: PackagePolicy) -> ItemFacts {
        let place = PlaceResolver.facts(of: path, policy: packages)
        // An item that cannot be examined is treated as absent (Rule 1.1).
        let status = try? FileStatus(path: path.bytes, followLinks: false)
        return ItemFacts(
            path: path, kind: status?.kind,
            linkTarget: status?.kind == .symbolicLink ? RealPath.target(ofLink: path.bytes) : nil,
            packageDepths: place.packageDepths,
            linkCount: status?.kind == .regular ? status?.linkCount ?? 1 : 1,
            otherPlaces: OtherPlaces.current.places(of: path.bytes))
    }
}

/// The kinds of accesses that are explained.
enum FileAction: String, CaseIterable {
    case read, write, delete, move

    /// The access that the program would claim.
    var access: Access {
        switch self {
        case .read: .reading([])
        case .write: .writing(.plain)
        case .delete: .writing(.deleting)
        case .move: .writing(.moving)
        }
    }

    /// The access that covers all that is inside a directory, too; nil if the action has none.
    var coveringAccess: Access? {
        switch self {
        case .read: .reading([.includingContents])
        case .write: .writing(.includingContents)
        case .delete, .move: nil
        }
    }
}

extension WhatIf.Outcome {
    /// Whether an access with this outcome would wait for the same as one with the other outcome.
    func isWaitingLike(_ other: WhatIf.Outcome) -> Bool {
        blockers == other.blockers && requests == other.requests && passedOver == other.passedOver
    }
}

/// An explanation of an item: what would happen to accesses to it, and why.
struct Explanation {
    /// Where a presenter's item is, relative to the explained item.
    enum Relation: String {
        case item, above, inside
        /// Elsewhere, for example in the same package.
        case beside
    }

    /// The facts about the item.
    let facts: ItemFacts
    /// The arbiter's report, or nil if there is no arbiter.
    let report: StatusReport?
    /// What would happen to each action; empty if there is no arbiter.
    let outcomes: [(action: FileAction, outcome: WhatIf.Outcome)]
    /// What would happen to each action that covers all that is inside a directory, too, where that
    /// differs; empty for other items.
    let coveringOutcomes: [(action: FileAction, outcome: WhatIf.Outcome)]
    /// The chain of waits behind the claims and presenters that any of the actions would wait for.
    let chain: WaitChain?

    /// Computes what would happen to each action.
    init(_ facts: ItemFacts, _ report: StatusReport?) {
        self.facts = facts
        self.report = report
        guard let report else {
            (outcomes, coveringOutcomes, chain) = ([], [], nil)
            return
        }
        let whatIf = WhatIf(report)
        let plain = FileAction.allCases.map { ($0, whatIf.outcome(of: facts.item($0.access))) }
        let isPlainDirectory = facts.kind == .directory && facts.package == nil
        outcomes = plain
        coveringOutcomes = plain.compactMap { action, outcome in
            guard isPlainDirectory, let access = action.coveringAccess else { return nil }
            let covering = whatIf.outcome(of: facts.item(access))
            return covering.isWaitingLike(outcome) ? nil : (action, covering)
        }
        let all = (outcomes + coveringOutcomes).map(\.outcome)
        let blockers = Set(all.flatMap(\.blockers)).sorted()
        let asked = Set(all.flatMap { $0.requests.map(\.presenter) }).sorted()
        chain = WaitChain(report, from: blockers, asking: asked)
    }

    /// The presenters that are concerned, as indices in the report: those of the item and of what
    /// is inside, and those that would be asked or told.
    var presenters: [Int] {
        guard let report else { return [] }
        let near = report.presenters.indices.filter {
            [.item, .inside].contains(relation(of: report.presenters[$0]))
        }
        let involved = outcomes.flatMap { _, outcome in
            outcome.requests.map(\.presenter) + outcome.passedOver
                + outcome.news.map(\.presenter)
        }
        return Set(near + involved).sorted()
    }

    /// Where a presenter's item is.
    func relation(of presenter: FileCoordinationWire.PresenterStatus) -> Relation {
        guard let path = presenter.path.flatMap({ ItemPath(bytes: $0) }) else { return .beside }
        if path == facts.path { return .item }
        if path.contains(facts.path) { return .above }
        return facts.path.contains(path) ? .inside : .beside
    }

    // MARK: What can be done

    /// What the user can do about a wait.
    enum Remedy: Hashable {
        /// Continue this process, which is stopped.
        case proceed(Party)
        /// Break a cycle of waits by ending the wait of this claim.
        ///
        /// `isCertain` is false if an access or a presenter in the cycle perhaps does not wait for
        /// the other accesses of its process.
        case breakCycle(Party, claim: UInt64?, isCertain: Bool)
        /// Let this presenter answer; its process may be waiting for the user.
        case answer(Party, presenter: UInt64)
        /// Wait until this process releases the item, or end it.
        case await(Party)
    }

    /// What the user can do, the best first, each only once; empty if no action would wait.
    var remedies: [Remedy] {
        var stopped: [Remedy] = []
        var cycles: [Remedy] = []
        var others: [Remedy] = []
        func add(_ remedy: Remedy, to list: inout [Remedy]) {
            if !list.contains(remedy) { list.append(remedy) }
        }
        for (index, step) in (chain?.steps ?? []).enumerated() {
            if step.party.isStopped { add(.proceed(step.party.identity), to: &stopped) }
            switch step.end {
            case .cycle:
                let cycle = chain?.cycle(closedBy: index) ?? []
                let waiter = cycle.last { $0.party.role == .waiter }
                add(
                    .breakCycle(
                        step.party.identity, claim: waiter?.party.claim,
                        isCertain: !cycle.contains { $0.link == .alongside }),
                    to: &cycles)
            case .last where step.party.isStopped: break
            case .last where step.party.role == .presenter:
                guard let presenter = step.party.presenter else { break }
                add(.answer(step.party.identity, presenter: presenter), to: &others)
            case .last where step.party.role == .holder:
                add(.await(step.party.identity), to: &others)
            case .last, .open, .shown: break
            }
        }
        return stopped + cycles + others
    }
}

extension Party {
    /// The process without claim and presenter, so that a remedy for it is listed only once.
    fileprivate var identity: Party {
        Party(
            claim: nil, presenter: nil, processID: processID, processName: processName,
            purpose: [], path: [], role: .holder, since: .zero, message: nil,
            isStopped: isStopped, label: label)
    }
}

extension YieldSteps {
    /// The messages, in the order in which they are sent.
    var messages: [PresenterMessage] {
        (relinquish.contains(.reader) ? [.relinquishToReader] : [])
            + (relinquish.contains(.writer) ? [.relinquishToWriter] : [])
            + (save ? [.save] : [])
            + (accommodateDeletion ? [.accommodateDeletion] : [])
            + (accommodateSubitemDeletions.isEmpty ? [] : [.accommodateSubitemDeletion])
            + (accommodateEviction ? [.accommodateEviction] : [])
    }
}

extension Notice {
    /// The message by which the notice is sent.
    var message: PresenterMessage {
        switch self {
        case .itemDidChange: .didChange
        case .subitemDidAppear: .subitemDidAppear
        case .subitemDidChange: .subitemDidChange
        case .subitemDidMove: .subitemDidMove
        case .itemVersion: .didGain
        case .subitemVersion: .subitemDidGain
        case .ubiquityAttributes: .didChangeUbiquityAttributes
        }
    }
}
