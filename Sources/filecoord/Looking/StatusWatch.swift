// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status --watch`: shows the status again whenever something has changed. It requests a
// recording, and each entry makes it request the status again. So it requests nothing while nothing
// happens, and does not change what it watches (Rule 18.5).

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

    /// The shortest time between two pictures.
    private static let pause: Duration = .milliseconds(250)
    /// The time between two updates of the durations in a picture while claims wait.
    private static let agingPause: Duration = .seconds(1)

    /// The pause between two attempts to connect to the next server.
    private static let serverPause: Duration = .milliseconds(10)
    /// How long the command waits before it looks again for a runtime directory.
    private static let directoryPause = Duration.milliseconds(250)
    /// How long the command watches a directory before it looks whether that is still the right
    /// one.
    private static let watchedDirectoryPause = Duration.seconds(1)

    /// Prepares to watch.
    ///
    /// - Parameters:
    ///   - environment: the environment variables, which determine the runtime directory.
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
                // Without a ledger, this process is not woken when the next server starts.
                Pause.sleep(Self.serverPause)
                continue
            }
            if !isAbsent { try show(nil) }
            isAbsent = true
            try awaitServer()
        }
    }

    /// Follows one server to its end.
    ///
    /// - Returns: false if there is none.
    private func follow(_ refreshesTimes: Bool) throws -> Bool {
        guard var client = try connect() else { return false }
        var (isAsking, hasNews) = (true, false)
        var last: (report: StatusReport, time: Instant)?
        // An answer without changes is not shown, and must not delay the next update of durations.
        var (answeredAt, shownAt) = (Instant.distantPast, Instant.distantPast)
        try? client.requestStatus()  // If it fails, `next` reports the loss.
        while true {
            let now = MonotonicClock.now
            var deadline = Instant.distantFuture
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
            // A server that sends invalid messages is treated as lost.
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
        } catch let conflict as VersionConflict {
            throw Failure(.unavailable, "\(conflict)")
        } catch {
            return nil
        }
    }

    /// Waits until the socket of an arbiter exists.
    private func awaitServer() throws(Failure) {
        try StatusCommand.opening {
            let (watch, poller) = (try DirectoryWatch(), try Poller())
            try poller.add(redraw.descriptor, token: 1, .readable)
            // The watch does not tell that a directory is made, or made anew under its path.
            var pause = Self.directoryPause
            let place = try RuntimePlace(variable: { environment[$0] })
            if let runtime = try place.look() {
                _ = try watch.add(runtime.directory, [.created, .movedTo, .itselfRemoved])
                try poller.add(watch.descriptor, token: 0, .readable)
                // A socket that was created before the watch began causes no event.
                let election = Election(runtime: runtime, daemon: nil)
                if try election.connectIfServed() != nil { return }
                pause = Self.watchedDirectoryPause
            }
            var ready: [Poller.Ready] = []
            try poller.wait(into: &ready, until: MonotonicClock.after(pause))
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
    /// The same report with all durations longer by `time`.
    fileprivate func grown(by time: Duration) -> StatusReport { changingTimes { $0 + time } }

    /// The same report with all durations set to zero, for comparison.
    fileprivate var withoutTimes: StatusReport { changingTimes { _ in .zero } }

    private func changingTimes(_ change: (Duration) -> Duration) -> StatusReport {
        var report = self
        report.arbiter.uptime = change(report.arbiter.uptime)
        for index in report.claims.indices {
            report.claims[index].since = change(report.claims[index].since)
            for party in report.claims[index].waitsFor.indices {
                report.claims[index].waitsFor[party].since = change(
                    report.claims[index].waitsFor[party].since)
            }
        }
        return report
    }
}
