// SPDX-License-Identifier: Apache-2.0
//
// A cycle of waits in sentences: who waits for what, and who has it. The server lists the members
// in order; each waits for the next, and the last one for the first.

package import FileCoordinationWire

/// A claim or presenter in a cycle of waits, in words that can be shown.
package struct CycleMember {
    /// A number of the process, different from those of processes in other namespaces.
    let processID: Int32
    /// Whether it is a claim or presenter of this process.
    let isOwn: Bool
    /// The process, as it is shown.
    let who: String
    let path: String
    let role: PartyRole
    /// How long it has held its item or waited for it.
    let time: String
    /// The message that the presenter has not answered.
    let message: String?

    /// Creates a member.
    package init(
        processID: Int32, isOwn: Bool, who: String, path: String, role: PartyRole, time: String,
        message: String?
    ) {
        self.processID = processID
        self.isOwn = isOwn
        self.who = who
        self.path = path
        self.role = role
        self.time = time
        self.message = message
    }
}

/// A cycle of waits.
package struct CycleText {
    private let members: [CycleMember]

    /// Creates the text of a cycle; each member waits for the next.
    package init(_ members: [CycleMember]) { self.members = members }

    /// What has happened, before the ``sentences``.
    package static let reason =
        "Access would never be granted, because each waits for the next in a cycle:"

    /// A sentence for each wait.
    ///
    /// A process does not end an access in which it makes another one, so that wait needs none.
    package var sentences: [String] {
        members.indices.compactMap { sentence($0) }
    }

    /// What a program can do about it.
    ///
    /// One call for all items does not help where a presenter cannot answer.
    package var advice: String {
        let cure =
            if members.contains(where: { $0.role == .presenter }) {
                "Have the presenter answer before it waits for another access, or wait on another "
                    + "queue than its own; make its accesses with its purpose "
                    + "(NSFileCoordinator(filePresenter:)), and give it a serial queue on which "
                    + "nothing else waits."
            } else if !members.isEmpty, members.allSatisfy({ $0.isOwn }) {
                "Make the inner call with the coordinator of the outer one or with its purpose, or "
                    + "make one call for all items."
            } else {
                "Make one call for all items instead."
            }
        return "Nothing was read or written. \(cure)"
    }

    private func sentence(_ index: Int) -> String? {
        let member = members[index]
        let next = members[(index + 1) % members.count]
        let isOfOneProcess = next.processID == member.processID
        switch member.role {
        case .waiter: return waits(member, for: next)
        case .holder:
            return isOfOneProcess ? nil : "\(start(member)) goes on only after \(name(next))."
        case .presenter:
            return isOfOneProcess
                ? "\(start(member)) does not answer before its own access is granted."
                : "\(start(member)) answers only after \(name(next))."
        }
    }

    private func waits(_ member: CycleMember, for next: CycleMember) -> String {
        let isOfOneProcess = next.processID == member.processID
        let other = isOfOneProcess ? "another access of its own" : name(next)
        let what = next.path == member.path ? "it" : next.path
        let start = "\(start(member)) waits for \(member.path)"
        return switch next.role {
        case .holder: "\(start), because \(other) has held \(what) for \(next.time)."
        case .waiter: "\(start), because \(other) is before it in the queue for \(what)."
        case .presenter:
            "\(start) until \(isOfOneProcess ? "its own presenter" : name(next)), which presents "
                + "\(what), answers \(next.message ?? "what it was asked")."
        }
    }

    private func name(_ member: CycleMember) -> String {
        member.isOwn ? "this program (pid \(member.processID))" : member.who
    }

    private func start(_ member: CycleMember) -> String {
        member.isOwn ? "This program (pid \(member.processID))" : member.who
    }
}
