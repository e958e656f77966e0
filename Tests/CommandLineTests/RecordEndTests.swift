// SPDX-License-Identifier: Apache-2.0
//
// How `filecoord record` without a COMMAND ends when its trace cannot be written: on a full file
// system, into a pipe that is not read, and into a FIFO without a reader.

import Foundation
import XCTest

final class RecordEndTests: XCTestCase {
    /// Starts programs that give the server something to record, until the test ends.
    private func startWriting(_ sandbox: Sandbox) throws -> RunningCommand {
        try sandbox.startInShell(
            "export FILECOORDINATION_DELEGATION=off; "
                + "while \"$0\" write c -- true; do :; done")
    }

    func testAFullFileSystemEndsTheRecorder() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            let recorder = try sandbox.startInShell(
                """
                exec unshare -rm sh -c 'mount -t tmpfs -o size=4k none d || exit 99
                    exec "$0" record -o d/trace' "$0"
                """)
            let writer = try startWriting(sandbox)
            let outcome = try recorder.outcome()
            writer.killGroup()
            guard outcome.status != 99, !outcome.errors.contains("unshare") else {
                throw XCTSkip("nothing can be mounted here: \(outcome.errors)")
            }
            XCTAssertEqual(outcome.status, 74, outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("cannot write the trace: No space left"), outcome.errors)
        }
    }

    /// Records into a pipe of one page that is not read; `body` gets the recorder when the pipe
    /// is full.
    private func withFullPipe(_ body: (RunningCommand) throws -> Void) throws {
        try with { sandbox in
            var ends: [Int32] = [-1, -1]
            XCTAssertEqual(pipe(&ends), 0)
            defer { for end in ends { close(end) } }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let pageSize: Int32 = 4096
            XCTAssertGreaterThan(fcntl(ends[1], 1024 + 7, pageSize), 0)  // F_SETPIPE_SZ
            let recorder = try sandbox.startInShell(
                "exec \"$0\" record -o - >/proc/\(getpid())/fd/\(ends[1])")
            let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
            var room = pollfd(fd: ends[1], events: Int16(POLLOUT), revents: 0)
            // When the first line is there, the signals have been taken over. Then one access
            // after the other fills the pipe.
            var first = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            XCTAssertEqual(poll(&first, 1, Int32(RunningCommand.patience * 1000)), 1)
            let addition = ["FILECOORDINATION_DELEGATION": "off"]
            while poll(&room, 1, 0) != 0, Date() < deadline {
                _ = try sandbox.run("write", "c", "--", "true", environment: addition)
            }
            XCTAssertEqual(poll(&room, 1, 0), 0)
            // The pipe is full at the end of a line by chance only; this fills it for certain.
            _ = try sandbox.run("write", "c", "--", "true", environment: addition)
            try body(recorder)
        }
    }

    func testAPipeThatIsNotReadDoesNotKeepTheRecorder() throws {
        try withFullPipe { recorder in
            recorder.kill(SIGTERM)
            let outcome = try recorder.outcome()
            XCTAssertEqual(outcome.status, 74, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("its reader does not read"), outcome.errors)
        }
    }

    func testASecondSignalEndsTheRecorderAtOnce() throws {
        try withFullPipe { recorder in
            recorder.kill(SIGTERM)
            recorder.kill(SIGINT)
            // Two signals that are there at once may be taken in either order.
            let status = try recorder.exitStatus()
            XCTAssertTrue([128 + SIGINT, 128 + SIGTERM].contains(status), "\(status)")
        }
    }

    func testASignalEndsTheWaitForTheReaderOfAFIFO() throws {
        try with { sandbox in
            XCTAssertEqual(mkfifo(sandbox.path("p"), 0o600), 0)
            let recorder = try sandbox.start("record", "-o", "p")
            recorder.kill(SIGTERM)
            XCTAssertEqual(try recorder.exitStatus(), 128 + SIGTERM, recorder.errorText)
        }
    }
}
