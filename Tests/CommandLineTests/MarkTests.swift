// SPDX-License-Identifier: Apache-2.0
//
// Which of COMMAND's arguments stand for paths, and which only look like it.

import XCTest
import filecoord

final class MarkTests: XCTestCase {
    private func expanded(_ words: String...) -> [String] {
        ArgumentReading.expand(["p"] + words, paths: ["/1", "/2"]).dropFirst().map { $0 }
    }

    func testOnlyAnArgumentThatIsAMarkIsReplaced() {
        XCTAssertEqual(expanded("{}", "{1}", "{2}"), ["/1", "/1", "/2"])
        let others = ["x{}", "{}x", "{ }", ".a // {}", "<{1}>", "{x}", "{", "}", "{01}", "{+1}"]
        for word in others { XCTAssertEqual(expanded(word), [word]) }
        XCTAssertEqual(ArgumentReading.expand(["{}"], paths: ["/1"]), ["{}"])
    }

    func testWhatBelongsToOtherProgramsIsLeftToThem() {
        XCTAssertEqual(
            expanded("find", "{}", "-exec", "rm", "{}", ";", "{2}"),
            ["find", "/1", "-exec", "rm", "{}", ";", "/2"])
        XCTAssertEqual(
            expanded("-execdir", "a", "{}", "+", "{}"), ["-execdir", "a", "{}", "+", "/1"])
        XCTAssertEqual(expanded("/usr/bin/xargs", "-I", "{}", "mv", "{}", "+", "{}").last, "{}")
        for program in ["xargs", "parallel", "fd", "fdfind"] {
            XCTAssertEqual(ArgumentReading.expand([program, "{}"], paths: ["/1"])[1], "{}")
        }
    }

    func testANumberOutOfRangeIsWrongUsage() throws {
        for (word, count) in [("{0}", 1), ("{2}", 1), ("{3}", 2), ("{99999999999999999999}", 9)] {
            XCTAssertNotNil(
                ArgumentReading.complaint(aboutMarksIn: ["p", word], count: count), word)
        }
        XCTAssertNil(ArgumentReading.complaint(aboutMarksIn: ["p", "a{9}"], count: 1))
        try with { sandbox in
            for arguments in [
                ["read", "a"], ["write", "a"], ["update", "a"], ["access", "--read", "a"],
            ] {
                let wrong = try sandbox.run(arguments + ["--", "echo", "{2}"])
                XCTAssertEqual(wrong.status, 64, wrong.errors)
                XCTAssertTrue(wrong.errors.contains("{2}"), wrong.errors)
            }
            XCTAssertEqual(try sandbox.names(), [])
        }
    }

    func testFindKeepsItsOwnMark() throws {
        try with { sandbox in
            try sandbox.makeDirectory("Photos")
            try sandbox.makeFile("Photos/old.tmp", "")
            try sandbox.makeFile("Photos/new.jpg", "")
            let find = try sandbox.run(
                "write", "-q", "Photos", "--", "find", "Photos", "-name", "*.tmp", "-exec", "rm",
                "-r", "{}", ";")
            XCTAssertEqual(find.status, 0, find.errors)
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("Photos"))
            XCTAssertEqual(names, ["new.jpg"])
        }
    }

    func testAScriptIsNotTouchedWhateverTheName() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a; touch injected", "text")
            let read = try sandbox.run(
                "read", path, "--", "sh", "-c", "cat \"$FILECOORD_PATH_1\" && echo ' {} {1}'")
            XCTAssertEqual(read.output, "text {} {1}\n", read.errors)
            XCTAssertEqual(try sandbox.names(), ["a; touch injected"])
        }
    }

    func testAnotherMarkOrNone() throws {
        try with { sandbox in
            let path = sandbox.path("a")
            let other = try sandbox.run(
                "read", "--replace", "@", "a", "--", "echo", "@", "{}", "a@")
            XCTAssertEqual(other.output, "\(path) {} a@\n", other.errors)
            let none = try sandbox.run("read", "--no-replace", "a", "--", "echo", "{}", "{7}")
            XCTAssertEqual(none.output, "{} {7}\n", none.errors)
            let both = ["read", "--no-replace", "--replace", "@", "a", "--", "true"]
            XCTAssertEqual(try sandbox.run(both).status, 64)
            XCTAssertEqual(try sandbox.run("read", "--replace", "", "a", "--", "true").status, 64)
        }
    }

    func testASecondPairOfDashesBeginsTheCommandAfterPaths() throws {
        try with { sandbox in
            try sandbox.makeFile("-n", "text")
            let name = sandbox.path("-n")
            for verb in ["read", "write", "update"] {
                let command = ["sh", "-c", "echo \"$FILECOORD_PATH_1|$1\"", "sh", "--"]
                let outcome = try sandbox.run(
                    [verb, "-q", "--timeout", "5", "--", "-n", "--"] + command)
                XCTAssertEqual(outcome.status, 0, outcome.errors)
                let output = verb == "update" ? try sandbox.content("-n") : outcome.output
                XCTAssertEqual(output, "\(name)|--\n", verb)
            }
            // With paths before them, the first ones begin it.
            let first = try sandbox.run("read", "a", "--", "echo", "--", "x")
            XCTAssertEqual(first.output, "-- x\n", first.errors)
            try sandbox.makeFile("-n", "text")
            XCTAssertEqual(try sandbox.run("read", "--", "-n").output, "text")
            XCTAssertEqual(try sandbox.run("read", "--", "-n", "--").status, 64)
        }
    }
}
