// SPDX-License-Identifier: Apache-2.0
//
// Writes an explanation as sentences for the user.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire

/// The text of an explanation.
struct ExplanationText {
    private let explanation: Explanation
    private let runtimeDirectory: String

    /// The sentences of an explanation by an arbiter in that directory.
    init(_ explanation: Explanation, runtimeDirectory: String) {
        self.explanation = explanation
        self.runtimeDirectory = runtimeDirectory
    }

    /// The lines.
    var lines: [String] {
        itemLines + [""] + waitLines + section(presenterLines)
            + section(chainLines) + section(remedyLines)
    }

    private func section(_ lines: [String]) -> [String] { lines.isEmpty ? [] : [""] + lines }

    // MARK: The item

    private var itemLines: [String] {
        let facts = explanation.facts
        var lines = ["\(UserText.text(facts.path.bytes)) \(kind)."]
        if let package = facts.package {
            lines.append(
                package == facts.path
                    ? "It is a package: it and all that is inside are waited for as one file."
                    : "It is inside the package \(UserText.text(package.bytes)): all that is "
                        + "inside of that is waited for as one file.")
        }
        if facts.linkCount > 1 {
            lines.append(
                "The file has \(facts.linkCount) names (hard links): an access by another of them "
                    + "is not held back, and holds back nothing here.")
        }
        for place in facts.otherPlaces.prefix(Self.limit) {
            lines.append(
                "It is also at \(UserText.text(place)), where its directory is mounted: an "
                    + "access by that path is not held back, and holds back nothing here.")
        }
        return lines + more(facts.otherPlaces.count, "places")
    }

    private var kind: String {
        switch explanation.facts.kind {
        case nil: return "does not exist"
        case .regular: return "is a file"
        case .directory: return "is a directory"
        case .socket: return "is a socket"
        case .other: return "is a pipe or a device"
        case .symbolicLink:
            let target = explanation.facts.linkTarget.map { " to \(UserText.text($0))" } ?? ""
            return "is a link\(target); what follows is about the link itself"
        }
    }

    // MARK: What would wait

    /// The most claims or presenters of one kind that are listed.
    private static let limit = 8

    private func more(_ count: Int, _ what: String) -> [String] {
        count > Self.limit ? ["  and \(count - Self.limit) more \(what)"] : []
    }

    private var waitLines: [String] {
        guard let report = explanation.report else {
            return [
                "Nothing would wait: there is no server in \(runtimeDirectory), so no program "
                    + "coordinates files just now."
            ]
        }
        return grouped(explanation.outcomes).flatMap { actions, outcome in
            lines(Self.subject(actions), outcome, report)
        }
            + grouped(explanation.coveringOutcomes).flatMap { actions, outcome in
                lines(
                    Self.subject(actions) + " with all that is inside (--recursive)", outcome,
                    report)
            }
    }

    /// The actions that would wait for the same, together.
    private func grouped(
        _ outcomes: [(action: FileAction, outcome: WhatIf.Outcome)]
    ) -> [(actions: [FileAction], outcome: WhatIf.Outcome)] {
        var groups: [(actions: [FileAction], outcome: WhatIf.Outcome)] = []
        for (action, outcome) in outcomes {
            let index = groups.firstIndex { $0.outcome.isWaitingLike(outcome) }
            if let index {
                groups[index].actions.append(action)
            } else {
                groups.append(([action], outcome))
            }
        }
        return groups
    }

    /// "A read, a write or a move".
    static func subject(_ actions: [FileAction]) -> String {
        let words = actions.map { "a \($0.rawValue)" }
        let text = UserText.list(words, "or")
        return "A" + text.dropFirst()
    }

