// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status --watch` on a terminal: pictures fit into it, and it is as before whenever the
// command does not run.

import XCTest

final class StatusScreenTests: XCTestCase {
    private static let size = (rows: 24, columns: 80)

    /// Runs a test with a file that is held, and with a terminal.
    private func withTerminal(
        environment: [String: String] = [:], _ script: String = "exec \"$0\" status --watch",
        _ body: (Sandbox, PseudoTerminal) throws -> Void
    ) throws {
        try with { sandbox in
            try sandbox.makeFile("a", "")
            _ = try sandbox.startHolding("write", "--label", "holder", "a")
            let terminal = try sandbox.startOnTerminal(
                Self.size, environment: environment, script)
            defer { terminal.end() }
            try body(sandbox, terminal)
        }
    }

    /// What the terminal shows after all that was written.
    private func screen(_ terminal: PseudoTerminal) -> TerminalPicture {
        TerminalPicture(terminal.output, Self.size)
    }

    private func assertIsRestored(_ terminal: PseudoTerminal, _ what: String) {
        let screen = screen(terminal)
        XCTAssertFalse(screen.isAlternate, what)
        XCTAssertTrue(screen.hasCursor, what)
        XCTAssertTrue(screen.wraps, what)
    }

    func testThePictureFitsIntoTheTerminalAlsoAfterItsSizeHasChanged() throws {
        try withTerminal { sandbox, terminal in
            let name = String(repeating: "long", count: 20)
            for number in 0..<3 {
                _ = try sandbox.startHolding("write", "\(name)\(number)")
                _ = try sandbox.start("write", "-q", "\(name)\(number)", "--", "true")
                try sandbox.awaitWaiters(number + 1)
            }
            let large = (rows: 40, columns: 300)
            terminal.resize(to: large)
            let whole = try terminal.awaitPicture("whole", large) { picture in
                picture.lines.count { $0.hasPrefix("  waits") } == 3
                    && picture.lines.count { $0.hasPrefix("  holds") } == 4
            }
            XCTAssertFalse(whole.hasOverflowed || whole.hasScrolled, "\(whole.lines)")
            for size in [(rows: 12, columns: 70), (rows: 5, columns: 40), (rows: 9, columns: 300)] {
                terminal.resize(to: size)
                let picture = try terminal.awaitPicture("\(size)", size) { picture in
                    !picture.hasOverflowed && !picture.hasScrolled
                        && picture.lines.last?.hasPrefix("and ") == true
                }
                // The longest wait is that of the first one.
                let file = try XCTUnwrap(picture.lines.first { $0.contains("long") })
                XCTAssertTrue(file.hasSuffix("long0"), "\(picture.lines)")
                XCTAssertTrue(picture.lines.contains { $0.hasPrefix("  waits") })
            }
            terminal.resize(to: large)
            try terminal.awaitPicture("whole again", large) { $0.lines.count == whole.lines.count }
        }
    }

    func testASignalRestoresTheTerminal() throws {
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            try withTerminal { _, terminal in
                try terminal.awaitPicture("picture", Self.size) { picture in
                    picture.lines.contains { $0.contains("holder") }
                }
                let shown = screen(terminal)
                XCTAssertTrue(shown.isAlternate)
                XCTAssertFalse(shown.hasCursor)
                if signal == SIGINT { terminal.type("\u{3}") } else { terminal.kill(signal) }
                // The shell sees of which signal it died.
                XCTAssertEqual(try terminal.exitStatus(), 128 + signal)
                try terminal.awaitOutput("restored") { $0.hasSuffix("\u{1b}[?1049l") }
                assertIsRestored(terminal, "\(signal)")
            }
        }
    }

    //  shell      starts it         "state 148"        fg        "end 143"
    //  filecoord     picture ^Z stops            picture   TERM ends
    func testStoppingItRestoresTheTerminalAndContinuingShowsThePictureAgain() throws {
        let script = """
            set -m; "$0" status --watch; echo "state $?"; read line; fg; echo "end $?"
            """
        try withTerminal(script) { sandbox, terminal in
            func awaitPicture() throws {
                try terminal.awaitOutput("picture") { output in
                    let screen = TerminalPicture(output, Self.size)
                    return screen.isAlternate && screen.lines.contains { $0.contains("holder") }
                }
            }
            try awaitPicture()
            terminal.type("\u{1a}")
            try terminal.awaitOutput("stop") { $0.contains("state 148") }
            assertIsRestored(terminal, "stopped")
            terminal.type("\n")
            try awaitPicture()
            let watch = try sandbox.runPlainly("pgrep -P \(terminal.processID)")
            let number = try XCTUnwrap(pid_t(watch.split(separator: "\n").joined()))
            Foundation.kill(number, SIGTERM)
            try terminal.awaitOutput("end") { $0.contains("end 143") }
            assertIsRestored(terminal, "ended")
        }
    }

    func testAnErrorIsToldOnTheRestoredTerminal() throws {
        try withTerminal { sandbox, terminal in
            try terminal.awaitPicture("picture", Self.size) { !$0.lines.isEmpty }
            // The next report cannot say where programs meet. A stopped server repairs nothing.
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            Foundation.kill(server, SIGSTOP)
            try FileManager.default.moveItem(
                atPath: sandbox.path("run"), toPath: sandbox.path("moved"))
            try sandbox.makeFile("run", "")
            Foundation.kill(server, SIGKILL)
            XCTAssertEqual(try terminal.exitStatus(), 69)
            try terminal.awaitOutput("error") { $0.contains("filecoord: ") }
            assertIsRestored(terminal, "failed")
            XCTAssertTrue(screen(terminal).lines.contains { $0.hasPrefix("filecoord: ") })
            try FileManager.default.removeItem(atPath: sandbox.path("run"))
        }
    }

    func testWithoutEscapeSequencesThePicturesFollowEachOther() throws {
        for kind in ["dumb", ""] {
            try withTerminal(environment: ["TERM": kind]) { sandbox, terminal in
                try terminal.awaitOutput("picture") { $0.contains("holder") }
                _ = try sandbox.startHolding("write", "--label", "another", "b")
                try terminal.awaitOutput("next picture") { $0.contains("another") }
                XCTAssertFalse(terminal.output.contains("\u{1b}"), terminal.output)
                XCTAssertTrue(terminal.output.contains("\r\n\r\nserver: "), terminal.output)
            }
        }
    }

    func testItEndsWhenItsReaderDoes() throws {
        try with { sandbox in
            _ = try sandbox.startHolding("write", "a")
            for option in ["--json", ""] {
                let command = try sandbox.startInShell(
                    "\"$0\" status \(option) --watch | head -n 1; echo over")
                try command.awaitLine("over")
                XCTAssertEqual(try command.exitStatus(), 0)
            }
        }
    }

    /// Durations grow on a terminal, also while changes elsewhere are asked about all the time.
    func testDurationsGrowWhileOtherFilesAreBusy() throws {
        try withTerminal("exec \"$0\" status --watch a") { sandbox, terminal in
            _ = try sandbox.start("write", "--quiet", "a", "--", "true")
            let writers = try (0..<2).map { number in
                try sandbox.startInShell(
                    "export FILECOORDINATION_DELEGATION=off; "
                        + "while \"$0\" write c\(number) -- true; do :; done")
            }
            try terminal.awaitOutput("3 durations of the wait") { output in
                let lines = output.withoutColours.components(separatedBy: "\u{1b}[K")
                return Set(lines.filter { $0.hasPrefix("  waits") }).count >= 3
            }
            for writer in writers { writer.killGroup() }
        }
    }
}
