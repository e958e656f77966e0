// SPDX-License-Identifier: Apache-2.0
//
// One deliberate fault, as `list.txt` tells it:
//
//     mutant 7
//     idea: A stopped waiter is not stepped over (Rule 18.6)
//     file: Sources/FileCoordinationArbiter/Stops.swift
//     tests: StoppedTests
//     before:
//     (lines of the file, as they are there; the first and the last may be pieces of lines)
//     after:
//     (what takes their place: the same, and the fault where `planted(7)` is true)
//     end
//
// So all mutants are built at once, and one build serves them all. What stands between two mutants
// is for people. A mutant that no test can find, because nothing is different outside, has a line
// `equivalent:` that says why; one that no test finds, for a reason, a line `survives:`. Neither is
// run.
//
// With a line `room: soak` it is not a test that must find it, but the soak program, with
// `room: worlds` the simulation of the server, and with `room: explorer` the ledger's explorer:
// then `tests:` is its command, and its verdict must be a violation.

import Foundation

/// A deliberate fault.
struct Mutant {
    let number: Int
    var idea = ""
    var file = ""
    /// The tests of which one must fail, as `swift test --filter` takes it; in the room of a
    /// program its command.
    var tests = ""
    /// Why no test can find it.
    var equivalent: String?
    /// Why no test finds it, although something is different.
    var survives: String?
    var before: [String] = []
    var after: [String] = []

    /// The package in which it is built and tested, if it is not that of its file.
    var chosenRoom: Room?

    /// The package in which it is built and tested.
    var room: Room {
        if let chosenRoom { return chosenRoom }
        if file.hasPrefix("Sources/FileCoordinationArbiter/") { return .arbiter }
        if file.hasPrefix("Sources/FileCoordinationLedger/") { return .ledger }
        return .whole
    }

    /// Whether it is built and run.
    var isTried: Bool { equivalent == nil && survives == nil }

    /// The directory of the module that it is in.
    var module: String { file.split(separator: "/").prefix(2).joined(separator: "/") }

    /// The file's text with the fault in it; nil unless the lines are there exactly once.
    func applied(to text: String) -> String? {
        let parts = text.components(separatedBy: before.joined(separator: "\n"))
        guard !before.isEmpty, parts.count == 2 else { return nil }
        return parts.joined(separator: after.joined(separator: "\n"))
    }
}

/// What is wrong with the list.
struct ListError: Error, CustomStringConvertible {
    let line: Int
    let reason: String

    var description: String { "list.txt, line \(line): \(reason)" }
}

extension Mutant {
    /// Every mutant of a list, in its order.
    static func list(_ text: String) throws(ListError) -> [Mutant] {
        enum Part { case between, head, before, after }
        var result: [Mutant] = []
        var part = Part.between
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            let number = index + 1
            switch (part, line) {
            case (.between, _):
                guard line.hasPrefix("mutant ") else { continue }
                guard let name = Int(line.dropFirst("mutant ".count)) else {
                    throw ListError(line: number, reason: "a mutant's name is a number")
                }
                if result.contains(where: { $0.number == name }) {
                    throw ListError(line: number, reason: "there are two mutants \(name)")
                }
                result.append(Mutant(number: name))
                part = .head
            case (.head, "before:"): part = .before
            case (.before, "after:"): part = .after
            case (.after, "end"):
                part = .between
                try result[result.count - 1].check(endingAt: number)
            case (.head, _): try result[result.count - 1].read(line, number)
            case (.before, _): result[result.count - 1].before.append(line)
            case (.after, _): result[result.count - 1].after.append(line)
            }
        }
        guard case .between = part else { throw ListError(line: 0, reason: "the last has no end") }
        return result
    }

    private mutating func read(_ line: String, _ number: Int) throws(ListError) {
        guard let colon = line.firstIndex(of: ":") else {
            throw ListError(line: number, reason: "neither a key nor `before:`")
        }
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        switch line[..<colon] {
        case "idea": idea = value
        case "file": file = value
        case "tests": tests = value
        case "room":
            guard let room = Room(rawValue: value) else {
                throw ListError(line: number, reason: "no such room: \(value)")
            }
            chosenRoom = room
        case "equivalent": equivalent = value
        case "survives": survives = value
        case let key: throw ListError(line: number, reason: "no such key: \(key)")
        }
    }

    private func check(endingAt line: Int) throws(ListError) {
        for (name, value) in [("idea", idea), ("file", file), ("tests", tests)]
        where value.isEmpty {
            throw ListError(line: line, reason: "mutant \(number) has no \(name)")
        }
        guard after.contains(where: { $0.contains("planted(\(number))") }) else {
            throw ListError(line: line, reason: "mutant \(number) has no switch")
        }
    }
}
