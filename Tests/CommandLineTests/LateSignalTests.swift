// SPDX-License-Identifier: Apache-2.0
//
// Signals that come when the work is done: the work counts, and the exit status says so.

import XCTest

final class LateSignalTests: XCTestCase {
    /// Sends TERM while `command` is in the system call that renames or removes a file, once
    /// `isDone` succeeds; returns its exit status.
    ///
    /// The tracer delays the end of that call, and the shell waits for what the call has done. The
    /// server is started before, because the tracer would wait for its end.
    private func status(
        _ sandbox: Sandbox, afterTermIn command: String, once isDone: String
    ) throws -> String {
        let outcome = try sandbox.runInShell(
            """
            "$0" write other </dev/null && rm other
            strace -D -f -o /dev/null -e trace=renameat,renameat2,unlinkat \\
                -e inject=renameat,renameat2,unlinkat:delay_exit=2000000 \(command) &
            until \(isDone); do kill -0 $! || break; done
            kill -TERM $!; wait $!; echo $?
            """)
        return outcome.output
    }

    private func requireTracer(_ sandbox: Sandbox) throws {
        let check = try sandbox.runInShell("strace -D -qq -e trace=none true && echo works")
        try XCTSkipUnless(check.output == "works\n", "strace does not work: \(check.errors)")
    }

    func testASignalAfterAWriteDoesNotDenyIt() throws {
        try with { sandbox in
            try requireTracer(sandbox)
            try sandbox.makeFile("a", "old\n")
            try sandbox.makeFile("source", "new\n")
            let commands = ["write a <source", "update a -- cat source"]
            for command in commands {
                try sandbox.makeFile("a", "old\n")
                let status = try status(
                    sandbox, afterTermIn: "\"$0\" \(command)", once: "grep -q new a")
                XCTAssertEqual(status, "0\n", command)
                XCTAssertEqual(try sandbox.content("a"), "new\n", command)
            }
        }
    }

    func testASignalAfterAMoveDoesNotDenyIt() throws {
        try with { sandbox in
            try requireTracer(sandbox)
            try sandbox.makeFile("a", "text")
            let status = try status(
                sandbox, afterTermIn: "\"$0\" mv a b", once: "[ -e b ]")
            XCTAssertEqual(status, "0\n")
            XCTAssertEqual(try sandbox.names(), ["b"])
        }
    }

    func testASignalAfterARemovalDoesNotDenyIt() throws {
        try with { sandbox in
            try requireTracer(sandbox)
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/a", "text")
            let status = try status(
                sandbox, afterTermIn: "\"$0\" rm -r d", once: "[ ! -e d ]")
            XCTAssertEqual(status, "0\n")
            try sandbox.makeFile("a", "text")
            try sandbox.makeFile("b", "text")
            let stopped = try self.status(
                sandbox, afterTermIn: "\"$0\" rm a b", once: "[ ! -e a ]")
            XCTAssertEqual(stopped, "143\n")
            XCTAssertEqual(try sandbox.names(), ["b"])
        }
    }

    func testASignalBetweenTwoMovesIsSaid() throws {
        try with { sandbox in
            try requireTracer(sandbox)
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("a", "text")
            try sandbox.makeFile("b", "text")
            let status = try status(
                sandbox, afterTermIn: "\"$0\" mv a b d", once: "[ -e d/a ]")
            XCTAssertEqual(status, "143\n")
            XCTAssertEqual(try sandbox.names(), ["b", "d"])
        }
    }
}
