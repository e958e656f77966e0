// SPDX-License-Identifier: Apache-2.0
//
// What one program sees of its own coordinators: purposes, threads, errors, intents.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationWire
import TestHome
import Testing
import XCTest

final class CoordinatorTests: CoordinatorTestCase {
    /// Rules 4.1 and 4.2.
    func testPurposesAreThereFromBirthAndSharedByPresenter() {
        let (one, other) = (NotingPresenter(nil), NotingPresenter(nil))
        let ofOne = NSFileCoordinator(filePresenter: one).purposeIdentifier
        XCTAssertFalse(ofOne.isEmpty)
        XCTAssertEqual(ofOne, NSFileCoordinator(filePresenter: one).purposeIdentifier)
        XCTAssertNotEqual(ofOne, NSFileCoordinator(filePresenter: other).purposeIdentifier)
        XCTAssertNotEqual(
            NSFileCoordinator().purposeIdentifier, NSFileCoordinator().purposeIdentifier)
    }

    /// Rule 1.2: an encoded slash is part of a name for Foundation, too.
    func testTheFileIsCoordinatedThatFoundationOpens() throws {
        let url = try XCTUnwrap(URL(string: "a%2Fb", relativeTo: directory))
        let other = directory.appendingPathComponent("a/b")
        let hold = try NSFileCoordinator().hold(writingItemAt: url)
        try Data("held".utf8).write(to: url)
        XCTAssertFalse(canRead(url))
        try NSFileCoordinator().coordinate(readingItemAt: other, timeout: .seconds(60)) { _ in }
        hold.release()
        let path = try PlaceResolver.path(of: url).bytes
        XCTAssertEqual(try FileStatus(path: path).kind, .regular)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        XCTAssertEqual(names, ["a%2Fb"])
    }

    /// Rule 4.2a.
    func testACoordinatorRetainsItsPresenter() {
        var presenter: NotingPresenter? = NotingPresenter(nil)
        weak let shadow = presenter
        let coordinator = NSFileCoordinator(filePresenter: presenter)
        presenter = nil
        XCTAssertNotNil(shadow)
        withExtendedLifetime(coordinator) {}
    }

    /// Rule 2.8b: whatever options a write has together, it is made, and alone.
    func testWritingOptionsCombine() throws {
        let url = try file("f", "before")
        for bits in UInt(0)..<32 {
            let options = NSFileCoordinator.WritingOptions(rawValue: bits)
            var hasRun = false
            NSFileCoordinator().coordinate(writingItemAt: url, options: options, error: nil) {
                url in
                hasRun = true
                XCTAssertFalse(canRead(url))
                try? "\(bits)".write(to: url, atomically: true, encoding: .utf8)
            }
            XCTAssertTrue(hasRun, "\(options)")
            XCTAssertEqual(try String(contentsOf: url, encoding: .utf8), "\(bits)")
        }
    }

    private func canRead(_ url: URL) -> Bool {
        do {
            let coordinator = NSFileCoordinator()
            try coordinator.coordinate(readingItemAt: url, timeout: .milliseconds(1)) { _ in }
            return true
        } catch {
            return false
        }
    }

    /// Rules 2.8b, 14.6: a batch refuses to replace, also together with something else.
    func testABatchRefusesToReplaceWhateverElseItDoes() throws {
        let url = try file("f")
        for options: NSFileCoordinator.WritingOptions in [
            [.forReplacing, .forDeleting], [.forDeleting, .forMerging],
        ] {
            var error: NSError?
            var hasRun = false
            NSFileCoordinator().prepare(
                forReadingItemsAt: [], options: [], writingItemsAt: [url], options: options,
                error: &error
            ) { done in
                hasRun = true
                done()
            }
            XCTAssertEqual(hasRun, !options.contains(.forReplacing))
            XCTAssertEqual(error == nil, hasRun)
        }
    }

