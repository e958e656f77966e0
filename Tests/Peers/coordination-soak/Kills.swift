// SPDX-License-Identifier: Apache-2.0
//
// Clients and arbiters are killed at random, or hosts exit normally, while everybody works. Nobody
// else is to notice anything but a pause, which is measured (Rules 18.7, 18.8).

import FileCoordination
import Glibc

/// The proofs `kills` and `exits`.
struct Kills {
    private let options: Options
    private let field: Field
    private let isByExit: Bool

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
        let troop = try Troop(field, size: size, files: files, rate: rate)
        let began = Kernel.now
        let events = isByExit ? try letHostsExit(troop) : try killAll(troop)
        // The last one's end is to be seen, too.
        Kernel.pause(milliseconds: 500)
        let end = troop.end()
        let seconds = Double(Kernel.now - began) / 1e9
        let history = History(field, troop.lives, end: end.time)
        var verdict = Verdict()
        for name in end.hanging { verdict.blame("hanging: \(name)") }
        history.check(
            patience: options.number("patience", 10.0),
            slack: options.number("order-slack", 0.05), into: &verdict)
        let granted = history.attempts.count { $0.entered != nil }
        say(
            "\(size) processes on \(files) files, \(field.isEmbedded ? "embedded" : "daemon"), "
                + "\(rate)/s each: \(granted) accesses in \(Int(seconds)) s; "
                + "\(troop.lives.count { $0.killed != nil }) clients killed, "
                + "\(events.count) arbiters \(isByExit ? "exited" : "killed")")
        let overtaken = Double(history.longestOvertaking) / 1e6
        say("order kept up to \(String(format: "%.2f", overtaken)) ms; \(Kernel.load)")
        let times = isByExit ? history.lives.compactMap(\.exited).sorted() : events
        report(Pauses(history, times), &verdict)
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

    /// Kills clients, and now and then the arbiter; returns when arbiters were killed.
    private func killAll(_ troop: Troop) throws -> [Instant] {
        var dice = Dice(options.seed, -1)
        let kills = options.number("kills", 10_000)
        let arbiters = options.number("arbiter-kills", 1000)
        let pause = options.number("pause", 40)
        let every = max(1, kills / max(1, arbiters))
        var events: [Instant] = []
        var killed = 0
        while killed < kills || events.count < arbiters {
            Kernel.pause(milliseconds: 1 + dice.below(2 * pause))
            if killed < kills {
                try troop.replace(dice.below(troop.size))
                killed += 1
            }
            guard events.count < arbiters, killed >= kills || dice.once(in: every) else { continue }
            guard let arbiter = field.arbiter else { continue }
            events.append(Kernel.now)
            if let place = troop.place(of: arbiter) {
                try troop.replace(place)
            } else {
                kill(arbiter, SIGKILL)
            }
        }
        return events
    }

    /// Has whoever hosts exit, again and again.
    private func letHostsExit(_ troop: Troop) throws -> [Instant] {
        var dice = Dice(options.seed, -2)
        var events: [Instant] = []
        let pause = options.number("pause", 150)
        // A pause is to be that of one exit: the next comes when the last is over.
        let apart = options.number("apart", 100)
        // To start a program takes a processor longer than to take over: not at the same time.
        let restart = options.number("restart", 60)
        while events.count < options.number("exits", 1000) {
            Kernel.pause(milliseconds: apart + dice.below(max(1, 2 * (pause - apart))))
            guard let arbiter = field.arbiter, let place = troop.place(of: arbiter) else {
                continue
            }
            events.append(Kernel.now)
            try troop.exit(place, milliseconds: restart)
        }
        return events
    }
}

/// How long the deaths of arbiters held others up.
struct Pauses {
    /// From the death to the access, for calls that waited at that time.
    private(set) var waiting = Sample()
    /// From the call to the access, for calls that were made before anybody was served again.
    private(set) var calling = Sample()
    /// From the call to the access, for all others.
    private(set) var usual = Sample()
    /// The longest ones, in words.
    private(set) var longest: [(pause: UInt64, text: String)] = []

    var all: Sample {
        var all = waiting
        for value in calling.values { all.add(value) }
        return all
    }

    init(_ history: History, _ deaths: [Instant]) {
        let calls = history.attempts.compactMap { attempt in
            attempt.entered.map { (called: attempt.called, entered: $0, attempt: attempt) }
        }.sorted { $0.called < $1.called }
        // The first access after each death that was asked for after it.
        var served: [Instant] = []
        var next = 0
        for death in deaths {
            while next < calls.count, calls[next].called <= death { next += 1 }
            served.append(calls[next...].prefix(500).map(\.entered).min() ?? .max)
        }
        for call in calls {
            // The last death before the access.
            let index = Self.lastIndex(deaths, before: call.entered)
            guard let index, served[index] >= call.called || deaths[index] >= call.called else {
                usual.add(call.entered - call.called)
                continue
            }
            let pause = call.entered - max(call.called, deaths[index])
            if call.called <= deaths[index] { waiting.add(pause) } else { calling.add(pause) }
            longest.append((pause, "after \(deaths[index]): \(history.name(call.attempt))"))
            longest.sort { $0.pause > $1.pause }
            longest = Array(longest.prefix(5))
        }
    }

    private static func lastIndex(_ times: [Instant], before limit: Instant) -> Int? {
        var low = 0
        var high = times.count
        while low < high {
            let middle = (low + high) / 2
            if times[middle] < limit { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}
