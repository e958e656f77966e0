// SPDX-License-Identifier: Apache-2.0
//
// What `filecoord status` says of delegations: in the table of a file, and in one line for all
// other files of a process, because a process may have a thousand of them.

import FileCoordinationClient
import FileCoordinationWire

/// One line for each process that may use files without asking the server.
struct DelegationSummary {
    private struct Counts {
        var files = 0
        var directories = 0
    }

    /// The processes, as people see them, in the order of their first delegations.
    private var order: [String] = []
    private var counts: [String: Counts] = [:]

    init(_ delegations: [DelegationStatus]) {
        for delegation in delegations {
            let who = UserText.who(
                delegation.label, delegation.processName, delegation.processID)
            if counts[who] == nil { order.append(who) }
            switch delegation.kind {
            case .directory: counts[who, default: Counts()].directories += 1
            case .reading, .writing, .queue: counts[who, default: Counts()].files += 1
            }
        }
    }

    /// The lines; of many processes, the first ones and a count.
    var lines: [String] {
        let limit = StatusTable.rowLimit
        let more = order.count - limit
        return order.prefix(limit).map { who in
            "\(who) may use \(text(counts[who] ?? Counts())) without asking; status PATH names them"
        } + (more > 0 ? ["and \(more) more processes"] : [])
    }

    private func text(_ counts: Counts) -> String {
        var parts: [String] = []
        if counts.files > 0 { parts.append(Self.text(counts.files, "file", "files")) }
        if counts.directories > 0 {
            parts.append("all in " + Self.text(counts.directories, "directory", "directories"))
        }
        return parts.joined(separator: " and ")
    }

    private static func text(_ count: Int, _ one: String, _ several: String) -> String {
        "\(count) \(count == 1 ? one : several)"
    }
}

extension DelegationKind {
    /// What a process may do, in the table of a file.
    var text: String {
        switch self {
        case .reading: "reading"
        case .writing: "writing"
        case .directory: "writing inside"
        case .queue: "writing in turn"
        }
    }
}
