// SPDX-License-Identifier: Apache-2.0
//
// A counter that many processes increment, while they are killed, stopped and forked. Inside each
// accessor a line (value, process, sequence) goes into a journal, in one write, then the counter
// is replaced.
//
// A process that is killed between the two leaves a line without its increment. The next one finds
// the journal one ahead of the counter, and replaces the counter first; its own line says so. So
// the journal is the count: line number n is value n, without a gap, and no value is there twice.
// The counter may be behind by one only where the line's writer is known to have been killed.

import FileCoordination
import Glibc

/// A line of the counter's journal: 32 bytes, which no page boundary divides.
struct CounterLine {
    static let length = 32

    var value: Int
    var process: pid_t
    var sequence: Int
    /// Whether the counter was found behind the journal.
    var hasRepaired: Bool

    var bytes: [UInt8] {
        let text = "\(value) \(process) \(sequence) \(hasRepaired ? 1 : 0)"
        var bytes = Array(text.utf8)
        bytes += [UInt8](repeating: 0x20, count: Self.length - 1 - bytes.count)
        return bytes + [0x0A]
    }

    init(value: Int, process: pid_t, sequence: Int, hasRepaired: Bool) {
        self.value = value
        self.process = process
        self.sequence = sequence
        self.hasRepaired = hasRepaired
    }

    init?(_ line: Data.SubSequence) {
        var numbers: [Int] = []
        for field in line.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }) {
            var number = 0
            for byte in field {
                guard (0x30...0x39).contains(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            numbers.append(number)
        }
        guard numbers.count == 4 else { return nil }
        self.init(
            value: numbers[0], process: pid_t(numbers[1]), sequence: numbers[2],
            hasRepaired: numbers[3] == 1)
    }
}

/// A process that counts.
struct CounterWorker {
    private let directory: String
    private let goal: Int
    private let forksEvery: Int

    init(_ options: Options) {
        directory = options.given("directory")
        goal = options.number("goal", 0)
        forksEvery = options.number("forks-every", 0)
    }

    /// Counts until the goal is reached.
    func run() -> Never {
        let url = URL(fileURLWithPath: directory + "/files/counter", isDirectory: false)
        let journal = open(directory + "/files/journal", O_RDWR | O_APPEND | O_CLOEXEC)
        let counter = open(url.path, O_RDWR | O_CLOEXEC)
        let process = getpid()
        var sequence = 0
        var isDone = false
        while !isDone {
            var failure: NSError?
            var hasRun = false
            NSFileCoordinator().coordinate(writingItemAt: url, error: &failure) { _ in
                hasRun = true
                let value = increment(journal, counter, sequence)
                isDone = value >= goal
            }
            // A forked child has returned from the accessor, which must not end the parent's claim.
            if getpid() != process { _exit(0) }
            if !hasRun {
                say("error: \(failure.map { "\($0)" } ?? "no accessor, and no error")")
                exit(1)
            }
            sequence += 1
            while waitpid(-1, nil, WNOHANG) > 0 {}
        }
        exit(0)
    }

    /// Appends a line, and then replaces the counter; returns the counter's new value.
    private func increment(_ journal: Int32, _ counter: Int32, _ sequence: Int) -> Int {
        let lines = Int(lseek(journal, 0, SEEK_END)) / CounterLine.length
        guard lines < goal else { return lines }
        let found = Self.read(counter)
        if forksEvery > 0, sequence % forksEvery == forksEvery - 1, Kernel.fork() == 0 {
            // Half of the children return from the accessor, and half live longer than it.
            if sequence / forksEvery % 2 == 0 { return goal }
            Kernel.pause(milliseconds: 20)
            _exit(0)
        }
        let isBehind = found == lines - 1
        if isBehind { Self.write(lines, to: counter) }
        let line = CounterLine(
            value: lines + 1, process: getpid(), sequence: sequence,
            // Any other value of the counter is a lost update, and must show in the journal.
            hasRepaired: found != lines)
        let bytes = line.bytes
        guard Glibc.write(journal, bytes, bytes.count) == bytes.count else { return 0 }
        guard isBehind || found == lines else {
            say("error: the counter was \(found), the journal had \(lines) lines")
            exit(1)
        }
        Self.write(lines + 1, to: counter)
        return lines + 1
    }

    static func read(_ counter: Int32) -> Int {
        var value: UInt64 = 0
        _ = pread(counter, &value, 8, 0)
        return Int(value)
    }

    private static func write(_ value: Int, to counter: Int32) {
        var value = UInt64(value)
        _ = pwrite(counter, &value, 8, 0)
    }
}

/// The proof `counter`.
struct CounterProof {
    private let options: Options
    private let field: Field

    init(_ options: Options, _ field: Field) {
        self.options = options
        self.field = field
    }

