// SPDX-License-Identifier: Apache-2.0
//
// Processes are stopped at random for 10 ms to 10 s: presenters, holders, waiters, servers. No
// access overlaps with a stopped holder, no call gets an error, and a call that does not wait for a
// stopped holder's own claim is delayed by the bounds of Rules 18.6 and 18.7a at most.

import FileCoordination
import Glibc

/// The proof `stops`.
///
/// `--presenter-bound` and `--server-bound` are seconds for each stop, `--usual-bound` for what is
/// left; `--waiters-are-waited-for` takes the line behind a stopped waiter for explained, for an
/// arbiter that does not skip stopped waiters.
struct Stops {
    private let options: Options
    private let field: Field

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
    }

    /// A process that is stopped now.
    private struct Stopped {
        var place: Int
        var process: pid_t
        var since: Instant
        var until: Instant
        var isServer: Bool
    }

    func run() throws -> Verdict {
        let files = options.number("files", 40)
        let size = options.number("processes", 16)
        try field.makeFiles(files)
        let group = try WorkerGroup(
            field, size: size, files: files, rate: options.number("rate", 20))
        Kernel.pause(milliseconds: 1000)
        let (total, serverStops) = stopAll(group)
        let patience = options.number("patience", 60.0) * Kernel.crowding
        let hanging = group.awaitProgress(seconds: patience)
        let end = group.end(seconds: hanging.isEmpty ? patience : 1)
        let history = History(field, group.lives, end: end.time)
        var verdict = Verdict()
        for name in hanging { verdict.blame("no progress: \(name)") }
        for name in end.hanging { verdict.blame("hanging: \(name)") }
        // The patience allows for several stopped holders in a row, of ten seconds each.
        history.check(
            patience: patience, slack: options.number("order-slack", 0.005),
            // A stopped server is deposed after a second, by a process that needs it (Rule 18.7a).
            serverStops: serverStops.map {
                Span(from: $0.from, to: min($0.to, $0.from + 1_500_000_000))
            }, emptyings: field.emptyings, into: &verdict)
        say(
            "\(size) processes on \(files) files, \(field.isEmbedded ? "embedded" : "daemon"): "
                + "\(total) stops, \(serverStops.count) of them of servers; "
                + "\(history.attempts.count { $0.entered != nil }) accesses; "
                + "the directory was emptied \(field.emptyings.count) times; \(Kernel.load)")
        let delays = StopDelays(
            history, serverStops,
            StopDelays.Bounds(
                usual: options.number("usual-bound", 1.0),
                presenter: options.number("presenter-bound", 2.0),
                server: options.number("server-bound", 1.0 + 0.5)),
            waitersCount: !options.has("waiters-are-waited-for"))
        for kind in StopDelays.Kind.allCases {
            say("not explained, \(kind.rawValue): \((delays.samples[kind] ?? Sample()).text)")
        }
        for fault in delays.faults { verdict.blame(fault) }
        return verdict
    }

    /// Stops at random, some at a time; returns how often, and when servers were stopped.
    private func stopAll(_ group: WorkerGroup) -> (total: Int, servers: [Span]) {
        var dice = Dice(options.seed, -4)
        let goal = options.number("stops", 1000)
        let longest = options.number("longest", 10.0)
        var total = 0
        var stopped: [Stopped] = []
        var servers: [Span] = []
        while total < goal || !stopped.isEmpty {
            Kernel.pause(milliseconds: 5)
            let now = Kernel.now
            for one in stopped where one.until <= now {
                kill(one.process, SIGCONT)
                let span = Span(from: one.since, to: Kernel.now)
                if one.place >= 0 { group.note(span, at: one.place) }
                if one.isServer { servers.append(span) }
            }
            stopped.removeAll { $0.until <= now }
            // A stopped process is the exception of Rule 18.14, and so is one of a stopped server.
            // So the directory goes when all run, and have had the time to find the next server.
            if stopped.isEmpty, total < goal, dice.once(in: options.number("empties-every", 200)) {
                if dice.once(in: 2), !field.isEmbedded, let arbiter = field.arbiter {
                    kill(arbiter, SIGKILL)
                }
                field.emptyRuntime()
                Kernel.pause(milliseconds: Int(500 * Kernel.crowding))
            }
            guard total < goal, stopped.count < options.number("at-once", 4), dice.once(in: 8)
            else { continue }
            // Now and then the server; mostly any process.
            let arbiter = dice.once(in: 4) ? field.arbiter : nil
            let place = arbiter.map { group.place(of: $0) ?? -1 } ?? dice.below(group.size)
            let process = place >= 0 ? group.process(at: place) : arbiter ?? 0
            guard process > 0, !stopped.contains(where: { $0.process == process }) else { continue }
            // As many short ones as long ones.
            let length = 0.01 * pow(longest / 0.01, Double(dice.below(1000)) / 999)
            let since = Kernel.now
            let isServer = arbiter != nil || field.isEmbedded && field.arbiter == process
            kill(process, SIGSTOP)
            total += 1
            stopped.append(
                Stopped(
                    place: place, process: process, since: since,
                    until: since + UInt64(length * 1e9), isServer: isServer))
        }
        return (total, servers.sorted { $0.from < $1.from })
    }
}
