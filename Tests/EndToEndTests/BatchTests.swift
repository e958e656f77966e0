// SPDX-License-Identifier: Apache-2.0
//
// Batches, among processes (section 14).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class BatchTests: StageTestCase {
    //  presenters of d, d/f, d/e/g     finder
    //                                  prepare(reading d)
    //  save, each once
    //                                  the batch accessor runs; reads d/f without changes
    //  relinquish to reader (d/f)
    //
    /// Rules 14.1, 14.2, 14.5 and 14.8.
    func testPresentersOfEverythingInsideAreAskedToSaveOnce() throws {
        let folder = try stage.folder("d")
        try stage.folder("d/e")
        let (f, g) = (try stage.file("d/f"), try stage.file("d/e/g"))
        let presenters = try stage.peer("presenters")
        let finder = try stage.peer("finder")
        for (label, place) in [("d", folder), ("f", f), ("g", g)] {
            try presenters.ask("\(label) present \(place)", "\(label) registered")
        }
        try finder.ask("c coordinator", "c made")
        try finder.ask("b batch read:\(folder) using=c", "b prepared")
        for label in ["d", "f", "g"] {
            XCTAssertEqual(presenters.count("\(label) save"), 1)
            XCTAssertEqual(presenters.count("\(label) relinquish"), 0)
        }
        try finder.ask("b nest r read \(f) options=withoutChanges using=c", "r granted")
        XCTAssertEqual(presenters.count("f relinquish to reader"), 1)
        try finder.ask("r go", "r released")
        try presenters.expect("f reacquire from reader")
        XCTAssertEqual(presenters.count("f save"), 1)
        try finder.ask("b complete", "b completed")
        try finder.ask("b go", "b returned")
    }

    //  finder                          outsider
    //  prepare(reading f, writing d): runs
    //                                  write(f) granted, returns
    //  its own write(f) waits for another one as ever
    //
    /// Rules 14.3, 14.5 and 14.9.
    func testABatchExcludesNoProcess() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("f")
        let finder = try stage.peer("finder")
        let outsider = try stage.peer("outsider")
        try finder.ask("c coordinator", "c made")
        try finder.ask("b batch read:\(file) write:\(folder) using=c", "b prepared")
        try outsider.ask("w write \(file)", "w granted")
        finder.tell("b nest n write \(file) using=c")
        try stage.untilWaits(finder)
        try outsider.ask("w go", "w released")
        try finder.expect("n granted")
        try finder.ask("n go", "n released")
        // From another thread, too.
        try finder.ask("t write \(file) using=c", "t granted")
        try finder.ask("t go", "t released")
        try finder.ask("b complete", "b completed")
        try finder.ask("b go", "b returned")
    }

    /// Rule 14.4: the call returns when the handler was
    /// called, on whatever thread, or was released.
    func testItReturnsWhenTheHandlerWasCalledOrDropped() throws {
        let file = try stage.file("f")
        let finder = try stage.peer("finder")
        try finder.ask("b batch read:\(file)", "b prepared")
        try finder.ask("b completelater l", "b kept")
        finder.tell("b go")
        try finder.ask("l now", "b completing")
        try finder.expect("b returned")
        try finder.ask("b batch read:\(file)", "b prepared")
        try finder.ask("b drop", "b dropped")
        try finder.ask("b go", "b returned")
        XCTAssertTrue(
            try stage.until("nothing is left") { $0.claims.isEmpty }.claims.isEmpty)
    }

    /// Rules 14.6 and 14.7: options that make no sense are errors, and so is a presenter's refusal.
    func testOptionsThatMakeNoSenseAreErrorsAndSoIsARefusal() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let finder = try stage.peer("finder")
        try presenter.ask("p present \(file) fail=save", "p registered")
        try finder.ask(
            "b batch read:\(file) reading=resolvesSymbolicLink",
            "b failed FileCoordinationErrorDomain 3")
        try finder.ask(
            "b batch write:\(file) writing=forReplacing", "b failed FileCoordinationErrorDomain 3")
        try finder.ask("b batch read:\(file)", "b failed StageErrorDomain 4711")
        XCTAssertFalse(finder.said("b prepared"))
        // Deleting asks to accommodate, without relinquishing before (Rule 14.2).
        try finder.ask("b batch write:\(file) writing=forDeleting", "b prepared")
        XCTAssertTrue(presenter.said("p accommodate deletion"))
        XCTAssertFalse(presenter.said("p relinquish to writer"))
        try finder.ask("b drop", "b dropped")
        try finder.ask("b go", "b returned")
    }

    /// Rule 14.7: a cancelled batch does not run.
    func testACancelledBatchDoesNotRun() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let finder = try stage.peer("finder")
        try presenter.ask("p present \(file) never=save", "p registered")
        try finder.ask("c coordinator", "c made")
        finder.tell("b batch read:\(file) using=c")
        try presenter.expect("p save")
        try finder.ask("x cancel c", "x cancelled")
        try finder.expect("b failed NSCocoaErrorDomain 3072")
        XCTAssertFalse(finder.said("b prepared"))
    }
}

/// The same with the daemon.
final class BatchWithDaemonTests: BatchTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
