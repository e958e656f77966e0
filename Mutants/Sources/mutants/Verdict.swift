// SPDX-License-Identifier: Apache-2.0
//
// The result of one mutant, read from the output of the tests.

import Foundation

/// The result of one mutant.
enum Verdict {
    /// A test failed; the first one that did.
    case caught(by: String)
    /// The tests did not end in time; the one that was running.
    case hung(in: String)
    /// Every test passed.
    case survived
    /// Nothing can show it, for this reason.
    case equivalent(String)
    /// No test passes judgement on it, for this reason.
    case explained(String)
    /// Nothing can be said of it.
    case untried(String)

    /// One column of the table.
    var text: String {
        switch self {
        case .caught(let test): "caught by \(test)"
        case .hung(let test): "caught: hangs in \(test)"
        case .survived: "SURVIVED"
        case .equivalent(let reason): "equivalent: \(reason)"
        case .explained(let reason): "survives: \(reason)"
        case .untried(let reason): "ERROR: \(reason)"
        }
    }
}

extension Verdict {
    /// What a run of tests says of a mutant.
    init(_ run: Ending, of filter: String) {
        let said = TestOutput(run.output)
        if run.isSuccess {
            self = said.hasRun ? .survived : .untried("no test matches the filter")
        } else if run.isTimedOut {
            self = .hung(in: said.failed ?? said.started ?? filter)
        } else {
            // Several tests may run at the same time, so the last one that began need not be the
            // one that failed.
            let crash = said.crash.map { "a crash: \($0)" }
            self = .caught(by: said.failed ?? crash ?? "a crash in \(said.started ?? "?")")
        }
    }
}

extension Verdict {
    /// What a run of a room's program says of a mutant: it must find a violation itself.
    init(play run: Ending) {
        let violation = run.output.split(separator: "\n").first { $0.hasPrefix("violation: ") }
        if run.isSuccess {
            self = .survived
        } else if run.isTimedOut {
            self = .untried("the program did not come to a verdict in time")
        } else if let violation, run.status == 1 {
            self = .caught(by: String(violation.prefix(200)))
        } else {
            self = .untried("status \(run.status): \(run.output.suffix(300))")
        }
    }
}

/// What is looked for in the output of `swift test`.
struct TestOutput {
    /// The first test that failed.
    private(set) var failed: String?
    /// The last one that began.
    private(set) var started: String?
    /// Why the tests ended before their end.
    private(set) var crash: String?
    /// Whether there was any.
    private(set) var hasRun = false

    init(_ output: String) {
        for line in output.split(separator: "\n") {
            if let name = Self.name(in: line, before: " started") {
                started = name
                hasRun = true
            }
            for end in [" recorded an issue", " failed"] where failed == nil {
                failed = Self.name(in: line, before: end)
            }
            for word in ["Fatal error: ", "Assertion failed: "] where crash == nil {
                crash = line.range(of: word).map { word + line[$0.upperBound...] }
            }
        }
    }

    /// The test that a line is about: `Test Case 'A.b' failed` or `Test "a sentence" failed`.
    private static func name(in line: Substring, before end: String) -> String? {
        guard let start = line.range(of: "Test Case '") ?? line.range(of: "Test ") else {
            return nil
        }
        let rest = line[start.upperBound...]
        guard let end = rest.range(of: end) else { return nil }
        let words = String(rest[..<end.lowerBound])
        // Of a test with arguments it is said with which ones.
        let name = (words.range(of: " to \"").map { String(words[$0.upperBound...]) } ?? words)
            .trimmingCharacters(in: ["'", "\"", "`"])
        // "Test run with 7 tests", "Test Suite 'All tests'": not one of them.
        return name.hasPrefix("run") || name.hasPrefix("Suite") ? nil : name
    }
}
