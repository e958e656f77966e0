// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status --watch`: shows the status again whenever something has changed. It subscribes
// to a recording, whose entries only say that it is time to ask: so nothing is asked while nothing
// happens, and watching changes nothing that it looks at (Rule 18.5).

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire
import Glibc

/// Shows the status for as long as the program runs.
struct StatusWatch {
    private let environment: [String: String]
    /// Set when the last report must be shown again.
    private let redraw: WakeUp
    /// What is shown of a report.
    private let part: (StatusReport) -> StatusReport
    /// Shows a report; nil means that there is no arbiter.
    private let show: (StatusReport?) throws -> Void

    /// The least time between two pictures, in nanoseconds.
    private static let pause: UInt64 = 250_000_000
    /// How often the durations of a picture are brought up to date while claims wait, in
    /// nanoseconds.
    private static let agingPause: UInt64 = 1_000_000_000

    /// How long it waits before it looks for the next server, in nanoseconds.
    private static let serverPause: UInt64 = 10_000_000

    /// Prepares to watch.
    ///
    /// - Parameters:
    ///   - environment: says where processes meet.
    ///   - redraw: a flag that is set when the last report must be shown again; nil if that never
    ///     happens.
    ///   - part: what is shown of a report.
    ///   - show: shows a report; nil means that there is no arbiter.
    /// - Throws: ``Failure`` if there are no descriptors left.
    init(
        environment: [String: String], redraw: WakeUp?,
        part: @escaping (StatusReport) -> StatusReport,
        show: @escaping (StatusReport?) throws -> Void
    ) throws(Failure) {
        (self.environment, self.part, self.show) = (environment, part, show)
        self.redraw = try StatusCommand.opening { try redraw ?? WakeUp() }
    }

    /// Shows the status until an error occurs, or the output is closed; a signal ends the program.
    ///
    /// - Parameter refreshesTimes: whether it is also shown again while claims only grow older.
    /// - Throws: the error that ends it.
    func run(refreshesTimes: Bool) throws -> Never {
        var isAbsent = false
        while true {
            if try follow(refreshesTimes) {
                isAbsent = false
                // Between two servers, nothing announces the next one.
                Pause.sleep(nanoseconds: Self.serverPause)
                continue
            }
            if !isAbsent { try show(nil) }
            isAbsent = true
            try awaitArbiter()
        }
    }

    /// Follows one server to its end.
    ///
    /// - Returns: false if there is none.
    private func follow(_ refreshesTimes: Bool) throws -> Bool {
        guard var client = try connect() else { return false }
        var (isAsking, hasNews) = (true, false)
        var last: (report: StatusReport, time: UInt64)?
        // An answer that changes nothing is not shown, and must not put off the next durations.
        var (answeredAt, shownAt): (UInt64, UInt64) = (0, 0)
        try? client.requestStatus()  // If it fails, `next` reports the loss.
        while true {
            let now = MonotonicClock.now
            var deadline = UInt64.max
            if hasNews, !isAsking {
                if now >= answeredAt + Self.pause {
                    (isAsking, hasNews) = (true, false)
                    try? client.requestStatus()  // If it fails, `next` reports the loss.
                } else {
                    deadline = answeredAt + Self.pause
                }
            }
            if refreshesTimes, let last, !last.report.claims.isEmpty {
                if now >= shownAt + Self.agingPause {
                    try show(last.report.grown(by: now - last.time))
                    shownAt = now
                }
                deadline = min(deadline, shownAt + Self.agingPause)
            }
            // Bytes that mean nothing come from a server that is not to be believed.
            let news: TraceClient.News?
            do { news = try client.next(until: deadline) } catch { return true }
            switch news {
            case .entries(let entries): hasNews = hasNews || entries.contains { $0.isOfStatus }
            case .status(let whole):
                (isAsking, answeredAt) = (false, MonotonicClock.now)
                let report = part(whole)
                if report.withoutTimes != last?.report.withoutTimes {
                    try show(report)
                    shownAt = answeredAt
                }
                last = (report, answeredAt)
            case .lost:
                if let refusal = client.refusal { throw Failure(.unavailable, refusal.text) }
                return true
            case .woken:
                guard let last else { break }
                shownAt = MonotonicClock.now
                try show(last.report.grown(by: shownAt - last.time))
            case nil: break
            }
        }
    }

    /// Connects to the server; returns nil if there is none.
    private func connect() throws -> TraceClient? {
        do {
            return try TraceClient(
                environment: environment, wakeUp: redraw, startsServer: false)
        } catch is StatusClient.TooOld {
            throw Failure(
                .unavailable,
                "the server is of an older version and tells no changes: leave out --watch, or "
                    + "end the programs that were started before the update")
        } catch {
            return nil
        }
    }

    /// Waits until there may be an arbiter: its socket has been made.
    private func awaitArbiter() throws(Failure) {
        try StatusCommand.opening {
            let runtime = try RuntimeDirectory.open(environment: environment)
            let (watch, poller) = (try DirectoryWatch(), try Poller())
            _ = try watch.add(runtime.directory, [.created, .movedTo, .itselfRemoved])
            try poller.add(watch.descriptor, token: 0, .readable)
            try poller.add(redraw.descriptor, token: 1, .readable)
            // One that came before the watch is seen now.
            let election = Election(runtime: runtime, daemon: nil)
            if try election.connectIfServed() != nil { return }
            var ready: [Poller.Ready] = []
            try poller.wait(into: &ready, until: nil)
            if redraw.drain() { try show(nil) }
        }
    }
}

extension TraceEntry {
    /// Whether the entry may have changed what a report shows.
    fileprivate var isOfStatus: Bool {
        switch event {
        case .began, .over: false
        case _: true
        }
    }
}

extension StatusReport {
    /// The same report some time later, in nanoseconds, when nothing else has changed.
    fileprivate func grown(by time: UInt64) -> StatusReport { changingTimes { $0 + time } }

    /// The same report without the durations, which grow while nothing changes.
    fileprivate var withoutTimes: StatusReport { changingTimes { _ in 0 } }

    private func changingTimes(_ change: (UInt64) -> UInt64) -> StatusReport {
        var report = self
        report.arbiter.uptimeNanoseconds = change(report.arbiter.uptimeNanoseconds)
        for index in report.claims.indices {
            report.claims[index].sinceNanoseconds = change(report.claims[index].sinceNanoseconds)
            for party in report.claims[index].waitsFor.indices {
                report.claims[index].waitsFor[party].sinceNanoseconds = change(
                    report.claims[index].waitsFor[party].sinceNanoseconds)
            }
        }
        return report
    }
}
