// SPDX-License-Identifier: Apache-2.0
//
// The presenters of a command's items, as the server knows them after the command's wait: which of
// them may have refused, and which were passed over. The server's messages do not name them.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire

/// The presenters that a claim may have waited for.
struct ItemPresenters {
    private typealias Presenter = FileCoordinationWire.PresenterStatus

    private let all: [Presenter]

    /// Asks the server which presenters have something to do with the items at `paths`.
    ///
    /// There are none if it does not answer: this only completes a text.
    init(of paths: [NativePath]) {
        // An item that cannot be looked at has no presenter that can be named.
        let places = paths.compactMap { try? $0.place() }
        // Without a report, the text names no presenter.
        let report = try? StatusClient.ask(environment: CurrentProcess.environment)
        all = (report?.presenters ?? []).filter { presenter in
            guard presenter.processID != CurrentProcess.id,
                let own = presenter.path.flatMap({ ItemPath(bytes: $0) })
            else { return false }
            return places.contains { place in
                place == own || place.contains(own)
                    // Of the directories above, packages alone have presenters that are asked; one
                    // that cannot be examined is none.
                    || own.contains(place) && (try? Packages.isPackage(own.bytes)) == true
            }
        }
    }

    /// The presenter that has refused, if there is only one; otherwise what is known of it.
    var author: String {
        guard processes.count == 1, let only = all.first else { return "a presenter" }
        return "\(who(only)), which presents \(path(only)),"
    }

    /// Lines about the presenters one of which has refused, if there are several.
    var candidates: [String] {
        guard processes.count > 1 else { return [] }
        return lines(all) { "\(path($0)) is presented by \(who($0))" }
    }

    /// Lines about presenters of the processes that were waited for, without whose answer access
    /// was granted (Rules 18.3, 18.6).
    func passedOver(of processes: Set<Int32>) -> [String] {
        let silent = all.filter {
            processes.contains($0.processID) && ($0.isUnresponsive || $0.isStopped)
        }
        return lines(silent) { presenter in
            "\(who(presenter)), which presents \(path(presenter)), "
                + (presenter.isStopped ? "is stopped" : "did not answer")
                + ": what it has not saved is missing"
        }
    }

    private var processes: Set<Int32> { Set(all.map { $0.processID }) }

    private func lines(
        _ presenters: [Presenter], _ line: (Presenter) -> String
    ) -> [String] {
        let shown = presenters.prefix(UserText.partyLimit).map { "  " + line($0) }
        let rest = presenters.count - shown.count
        return shown + (rest > 0 ? ["  and \(rest) more: see \"filecoord status\""] : [])
    }

    private func who(_ presenter: Presenter) -> String {
        UserText.who(presenter.label, presenter.processName, presenter.processID)
    }

    private func path(_ presenter: Presenter) -> String {
        UserText.text(presenter.path ?? [])
    }
}
