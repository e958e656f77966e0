// SPDX-License-Identifier: Apache-2.0
//
// Writes status reports as JSON for programs. The names of the fields and their order must not
// change.

package import FileCoordinationArbiter
package import FileCoordinationWire

/// Writes status reports as JSON.
package enum StatusJSON {
    /// Fields of an object, in order.
    package typealias Fields = [(name: String, value: JSONValue)]

    /// The report as one line; nil means that there is no arbiter.
    package static func text(_ report: StatusReport?) -> String { value(report).description }

    /// The report as an object; nil means that there is no arbiter.
    package static func value(_ report: StatusReport?) -> JSONValue {
        .object([
            ("arbiter", report.map { arbiter($0.arbiter) } ?? .null),
            ("claims", .list((report?.claims ?? []).map { claim($0) })),
            ("presenters", .list((report?.presenters ?? []).map { presenter($0) })),
            ("delegations", .list((report?.delegations ?? []).map { delegation($0) })),
        ])
    }

    private static func arbiter(_ arbiter: ServerStatus) -> JSONValue {
        .object(
            [
                ("pid", .process(arbiter.processID)),
                ("kind", .text("\(arbiter.kind)")),
                ("uptime", .seconds(arbiter.uptime)),
                ("protocol", .integer(arbiter.protocolVersion)),
            ] + namespace(arbiter.processID))
    }

    private static func claim(_ claim: FileCoordinationWire.ClaimStatus) -> JSONValue {
        .object(
            [("id", .integer(claim.claim))]
                + process(claim.processID, claim.processName, claim.label) + [
                    ("purpose", .path(claim.purpose)),
                    ("state", .text("\(claim.stage)")),
                    ("since", .seconds(claim.since)),
                    ("stopped", .truth(claim.isStopped)),
                    ("items", .list(claim.items.map { item($0) })),
                    ("waitsFor", .list(claim.waitsFor.map { party($0) })),
                    ("waitsForCount", .integer(claim.waitsForCount)),
                ] + namespace(claim.processID))
    }

    /// Another field for a process whose ID is valid in another process namespace than the
    /// reader's.
    package static func namespace(_ number: Int32) -> Fields {
        ProcessNumber.isOfAnotherNamespace(number) ? [("pidNamespace", .text("other"))] : []
    }

    /// A process, with the label that users see, or else the name of the program.
    package static func process(_ number: Int32, _ name: String, _ label: String) -> Fields {
        [
            ("pid", .process(number)), ("process", .text(name)),
            ("label", .text(label.isEmpty ? name : label)),
        ]
    }

    static func item(_ item: AccessItem) -> JSONValue {
        .object([
            ("path", .path(item.path.bytes)),
            ("access", .text(item.access.isWriting ? "writing" : "reading")),
            ("options", .list(item.access.optionNames.map { .text($0) })),
        ])
    }

    private static func party(_ party: Party) -> JSONValue {
        let process =
            process(party.processID, party.processName, party.label) + namespace(party.processID)
        if let presenter = party.presenter {
            let message = party.message.map { JSONValue.text($0) } ?? .null
            return .object(
                [("presenter", .integer(presenter))] + process + [("message", message)])
        }
        return .object([("claim", party.claim.map { .integer($0) } ?? .null)] + process)
    }

    private static func presenter(_ presenter: FileCoordinationWire.PresenterStatus) -> JSONValue {
        .object(
            [("id", .integer(presenter.presenter))]
                + process(presenter.processID, presenter.processName, presenter.label) + [
                    ("path", presenter.path.map { .path($0) } ?? .null),
                    ("unresponsive", .truth(presenter.isUnresponsive)),
                    ("stopped", .truth(presenter.isStopped)),
                    ("watching", .text(presenter.watching.name)),
                ] + namespace(presenter.processID))
    }
}

extension StatusJSON {
    private static func delegation(_ delegation: DelegationStatus) -> JSONValue {
        .object(
            process(delegation.processID, delegation.processName, delegation.label)
                + [("path", .path(delegation.path)), ("kind", .text("\(delegation.kind)"))]
                + namespace(delegation.processID))
    }
}

extension PresenterWatching {
    /// The name in JSON.
    fileprivate var name: String {
        switch self {
        case .notified: "notified"
        case .limited: "limit"
        case .forbidden: "permission"
        case .remote: "remote"
        case .silent: "silent"
        case .unwatched: "unwatched"
        case .stuck: "stuck"
        }
    }

    /// The remark in the table, or nil if the kernel reports changes normally.
    package var remark: String? {
        switch self {
        case .notified: nil
        case .limited: "changes are polled: the user's limit of watches is reached"
        case .forbidden: "changes are polled: something may not be read"
        case .remote: "changes are polled: the file system does not notify of all"
        case .silent: "changes are polled: the kernel does not notify"
        case .unwatched: "changes are not found: the server could not begin to look for them"
        case .stuck: "changes are not found: a file system does not answer"
        }
    }
}

extension Access {
    /// The names of the options in Swift.
    package var optionNames: [String] {
        switch self {
        // Most have none, and a recorder asks for each access.
        case .reading([]), .writing([]): []
        case .reading(let options):
            ReadingOptions.named.filter { options.contains($0.option) }.map(\.name)
        case .writing(let options):
            WritingOptions.named.filter { options.contains($0.option) }.map(\.name)
        }
    }
}