    func run() throws -> Verdict {
        let goal = options.number("count", 1_000_000)
        for name in ["counter", "journal"] {
            close(open(field.directory + "/files/" + name, O_RDWR | O_CREAT, 0o600))
        }
        let began = Kernel.now
        var verdict = Verdict()
        var killed: Set<pid_t> = []
        let stops = try disturb(goal, &killed, &verdict)
        let seconds = Double(Kernel.now - began) / 1e9
        let repaired = check(goal, killed, &verdict)
        say(
            "\(goal) increments in \(Int(seconds)) s (\(Int(Double(goal) / seconds))/s), "
                + "\(field.isEmbedded ? "embedded" : "daemon"); \(killed.count) kills, \(stops) "
                + "stops, \(repaired) counters left behind by a kill; \(Kernel.load)")
        return verdict
    }

    /// Kills and stops at random until all is counted; returns how often it stopped a process.
    private func disturb(
        _ goal: Int, _ killed: inout Set<pid_t>, _ verdict: inout Verdict
    ) throws -> Int {
        var dice = Dice(options.seed, -3)
        var running: [pid_t] = []
        let pause = options.number("pause", 40)
        let settings = [
            "directory": field.directory, "goal": "\(goal)",
            "forks-every": "\(options.number("forks-every", 500))",
        ]
        for _ in 0..<options.number("processes", 8) {
            running.append(try field.start("count", settings))
        }
        var stops = 0
        // Since when all is counted.
        var counted: Instant?
        while !running.isEmpty {
            Kernel.pause(milliseconds: 1 + dice.below(2 * pause))
            running.removeAll { process in
                var status: Int32 = 0
                guard waitpid(process, &status, WNOHANG) == process else { return false }
                verdict.demand(status == 0, "a process ended with \(status)")
                return true
            }
            guard !running.isEmpty else { break }
            if dice.once(in: 20), !isCounting(to: goal) { break }
            if lines >= goal {
                let now = Kernel.now
                let since = counted ?? now
                counted = since
                if Double(now - since) / 1e9 > patience {
                    verdict.blame("all is counted, and \(running.count) processes still wait")
                    return stops
                }
            }
            let victim = dice.below(running.count)
            if dice.once(in: 2), lines < goal {
                _ = field.kill(running[victim])
                killed.insert(running[victim])
                running[victim] = try field.start("count", settings)
            } else {
                kill(running[victim], SIGSTOP)
                Kernel.pause(milliseconds: 1 + dice.below(20))
                kill(running[victim], SIGCONT)
                stops += 1
            }
        }
        verdict.demand(lines >= goal, "no process counts any more: \(lines) of \(goal)")
        return stops
    }

    /// Lets all processes count undisturbed for a while; returns whether they do.
    ///
    /// The death of a process can repair what was wrong: perhaps it was the arbiter.
    private func isCounting(to goal: Int) -> Bool {
        let end = min(goal, lines + 20)
        return Kernel.until(seconds: patience) { lines >= end }
    }

    /// How long a process may wait, in seconds.
    private var patience: Double { options.number("patience", 20.0) * Kernel.crowding }

    private var lines: Int {
        var status = stat()
        stat(field.directory + "/files/journal", &status)
        return Int(status.st_size) / CounterLine.length
    }

    /// Looks at the journal; returns how often a counter was behind.
    private func check(_ goal: Int, _ killed: Set<pid_t>, _ verdict: inout Verdict) -> Int {
        let path = field.directory + "/files/journal"
        let data = FileManager.default.contents(atPath: path) ?? Data()
        verdict.demand(
            data.count == goal * CounterLine.length, "the journal has \(data.count) bytes")
        var sequences: [pid_t: Int] = [:]
        var former: CounterLine?
        var repaired = 0
        for number in 0..<(data.count / CounterLine.length) {
            let start = number * CounterLine.length
            guard let line = CounterLine(data[start..<(start + CounterLine.length)]) else {
                verdict.blame("line \(number + 1) cannot be read")
                continue
            }
            verdict.demand(
                line.value == number + 1, "line \(number + 1) has value \(line.value)")
            // A process number that was given again begins anew.
            let expected = sequences[line.process] ?? 0
            verdict.demand(
                line.sequence == expected || line.sequence == 0 && killed.contains(line.process),
                "line \(number + 1) is number \(line.sequence) of its process, not \(expected)")
            sequences[line.process] = line.sequence + 1
            if line.hasRepaired {
                repaired += 1
                verdict.demand(
                    former.map { killed.contains($0.process) } ?? false,
                    "line \(number + 1) repaired the counter of one who was not killed")
            }
            former = line
        }
        let counter = open(field.directory + "/files/counter", O_RDONLY)
        defer { close(counter) }
        let value = CounterWorker.read(counter)
        let mayBeBehind = former.map { killed.contains($0.process) } ?? false
        verdict.demand(
            value == goal || mayBeBehind && value == goal - 1, "the counter is \(value)")
        return repaired
    }
}
