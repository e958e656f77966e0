// SPDX-License-Identifier: Apache-2.0
//
// Deliberate faults, in a copy of the checkout: each must make one of its tests fail, awake alone.
// A test suite that lets a fault through says nothing about the faults that were not planted.
//
//     swift run --package-path Mutants mutants [--only N,M,ROOM] [--from N] [--check]
//         [--scratch DIRECTORY] [--limit SECONDS]
//
// `--check` only looks whether every mutant's lines are still there, and whether every room has the
// modules that its targets import. The scratch directory is removed at the end unless it was named;
// one that is named is built upon the next time.

import Foundation

/// What was asked for on the command line.
struct Selection {
    /// Numbers, and names of rooms.
    var only: Set<String>?
    var from = 0
    var checksOnly = false
    var scratch: URL?
    /// After how many seconds tests are taken to hang.
    var limit = 300

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            if option == "--check" {
                checksOnly = true
                continue
            }
            guard let value = rest.popFirst() else { throw UsageError(text: option) }
            switch (option, Int(value)) {
            case ("--only", _): only = Set(value.split(separator: ",").map(String.init))
            case ("--scratch", _): scratch = URL(fileURLWithPath: value, isDirectory: true)
            case ("--from", let number?): from = number
            case ("--limit", let seconds?): limit = seconds
            default: throw UsageError(text: option)
            }
        }
    }

    func includes(_ mutant: Mutant) -> Bool {
        guard mutant.number >= from else { return false }
        guard let only else { return true }
        return only.contains("\(mutant.number)") || only.contains(mutant.room.rawValue)
    }
}

struct UsageError: Error, CustomStringConvertible {
    let text: String

    var description: String { "what does \(text) mean? The head of Mutants.swift says what to say" }
}

@main
enum Mutants {
    static func main() {
        do {
            exit(try run(Selection(Array(CommandLine.arguments.dropFirst()))) ? 0 : 1)
        } catch {
            say("mutants: \(error)")
            exit(2)
        }
    }

    /// Runs the mutants that were asked for; returns whether no test missed any.
    private static func run(_ selection: Selection) throws -> Bool {
        // Mutants/Sources/mutants/Mutants.swift
        let checkout = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let list = checkout.appendingPathComponent("Mutants/list.txt")
        let all = try Mutant.list(String(contentsOf: list, encoding: .utf8))
        let mutants = all.filter(selection.includes)
        let lost = try all.filter { mutant in
            let file = checkout.appendingPathComponent(mutant.file)
            return mutant.applied(to: try String(contentsOf: file, encoding: .utf8)) == nil
        }
        for mutant in lost { say("ERROR: \(NotApplicable(mutant: mutant))") }
        let missing =
            try Room.missingDependencies(in: checkout)
            + Room.missingSuites(of: all, in: checkout)
        for one in missing { say("ERROR: \(one)") }
        guard lost.isEmpty, missing.isEmpty, !selection.checksOnly else {
            say("\(all.count) mutants, of which \(lost.count) cannot be planted")
            return lost.isEmpty && missing.isEmpty
        }
        let scratch = Scratch(
            checkout: checkout,
            directory: selection.scratch
                ?? FileManager.default.temporaryDirectory
                .appendingPathComponent("mutants-\(ProcessInfo.processInfo.processIdentifier)"))
        defer {
            if selection.scratch == nil {
                try? FileManager.default.removeItem(at: scratch.directory)
            }
        }
        var verdicts: [Verdict] = []
        for room in Room.allCases {
            let some = mutants.filter { $0.room == room }
            if some.isEmpty { continue }
            try prepare(room, all.filter { $0.room == room }, scratch)
            try prove(room, some, scratch, selection)
            for mutant in some {
                let start = Date()
                verdicts.append(try judge(mutant, scratch, selection))
                let seconds = Int(Date().timeIntervalSince(start))
                say(
                    "\(mutant.number)\t\(mutant.idea)\t\(verdicts[verdicts.count - 1].text)"
                        + "\t\(seconds) s")
            }
        }
        return summarise(verdicts)
    }

