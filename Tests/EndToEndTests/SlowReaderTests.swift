// SPDX-License-Identifier: Apache-2.0
//
// Presenters that are slow to read, and a plain program that writes meanwhile: what waits for them
// is bounded, and they are told after the last write (Rules 7.12 and 7.14).

import XCTest

class SlowReaderTests: StageTestCase {
    private var barriers = 0

    /// Presents a file, and returns the program, which also presents a barrier.
    ///
    /// A claim of its own keeps the presenter's queue busy until it is told `b go`.
    private func slowReader(of item: String) throws -> Program {
        let program = try stage.peer("slow")
        let barrier = try stage.file("barrier.0")
        try program.ask("q present \(barrier) kind=listener", "q registered")
        try program.ask("p present \(item) kind=listener", "p registered")
        try program.ask("b onqueue p write \(stage.path("gate"))", "b granted")
        return program
    }

    /// Returns when the program was sent all changes that were made before.
    private func passBarrier(_ program: Program) throws {
        let next = stage.path("barrier.\(barriers + 1)")
        XCTAssertEqual(rename(stage.path("barrier.\(barriers)"), next), 0)
        barriers += 1
        try program.expect("q did move \(next)")
    }

    //  slow (its queue is busy)             plain program
    //                                       writes 2,000 files
    //  (its queue is free)
    //  1,024 changes, and that anything may have changed
    //                                       writes one more file
    //  is told of that
    //
    /// Rule 7.14.
    func testWhatWaitsForTheReaderOfADirectoryIsBounded() throws {
        let folder = try stage.folder("d")
        let slow = try slowReader(of: folder)
        for number in 0..<2000 { try stage.file("d/\(number)", "x") }
        try passBarrier(slow)
        XCTAssertFalse(slow.lines.contains { $0.hasPrefix("p did") })
        try slow.ask("b go", "b released")
        // Of the directory itself, after all that waited for the reader.
        try slow.expectWholeLine("p did change")
        try stage.file("d/last", "x")
        try slow.expect("p did change \(folder)/last")
        // The last file may be told in several steps.
        let told = slow.lines.count { $0.hasPrefix("p did") }
        XCTAssertLessThanOrEqual(told, 1024 + 1 + 8)
        XCTAssertTrue(slow.lines.contains("p did change"))
    }

    //  slow (its queue is busy)             plain program
    //                                       writes the file 1,000 times
    //  (its queue is free)
    //  is told once
    //                                       writes it again
    //  is told again
    //
    /// Rule 7.12.
    func testTheReaderOfAFileIsToldOnceOfAllThatItHasNotRead() throws {
        let file = try stage.file("f")
        let slow = try slowReader(of: file)
        let quick = try stage.peer("quick")
        try quick.ask("r present \(file) kind=listener", "r registered")
        var rounds = 0
        let end = Date() + Program.patience
        while rounds < 1000 || quick.count("r did change") < 10 {
            guard Date() < end else { throw StageError("not told ten times: \(quick.lines)") }
            rounds += 1
            try stage.file("f", String(repeating: "x", count: rounds % 1000))
        }
        try passBarrier(slow)
        XCTAssertEqual(slow.count("p did change"), 0)
        try slow.ask("b go", "b released")
        try slow.expect("p did change")
        try passBarrier(slow)
        XCTAssertEqual(slow.count("p did change"), 1)
        try stage.file("f", "last")
        try slow.expect("p did change")
    }
}

/// The same with the daemon.
final class SlowReaderWithDaemonTests: SlowReaderTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
