// SPDX-License-Identifier: Apache-2.0
//
// The `--json` of commands that change something: what they did, for programs.

import Foundation
import XCTest

final class ChangeJSONTests: XCTestCase {
    /// The lines of an output, each of which is an object.
    private func objects(_ outcome: Outcome) throws -> [NSDictionary] {
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return try outcome.output.split(separator: "\n").map { line in
            try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary, "\(line)")
        }
    }

    func testAMoveNamesBothPathsOfEachItem() throws {
        try with { sandbox in
            for name in ["a", "b\"c"] { try sandbox.makeFile(name, name) }
            try sandbox.makeDirectory("d")
            XCTAssertEqual(
                try objects(sandbox.run("mv", "--json", "a", "b\"c", "d")),
                ["a", "b\"c"].map {
                    ["source": sandbox.path($0), "destination": sandbox.path("d/" + $0)]
                })
            // Of what is not moved, nothing is said.
            try sandbox.makeFile("a", "new")
            XCTAssertEqual(try objects(sandbox.run("mv", "--json", "-n", "a", "d")), [])
        }
    }

    func testARemovalNamesEachItem() throws {
        try with { sandbox in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/a", "")
            try sandbox.makeFile("b", "")
            XCTAssertEqual(
                try objects(sandbox.run("rm", "--json", "-rf", "d", "missing", "b")),
                [
                    ["path": sandbox.path("d/a"), "directory": false],
                    ["path": sandbox.path("d"), "directory": true],
                    ["path": sandbox.path("b"), "directory": false],
                ])
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    /// What is gone must be known, also after a signal.
    func testAnInterruptedRemovalNamesWhatItHasRemoved() throws {
        try with { sandbox in
            let count = 40_000
            try sandbox.runPlainly("mkdir d && cd d && seq \(count) | xargs touch")
            func left() -> Int {
                let names = try? FileManager.default.contentsOfDirectory(atPath: sandbox.path("d"))
                return names?.count ?? 0
            }
            let removal = try sandbox.start("rm", "--json", "-r", "d")
            while left() == count { sched_yield() }
            removal.kill(SIGINT)
            let outcome = try removal.outcome()
            let lines = outcome.output.split(separator: "\n").count
            // On a busy machine, the signal may come when all is removed, the directory, too.
            XCTAssertTrue([0, 130].contains(outcome.status), outcome.errors)
            XCTAssertEqual(left() + lines, outcome.status == 0 ? count + 1 : count)
        }
    }

    /// A path that is not UTF-8 has a field with its exact bytes.
    func testARemovalNamesItemsByteForByte() throws {
        try with { sandbox in
            let name = try sandbox.runPlainly("printf 'n\\377' | xargs touch; echo *")
            XCTAssertFalse(name.isEmpty)
            let removed = try sandbox.runPlainly("\"$0\" rm --json n*")
            XCTAssertTrue(removed.contains("\"pathBytes\":"), removed)
            XCTAssertTrue(removed.contains("n%FF\""), removed)
        }
    }

    /// The script that holds an item must know where it is.
    func testAHoldNamesTheItemsWhereTheyAreNow() throws {
        try with { sandbox in
            for name in ["a", "b"] { try sandbox.makeFile(name, "text") }
            let reader = try sandbox.startHolding("read", "a")
            let mover = try sandbox.start("mv", "a", "c")
            try sandbox.awaitWaiters(1)
            let holder = try sandbox.start("hold", "--json", "--write", "a", "--read", "b")
            try sandbox.awaitWaiters(2)
            reader.closeInput()
            XCTAssertEqual(try mover.exitStatus(), 0)
            try holder.awaitOutput("grant") { $0.count == 1 }
            holder.closeInput()
            let items = [
                ["path": sandbox.path("c"), "access": "writing"],
                ["path": sandbox.path("b"), "access": "reading"],
            ]
            XCTAssertEqual(
                try objects(holder.outcome()), [["message": "granted", "items": items]])
        }
    }

    func testANewVersionHasAnIdentifier() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            try sandbox.makeFile("theirs", "other")
            let added = try objects(sandbox.run("versions", "add", "--json", "a"))
            let conflict = try objects(
                sandbox.run("versions", "conflict", "--json", "a", "--contents", "theirs"))
            let listed = try objects(sandbox.run("versions", "list", "--json", "a"))
            XCTAssertEqual(
                Set((added + conflict).compactMap { $0["identifier"] as? String }),
                Set(listed.compactMap { $0["identifier"] as? String }))
            XCTAssertEqual(listed.count, 2)
            XCTAssertEqual(
                (added + conflict).compactMap { $0["path"] as? String },
                [sandbox.path("a"), sandbox.path("a")])
        }
    }
}