    private func lines(
        _ subject: String, _ outcome: WhatIf.Outcome, _ report: StatusReport
    ) -> [String] {
        var lines: [String] = []
        if outcome.isImmediate {
            lines.append("\(subject) would be granted at once.")
        } else if outcome.blockers.isEmpty {
            lines.append("\(subject) would wait for no other access, but first ask:")
        } else {
            lines.append("\(subject) would wait:")
            lines += outcome.blockers.prefix(Self.limit).map { index in
                "  \(blocker(report.claims[index]))"
            }
            lines += more(outcome.blockers.count, "accesses")
            if !outcome.requests.isEmpty { lines.append("  and then ask:") }
        }
        let indentation = outcome.blockers.isEmpty ? "  " : "    "
        lines += outcome.requests.prefix(Self.limit).map { request in
            indentation + question(request, report)
        }
        lines += more(outcome.requests.count, "presenters")
        for index in outcome.passedOver.prefix(Self.limit) {
            lines.append(
                "  \(who(report.presenters[index])) would not be waited for: it has not answered "
                    + "before, for longer than answers take.")
        }
        return lines
    }

    private func blocker(_ claim: FileCoordinationWire.ClaimStatus) -> String {
        let item = claim.items.first { isNear($0.path) } ?? claim.items.first
        let path = item.map { UserText.text($0.path.bytes) } ?? "no item"
        let who = UserText.who(claim.label, claim.processName, claim.processID)
        let action = item.map { $0.access.isWriting ? "writing" : "reading" } ?? "access"
        let since = DurationText.text(claim.since)
        let state =
            switch claim.stage {
            case .granted: "has held \(path) for \(action) for \(since)"
            case .asking: "is before it, and asks presenters of \(path) to make way for \(action)"
            case .waiting:
                "is before it in the queue for \(path), for \(action), and has waited for \(since)"
            }
        return "\(who) \(state)\(claim.isStopped ? "; its process is stopped" : "")"
    }

    private func isNear(_ path: ItemPath) -> Bool {
        let center = explanation.facts.package ?? explanation.facts.path
        return path.contains(center) || center.contains(path)
    }

    private func question(_ request: WhatIf.Request, _ report: StatusReport) -> String {
        let presenter = report.presenters[request.presenter]
        let tasks = request.steps.messages.map { message in
            let task =
                switch message {
                case .relinquishToReader: "let a reader have it"
                case .relinquishToWriter: "let a writer have it"
                case .save: "save its changes"
                case .accommodateDeletion: "prepare for the deletion"
                case .accommodateEviction: "do without the contents"
                case _: "prepare for the deletion of what is inside"
                }
            return "\(task) (\(message.rawValue))"
        }
        let fetching =
            request.steps.provideContents.isEmpty
            ? [] : ["bring the contents here, if they are not"]
        let limit = DurationText.text(Limits.stoppedPresenter)
        let stopped =
            presenter.isStopped
            ? "; its process is stopped, and it is waited for \(limit) at most" : ""
        return "\(who(presenter)) to \(UserText.list(tasks + fetching, "and"))\(stopped)"
    }

    private func who(_ presenter: FileCoordinationWire.PresenterStatus) -> String {
        UserText.who(presenter.label, presenter.processName, presenter.processID)
    }

    // MARK: Presenters

    private var presenterLines: [String] {
        guard let report = explanation.report else { return [] }
        let all = explanation.presenters
        guard !all.isEmpty else {
            return ["No presenter presents it, and none would be told of a change."]
        }
        return all.prefix(Self.limit).map { line(report.presenters[$0], $0) }
            + more(all.count, "presenters")
    }

    private func line(
        _ presenter: FileCoordinationWire.PresenterStatus, _ index: Int
    ) -> String {
        let path = presenter.path.map { UserText.text($0) } ?? "nothing"
        let item =
            switch explanation.relation(of: presenter) {
            case .item: "it"
            case .above: "\(path), which contains it,"
            case .inside: "\(path), which is inside,"
            case .beside: "\(path)"
            }
        var text = "\(who(presenter)) presents \(item)"
        let told = explanation.outcomes.first { action, _ in action == .write }?.outcome.news
            .first { $0.presenter == index }
        if let told {
            let names = told.notices.map(\.message.rawValue)
            text += " and would be told of a change (\(names.joined(separator: ", ")))"
        }
        if text.hasSuffix(",") { text.removeLast() }
        if presenter.isStopped { text += "; its process is stopped" }
        if presenter.isUnresponsive { text += "; it does not answer" }
        if let remark = presenter.watching.remark { text += "; \(remark)" }
        return text + "."
    }

