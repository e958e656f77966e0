// SPDX-License-Identifier: Apache-2.0
//
// `filecoord status`: the promised JSON, and the table.

import XCTest

final class StatusTests: XCTestCase {
    /// The report if there is no server.
    private static let empty =
        #"{"arbiter":null,"claims":[],"presenters":[],"delegations":[]}"#

    func testWithoutAnArbiterItSaysSo() throws {
        try with { sandbox in
            let people = try sandbox.run("status")
            XCTAssertEqual(people.status, 0)
            XCTAssertTrue(people.output.hasPrefix("No server in \(sandbox.path("run"))"))
            let json = try sandbox.run("status", "--json")
            XCTAssertEqual(json.status, 0)
            XCTAssertEqual(json.output, Self.empty + "\n")
        }
    }

    /// Rule 18.5: a report starts no server for programs that are gone.
    func testWhereNobodyIsLeftItSaysSo() throws {
        try with { sandbox in
            try sandbox.makeDirectory("run/ledgers")
            XCTAssertEqual(chmod(sandbox.path("run"), 0o700), 0)
            XCTAssertTrue(
                FileManager.default.createFile(
                    atPath: sandbox.path("run/ledgers/settled"), contents: nil))
            let json = try sandbox.run("status", "--json")
            XCTAssertEqual(json.output, Self.empty + "\n", json.errors)
        }
    }