    /// Rule 2.21.
    func testPlainAccessIsNotHeldBack() throws {
        let url = try file("f", "before")
        NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
            let read = onThread("plain read") {
                XCTAssertEqual(try? String(contentsOf: url, encoding: .utf8), "before")
            }
            wait(read)
        }
    }

    /// Rule 9.6: success leaves the caller's error alone.
    func testSuccessDoesNotTouchTheError() throws {
        let mine = NSError(domain: "mine", code: 7)
        var failure: NSError? = mine
        NSFileCoordinator().coordinate(readingItemAt: try file("f"), error: &failure) { _ in }
        XCTAssertTrue(failure === mine)
    }

    /// Rule 16.2: a listener on the main queue does not keep a writer on the main thread waiting.
    func testAListenerOnTheMainQueueHoldsNoProcessUp() throws {
        let url = try file("f")
        let heard = expectation(description: "heard")
        let listener = MainListener(url) { heard.fulfill() }
        NSFileCoordinator.addFilePresenter(listener)
        defer { NSFileCoordinator.removeFilePresenter(listener) }
        XCTAssertTrue(Thread.isMainThread)
        write(url)
        wait(heard)
    }

    /// Rule 16.3: the library holds no lock while it asks a presenter for its URL.
    func testAPresentersGettersMayUseTheLibrary() throws {
        let presenter = InquisitivePresenter(try file("f"))
        NSFileCoordinator.addFilePresenter(presenter)
        write(presenter.url, NSFileCoordinator(filePresenter: presenter))
        NSFileCoordinator.removeFilePresenter(presenter)
        XCTAssertGreaterThan(presenter.questions.withLock { $0 }, 0)
    }

    /// Rules 14.1, 14.5 and 14.8: a batch of thousands, with calls inside from several threads.
    func testABatchOfThousandsWithCallsFromSeveralThreads() throws {
        let directory = directory
        let urls = (0..<5000).map { directory.appendingPathComponent("\($0)") }
        for url in urls.prefix(100) { try Data("text".utf8).write(to: url) }
        let reads = Lock(0)
        var failure: NSError?
        var ends: [XCTestExpectation] = []
        NSFileCoordinator().prepare(
            forReadingItemsAt: urls, writingItemsAt: [directory], error: &failure
        ) { complete in
            let left = Lock(4)
            for thread in 0..<4 {
                ends.append(
                    onThread("\(thread)") {
                        for url in urls[(thread * 25)..<(thread * 25 + 25)] {
                            NSFileCoordinator().coordinate(
                                readingItemAt: url, options: .withoutChanges, error: nil
                            ) { url in
                                if (try? Data(contentsOf: url)) != nil {
                                    reads.withLock { $0 += 1 }
                                }
                            }
                        }
                        let isLast = left.withLock { left in
                            left -= 1
                            return left == 0
                        }
                        if isLast { complete() }
                    })
            }
        }
        // It has returned, so that all of them are done.
        XCTAssertNil(failure)
        XCTAssertEqual(reads.withLock { $0 }, 100)
        wait(for: ends, timeout: test_patience(30))
    }

    /// Rules 2.3, 2.11 and 2.12: ten threads, fifty writes each, of a file that is not there yet.
    func testTenThreadsMergeIntoOneNewFile() throws {
        let url = directory.appendingPathComponent("new", isDirectory: false)
        let (threads, rounds) = (10, 50)
        let inside = Lock(0)
        let ends = (0..<threads).map { number in
            onThread("\(number)") {
                for round in 0..<rounds {
                    var failure: NSError?
                    NSFileCoordinator().coordinate(
                        writingItemAt: url, options: .forMerging, error: &failure
                    ) { url in
                        XCTAssertEqual(
                            inside.withLock {
                                $0 += 1; return $0
                            }, 1)
                        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
                        let more = Data((text + "\(number).\(round)\n").utf8)
                        XCTAssertNotNil(try? more.write(to: url, options: .atomic))
                        inside.withLock { $0 -= 1 }
                    }
                    XCTAssertNil(failure)
                }
            }
        }
        wait(for: ends, timeout: test_patience(120))
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        XCTAssertEqual(Set(lines).count, threads * rounds)
        XCTAssertEqual(lines.count, threads * rounds)
    }

    /// Rule 13.8.
    func testSynchronousAccessorsRunOnTheCallersThread() throws {
        let url = try file("f")
        let end = onThread("caller") {
            let caller = Thread.current
            NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in
                XCTAssertTrue(Thread.current === caller)
            }
        }
        wait(end)
    }

    /// Rules 13.3 and 13.7: the intents are the caller's own, the coordinator may be let go.
    func testIntentsComeBackAndTheCoordinatorMayGo() throws {
        let url = try file("f")
        let intent = NSFileAccessIntent.writingIntent(with: url)
        let end = expectation(description: "accessor")
        let queue = OperationQueue()
        var coordinator: NSFileCoordinator? = NSFileCoordinator()
        coordinator?.coordinate(with: [intent], queue: queue) { error in
            XCTAssertNil(error)
            XCTAssertEqual(intent.url, url)
            end.fulfill()
        }
        coordinator = nil
        wait(end)
    }

    /// Rules 13.9 and 2.20: what an accessor leaves running elsewhere is not covered by its claim.
    func testWorkLeftRunningIsNotCovered() throws {
        let url = try file("f")
        let mayEnd = Monitor(false)
        let leftover = Lock<XCTestExpectation?>(nil)
        NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in
            leftover.withLock { [self] in
                $0 = onThread("leftover") { _ = mayEnd.wait { $0 } }
            }
        }
        write(url)
        mayEnd.withLock { $0 = true }
        mayEnd.notifyAll()
        if let end = leftover.withLock({ $0 }) { wait(end) }
    }

    /// Rule 2.22: nothing but the end of the other claim ends a wait, whatever happens meanwhile.
    func testAWaitLastsAsLongAsItMust() throws {
        let url = try file("f")
        let other = try file("g")
        let hasRun = Lock(false)
        var reader: XCTestExpectation?
        NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { url in
            reader = onThread("reader") {
                NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in
                    hasRun.withLock { $0 = true }
                }
            }
            for _ in 0..<200 { write(other) }
            XCTAssertFalse(hasRun.withLock { $0 })
        }
        if let reader { wait(reader) }
        XCTAssertTrue(hasRun.withLock { $0 })
    }

    /// Rule 18.5.
    func testStatusShowsWhoHolds() throws {
        let url = try file("f")
        let environment = ProcessInfo.processInfo.environment
        try NSFileCoordinator().coordinateThrowing(writingItemAt: url) {
            let report = try XCTUnwrap(StatusClient(environment: environment)?.report())
            let claim = try XCTUnwrap(report.claims.first { $0.processID == getpid() })
            XCTAssertEqual(claim.stage, .granted)
            XCTAssertEqual(claim.items.first?.path.components.last, Array("f".utf8))
        }
    }
}

