// SPDX-License-Identifier: Apache-2.0
//
// A plain program moves a presented file, and a coordinated read at the new path follows at once
// (Rule 1.15). The test makes it likely that the server was not told of the move before the read.

import TestHome
import XCTest

class PlainMoveTests: StageTestCase {
    private static let rounds = 200

    //  presenter               mover
    //                          rename(f.0, f.1)
    //                          read(f.1)
    //  did move f.1
    //  save: writes its unsaved text by a claim of its own
    //                          granted, finds that text
    //                          rename(f.1, f.0), and so on
    //
    /// Rules 1.15 and 11.9.
    func testAReadRightAfterAPlainMoveFindsWhatThePresenterHadNotSaved() throws {
        try chase("")
    }

    /// Rule 1.15: the same with places that are delegated to the reader before the move.
    func testADelegatedReadRightAfterAPlainMoveFindsWhatThePresenterHadNotSaved() throws {
        try chase(" uses=3")
    }

    private func chase(_ options: String) throws {
        let file = try stage.file("f.0")
        let presenter = try stage.peer("presenter")
        try presenter.ask("p present \(file) unsaved=unsaved", "p registered")
        let mover = try stage.peer("mover")
        let path = file.dropLast(2)
        mover.tell("m chase \(path) \(Self.rounds) unsaved\(options)")
        let result = try mover.expect("m chased", within: test_patience(60))
        XCTAssertEqual(result, "m chased \(Self.rounds) stale 0")
        for _ in 0..<Self.rounds { try presenter.expect("p save") }
    }
}

/// The same with the daemon.
final class PlainMoveWithDaemonTests: PlainMoveTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
