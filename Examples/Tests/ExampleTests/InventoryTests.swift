// SPDX-License-Identifier: Apache-2.0
//
// The shared database: several processes with open connections, a kill, a move, and copies.

import Foundation
import XCTest

final class InventoryTests: ExampleTest {
    func testFourProcessesShareTheDatabaseAndAKillLosesNothing() throws {
        // At once: one makes the tables.
        let programs = try (0..<4).map { _ in try sandbox.start("inventory", "stock") }
        for (number, program) in programs.enumerated() {
            for thing in 0..<100 { program.send("add \(number)-\(thing)\n") }
        }
        // One is killed while it adds. What it has said is there.
        for _ in 0..<20 { _ = try programs[0].line() }
        programs[0].signal(SIGKILL)
        var said = 20
        while try programs[0].line() != nil { said += 1 }
        for program in programs[1...] { try program.expect("-99\n") }

        let names = try list("stock")
        for number in 1..<4 {
            XCTAssertEqual(names.filter { $0.hasPrefix("\(number)-") }.count, 100)
        }
        let added = names.filter { $0.hasPrefix("0-") }
        XCTAssertTrue((said...said + 1).contains(added.count), "\(said) said, \(added.count) there")
        XCTAssertEqual(try ask("check", in: "stock"), "ok\n")
    }

    func testProgramsFollowTheDatabaseWhenItMoves() throws {
        let programs = try (0..<4).map { _ in try sandbox.start("inventory", "stock") }
        var directory = "stock"
        for round in 0..<3 {
            for program in programs {
                for thing in 0..<30 { program.send("add \(round)-\(thing)\n") }
            }
            for program in programs { try program.expect("added \(round)-5\n") }
            // While they add.
            try sandbox.run("filecoord", "mv", directory, "stock-\(round)")
            directory = "stock-\(round)"
            for program in programs { try program.expect("added \(round)-29\n") }
        }
        XCTAssertEqual(try ask("count", in: directory), "360\n")
        XCTAssertEqual(try ask("check", in: directory), "ok\n")
        XCTAssertEqual(try sandbox.names(in: ".").filter { $0.hasPrefix("stock") }, [directory])
    }

    func testACopyOfTheFilesIsAWholeDatabase() throws {
        let programs = try (0..<3).map { _ in try sandbox.start("inventory", "stock") }
        for program in programs {
            for thing in 0..<300 { program.send("add \(thing)\n") }
            try program.expect("added 9\n")
        }
        var counts: [Int] = []
        for round in 0..<5 {
            // Any program that copies, as a backup does.
            try sandbox.run(
                "filecoord", "read", "--recursive", "stock", "--", "cp", "-r", "stock",
                "copy-\(round)")
            XCTAssertEqual(try sandbox.names(in: "copy-\(round)"), ["inventory.db"])
            XCTAssertEqual(try ask("check", in: "copy-\(round)"), "ok\n")
            let count = try ask("count", in: "copy-\(round)").dropLast()
            counts.append(try XCTUnwrap(Int(count)))
        }
        XCTAssertEqual(counts, counts.sorted())
        for program in programs { try program.expect("added 299\n") }
        XCTAssertEqual(try ask("count", in: "stock"), "900\n")
    }

    func testADeletedDatabaseIsAnErrorAndNotAnEmptyOne() throws {
        let program = try sandbox.start("inventory", "stock")
        program.send("add one\n")
        try program.expect("added one\n")
        try sandbox.run("filecoord", "rm", "-r", "stock")
        program.send("add two\nlist\n")
        program.endInput()
        XCTAssertEqual(try program.outputToTheEnd(), "")
        XCTAssertFalse(sandbox.exists("stock"))
    }

    private func ask(_ command: String, in directory: String) throws -> String {
        try sandbox.run("inventory", directory, input: "\(command)\n")
    }

    private func list(_ directory: String) throws -> [String] {
        try ask("list", in: directory).split(separator: "\n").map(String.init)
    }
}
