// SPDX-License-Identifier: Apache-2.0
//
// Reports of who holds and who waits (Rule 18.5). To make one takes a while where there are
// thousands of claims, and no other client is to wait for it: so each turn makes a bit of it. What
// ends meanwhile is left out.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// What a report has found out about processes so far.
struct ReportLooks {
    /// Where its reader has its number.
    let namespace: UInt64
    /// Whether processes are stopped that were looked at.
    var stopped: [ClientID: Bool] = [:]
}

/// A report that is being made for a connection.
///
/// First the ledgers are read, for claims that clients have granted themselves. One that the
/// arbiter is told of meanwhile is reported as one of the arbiter's.
struct StatusWork {
    /// The next bit of a report.
    enum Step {
        case readLedger(of: ClientID)
        case listClaims
        case claim(ClaimID)
        case unreported(UnreportedClaim)
        case listPresenters
        case presenter(PresenterID)
        case send
    }

    let token: UInt64
    var text: StatusReportText
    var looks: ReportLooks
    /// What the ledgers say that were read.
    var unreported: [UnreportedClaim] = []
    /// Whether something was not sent.
    var hasMore = true
    /// Whether it can go on at once.
    var isOpen = true
    /// Whether all is in it.
    private(set) var isWhole = false
    private var steps: ArraySlice<Step>

    init(token: UInt64, clients: [ClientID], text: StatusReportText, looks: ReportLooks) {
        self.looks = looks
        self.token = token
        self.text = text
        steps = (clients.map { .readLedger(of: $0) } + [.listClaims])[...]
    }

    /// The next step.
    mutating func next() -> Step { steps.popFirst() ?? .send }

    /// Goes on with these claims of the arbiter's, and with those that were found in ledgers.
    mutating func list(claims: [ClaimID]) {
        unreported.sort { $0.snapshot.filedAt < $1.snapshot.filedAt }
        let (running, waiting) = (
            unreported.filter(\.isRunning), unreported.filter { !$0.isRunning }
        )
        steps = running.map { .unreported($0) }[...]
        steps += claims.map { .claim($0) }
        // Members of a queue that is not open come after the arbiter's claims.
        steps += waiting.map { .unreported($0) } + [.listPresenters]
    }

    /// Goes on with presenters: there are no more claims.
    mutating func list(presenters: [PresenterID]) {
        text.beginPresenters()
        steps = presenters.map { .presenter($0) }[...]
        isWhole = true
    }
}

/// The reports that were asked for.
struct StatusReports {
    private var work: [StatusWork] = []
    private let startedAt = MonotonicClock.now

    /// For how long the server has been there.
    var uptime: UInt64 { MonotonicClock.now - startedAt }

    var isEmpty: Bool { work.isEmpty }

    /// Whether one is being made for a connection.
    func isMade(for token: UInt64) -> Bool { work.contains { $0.token == token } }

    /// Begins one.
    mutating func begin(_ report: StatusWork) { work.append(report) }

    /// Whether there is a report of which a bit can be made, or sent, now.
    ///
    /// - Parameter takesMore: whether what is sent on a connection does not have to wait.
    func hasWork(takesMore: (UInt64) -> Bool) -> Bool {
        work.contains { !$0.isWhole || takesMore($0.token) }
    }

    /// Takes out all of them, to make a bit of each.
    mutating func takeAll() -> [StatusWork] {
        defer { work = [] }
        return work
    }

    /// Puts back those that have more to say: in the order in which they were asked for, but the
    /// others go first the next time.
    mutating func putBack(_ open: [StatusWork]) {
        work = Array(open.dropFirst()) + open.prefix(1) + work
    }
}