    /// A directory that a program made by looking would decide where other programs meet.
    func testLookingMakesNoDirectory() throws {
        try with { sandbox in
            func look() throws {
                for command in [["status"], ["explain", "a"], ["graph"]] {
                    let outcome = try sandbox.run(command)
                    XCTAssertEqual(outcome.status, 0, outcome.errors)
                }
            }
            try look()
            XCTAssertEqual(try sandbox.names(), [])
            XCTAssertFalse(FileManager.default.fileExists(atPath: sandbox.path("run")))
            // Nor is anything made in an empty directory.
            try sandbox.makeDirectory("run")
            XCTAssertEqual(chmod(sandbox.path("run"), 0o700), 0)
            try look()
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: sandbox.path("run")), [])
            // A path at which none can be made is an error.
            let outcome = try sandbox.run(
                "status",
                environment: ["FILECOORDINATION_RUNTIME_DIR": sandbox.path("missing/run")])
            XCTAssertEqual(outcome.status, 69, outcome.output)
            XCTAssertTrue(outcome.errors.contains("missing/run cannot be used"), outcome.errors)
        }
    }

    /// Rule 2.0: every program fails there, so the command must not say that all is well.
    func testWhereNoDirectoryCanBeMadeItFails() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can mount.")
        try with { sandbox in
            try sandbox.makeDirectory("fixed")
            for command in ["status", "explain a", "graph", "write a -- true"] {
                let outcome = try sandbox.runInShell(
                    """
                    exec unshare -m sh -c 'mount -t tmpfs -o ro none fixed
                        FILECOORDINATION_RUNTIME_DIR="$PWD/fixed/run" exec "$0" \(command)' "$0"
                    """)
                XCTAssertEqual(outcome.status, 69, command + outcome.output)
                XCTAssertTrue(
                    outcome.errors.contains("fixed/run cannot be used"), outcome.errors)
            }
        }
    }

    func testTheJSONHasTheFieldsThatWerePromised() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeFile("a", "")
            let presenter = try sandbox.startPresenting(
                "a", "--never-answer", "savePresentedItemChanges")
            let holder = try sandbox.startHolding("write", "--label", "holder", "b")
            let waiter = try sandbox.start("access", "--write", "b:forDeleting", "--", "true")
            try sandbox.awaitWaiters(1)
            let asker = try sandbox.start("read", "--purpose", "p \"q\"", "a")
            try sandbox.awaitWaiters(2)
            let text = try sandbox.run("status", "--json").output
            let object = try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            let kind = sandbox.environment["FILECOORDINATIOND"] == nil ? "daemon" : "embedded"
            let arbiter = try XCTUnwrap(object["arbiter"] as? [String: Any])
            XCTAssertEqual(arbiter["kind"] as? String, kind)
            XCTAssertEqual(Set(arbiter.keys), ["pid", "kind", "uptime", "protocol"])

            let claims = try XCTUnwrap(object["claims"] as? [[String: Any]])
            for claim in claims {
                XCTAssertEqual(
                    Set(claim.keys),
                    [
                        "id", "pid", "process", "label", "purpose", "state", "since", "stopped",
                        "items", "waitsFor", "waitsForCount",
                    ])
            }
            let status = try JSONDecoder().decode(StatusShape.self, from: Data(text.utf8))
            XCTAssertEqual(status.claims.map(\.state), ["granted", "waiting", "asking"])
            XCTAssertEqual(
                status.claims.map(\.pid),
                [holder.processID, waiter.processID, asker.processID])
            XCTAssertEqual(status.claims.map(\.process), Array(repeating: "filecoord", count: 3))
            XCTAssertEqual(status.claims[2].purpose, "p \"q\"")
            XCTAssertEqual(
                status.claims[1].items,
                [.init(path: sandbox.path("b"), access: "writing", options: ["forDeleting"])])
            XCTAssertEqual(status.claims[0].waitsFor, [])
            XCTAssertEqual(
                status.claims[1].waitsFor,
                [
                    .init(
                        claim: status.claims[0].id, pid: holder.processID, process: "filecoord",
                        label: "holder")
                ])
            XCTAssertEqual(
                status.claims[2].waitsFor,
                [
                    .init(
                        presenter: status.presenters[0].id, pid: presenter.processID,
                        process: "filecoord", label: "filecoord present",
                        message: "savePresentedItemChanges")
                ])
            XCTAssertEqual(status.presenters.map(\.path), [sandbox.path("a")])
        }
    }

    func testTheTableShowsEachFileWithHoldersWaitersAndPresenters() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "")
            let holder = try sandbox.startHolding("read", "--label", "filecoord", "a")
            let waiter = try sandbox.start("write", "--for-replacing", "a", "--", "true")
            try sandbox.awaitWaiters(1)
            let presenter = try sandbox.startPresenting("a")
            let lines = try sandbox.run("status").output.split(separator: "\n").map { String($0) }
            XCTAssertTrue(lines[0].hasPrefix("server: daemon, pid "), lines[0])
            XCTAssertTrue(lines[1].contains(sandbox.path("run")), lines[1])
            XCTAssertEqual(lines[2], path)
            let rows = lines.dropFirst(3).map { $0.split(separator: " ").map { String($0) } }
            XCTAssertEqual(rows.count, 3)
            XCTAssertEqual(rows[0].prefix(4), ["holds", "reading", "filecoord", "(pid"])
            XCTAssertEqual(rows[0][4], "\(holder.processID))")
            XCTAssertEqual(rows[1].prefix(3), ["waits", "writing", "forReplacing"])
            XCTAssertEqual(rows[1][5], "\(waiter.processID))")
            XCTAssertEqual(
                rows[1].suffix(4), ["for", "filecoord", "(pid", "\(holder.processID))"])
            XCTAssertEqual(
                rows[2],
                ["presents", "filecoord", "present", "(pid", "\(presenter.processID))"])
        }
    }

    func testAStoppedHolderIsShown() throws {
        try with { sandbox in
            let holder = try sandbox.startHolding("write", "a")
            holder.kill(SIGSTOP)
            try sandbox.awaitStatus("stopped holder") { $0.claims.first?.stopped == true }
            let outcome = try sandbox.run("read", "--nonblock", "a")
            XCTAssertTrue(outcome.errors.contains("its process is stopped"), outcome.errors)
            holder.kill(SIGCONT)
            try sandbox.awaitStatus("running holder") { $0.claims.first?.stopped == false }
        }
    }

    func testEachChangeIsShownOnceWhileItIsWatched() throws {
        try with { sandbox in
            let watch = try sandbox.start("status", "--json", "--watch")
            try watch.awaitOutput("no arbiter") { $0.count == 1 }
            XCTAssertEqual(watch.lines[0], Self.empty)
            let holder = try sandbox.startHolding("write", "a")
            try watch.awaitOutput("the arbiter") { $0.last?.contains("\"pid\"") ?? false }
            let waiter = try sandbox.start("write", "a", "--", "true")
            try watch.awaitOutput("a wait") { $0.last?.contains("\"waiting\"") ?? false }
            let count = watch.lines.count
            // Another file, and what is asked, are no change of what is watched.
            let other = try sandbox.start("status", "--json", "--watch", "b")
            try other.awaitOutput("the other file") { $0.count == 1 }
            _ = try sandbox.status()
            holder.closeInput()
            XCTAssertEqual(try waiter.exitStatus(), 0)
            try watch.awaitOutput("the end") { $0.last?.contains("\"claims\":[]") ?? false }
            XCTAssertLessThanOrEqual(watch.lines.count, count + 4, "\(watch.lines)")
            XCTAssertEqual(other.lines.count, 1, "\(other.lines)")
            watch.kill(SIGINT)
            XCTAssertEqual(try watch.exitStatus(), 128 + SIGINT)
        }
    }

    func testOneWatcherTooManyIsToldSo() throws {
        try with { sandbox in
            let holder = try sandbox.startHolding("write", "a")
            for _ in 0..<4 {
                let watch = try sandbox.start("status", "--json", "--watch")
                try watch.awaitOutput("the status") { !$0.isEmpty }
            }
            try sandbox.makeFile("trace", "an earlier trace")
            for command in [["status", "--watch"], ["record", "-o", "trace"]] {
                let outcome = try sandbox.run(command)
                XCTAssertEqual(outcome.status, 69, outcome.errors)
                XCTAssertTrue(outcome.errors.contains("watch or record already"), outcome.errors)
            }
            XCTAssertEqual(try sandbox.content("trace"), "an earlier trace")
            holder.closeInput()
        }
    }

    func testWatchingGoesOnWithTheNextServer() throws {
        try with { sandbox in
            let holder = try sandbox.startHolding("write", "a")
            let watch = try sandbox.start("status", "--json", "--watch")
            let server = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            try watch.awaitOutput("the server") { $0.last?.contains("\(server)") ?? false }
            Foundation.kill(server, SIGKILL)
            try watch.awaitOutput("the next server") { lines in
                guard let last = lines.last else { return false }
                return last.contains("granted") && !last.contains("{\"pid\":\(server),\"kind\"")
            }
            holder.closeInput()
            watch.kill(SIGINT)
            XCTAssertEqual(try watch.exitStatus(), 128 + SIGINT)
        }
    }
}
