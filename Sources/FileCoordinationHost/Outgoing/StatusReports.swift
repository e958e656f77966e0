// SPDX-License-Identifier: Apache-2.0
//
// Reports of who holds and who waits (Rule 18.5). To make one takes a while where there are
// thousands of claims, and no other client is to wait for it: so each turn makes a bit of it. What
// ends meanwhile is left out.

import FileCoordinationArbiter
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
struct StatusWork {
    let token: UInt64
    /// What is not in it yet.
    var claims: ArraySlice<ClaimID>
    var presenters: ArraySlice<PresenterID>
    var text: StatusReportText
    var looks: ReportLooks
    /// Whether something was not sent.
    var hasMore = true
    /// Whether it can go on at once.
    var isOpen = true
    private var hasPresenters = false

    init(
        token: UInt64, claims: ArraySlice<ClaimID>, presenters: ArraySlice<PresenterID>,
        text: StatusReportText, looks: ReportLooks
    ) {
        self.looks = looks
        self.token = token
        self.claims = claims
        self.presenters = presenters
        self.text = text
    }

    /// Whether all is in it.
    var isWhole: Bool { claims.isEmpty && presenters.isEmpty }

    /// There are no more claims.
    mutating func beginPresenters() {
        if !hasPresenters { text.beginPresenters() }
        hasPresenters = true
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
