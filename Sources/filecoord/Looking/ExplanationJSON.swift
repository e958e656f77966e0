// SPDX-License-Identifier: Apache-2.0
//
// Writes an explanation as JSON for programs. The names of the fields and their order must not
// change.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationTracing
import FileCoordinationWire

/// An explanation as JSON.
struct ExplanationJSON {
    private let explanation: Explanation

    /// The JSON of an explanation.
    init(_ explanation: Explanation) { self.explanation = explanation }

    /// The explanation as one line.
    var text: String { value.description }

    /// The explanation as an object.
    var value: JSONValue {
        let facts = explanation.facts
        let report = explanation.report
        return JSONValue.object([
            ("path", .path(facts.path.bytes)),
            ("kind", facts.kind.map { .text($0.name) } ?? .null),
            ("package", facts.package.map { .path($0.bytes) } ?? .null),
            ("hardLinks", .integer(facts.linkCount)),
            ("otherPlaces", .list(facts.otherPlaces.map { .path($0) })),
            ("arbiter", report.map { .process($0.arbiter.processID) } ?? .null),
            ("accesses", .list(explanation.outcomes.map { access($0.action, $0.outcome) })),
            ("presenters", .list(explanation.presenters.compactMap { presenter($0) })),
            ("chain", .list((explanation.chain?.steps ?? []).map { step($0) })),
            ("advice", .list(ExplanationText.sentences(explanation.remedies).map { .text($0) })),
        ])
    }

    private func access(_ action: FileAction, _ outcome: WhatIf.Outcome) -> JSONValue {
        let claims = explanation.report?.claims ?? []
        return .object([
            ("access", .text(action.rawValue)),
            ("immediate", .truth(outcome.isImmediate)),
            ("waitsFor", .list(outcome.blockers.map { .integer(claims[$0].claim) })),
            ("asks", .list(outcome.requests.map { presenter($0.presenter, $0.steps.messages) })),
            ("passesOver", .list(outcome.passedOver.map { number($0) })),
            (
                "tells",
                .list(outcome.news.map { presenter($0.presenter, $0.notices.map(\.message)) })
            ),
        ])
    }

    private func number(_ index: Int) -> JSONValue {
        explanation.report.map { .integer($0.presenters[index].presenter) } ?? .null
    }

    private func presenter(_ index: Int, _ messages: [PresenterMessage]) -> JSONValue {
        .object([
            ("presenter", number(index)),
            ("messages", .list(messages.map { .text($0.rawValue) })),
        ])
    }

    private func presenter(_ index: Int) -> JSONValue? {
        guard let presenter = explanation.report?.presenters[index] else { return nil }
        let process = StatusJSON.process(
            presenter.processID, presenter.processName, presenter.label)
        return .object(
            [("id", number(index))] + process + [
                ("path", presenter.path.map { .path($0) } ?? .null),
                ("relation", .text(explanation.relation(of: presenter).rawValue)),
                ("unresponsive", .truth(presenter.isUnresponsive)),
                ("stopped", .truth(presenter.isStopped)),
            ])
    }

    private func step(_ step: WaitChain.Step) -> JSONValue {
        let party = step.party
        let head: StatusJSON.Fields = [
            ("depth", .integer(step.depth)),
            ("link", .text(step.link.rawValue)),
            ("claim", party.claim.map { .integer($0) } ?? .null),
            ("presenter", party.presenter.map { .integer($0) } ?? .null),
        ]
        let process = StatusJSON.process(party.processID, party.processName, party.label)
        return .object(
            head + process + [
                ("path", .path(party.path)),
                ("role", .text("\(party.role)")),
                ("message", party.message.map { .text($0) } ?? .null),
                ("stopped", .truth(party.isStopped)),
                ("end", .text(step.end.rawValue)),
            ])
    }
}

extension FileStatus.Kind {
    /// The word for it in output.
    fileprivate var name: String {
        switch self {
        case .regular: "file"
        case .directory: "directory"
        case .symbolicLink: "link"
        case .socket: "socket"
        case .other: "other"
        }
    }
}
