// SPDX-License-Identifier: Apache-2.0
//
// Status reports: which claims hold items and which wait (Rule 18.5). With thousands of claims a
// report takes a while, and other clients must not wait for it. So the server makes a part of it in
// each turn. Claims that end meanwhile are left out.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What has been found out about processes for one report.
struct ProcessFindings {
    /// The PID namespace of the reader.
    let namespace: UInt64
    /// Whether the processes that were checked are stopped.
    var stopped: [ClientID: Bool] = [:]
}

/// A report that is being made for a connection.
///
/// First the ledgers are read, for claims that clients have granted themselves. If the arbiter
/// learns of such a claim meanwhile, the report shows the arbiter's entry.
struct StatusWork {
    /// The next step of a report.
    enum Step {
        case readLedger(of: ClientID)
        case listClaims
        case claim(ClaimID)
        case unreported(UnreportedClaim)
        case listPresenters
        case presenter(PresenterID)
        case listDelegations
        case delegation(DelegationID)
        case send
    }

    let token: UInt64
    var text: StatusReportText
    var findings: ProcessFindings
    /// The unreported claims that the ledgers contained.
    var unreported: [UnreportedClaim] = []
    /// Whether a part is still to be sent.
    var hasMore = true
    /// Whether the next step can be performed now.
    var isOpen = true
    /// Whether the report is complete, though not necessarily sent.
    private(set) var isWhole = false
    private var steps: ArraySlice<Step>

    init(token: UInt64, clients: [ClientID], text: StatusReportText, findings: ProcessFindings) {
        self.findings = findings
        self.token = token
        self.text = text
        steps = (clients.map { .readLedger(of: $0) } + [.listClaims])[...]
    }

    /// Returns the next step.
    mutating func next() -> Step { steps.popFirst() ?? .send }

    /// Continues with the arbiter's claims and with those that were found in ledgers.
    mutating func list(claims: [ClaimID]) {
        unreported.sort { $0.snapshot.filedAt < $1.snapshot.filedAt }
        let (running, waiting) = (
            unreported.filter(\.isRunning), unreported.filter { !$0.isRunning }
        )
        steps = running.map { .unreported($0) }[...]
        steps += claims.map { .claim($0) }
        // While the server has the turn in a ticket queue, its members come after the arbiter's
        // claims.
        steps += waiting.map { .unreported($0) } + [.listPresenters]
    }

    /// Continues with the presenters, after all claims.
    mutating func list(presenters: [PresenterID]) {
        text.beginPresenters()
        steps = (presenters.map { .presenter($0) } + [.listDelegations])[...]
    }

    /// Continues with the delegations, after all presenters.
    mutating func list(delegations: [DelegationID]) {
        text.beginDelegations()
        steps = delegations.map { .delegation($0) }[...]
        isWhole = true
    }
}

/// All reports that clients have requested.
struct StatusReports {
    private var work: [StatusWork] = []
    private let startedAt = MonotonicClock.now

    /// How long this server has existed.
    var uptime: Duration { MonotonicClock.now - startedAt }

    var isEmpty: Bool { work.isEmpty }

    /// Whether the reports take as much memory as they may, until their clients have read them.
    var isFull: Bool {
        work.reduce(0) { $0 + $1.text.byteCount } > ServerLimits.statusReportBytesInAll
    }

    /// Whether a report is being made for a connection.
    func isMade(for token: UInt64) -> Bool { work.contains { $0.token == token } }

    /// Adds a report.
    mutating func begin(_ report: StatusWork) { work.append(report) }

    /// Whether a step of any report can be performed now.
    ///
    /// - Parameter takesMore: whether a connection can take more messages now.
    /// - Returns: false if all reports are made and wait for their connections.
    func hasWork(takesMore: (UInt64) -> Bool) -> Bool {
        work.contains { !$0.isWhole || takesMore($0.token) }
    }

    /// Removes and returns all reports, to make a part of each.
    mutating func takeAll() -> [StatusWork] {
        defer { work = [] }
        return work
    }

    /// Puts back the unfinished reports in the order of their requests, except that the first one
    /// goes last, so that each has its turn.
    mutating func putBack(_ open: [StatusWork]) {
        work = Array(open.dropFirst()) + open.prefix(1) + work
    }
}
