// SPDX-License-Identifier: Apache-2.0
//
// Versions of items at delegated paths: versions of other items end no delegation, and a write that
// is granted without the arbiter keeps the item's versions.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class DelegatedVersionsTests: DelegatingTestCase {
    /// A program with a store of versions of this test's own.
    private func peer(_ name: String) throws -> Program {
        try stage.peer(name, environment: ["XDG_DATA_HOME": stage.path("data")])
    }

    /// Two items, each in a directory of its own.
    private func files() throws -> (String, String) {
        try stage.folder("d")
        try stage.folder("e")
        return (try stage.file("d/f", "f"), try stage.file("e/g", "g"))
    }

    /// Keeps a version of an item.
    private func keepVersion(_ program: Program, _ name: String, of file: String) throws {
        try program.ask("\(name) write \(file)", "\(name) granted")
        try program.ask("\(name) version add \(file)", "\(name) added")
        try program.ask("\(name) go", "\(name) released")
    }

    /// Uses an item until its place is delegated; writes it then, and saves as most programs do,
    /// while the arbiter is stopped: no other process could have granted it.
    private func saveLocally(
        _ program: Program, _ file: String, after change: () throws -> Void = {}
    ) throws {
        for round in 0..<12 { try use(program, "write \(file)", "u\(round)") }
        try change()
        let new = try stage.file("new", "saved")
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        try program.ask("l write \(file)", "l granted")
        try program.ask("l rename \(new) \(file)", "l renamed")
        try program.ask("l go", "l released")
    }

    /// Asserts how many versions a file has after a move that was not announced: the versions
    /// belong to the file, and are not only found by its name.
    private func assertVersions(_ program: Program, _ file: String, _ count: Int) throws {
        let moved = stage.path("moved")
        XCTAssertEqual(rename(file, moved), 0)
        try program.ask("n read \(moved)", "n granted")
        XCTAssertEqual(try program.ask("n version list \(moved)", "n has"), "n has \(count)")
        try program.ask("n go", "n released")
        XCTAssertEqual(rename(moved, file), 0)
    }

    func testAVersionOfAnotherFileEndsNoDelegation() throws {
        let (file, other) = try files()
        try server()
        let writer = try peer("writer")
        try keepVersion(writer, "v", of: other)
        try saveLocally(writer, file)
        try assertVersions(writer, file, 0)
        // Nor does a version that another program adds later.
        let late = try peer("late")
        try saveLocally(writer, file) { try keepVersion(late, "v", of: other) }
        try assertVersions(late, other, 2)
        try assertVersions(late, file, 0)
    }

    func testALocalWriteKeepsTheItemsVersions() throws {
        let (file, _) = try files()
        try server()
        let writer = try peer("writer")
        try keepVersion(writer, "v", of: file)
        try saveLocally(writer, file)
        try assertVersions(writer, file, 1)
    }

    /// Which files of the store are opened in ten writes of a file that is delegated.
    ///
    /// The store is also swept now and then, by a thread of its own. So the fewest of several times
    /// count.
    private func opens(_ program: Program, _ file: String, _ name: String) throws -> [String] {
        for round in 0..<12 { try use(program, "write \(file)", "\(name)\(round)") }
        let times = try (1...3).map { time in
            let counter = try OpenCounter(below: stage.path("data"))
            for round in 0..<10 { try use(program, "write \(file)", "\(name)\(time).\(round)") }
            return counter.take()
        }
        return times.min { $0.count < $1.count } ?? []
    }

    func testVersionsOfOtherFilesCostNothing() throws {
        let (file, other) = try files()
        try server()
        let writer = try peer("writer")
        try keepVersion(writer, "v", of: other)
        XCTAssertEqual(try opens(writer, file, "u"), [])
    }

    /// What an item with versions costs does not depend on what else is kept.
    func testAnItemsOwnVersionsCostLittle() throws {
        let (file, other) = try files()
        try server()
        let writer = try peer("writer")
        try keepVersion(writer, "v", of: file)
        let alone = try opens(writer, file, "u").count
        XCTAssertGreaterThan(alone, 0)
        XCTAssertLessThanOrEqual(alone, 10 * 50)
        for number in 0..<30 { try keepVersion(writer, "w\(number)", of: other) }
        XCTAssertLessThanOrEqual(try opens(writer, file, "x").count, alone + 10)
    }

    /// A plain program moves a file that has versions to a path that was known to have none.
    func testAFileThatArrivesBringsItsVersions() throws {
        let (file, other) = try files()
        try server()
        let writer = try peer("writer")
        try keepVersion(writer, "v", of: other)
        try saveLocally(writer, file) { XCTAssertEqual(rename(other, file), 0) }
        try assertVersions(writer, file, 1)
    }

    /// Another program adds the first version of an item, without a claim on the item.
    func testAVersionThatAnotherProgramKeepsIsHeardOf() throws {
        let (file, other) = try files()
        try server()
        let (writer, keeper) = (try peer("writer"), try peer("keeper"))
        try keepVersion(keeper, "v", of: other)
        try saveLocally(writer, file) {
            try keeper.ask("k read \(other)", "k granted")
            try keeper.ask("k version add \(file)", "k added")
            try keeper.ask("k go", "k released")
        }
        try assertVersions(writer, file, 1)
    }
}

/// The same with the daemon.
final class DelegatedVersionsWithDaemonTests: DelegatedVersionsTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
