// SPDX-License-Identifier: Apache-2.0
//
// A face of the client without Foundation: its accesses are those of any other program, and the
// program links no Foundation.

import FileCoordinationWire
import XCTest

class PlainClientTests: StageTestCase {
    /// Rules 2.1 and 1.2: the program waits for a writer
    /// and reads its text, and waits for a reader.
    func testAProgramWithoutFoundationTakesPart() throws {
        let file = try stage.file("f", "old")
        let a = try stage.peer("A")
        try a.ask("a write \(file)", "a granted")
        try a.ask("a put new", "a put")
        let reader = try stage.start("reader", [Products.plainClient, file])
        try stage.untilWaits(reader)
        try a.ask("a go", "a released")
        XCTAssertEqual(try reader.awaitEnd(), 0)
        try reader.expect("new")

        try a.ask("b read \(file)", "b granted")
        let writer = try stage.start("writer", [Products.plainClient, file, "newest"])
        try stage.untilWaits(writer)
        XCTAssertEqual(stage.text(file), "new")
        try a.ask("b go", "b released")
        XCTAssertEqual(try writer.awaitEnd(), 0)
        XCTAssertEqual(stage.text(file), "newest")
    }

    /// Rule 1.10: a name that is no path is an error, and nothing is run.
    func testANameThatIsNoPathIsRefused() throws {
        let program = try stage.start("relative", [Products.plainClient, "relative", "text"])
        XCTAssertEqual(try program.awaitEnd() >> 8, 69)
    }

    /// Without Foundation, static programs are smaller: the client must not link it.
    func testTheProgramLinksNoFoundation() throws {
        let program = try stage.start(
            "libraries", ["/usr/bin/env", "ldd", Products.plainClient])
        XCTAssertEqual(try program.awaitEnd(), 0)
        XCTAssertFalse(program.lines.contains { $0.contains("libFoundation") })
    }
}

/// The same with the daemon.
final class PlainClientWithDaemonTests: PlainClientTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
