// SPDX-License-Identifier: Apache-2.0
//
// Proofs with real processes: each subcommand starts copies of this program on a field of its own,
// does to them what a machine does to programs (kills, stops, exits), and then judges what they
// have written down. The last line is the verdict; the exit status is 0 only if nothing was wrong.
//
//     coordination-soak kills   --seed 7 --kills 10000 --arbiter-kills 1000 --serving daemon
//     coordination-soak exits   --exits 1000
//     coordination-soak counter --count 1000000
//     coordination-soak stops   --stops 1000
//     coordination-soak async   --waits 10000
//     coordination-soak cycles  --count 1000000
//     coordination-soak rights  --documents 2000
//     coordination-soak flood   --files 100000
//     coordination-soak changes --operations 1000000
//     coordination-soak saves   --seconds 60
//     coordination-soak edits   --count 100000
//     coordination-soak tokens  --count 200000 --directory /mnt

import FileCoordination

@main
enum Soak {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        let words = Array(CommandLine.arguments.dropFirst())
        guard let name = words.first, let options = Options(words.dropFirst()) else {
            return usage()
        }
        switch name {
        // What is proved.
        case "kills": run(options) { try Kills(options, $0).run() }
        case "exits": run(options) { try Kills(options, $0, byExit: true).run() }
        case "counter": run(options) { try CounterProof(options, $0).run() }
        case "stops": run(options) { try Stops(options, $0).run() }
        case "cycles": run(options) { try Cycles(options, $0).run() }
        case "rights": run(options) { try RightsProof(options, $0).run() }
        case "flood": run(options) { try PlainFlood(options, $0).run() }
        case "changes": run(options) { try ChangesProof(options, $0).run() }
        case "saves": run(options) { try SavesProof(options, $0).run() }
        case "edits": run(options) { try EditsProof(options, $0).run() }
        case "tokens":
            run(options) { field in
                var proof = TokensProof(options, field)
                return try proof.run()
            }
        case "async": await AsyncWaits.run(options)
        // What is started for it.
        case "worker": Worker(options).run()
        case "count": CounterWorker(options).run()
        case "claim": CycleWorker(options).run()
        case "rights-worker": RightsWorker(options).run()
        case "flood-presenter": FloodPresenter.run(options)
        case "flood-writer": FloodWriter.run(options)
        case "changes-writer":
            var writer = ChangeWriter(options)
            writer.run()
        case "saves-client": SavesClient.run(options)
        case "saves-writer": SavesWriter.run(options)
        case "edits-writer":
            var writer = EditsWriter(options)
            writer.run()
        case "edits-editor": EditsEditor.run(options)
        case "hold": AsyncWaits.hold(options)
        case "tour": FailpointRun(options).run()
        case _: usage()
        }
    }

    /// Runs one proof on a field of its own, and leaves nothing of it behind.
    private static func run(_ options: Options, _ proof: (Field) throws -> Verdict) {
        do {
            let field = try Field(options)
            field.clearOnSignal()
            say(options.text("seed").map { "seed \($0)" } ?? "seed \(options.seed)")
            let verdict = Result { try proof(field) }
            field.clear(keeping: options.has("keep"))
            try verdict.get().finish()
        } catch {
            say("FAILED: \(error)")
            exit(2)
        }
    }

    private static func usage() {
        say("coordination-soak PROOF [--seed N] [--OPTION VALUE]")
        say("proofs: kills exits counter stops async cycles rights flood changes saves edits")
        say("        tokens")
        exit(64)
    }
}

/// What a proof has found.
struct Verdict {
    private(set) var violations: [String] = []
    private(set) var count = 0

    /// Notes something that must not be.
    mutating func blame(_ text: @autoclosure () -> String) {
        count += 1
        if violations.count < 12 { violations.append(String(text().prefix(600))) }
    }

    /// Asks for something that must be.
    mutating func demand(_ isSo: Bool, _ text: @autoclosure () -> String) {
        if !isSo { blame(text()) }
    }

    /// Says the last word.
    func finish() {
        for violation in violations { say("violation: \(violation)") }
        say(count == 0 ? "OK: no violation" : "FAILED: \(count) violations")
        exit(count == 0 ? 0 : 1)
    }
}
