// SPDX-License-Identifier: Apache-2.0
//
// Writes a wait-for graph as JSON for programs. The names of the fields and their order must not
// change.

import FileCoordinationArbiter
import FileCoordinationWire

extension WaitGraph {
    /// The graph as one line.
    package var json: String {
        let waits = edges.map { edge -> JSONValue in
            .object([
                ("from", .text(nodes[edge.from].name)), ("to", .text(nodes[edge.to].name)),
                ("message", edge.label.isEmpty ? .null : .text(edge.label)),
            ])
        }
        return JSONValue.object([
            ("nodes", .list(nodes.map { Self.json($0) })), ("edges", .list(waits)),
        ]).description
    }

    private static func json(_ node: Node) -> JSONValue {
        var fields: StatusJSON.Fields = [("id", .text(node.name))]
        switch node.subject {
        case .claim(let claim):
            fields += [("kind", .text("claim")), ("claim", .integer(claim.claim))]
            fields += process(claim.processID, claim.processName, claim.label)
            fields += [
                ("state", .text("\(claim.stage)")),
                ("since", .seconds(claim.since)),
                ("stopped", .truth(claim.isStopped)),
                ("items", .list(claim.items.map { StatusJSON.item($0) })),
            ]
        case .presenter(let presenter):
            fields += [("kind", .text("presenter")), ("presenter", .integer(presenter.presenter))]
            fields += process(presenter.processID, presenter.processName, presenter.label)
            fields += [
                ("path", presenter.path.map { .path($0) } ?? .null),
                ("unresponsive", .truth(presenter.isUnresponsive)),
                ("stopped", .truth(presenter.isStopped)),
            ]
        case .party(let party):
            fields.append(("kind", .text("party")))
            if let presenter = party.presenter {
                fields.append(("presenter", .integer(presenter)))
            } else {
                fields.append(("claim", party.claim.map { .integer($0) } ?? .null))
            }
            fields += process(party.processID, party.processName, party.label)
            fields += [("path", .path(party.path)), ("stopped", .truth(party.isStopped))]
        case .others(let count):
            fields += [("kind", .text("others")), ("count", .integer(count))]
        }
        return .object(fields)
    }

    private static func process(
        _ number: Int32, _ name: String, _ label: String
    ) -> StatusJSON.Fields {
        StatusJSON.process(number, name, label) + StatusJSON.namespace(number)
    }
}
