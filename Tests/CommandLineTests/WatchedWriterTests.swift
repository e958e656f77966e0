// SPDX-License-Identifier: Apache-2.0
//
// Plain and coordinated programs side by side: each change is told once, by the one that knows
// (Rule 7.14), and presenters follow what either of them moves (Rule 11.9).

import XCTest

final class WatchedWriterTests: XCTestCase {
    private var barriers = 0

    /// Everything that was done before is told when this returns.
    private func passBarrier(_ sandbox: Sandbox, _ command: RunningCommand) throws {
        barriers += 1
        let start = sandbox.path("barrier")
        try sandbox.runPlainly("mv '\(start)'* '\(start).\(barriers)'")
        try command.awaitMessage("presentedItemDidMove(to:)", to: start, count: barriers)
    }

    private func messages(
        _ command: RunningCommand, to path: String, _ origin: String
    ) throws -> [String] {
        try command.heard().filter { $0.presenter == path && $0.origin == origin }.map(\.message)
    }

    func testWhatACoordinatedWriterDidIsToldOnceAndByItsClaim() throws {
        try withEachArbiter { sandbox in
            barriers = 0
            try sandbox.makeFile("barrier", "0")
            let directory = try sandbox.makeDirectory("d")
            let file = try sandbox.makeFile("d/f", "0")
            let command = try sandbox.startPresenting("d", "d/f", "barrier", count: 3)
            for round in 1...3 {
                XCTAssertEqual(try sandbox.run("write", "d/f", input: "\(round)").status, 0)
            }
            try passBarrier(sandbox, command)
            XCTAssertEqual(try messages(command, to: file, "uncoordinated"), [])
            XCTAssertEqual(try messages(command, to: directory, "uncoordinated"), [])
            XCTAssertEqual(
                try messages(command, to: file, "coordinated"),
                Array(repeating: "presentedItemDidChange", count: 3))
            XCTAssertEqual(
                try messages(command, to: directory, "coordinated"),
                Array(repeating: "presentedSubitemDidChange(at:)", count: 3))
        }
    }

    /// The kernel takes no path that is longer than 4,096 bytes, but a program can work in a
    /// directory deep down.
    ///
    /// Such a path once ended the server.
    func testAChangeAtAPathThatNoMessageTakesIsToldAsAChangeOfAll() throws {
        try withEachArbiter { sandbox in
            barriers = 0
            try sandbox.makeFile("barrier", "0")
            let directory = try sandbox.makeDirectory("d")
            let file = try sandbox.makeFile("d/f", "0")
            let command = try sandbox.startPresenting("d", "barrier", count: 2)
            let server = try sandbox.status().arbiter?.pid
            try sandbox.runPlainly(
                """
                cd d; name=$(printf 'x%.0s' $(seq 200))
                for n in $(seq 22); do mkdir $name; cd $name; echo $n >g; done
                """)
            try passBarrier(sandbox, command)
            try command.awaitMessage("presentedItemDidChange", to: directory)
            // Deep down, it goes on.
            try sandbox.runPlainly("echo new >d/f")
            try passBarrier(sandbox, command)
            let told = try command.heard().filter { $0.url == file }
            XCTAssertEqual(told.map(\.message).last, "presentedSubitemDidChange(at:)")
            XCTAssertEqual(try sandbox.status().arbiter?.pid, server)
            try sandbox.runPlainly("rm -r d")
        }
    }

    func testACoordinatedChangeIsToldWithItsWriter() throws {
        try withEachArbiter { sandbox in
            let directory = try sandbox.makeDirectory("d")
            let file = try sandbox.makeFile("d/f", "0")
            let command = try sandbox.startPresenting("d/f", "d", count: 2)
            let writer = try sandbox.start("write", "--label", "nightly", "d/f")
            writer.type("changed")
            writer.closeInput()
            XCTAssertEqual(try writer.exitStatus(), 0)
            for (message, path) in [
                ("presentedItemDidChange", file), ("presentedSubitemDidChange(at:)", directory),
            ] {
                let told = try command.awaitMessage(message, to: path)
                XCTAssertEqual(told.origin, "coordinated", message)
                XCTAssertEqual(told.pid, writer.processID, message)
                XCTAssertEqual(told.label, "nightly", message)
            }
            XCTAssertEqual(try sandbox.run("mv", "d/f", "d/g").status, 0)
            let moved = try command.awaitMessage("presentedItemDidMove(to:)", to: file)
            XCTAssertEqual(moved.label, "filecoord mv")
            // The kernel does not say which plain program made a change.
            try sandbox.runPlainly("echo plain >d/g")
            let plain = try command.awaitMessage("presentedItemDidChange", to: file, count: 2)
            XCTAssertEqual(plain.origin, "uncoordinated")
            XCTAssertNil(plain.pid)
            XCTAssertNil(plain.label)
        }
    }

