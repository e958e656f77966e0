// SPDX-License-Identifier: Apache-2.0
//
// Presenters in other processes (Rules 5 to 9).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class PresenterTests: StageTestCase {
    //  presenter               reader
    //                          read(f)
    //  relinquish to reader
    //  save: writes its unsaved text by a claim of its own
    //                          granted, finds that text
    //                          returns
    //  reacquire
    //
    /// Rules 2.16, 3.7, 6.1, 6.5, 6.13, 7.9 and 7.11.
    func testUnsavedTextIsSavedBeforeAReaderSeesTheFile() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file) unsaved=unsaved", "p registered")
        XCTAssertEqual(
            try reader.ask("r read \(file)", "r granted"), "r granted unsaved")
        XCTAssertFalse(presenter.said("p reacquire from reader"))
        try reader.ask("r go", "r released")
        try presenter.expect("p reacquire from reader")
        assertSaidOnly(
            presenter,
            [
                "p registered", "p relinquish to reader", "p save", "p saved",
                "p reacquire from reader",
            ])
    }

    //  presenter               writer
    //                          write(f)
    //  relinquish to writer
    //                          granted, changes f, returns
    //  did change
    //  reacquire
    //
    /// Rules 6.1, 7.2 and 7.3.
    func testAWriterIsAnnouncedAndReportedInOrder() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        assertSaidOnly(
            presenter,
            ["p registered", "p relinquish to writer", "p did change", "p reacquire from writer"])
    }

    //  presenter               writer
    //                          write(f), changes nothing
    //  relinquish, reacquire
    //                          write(f), changes f
    //  relinquish, did change, reacquire
    //
    /// Rule 7.8.
    func testAWriteThatChangedNothingIsNotReported() throws {
        let file = try stage.file("f")
        stage.settle(file)
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        assertSaidOnly(
            presenter,
            [
                "p registered", "p relinquish to writer", "p reacquire from writer",
                "p relinquish to writer", "p did change", "p reacquire from writer",
            ])
    }

    /// Rules 6.1 and 6.9: which options ask for what.
    func testOptionsSayWhatIsAskedFor() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let other = try stage.peer("other")
        try presenter.ask("p present \(file)", "p registered")
        stage.settle(file)
        for order in [
            "read \(file) options=withoutChanges", "write \(file) options=forMerging",
            "read \(file) options=metadataOnly", "write \(file) options=metadataOnly",
        ] {
            try other.ask("o " + order, "o granted")
            try other.ask("o go", "o released")
            try presenter.expect(
                order.hasPrefix("read") ? "p reacquire from reader" : "p reacquire from writer")
        }
        assertSaidOnly(
            presenter,
            [
                "p registered",
                "p relinquish to reader", "p reacquire from reader",
                "p relinquish to writer", "p save", "p reacquire from writer",
                "p relinquish to reader", "p save", "p reacquire from reader",
                "p relinquish to writer", "p reacquire from writer",
            ])
    }

    //  presenter               writer
    //                          write(f, forDeleting)
    //  relinquish to writer
    //  accommodate deletion
    //                          granted, deletes f, returns
    //
    /// Rules 6.1 and 6.5.
    func testADeletionIsAccommodated() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) hold=accommodate", "p registered")
        writer.tell("w write \(file) options=forDeleting")
        try presenter.expect("p accommodate deletion")
        try stage.until(writer, has: 1, .asking)
        XCTAssertFalse(writer.said("w granted"))
        presenter.tell("x answer p")
        try writer.expect("w granted")
        try writer.ask("w delete", "w deleted")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        assertSaid(
            presenter,
            ["p relinquish to writer", "p accommodate deletion", "p reacquire from writer"])
    }

    //  presenter               writer
    //                          write(p.rtfd/a, forDeleting)
    //  relinquish to writer
    //  accommodate deletion of p.rtfd/a
    //
    /// Rules 6.1, 6.2 and 6.3: packages are asked about their items, plain directories are not.
    func testADeletionInsideAPackageIsAccommodatedByIt() throws {
        let package = try stage.folder("p.rtfd")
        let item = try stage.file("p.rtfd/a")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(package)", "p registered")
        try presenter.ask("d present \(stage.directory)", "d registered")
        try writer.ask("w write \(item) options=forDeleting", "w granted")
        try writer.ask("w delete", "w deleted")
        try writer.ask("w go", "w released")
        try presenter.expect("p reacquire from writer")
        try presenter.expect("d did change \(item)")
        assertSaid(
            presenter,
            ["p relinquish to writer", "p accommodate deletion \(item)", "p reacquire from writer"])
        XCTAssertFalse(presenter.said("d relinquish"))
        XCTAssertFalse(presenter.said("d accommodate"))
    }

    //  presenter               other
    //                          write(d, forDeleting)
    //  (of d/e/f) relinquish, accommodate deletion
    //
    /// Rule 6.1: who deletes a directory asks the presenters of everything inside.
    func testPresentersInsideADeletedDirectoryAreAsked() throws {
        let folder = try stage.folder("d")
        try stage.folder("d/e")
        let file = try stage.file("d/e/f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        try writer.ask("w write \(folder) options=forDeleting", "w granted")
        // The presenter wrote this line before the grant, but the test reads it from another pipe.
        try presenter.expect("p accommodate deletion")
        assertSaid(presenter, ["p relinquish to writer", "p accommodate deletion"])
    }

    //  presenter               reader                  writer
    //                          read(f)
    //  relinquish, save: refuses
    //                          fails with that error
    //  reacquire
    //                                                  write(f) granted
    //
    /// Rules 8.4, 9.1, 9.2, 9.5 and 17.2.
    func testARefusalReachesTheReader() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file) fail=save", "p registered")
        reader.tell("r read \(file) explain")
        XCTAssertEqual(try reader.expect("r failed"), "r failed StageErrorDomain 4711")
        XCTAssertEqual(try reader.expect("r because"), "r because The stage presenter refuses.")
        try presenter.expect("p reacquire from reader")
        XCTAssertFalse(presenter.said("p did change"))
        try reader.ask("w write \(file)", "w granted")
        try reader.ask("w go", "w released")
        try reader.ask("l later read:\(file)", "l failed StageErrorDomain 4711")
        XCTAssertFalse(reader.said("r granted") || reader.said("l granted"))
    }

    /// Rule 9.1: a refusal to accommodate keeps the file.
    func testARefusalKeepsTheFile() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) fail=accommodate", "p registered")
        XCTAssertEqual(
            try writer.ask("w write \(file) options=forDeleting", "w failed"),
            "w failed StageErrorDomain 4711")
        try presenter.expect("p reacquire from writer")
        XCTAssertEqual(stage.text(file), "old")
    }

    //  presenter of d          writer
    //                          creates d/f, changes d/e/g, deletes d/f
    //  did appear d/f, did change d/f
    //  did change d/e/g
    //  did change d/f
    //
    /// Rules 7.4, 7.5, 7.6 and 7.7, at depth 1 and 2.
    func testADirectoryHearsOfItsItems() throws {
        let folder = try stage.folder("d")
        try stage.folder("d/e")
        let deep = try stage.file("d/e/g")
        let file = stage.path("d/f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(folder) kind=listener", "p registered")
        try writer.ask("1 write \(file)", "1 granted")
        try writer.ask("1 put new", "1 put")
        try writer.ask("1 go", "1 released")
        try presenter.expect("p did change \(file)")
        try writer.ask("2 write \(deep)", "2 granted")
        try writer.ask("2 put new", "2 put")
        try writer.ask("2 go", "2 released")
        try presenter.expect("p did change \(deep)")
        try writer.ask("3 write \(file)", "3 granted")
        try writer.ask("3 delete", "3 deleted")
        try writer.ask("3 go", "3 released")
        try presenter.expect("p did change \(file)")
        assertSaidOnly(
            presenter,
            [
                "p registered", "p did appear \(file)", "p did change \(file)",
                "p did change \(deep)", "p did change \(file)",
            ])
    }

    /// Rules 5.11, 7.3 and 7.6: the presenter of an item is told when the item is created, and when
    /// a plain write deletes it.
    func testAnItemsPresenterHearsOfItsBirthAndDeath() throws {
        let file = stage.path("f")
        let presenter = try stage.peer("presenter")
        let writer = try stage.peer("writer")
        try presenter.ask("p present \(file) kind=listener", "p registered")
        try writer.ask("1 write \(file)", "1 granted")
        try writer.ask("1 put new", "1 put")
        try writer.ask("1 go", "1 released")
        try presenter.expect("p did change")
        try writer.ask("2 write \(file)", "2 granted")
        try writer.ask("2 delete", "2 deleted")
        try writer.ask("2 go", "2 released")
        try presenter.expect("p did change")
        assertSaidOnly(presenter, ["p registered", "p did change", "p did change"])
    }

    //  A
    //  presents f
    //  write(f), nil: relinquish, granted, changes f: did change
    //  write(f), on the presenter's behalf: silence
    //
    /// Rules 4.5, 7.9 and 7.10.
    func testItsOwnProcessAsksAPresenterUnlessItActsOnItsBehalf() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("p present \(file)", "p registered")
        try a.ask("c coordinator presenter=p", "c made")
        try a.ask("1 write \(file) using=c", "1 granted")
        try a.ask("1 put own", "1 put")
        try a.ask("1 go", "1 released")
        try a.ask("2 write \(file)", "2 granted")
        try a.ask("2 put other", "2 put")
        try a.ask("2 go", "2 released")
        try a.expect("p reacquire from writer")
        assertSaid(
            a,
            [
                "1 released", "p relinquish to writer", "2 granted other", "p did change",
                "p reacquire from writer",
            ].filter { $0 != "2 granted other" })
        XCTAssertEqual(a.count("p did change"), 1)
    }

    /// Rules 5.3 and 6.6: a presenter that implements nothing delays no claim.
    func testAPresenterWithoutMethodsDelaysNoClaim() throws {
        let file = try stage.file("f")
        let writer = try stage.peer("writer")
        // The writer coordinates first, so that the presenter's process does not serve.
        try writer.ask("w read \(file)", "w granted")
        try writer.ask("w go", "w released")
        let presenter = try stage.peer("presenter")
        try presenter.ask("p present \(file) kind=heedless", "p registered")
        try presenter.ask("q present \(file) kind=listener", "q registered")
        presenter.signal(SIGSTOP)
        try writer.ask("w write \(file) options=forDeleting", "w granted")
        try writer.ask("w put new", "w put")
        try writer.ask("w go", "w released")
        presenter.signal(SIGCONT)
        try presenter.expect("q did change")
    }

    /// Rule 5.10: all presenters of one item are asked, wherever they are, and all are waited for.
    func testSeveralPresentersAreAllWaitedFor() throws {
        let file = try stage.file("f")
        let one = try stage.peer("one")
        let two = try stage.peer("two")
        let writer = try stage.peer("writer")
        try one.ask("p present \(file) hold=relinquish", "p registered")
        try one.ask("q present \(file)", "q registered")
        try two.ask("r present \(file) hold=relinquish", "r registered")
        writer.tell("w write \(file)")
        try one.expect("p relinquish to writer")
        try one.expect("q relinquish to writer")
        try two.expect("r relinquish to writer")
        one.tell("x answer p")
        try stage.until("only r is waited for") { report in
            report.claims.first?.waitsFor.map(\.processID) == [two.pid]
        }
        XCTAssertFalse(writer.said("w granted"))
        two.tell("x answer r")
        try writer.expect("w granted")
    }

    //  presenter               reader 1                reader 2
    //                          read(f)
    //  relinquish, save
    //                          granted
    //                                                  read(f)
    //  save
    //                                                  granted
    //                          returns
    //                                                  returns
    //  reacquire, once
    //
    /// Rules 3.6, 6.11 and 8.3.
    func testOverlappingReadersShareOneRelinquishment() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let readers = try stage.peer("readers")
        try presenter.ask("p present \(file)", "p registered")
        try readers.ask("1 read \(file)", "1 granted")
        try readers.ask("2 read \(file)", "2 granted")
        try readers.ask("1 go", "1 released")
        try stage.until(readers, has: 1, .granted)
        XCTAssertFalse(presenter.said("p reacquire from reader"))
        try readers.ask("2 go", "2 released")
        try presenter.expect("p reacquire from reader")
        assertSaidOnly(
            presenter,
            [
                "p registered", "p relinquish to reader", "p save", "p save",
                "p reacquire from reader",
            ])
    }

    // MARK: Queues

    /// Rule 16.5: a presenter on the main queue is reached while the main run loop runs.
    func testAPresenterOnTheMainQueue() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file) queue=main unsaved=unsaved", "p registered")
        XCTAssertEqual(try reader.ask("r read \(file)", "r granted"), "r granted unsaved")
        try reader.ask("r go", "r released")
        try presenter.expect("p reacquire from reader")
    }

    /// Rule 16.5: on Linux, default queues share a few threads, one more a second when all of them
    /// are busy; the library needs none of them itself.
    func testAPresenterOnADefaultQueueBesideBusyOnes() throws {
        let file = try stage.file("f")
        let presenter = try stage.peer("presenter")
        let reader = try stage.peer("reader")
        try presenter.ask("p present \(file) queue=busy", "p registered")
        try presenter.ask("q present \(file)", "q registered")
        reader.tell("r read \(file)")
        // Not held up by the other presenter's queue.
        try presenter.expect("q save")
        try reader.expect("r granted", within: 2 * Program.patience)
        try reader.ask("r go", "r released")
        try presenter.expect("q reacquire from reader")
    }
}

/// The same with the daemon.
final class PresenterWithDaemonTests: PresenterTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