    /// Builds a room with all of its mutants, asleep.
    private static func prepare(_ room: Room, _ mutants: [Mutant], _ scratch: Scratch) throws {
        try scratch.prepare(room, mutants.filter(\.isTried))
        let build = try scratch.build(room)
        guard build.isSuccess else { throw Unsound(what: "\(room) does not build", build) }
        say("\(room): built in \(Int(build.seconds)) s")
    }

    /// Has all tests that mutants are to fail pass while no mutant is awake.
    private static func prove(
        _ room: Room, _ mutants: [Mutant], _ scratch: Scratch, _ selection: Selection
    ) throws {
        if room.program != nil { return try provePlays(of: room, mutants, scratch, selection) }
        // All in one run: starting one takes longer than most tests.
        let filters = Set(mutants.filter(\.isTried).map(\.tests)).sorted()
        if filters.isEmpty { return }
        let filter = filters.map { "(\($0))" }.joined(separator: "|")
        let ending = try scratch.test(room, filter, limit: 10 * selection.limit)
        guard ending.isSuccess, TestOutput(ending.output).hasRun else {
            throw Unsound(what: "without a mutant, some test of \(room) fails", ending)
        }
        say("\(room): without a mutant all tests pass, in \(Int(ending.seconds)) s")
    }

    /// Has all commands of a room's program say OK while no mutant is awake.
    private static func provePlays(
        of room: Room, _ mutants: [Mutant], _ scratch: Scratch, _ selection: Selection
    ) throws {
        for command in Set(mutants.filter(\.isTried).map(\.tests)).sorted() {
            let ending = try scratch.play(command, in: room, limit: selection.limit)
            guard ending.isSuccess else {
                throw Unsound(what: "without a mutant, \(room) finds a fault: \(command)", ending)
            }
            say("\(room): without a mutant \(command) is OK, in \(Int(ending.seconds)) s")
        }
    }

    /// Wakes one mutant, looks who finds it, and puts it to sleep again.
    private static func judge(
        _ mutant: Mutant, _ scratch: Scratch, _ selection: Selection
    ) throws -> Verdict {
        if let reason = mutant.equivalent { return .equivalent(reason) }
        if let reason = mutant.survives { return .explained(reason) }
        try scratch.wake(mutant.number, in: mutant.room)
        defer { try? scratch.wake(0, in: mutant.room) }
        if mutant.room.program != nil {
            return Verdict(
                play: try scratch.play(mutant.tests, in: mutant.room, limit: selection.limit))
        }
        return Verdict(
            try scratch.test(mutant.room, mutant.tests, limit: selection.limit), of: mutant.tests)
    }

    /// Says the score.
    private static func summarise(_ verdicts: [Verdict]) -> Bool {
        var (caught, equivalent, explained, survived, broken) = (0, 0, 0, 0, 0)
        for verdict in verdicts {
            switch verdict {
            case .caught, .hung: caught += 1
            case .equivalent: equivalent += 1
            case .explained: explained += 1
            case .survived: survived += 1
            case .untried: broken += 1
            }
        }
        say(
            "\(verdicts.count) mutants: \(caught) caught, \(survived) survived, "
                + "\(explained) survive for a reason, \(equivalent) are equivalent, "
                + "\(broken) could not be tried")
        return survived == 0 && broken == 0
    }

    /// Line by line, so that a run that is ended early has told what it saw.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// What has to be put right before any mutant can be judged.
struct Unsound: Error, CustomStringConvertible {
    let what: String
    let ending: Ending

    init(what: String, _ ending: Ending) {
        self.what = what
        self.ending = ending
    }

    var description: String { "\(what):\n\(ending.output.suffix(2000))" }
}