    /// Rule 7.14: usually the watcher sees the move and the change at the same time.
    ///
    /// They may be one message, which must be heard after the change.
    func testAPlainChangeRightAfterACoordinatedMoveIsTold() throws {
        try withEachArbiter { sandbox in
            let directory = try sandbox.makeDirectory("d")
            let file = try sandbox.makeFile("d/f0", "0")
            let command = try sandbox.startPresenting("d/f0", "d", count: 2)
            let filecoord = Sandbox.executables.appendingPathComponent("filecoord").path
            for round in 1...10 {
                let new = "d/f\(round)"
                // In the form of the messages' times.
                let change = try sandbox.runPlainly(
                    "'\(filecoord)' mv d/f\(round - 1) \(new) && echo plain >>\(new) && "
                        + "TZ=UTC date -r \(new) +%Y-%m-%dT%H:%M:%S.%6NZ"
                ).trimmingCharacters(in: .whitespacesAndNewlines)
                try command.awaitOutput("change \(round) at \(change) told to both") { lines in
                    let later = lines.compactMap {
                        try? JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8))
                    }.filter { $0.time >= change }
                    return later.contains {
                        $0.presenter == file
                            && ["presentedItemDidChange", "presentedItemDidMove(to:)"]
                                .contains($0.message)
                    }
                        && later.contains {
                            $0.presenter == directory
                                && [$0.url, $0.newURL].contains(sandbox.path(new))
                        }
                }
            }
        }
    }

    func testAPlainChangeAfterACoordinatedOneIsTold() throws {
        try withEachArbiter { sandbox in
            barriers = 0
            try sandbox.makeFile("barrier", "0")
            let file = try sandbox.makeFile("f", "0")
            let command = try sandbox.startPresenting("f", "barrier", count: 2)
            for round in 1...3 {
                XCTAssertEqual(try sandbox.run("write", "f", input: "\(round)").status, 0)
                try sandbox.runPlainly("echo plain \(round) >f")
                try passBarrier(sandbox, command)
                let plain = try messages(command, to: file, "uncoordinated")
                XCTAssertGreaterThanOrEqual(plain.count, round)
                XCTAssertEqual(Set(plain), ["presentedItemDidChange"])
                XCTAssertEqual(try messages(command, to: file, "coordinated").count, round)
            }
        }
    }

    func testAPresenterThatFollowedAPlainMoveIsAskedAtTheNewPlace() throws {
        try withEachArbiter { sandbox in
            let file = try sandbox.makeFile("f", "0")
            let command = try sandbox.startPresenting("f")
            try sandbox.runPlainly("mv f g")
            let moved = try command.awaitMessage("presentedItemDidMove(to:)", to: file)
            XCTAssertEqual(moved.url, sandbox.path("g"))
            XCTAssertEqual(moved.origin, "uncoordinated")
            XCTAssertEqual(try sandbox.run("read", "g").output, "0")
            try command.awaitMessage("savePresentedItemChanges", to: file)
            // The presenter is not asked about its former path any more.
            XCTAssertEqual(try sandbox.run("write", "f", input: "new").status, 0)
            XCTAssertEqual(try sandbox.run("write", "g", input: "1").status, 0)
            let asked = try command.awaitMessage("presentedItemDidChange", to: file)
            XCTAssertEqual(asked.origin, "coordinated")
            XCTAssertEqual(
                try command.heard().filter { $0.message == "relinquishPresentedItem(toWriter:)" }
                    .count, 1)
        }
    }

    func testAnAnnouncedMoveIsFollowedOnceAndThenPlainOnesFromThere() throws {
        try withEachArbiter { sandbox in
            barriers = 0
            try sandbox.makeFile("barrier", "0")
            let file = try sandbox.makeFile("f", "0")
            let command = try sandbox.startPresenting("f", "barrier", count: 2)
            XCTAssertEqual(try sandbox.run("mv", "f", "g").status, 0)
            try passBarrier(sandbox, command)
            XCTAssertEqual(
                try command.heard().filter { $0.presenter == file }.map(\.message).filter {
                    $0.contains("Did")
                }, ["presentedItemDidMove(to:)"])
            try sandbox.runPlainly("echo plain >g")
            try command.awaitMessage("presentedItemDidChange", to: file)
            try sandbox.runPlainly("mv g h")
            let moved = try command.awaitMessage("presentedItemDidMove(to:)", to: file, count: 2)
            XCTAssertEqual(moved.url, sandbox.path("h"))
            XCTAssertEqual(moved.origin, "uncoordinated")
        }
    }

    func testThePresentersOwnWritesAreNoNewsToIt() throws {
        try with { sandbox in
            try sandbox.makeFile("barrier", "0")
            let file = try sandbox.makeFile("f", "0")
            let filecoord = Sandbox.executables.appendingPathComponent("filecoord").path
            let command = try sandbox.startPresenting(
                "--on", "savePresentedItemChanges",
                "printf saved | '\(filecoord)' write --timeout 10 "
                    + "--purpose \"$FILECOORD_PURPOSE\" \"$FILECOORD_PATH\"", "f", "barrier",
                count: 2)
            XCTAssertEqual(try sandbox.run("read", "f").output, "saved")
            try passBarrier(sandbox, command)
            XCTAssertFalse(
                try command.heard().contains {
                    $0.presenter == file && $0.message == "presentedItemDidChange"
                })
        }
    }

    func testChangesAreToldAgainWhenTheServerWasKilled() throws {
        try with { sandbox in
            let file = try sandbox.makeFile("f", "0")
            let command = try sandbox.startPresenting("f")
            let daemon = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            XCTAssertEqual(kill(daemon, SIGKILL), 0)
            // The first message after the death says that the item may have changed meanwhile.
            try command.awaitMessage("presentedItemDidChange", to: file)
            try sandbox.runPlainly("echo plain >f")
            try command.awaitOutput("a plain change") { lines in
                lines.contains { $0.contains("uncoordinated") && $0.contains("DidChange") }
            }
        }
    }

    /// No server watches between two servers, but such a change is told.
    ///
    /// The next server's welcome makes the presenter's process look at the item.
    func testAChangeBetweenTwoServersIsTold() throws {
        try with { sandbox in
            let file = try sandbox.makeFile("f", "0")
            let daemon = Sandbox.executables.appendingPathComponent("filecoordinationd").path
            // Once the gate is closed, a daemon that is started waits at it.
            try sandbox.runPlainly("mkfifo gate")
            let starter = try sandbox.makeFile(
                "starter",
                """
                #!/bin/sh
                cd '\(sandbox.directory.path)'
                if [ -e closed ]; then : >started; read -r _ <gate; fi
                exec '\(daemon)' "$@"
                """)
            try sandbox.runPlainly("chmod +x starter")
            let command = try sandbox.start(
                ["present", "--json", "f"], environment: ["FILECOORDINATIOND": starter])
            try command.awaitMessage("registered", to: file)
            let former = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            try sandbox.makeFile("closed", "")
            XCTAssertEqual(kill(former, SIGKILL), 0)
            try sandbox.runPlainly("until [ -e started ]; do sleep 0.01; done")
            let timeOfChange = try sandbox.runPlainly(
                "echo plain >f; date -u +%Y-%m-%dT%H:%M:%S.%6NZ")
            try sandbox.runPlainly("rm closed; echo >gate")
            try command.awaitMessage("presentedItemDidChange", to: file)
            // The process found the change itself: neither server saw it.
            try sandbox.awaitStatus("its presenter") { $0.presenters.count == 1 }
            let told = try command.heard().filter { $0.message == "presentedItemDidChange" }
            XCTAssertTrue(told.contains { $0.time > timeOfChange }, "\(told), \(timeOfChange)")
        }
    }
}
