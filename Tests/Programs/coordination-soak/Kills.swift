// SPDX-License-Identifier: Apache-2.0
//
// Clients and arbiters are killed at random, or servers exit normally, while all clients work. The
// others may notice nothing but a pause, which is measured (Rules 18.7, 18.8).

import FileCoordination
import Glibc

/// The proofs `kills` and `exits`.
struct Kills {
    private let options: Options
    private let field: Field
    private let isByExit: Bool
    /// How long a process may wait, in seconds.
    private var patience: Double { options.number("patience", 10.0) * Kernel.crowding }

    init(_ options: Options, _ field: Field, byExit isByExit: Bool = false) {
        self.options = options
        self.field = field
        self.isByExit = isByExit
    }

    func run() throws -> Verdict {
        let files = options.number("files", 100)
        let size = options.number("processes", 32)
        let rate = options.number("rate", 20)
        try field.makeFiles(files)
        // An exit may delay others by 20 ms at p99, so accessors must be shorter than that.
        let group = try WorkerGroup(
            field, size: size, files: files, rate: rate, work: isByExit ? 2 : 20)
        let began = Kernel.now
        let (events, hanging) = isByExit ? try letServersExit(group) : try killAll(group)
        let end = group.end(seconds: hanging.isEmpty ? 3 * patience : 1)
        let seconds = Double(Kernel.now - began) / 1e9
        let history = History(field, group.lives, end: end.time)
        var verdict = Verdict()
        for name in hanging { verdict.blame("no progress: \(name)") }
        for name in end.hanging { verdict.blame("hanging: \(name)") }
        history.check(
            patience: patience, idle: options.number("idle-bound", 2.0) * Kernel.crowding,
            slack: options.number("order-slack", 0.005), emptyings: field.emptyings,
            demandsLines: !isByExit, into: &verdict)
        let granted = history.attempts.count { $0.entered != nil }
        say(
            "\(size) processes on \(files) files, \(field.isEmbedded ? "embedded" : "daemon"), "
                + "\(rate)/s each: \(granted) accesses in \(Int(seconds)) s; "
                + "\(group.lives.count { $0.killed != nil }) clients killed, "
                + "\(events.count) arbiters \(isByExit ? "exited" : "killed"), "
                + "the directory was emptied \(field.emptyings.count) times")
        say(Kernel.load)
        let times = isByExit ? history.lives.compactMap(\.exited).sorted() : events
        report(Pauses(history, times), &verdict)
        for report in SlowCalls.reports(in: field.directory) { say(report) }
        if let directory = options.text("histories") {
            try history.write(into: directory, arbiterDeaths: times)
        }
        return verdict
    }

    private func report(_ pauses: Pauses, _ verdict: inout Verdict) {
        say("pause of those who waited: \(pauses.waiting.text)")
        say("pause of those who called: \(pauses.calling.text)")
        say("pause of all:              \(pauses.all.text)")
        say("without any death, a call: \(pauses.usual.text)")
        for (pause, text) in pauses.longest where options.has("explain") {
            say("\(pause / 1_000_000) ms \(text)")
        }
        let bound = options.number("bound", isByExit ? 20.0 : 200.0)
        verdict.demand(
            pauses.all.quantile(0.99) < bound, "the pause is not under \(bound) ms at p99")
    }

    /// Kills clients, and now and then the arbiter; returns when arbiters were killed, and which
    /// workers got no access any more.
    ///
    /// A new arbiter repairs many faults of the last one: it reads all
    /// records, and wakes sleeping clients. So before every other death,
    /// and at the end, all clients must get access without a new arbiter.
    private func killAll(_ group: WorkerGroup) throws -> (deaths: [Instant], hanging: [String]) {
        var dice = Dice(options.seed, -1)
        let kills = options.number("kills", 10_000)
        let arbiters = options.number("arbiter-kills", 1000)
        let pause = options.number("pause", 40)
        let every = max(1, kills / max(1, arbiters))
        var events: [Instant] = []
        var killed = 0
        while killed < kills || events.count < arbiters {
            Kernel.pause(milliseconds: 1 + dice.below(2 * pause))
            let arbiter = field.arbiter
            let place = dice.below(group.size)
            // Without a daemon, one of the programs is the arbiter.
            if killed < kills, group.process(at: place) != arbiter {
                try group.replace(place)
                killed += 1
            }
            guard events.count < arbiters, killed >= kills || dice.once(in: every) else { continue }
            if dice.once(in: 2) {
                let hanging = group.awaitProgress(seconds: patience)
                guard hanging.isEmpty else { return (events, hanging) }
            }
            guard let arbiter = field.arbiter else { continue }
            // A logout empties the directory, and ends the daemon just before or after that.
            let empties = dice.below(emptiesEvery)
            if empties == 0 { field.emptyRuntime() }
            events.append(Kernel.now)
            if let place = group.place(of: arbiter) {
                try group.replace(place)
            } else {
                kill(arbiter, SIGKILL)
            }
            if empties == 1 { field.emptyRuntime() }
            if empties == 2 {
                // Without a death, somewhat later.
                Kernel.pause(milliseconds: dice.below(2 * pause))
                field.emptyRuntime()
            }
        }
        return (events, group.awaitProgress(seconds: patience))
    }

    /// Of so many deaths of arbiters, one comes with an emptied directory, in each of three ways.
    private var emptiesEvery: Int { max(3, options.number("empties-every", 20)) }

    /// Has the serving process exit, again and again.
    private func letServersExit(_ group: WorkerGroup) throws -> (
        exits: [Instant], hanging: [String]
    ) {
        var dice = Dice(options.seed, -2)
        var events: [Instant] = []
        let pause = options.number("pause", 150)
        // Each pause is to be that of one exit, so exits are this far apart.
        let apart = options.number("apart", 100)
        // Starting a program takes longer than a takeover, so it is started later.
        let restart = options.number("restart", 60)
        while events.count < options.number("exits", 1000) {
            let drawn = apart + dice.below(max(1, 2 * (pause - apart)))
            // On a busy machine, takeovers take longer, too. If each server exited before it had
            // taken over, a call could wait as long as that goes on.
            Kernel.pause(milliseconds: Int(Double(drawn) * Kernel.crowding))
            guard let arbiter = field.arbiter, let place = group.place(of: arbiter) else {
                continue
            }
            events.append(Kernel.now)
            try group.exit(place, milliseconds: restart)
        }
        return (events, group.awaitProgress(seconds: patience))
    }
}
