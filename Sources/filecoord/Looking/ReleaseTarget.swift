// SPDX-License-Identifier: Apache-2.0
//
// Finds what `filecoord release NUMBER` refers to in a status report: a claim, a presenter, or the
// claims and presenters of a process. Process IDs are smaller than the numbers of claims and
// presenters.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationTracing
import FileCoordinationWire

/// A claim or a presenter that may be released.
struct ReleaseTarget {
    /// What the arbiter is asked to dismiss.
    let party: DismissedParty
    let processID: Int32
    let processName: String
    let label: String
    /// The item, or the first of several; nil for a presenter without one.
    let path: [UInt8]?
    /// Whether it is a claim that runs.
    let isRunning: Bool
    let isStopped: Bool
    let since: Duration

    // MARK: Finding

    /// Returns the claims and presenters with this number, or of this process.
    ///
    /// Only presenters whose answers are awaited are included.
    static func all(_ number: UInt64, in report: StatusReport) -> [ReleaseTarget] {
        let process = process(number, in: report)
        let claims = report.claims.filter {
            $0.claim == number || $0.processID == process
        }
        let parties = report.claims.flatMap(\.waitsFor)
        let asked = Set(parties.compactMap(\.presenter))
        // The report contains only the beginning of a long list. Then the arbiter decides whether
        // the presenter's answer is awaited.
        let isCut = report.claims.contains { $0.waitsForCount > $0.waitsFor.count }
        let presenters = report.presenters.filter {
            ($0.presenter == number || $0.processID == process)
                && (isCut || asked.contains($0.presenter))
        }
        return claims.map { ReleaseTarget($0) } + presenters.map { ReleaseTarget($0) }
    }

    /// Returns the process with this number: one in this PID namespace, or else one in another.
    private static func process(_ number: UInt64, in report: StatusReport) -> Int32? {
        guard let own = Int32(exactly: number), own > 0 else { return nil }
        let all = Set(report.claims.map(\.processID) + report.presenters.map(\.processID))
        return [own, ProcessNumber.inAnotherNamespace(own)].first { all.contains($0) }
    }

    /// The failure if nothing can be released, with the reason.
    static func absence(of number: UInt64, in report: StatusReport) -> Failure {
        let process = process(number, in: report)
        let presents = report.presenters.contains {
            $0.presenter == number || $0.processID == process
        }
        return Failure(
            .badPath,
            presents
                ? "\(number) presents, and no program waits for its answer: there is nothing to "
                    + "release"
                : "there is no process, claim or presenter \(number) here: see \"filecoord status\""
        )
    }

    private init(_ claim: FileCoordinationWire.ClaimStatus) {
        party = .claim(claim.claim)
        (processID, processName) = (claim.processID, claim.processName)
        label = claim.label
        path = claim.items.first?.path.bytes
        isRunning = claim.stage == .granted
        (isStopped, since) = (claim.isStopped, claim.since)
    }

    private init(_ presenter: FileCoordinationWire.PresenterStatus) {
        party = .presenter(presenter.presenter)
        (processID, processName) = (presenter.processID, presenter.processName)
        label = presenter.label
        path = presenter.path
        isRunning = false
        (isStopped, since) = (presenter.isStopped, .zero)
    }

    // MARK: Saying

    private var who: String { UserText.who(label, processName, processID) }
    private var item: String { path.map { UserText.text($0) } ?? "nothing" }

    /// What would be released.
    var proposal: String {
        switch party {
        case .claim:
            "\(who) has waited for \(item) for \(DurationText.text(since))"
        case .presenter: "\(who) presents \(item) and has not answered"
        }
    }

    /// The result of the release, as a sentence for the user.
    func sentence(_ outcome: DismissalOutcome) -> String {
        switch outcome {
        case .ended: "\(who) waits for \(item) no longer"
        case .passedOver: "no program waits any longer for \(who), which presents \(item)"
        case .running: "\(who) was granted \(item) meanwhile"
        case .notAsked: "no program waits for \(who), which presents \(item)"
        case .gone: "\(who) has ended its access to \(item) meanwhile"
        case .unreachable:
            "\(who) is not connected to the server just now, and waits for \(item): try again"
        }
    }

    /// What can be done about a claim that runs.
    var adviceOnRunning: [String] {
        let isElsewhere = ProcessNumber.isOfAnotherNamespace(processID)
        let number = ProcessNumber.plain(processID)
        let place = isElsewhere ? " in its own container or namespace" : ""
        let end =
            isStopped
            ? "Its process is stopped. Continue it: kill -CONT \(number); or end it: kill -KILL "
                + "\(number)\(place)"
            : "Wait until it has finished, or end its process: kill \(number)\(place)"
        return [
            "\(who) has access to \(item) and was left alone: it would go on beside the next one.",
            "\(end). What it holds is then free at once.",
        ]
    }

    /// The outcome as JSON.
    func json(_ outcome: DismissalOutcome) -> String {
        let number: (name: String, value: JSONValue) =
            switch party {
            case .claim(let number): ("claim", .integer(number))
            case .presenter(let number): ("presenter", .integer(number))
            }
        let process = StatusJSON.process(processID, processName, label)
        return JSONValue.object(
            [number] + process + [
                ("path", path.map { .path($0) } ?? .null), ("outcome", .text("\(outcome)")),
            ]
        ).description
    }
}
