// SPDX-License-Identifier: Apache-2.0
//
// A test with an environment of its own (``Stage``). A test class is written for an embedded
// server; a subclass repeats all its tests with the daemon. (The test runner does not find a
// subclass without a test of its own.)

import FileCoordinationWire
import XCTest

/// Creates a ``Stage`` for each test, and removes it afterwards.
class StageTestCase: XCTestCase {
    /// Which program is the server in the tests of this class.
    class var serving: Serving { .embedded }

    private var present: Stage?

    var stage: Stage {
        guard let present else { preconditionFailure("A test plays before its stage is set") }
        return present
    }

    override func setUpWithError() throws {
        continueAfterFailure = false
        signal(SIGPIPE, SIG_IGN)
        present = try Stage(Self.serving)
    }

    /// Asserts that it is a daemon who arbitrates when a program comes.
    func assertDaemonServes() throws {
        let a = try stage.peer("A")
        try a.ask("a write \(stage.path("f"))", "a granted")
        let arbiter = try stage.until("an arbiter answers") { _ in true }.arbiter
        XCTAssertEqual(arbiter.kind, .daemon)
        XCTAssertNotEqual(arbiter.processID, a.pid)
    }

    override func tearDown() {
        if let present, let testRun, testRun.totalFailureCount > 0 {
            print("\(name): error: failed; its programs:\n\(present.account)", terminator: "")
        }
        present?.tearDown()
        present = nil
    }

    /// Asserts that `program` said these lines, in this order, whatever else it said in between.
    func assertSaid(
        _ program: Program, _ expected: [String], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let heard = program.lines.filter { expected.contains($0) }
        XCTAssertEqual(
            heard, expected, "\(program.name) said: \(program.lines)", file: file, line: line)
    }

    /// Asserts that `program` said all this and nothing else since "ready".
    func assertSaidOnly(
        _ program: Program, _ expected: [String], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        XCTAssertEqual(program.lines, ["ready"] + expected, file: file, line: line)
    }
}

/// What the caller of the tests asks for.
enum TestEnvironment {
    /// Whether to take minutes instead of seconds.
    static var isLong: Bool { isSet("FILECOORDINATION_LONG") }

    private static func isSet(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment[name] == "1"
    }
}
