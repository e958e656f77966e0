// SPDX-License-Identifier: Apache-2.0
//
// Moves that the arbiter cannot write down, so that it cannot tell claimants where their items are.
// A claimant fails rather than run at a path that is known to be out of date.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

final class LostPlaceTests: StageTestCase {
    private static let limiter = "/usr/bin/prlimit"

    //  server        viewer        mover             reader
    //                              write(f)          read(f) waits
    //                              moves f to g
    //                did move
    //  can write no more
    //                              moves g to h
    //                did move
    //                              returns
    //                                                fails: g is known, and old
    //
    /// Rule 11.4.
    func testAMoveThatCannotBeWrittenDown() throws {
        try XCTSkipUnless(access(Self.limiter, X_OK) == 0, "There is no \(Self.limiter).")
        let f = try stage.file("f", "text")
        let (g, h) = (stage.path("g"), stage.path("h"))
        stage.settle(f)
        // With SIGXFSZ ignored, a file that grows too
        // long is an error, and does not end the server.
        let server = try stage.peer("server", through: ["/usr/bin/env", "--ignore-signal=XFSZ"])
        try server.ask("first read \(f)", "first granted")
        try server.ask("first go", "first released")
        let viewer = try stage.peer("viewer")
        let (mover, reader) = (try stage.peer("mover"), try stage.peer("reader"))
        try viewer.ask("v present \(f) kind=listener", "v registered")
        try mover.ask("m write \(f) options=forMoving", "m granted")
        reader.tell("r read \(f)")
        try stage.untilWaits(reader)
        XCTAssertEqual(try stage.arbiter(), server.pid)
        try mover.ask("m rename \(f) \(g)", "m renamed")
        try mover.ask("m didmove \(f) \(g)", "m announced")
        try viewer.expect("v did move \(g)")
        let limit = try stage.start(
            "limit", [Self.limiter, "--pid", "\(server.pid)", "--fsize=1:1"])
        XCTAssertEqual(try limit.awaitEnd(), 0)
        try mover.ask("m rename \(g) \(h)", "m renamed")
        try mover.ask("m didmove \(g) \(h)", "m announced")
        try viewer.expect("v did move \(h)")
        try mover.ask("m go", "m released")
        try reader.expect("r failed")
        XCTAssertFalse(reader.said("r granted"))
    }
}