extension NSFileCoordinator {
    fileprivate func coordinateThrowing(
        writingItemAt url: URL, accessor: () throws -> Void
    ) throws {
        var result: Result<Void, any Error> = .success(())
        coordinate(writingItemAt: url, error: nil) { _ in result = Result { try accessor() } }
        try result.get()
    }
}

@Suite struct CoordinatorMistakeTests {
    @Test func `Rule 4.3: a purpose cannot be set twice`() async {
        await #expect(processExitsWith: .failure) {
            let coordinator = NSFileCoordinator()
            coordinator.purposeIdentifier = "a"
            coordinator.purposeIdentifier = "a"
        }
    }

    @Test func `Rule 4.3: a purpose cannot be set to nothing`() async {
        await #expect(processExitsWith: .failure) { NSFileCoordinator().purposeIdentifier = "" }
    }

    @Test func `Rule 4.3: a presenter's coordinator has the presenter's purpose`() async {
        await #expect(processExitsWith: .failure) {
            NSFileCoordinator(filePresenter: NotingPresenter(nil)).purposeIdentifier = "a"
        }
    }

    @Test func `Rule 9.6: an error that has no place is printed, once for each cause`() async throws
    {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            setenv("FILECOORDINATION_RUNTIME_DIR", "relative, so that nothing is served", 1)
            for name in ["/tmp", "/"] {
                let url = URL(fileURLWithPath: name)
                NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in exit(1) }
                var failure: NSError?
                NSFileCoordinator().coordinate(readingItemAt: url, error: &failure) { _ in exit(1) }
                if failure == nil { exit(1) }
            }
            let cancelled = NSFileCoordinator()
            cancelled.cancel()
            cancelled.coordinate(
                readingItemAt: URL(fileURLWithPath: "/tmp"), error: nil
            ) { _ in exit(1) }
            exit(0)
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.contains("error: nil") }
        #expect(lines.count == 1, "\(text)")
    }

    @Test func `Rule 4.4: the first use fixes the purpose`() async {
        await #expect(processExitsWith: .failure) {
            setenv("FILECOORDINATION_RUNTIME_DIR", "relative, so that nothing is served", 1)
            let coordinator = NSFileCoordinator()
            coordinator.coordinate(
                readingItemAt: URL(fileURLWithPath: "/tmp"), error: nil
            ) { _ in }
            coordinator.purposeIdentifier = "a"
        }
    }
}
