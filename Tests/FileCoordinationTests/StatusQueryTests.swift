// SPDX-License-Identifier: Apache-2.0
//
// The public question who holds, who waits and who presents (Rule 18.5), and the one spelling of
// lengths of time.

import FileCoordination
import FileCoordinationClient
import FileCoordinationSystem
import XCTest

final class StatusQueryTests: CoordinatorTestCase {
    /// Rule 18.5: a program can ask, for an item and for all that is inside of a directory.
    func testWhoHoldsWaitsAndPresentsIsTold() throws {
        let (url, other) = (try file("f"), try file("ff"))
        let presenter = NotingPresenter(url)
        try NSFileCoordinator.registerFilePresenter(presenter, label: "window")
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let coordinator = NSFileCoordinator()
        coordinator.label = "nightly export"
        let hold = try coordinator.hold(writingItemAt: url)
        let end = onThread("waiter") {
            NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in }
        }
        var status = try FileCoordinationStatus(ofItemAt: url)
        while status.waiters.isEmpty { status = try FileCoordinationStatus(ofItemAt: url) }
        XCTAssertEqual(status.holders.map(\.participant.label), ["nightly export"])
        XCTAssertEqual(status.holders.map(\.participant.processIdentifier), [getpid()])
        XCTAssertEqual(status.holders.map(\.purposeIdentifier), [hold.purposeIdentifier])
        XCTAssertEqual(status.holders.map { $0.urls.map(\.path) }, [[url.path]])
        XCTAssertEqual(status.holders.map(\.isWriting), [true])
        XCTAssertEqual(status.waiters.map(\.isWriting), [false])
        XCTAssertEqual(status.presenters.map(\.participant.label), ["window"])
        XCTAssertEqual(status.presenters.map(\.url.path), [url.path])
        XCTAssertEqual(try FileCoordinationStatus(ofItemAt: directory).holders.count, 1)
        XCTAssertEqual(try FileCoordinationStatus(ofItemAt: directory).waiters.count, 1)
        let nothing = try FileCoordinationStatus(ofItemAt: other)
        XCTAssertTrue(
            nothing.holders.isEmpty && nothing.waiters.isEmpty && nothing.presenters.isEmpty)
        hold.release()
        wait(end)
    }

    /// Rules 18.5 and 18.15: printed, each access is a sentence for people.
    func testAnAccessSaysWhatItDoes() throws {
        let (a, b) = (try file("a"), try file("b"))
        let coordinator = NSFileCoordinator()
        coordinator.label = "nightly\nexport"
        let hold = try coordinator.hold(with: [.writingIntent(with: a), .readingIntent(with: b)])
        let end = onThread("waiter") {
            NSFileCoordinator().coordinate(readingItemAt: a, error: nil) { _ in }
        }
        var status = try FileCoordinationStatus(ofItemAt: a)
        while status.waiters.isEmpty { status = try FileCoordinationStatus(ofItemAt: a) }
        let texts = (status.holders + status.waiters).map(\.description)
        let process = #"\(pid \#(getpid())\)"#
        let time = #"for \d\S* [mµ]?s\.$"#
        let held = #"^nightly\\nexport \#(process) has held \S+/a and \S+/b for writing \#(time)"#
        let waited = #"^\S+ \#(process) has waited to read \S+/a \#(time)"#
        for (text, pattern) in zip(texts, [held, waited]) {
            XCTAssertNotNil(text.range(of: pattern, options: .regularExpression), text)
        }
        XCTAssertEqual(texts.count, 2)
        hold.release()
        wait(end)
    }

    /// Rule 1.10: what is no file's URL is refused.
    func testAURLThatIsNoFilesIsRefused() throws {
        let url = try XCTUnwrap(URL(string: "https://example.org/f"))
        XCTAssertThrowsError(try FileCoordinationStatus(ofItemAt: url)) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileReadUnsupportedScheme)
        }
    }

    /// Rule 1.10: a program can see why a presenter was not registered.
    func testAPresenterThatCannotBeRegisteredIsAnError() throws {
        let presenter = NotingPresenter(URL(string: "https://example.org/f"))
        XCTAssertThrowsError(try NSFileCoordinator.registerFilePresenter(presenter)) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileReadUnsupportedScheme)
        }
        XCTAssertFalse(NSFileCoordinator.filePresenters.contains { $0 === presenter })
        let proper = NotingPresenter(try file("f"))
        try NSFileCoordinator.registerFilePresenter(proper)
        XCTAssertTrue(NSFileCoordinator.filePresenters.contains { $0 === proper })
        NSFileCoordinator.removeFilePresenter(proper)
    }

    func testLengthsOfTimeHaveOneSpelling() throws {
        let expected: [(Duration, String)] = [
            (.seconds(-1), "0 s"), (.zero, "0 s"), (.nanoseconds(999), "999 ns"),
            (.nanoseconds(1999), "1 µs"), (.microseconds(999), "999 µs"),
            (.milliseconds(50), "50 ms"), (.milliseconds(999), "999 ms"), (.seconds(1), "1.0 s"),
            (.milliseconds(1590), "1.5 s"), (.seconds(60), "1 min 0 s"),
            (.seconds(3605), "1 h 0 min"), (.seconds(90000), "1 d 1 h"),
        ]
        for (duration, text) in expected { XCTAssertEqual(DurationText.text(duration), text) }
        XCTAssertTrue(DurationText.text(.seconds(Int64.max)).hasSuffix(" h"))
        // An error uses the same words for durations.
        let url = try file("f")
        let hold = try NSFileCoordinator().hold(writingItemAt: url)
        defer { hold.release() }
        XCTAssertThrowsError(
            try NSFileCoordinator().hold(readingItemAt: url, timeout: .milliseconds(950))
        ) { error in
            let text = "\(error)"
            XCTAssertTrue(text.contains("was not granted within 950 ms."), text)
            let held = #"has held \S+ for [\d.]+ m?s\."#
            XCTAssertNotNil(text.range(of: held, options: .regularExpression), text)
        }
    }
}