    // MARK: The chain

    private var chainLines: [String] {
        // The text above has named the claims and presenters that are waited for directly.
        guard let chain = explanation.chain,
            chain.steps.contains(where: { $0.depth > 0 && $0.end != .shown || $0.claim == nil })
        else { return [] }
        let steps = chain.steps.filter { $0.depth > 0 || $0.end != .shown }
        return ["The wait, to its end:"] + steps.map { line($0) }
            + (chain.isCut ? ["  … and more: see \"filecoord status --json\""] : [])
    }

    private func line(_ step: WaitChain.Step) -> String {
        let party = step.party
        let who = UserText.who(party.label, party.processName, party.processID)
        let path = UserText.text(party.path)
        let link =
            switch step.link {
            case .waited: ""
            case .inside: "inside that access: "
            case .alongside: "its process also waits: "
            }
        let state =
            switch party.role {
            case .holder: "holds \(path)"
            case .waiter: step.end == .open ? "waits for \(path), because:" : "waits for \(path)"
            case .presenter:
                "presents \(path), and has not answered \(party.message ?? "a message")"
            }
        let end =
            switch step.end {
            case .open, .last: ""
            case .cycle: ": here the cycle closes, see above"
            case .shown: ": see above"
            }
        let stopped = party.isStopped ? "; its process is stopped" : ""
        let indentation = String(repeating: "  ", count: step.depth + 1)
        return "\(indentation)\(link)\(who) \(state)\(end)\(stopped)"
    }

    // MARK: What can be done

    private var remedyLines: [String] {
        let lines = Self.sentences(explanation.remedies)
        return lines.isEmpty
            ? [] : ["What you can do:"] + lines.prefix(Self.limit).map { "  \($0)" }
    }

    /// What the user can do, a sentence for each.
    static func sentences(_ remedies: [Explanation.Remedy]) -> [String] {
        remedies.map { remedy in
            switch remedy {
            case .proceed(let party):
                let advice =
                    ProcessNumber.isOfAnotherNamespace(party.processID)
                    ? "continue it from within its container"
                    : "continue it: kill -CONT \(party.processID)"
                return "\(who(party)) is stopped; \(advice)"
            case .breakCycle(let party, let claim, let isCertain):
                let cycle =
                    isCertain
                    ? "is part of a cycle, which does not end by itself"
                    : "may be part of a cycle, which would not end by itself"
                let advice = claim.map { ", or one wait: \(release($0))" } ?? ""
                return "\(who(party)) \(cycle): end one of its programs\(advice)"
            case .answer(let party, let presenter):
                return "\(who(party)) has to answer: it may be busy, or ask you something itself; "
                    + "to go on without its answer: \(release(presenter))"
            case .await(let party):
                let start = "\(who(party)) holds what is waited for: "
                let wait = "wait until it is done; if it is ended, its access ends with it"
                guard isHold(party) else { return start + wait }
                let starter = ProcessStarter.text(of: party.processID) ?? "another program"
                return start + "it lasts until its input ends, and \(starter) has started it; if "
                    + "that waits for another \"filecoord hold\", the cycle is not found: end one "
                    + "of the holds"
            }
        }
    }

    /// Whether a claim is that of `filecoord hold` without a label, in this PID namespace.
    private static func isHold(_ party: Party) -> Bool {
        party.label == "filecoord hold" && !ProcessNumber.isOfAnotherNamespace(party.processID)
    }

    /// The command that ends one wait.
    private static func release(_ number: UInt64) -> String { "filecoord release \(number)" }

    private static func who(_ party: Party) -> String {
        UserText.who(party.label, party.processName, party.processID)
    }
}
