// SPDX-License-Identifier: Apache-2.0
//
// What `filecoord explain` has to say of one item, before it is put into words.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// What is found at a path, by looking.
struct ItemFacts {
    /// Where the arbiter has the item.
    var path: ItemPath
    /// What is there; nil: nothing.
    var kind: FileStatus.Kind?
    /// Where a link leads, as it is written.
    var linkTarget: [UInt8]?
    /// How many components lead to each package that is or contains the item, outermost first.
    var packageDepths: [Int] = []
    /// How many hard links a file has.
    var linkCount: UInt64 = 1
    /// Other paths by which the item is reached, because a directory is mounted there too.
    var otherPlaces: [[UInt8]] = []

    /// The outermost package that is or contains the item (Rule 1.12).
    var package: ItemPath? { packageDepths.first.map { path.prefix(depth: $0) } }

    /// An item of a claim on it.
    func item(_ access: Access) -> AccessItem {
        AccessItem(
            path: path, access: access, isDirectory: kind == .directory,
            packageDepths: packageDepths)
    }
}

extension ItemFacts {
    /// Reads what is at a path.
    static func read(at path: ItemPath, _ packages: PackagePolicy) -> ItemFacts {
        let place = PlaceResolver.facts(of: path, policy: packages)
        // What cannot be looked at is as good as absent (Rule 1.1).
        let status = try? FileStatus(path: path.bytes, followLinks: false)
        return ItemFacts(
            path: path, kind: status?.kind,
            linkTarget: status?.kind == .symbolicLink ? RealPath.target(ofLink: path.bytes) : nil,
            packageDepths: place.packageDepths,
            linkCount: status?.kind == .regular ? status?.linkCount ?? 1 : 1,
            otherPlaces: OtherPlaces.current.places(of: path.bytes))
    }
}

/// What people do with files.
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
}

/// All that is to be explained of an item.
struct Explanation {
    /// Where a presenter's item is, seen from the item that is explained.
    enum Relation: String {
        case item, above, inside
        /// Beside it in the same package, or nowhere near.
        case beside
    }

    /// What is at the path.
    let facts: ItemFacts
    /// What the arbiter knows; nil: there is none.
    let report: StatusReport?
    /// What would happen to each action; nothing where there is no arbiter.
    let outcomes: [(action: FileAction, outcome: WhatIf.Outcome)]
    /// The chain behind all that any of the actions would wait for.
    let chain: WaitChain?

    /// Finds out what would happen.
    init(_ facts: ItemFacts, _ report: StatusReport?) {
        self.facts = facts
        self.report = report
        guard let report else {
            (outcomes, chain) = ([], nil)
            return
        }
        let whatIf = WhatIf(report)
        outcomes = FileAction.allCases.map { ($0, whatIf.outcome(of: facts.item($0.access))) }
        let blockers = Set(outcomes.flatMap(\.outcome.blockers)).sorted()
        let asked = Set(outcomes.flatMap { $0.outcome.requests.map(\.presenter) }).sorted()
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

    /// What the user can do about waits, the best first; each only once.
    enum Remedy: Hashable {
        /// Its process is stopped: continue it.
        case proceed(Party)
        /// It is part of a circle of waits, which ends with the wait of this claim; `isCertain` is
        /// false if an access or a presenter in the circle may not wait for its process's other
        /// accesses.
        case breakCircle(Party, claim: UInt64?, isCertain: Bool)
        /// It has to answer, and may have a question itself.
        case answer(Party, presenter: UInt64)
        /// It holds the item: wait, or end it.
        case await(Party)
    }

    /// What the user can do; nothing if no action would wait.
    var remedies: [Remedy] {
        var stopped: [Remedy] = []
        var circles: [Remedy] = []
        var others: [Remedy] = []
        func add(_ remedy: Remedy, to list: inout [Remedy]) {
            if !list.contains(remedy) { list.append(remedy) }
        }
        for (index, step) in (chain?.steps ?? []).enumerated() {
            if step.party.isStopped { add(.proceed(step.party.identity), to: &stopped) }
            switch step.end {
            case .circle:
                let circle = chain?.circle(closedBy: index) ?? []
                let waiter = circle.last { $0.party.role == .waiter }
                add(
                    .breakCircle(
                        step.party.identity, claim: waiter?.party.claim,
                        isCertain: !circle.contains { $0.link == .alongside }),
                    to: &circles)
            case .last where step.party.isStopped: break
            case .last where step.party.role == .presenter:
                guard let presenter = step.party.presenter else { break }
                add(.answer(step.party.identity, presenter: presenter), to: &others)
            case .last where step.party.role == .holder:
                add(.await(step.party.identity), to: &others)
            case .last, .open, .shown: break
            }
        }
        return stopped + circles + others
    }
}

extension Party {
    /// The process alone, so that it is named once.
    fileprivate var identity: Party {
        Party(
            claim: nil, presenter: nil, processID: processID, processName: processName,
            purpose: [], path: [], role: .holder, sinceNanoseconds: 0, message: nil,
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
    }
}

extension Notice {
    /// The message that it is sent as.
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
