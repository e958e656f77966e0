// SPDX-License-Identifier: Apache-2.0
//
// Labels of coordinators, presenters and the whole process, as errors name them (Rule 18.15).

import FileCoordination
import FileCoordinationSystem
import TestHome
import XCTest

final class CoordinatorLabelTests: CoordinatorTestCase {
    override func tearDownWithError() throws {
        NSFileCoordinator.processLabel = nil
        try super.tearDownWithError()
    }

    /// Who is in the way of a write while `holder` reads.
    private func party(
        whileReading url: URL, _ holder: NSFileCoordinator
    ) throws -> FileCoordinationError.Party {
        let failure = Lock<(any Error)?>(nil)
        try holder.coordinate(readingItemAt: url) { (url: URL) -> Void in
            let end = onThread("writer") {
                do {
                    try NSFileCoordinator().coordinate(
                        writingItemAt: url, timeout: .seconds(2)
                    ) { _ in XCTFail("It had access") }
                } catch {
                    failure.withLock { $0 = error }
                }
            }
            wait(for: [end], timeout: test_patience(60))
        }
        let error = try XCTUnwrap(failure.withLock { $0 } as? FileCoordinationError)
        XCTAssertEqual(error.code, .timedOut)
        let party = try XCTUnwrap(error.parties.first)
        XCTAssertTrue(
            error.description.contains("\(party.label) (pid \(getpid()))"), error.description)
        return party
    }

    func testAnErrorNamesTheHolderByItsOwnLabelElseItsProcessElseItsProgram() throws {
        let url = try file("a")
        let coordinator = NSFileCoordinator()
        let program = try party(whileReading: url, coordinator)
        XCTAssertEqual(program.label, program.processName)
        NSFileCoordinator.processLabel = "all of it"
        XCTAssertEqual(try party(whileReading: url, coordinator).label, "all of it")
        XCTAssertEqual(NSFileCoordinator.processLabel, "all of it")
        coordinator.label = "nightly export"
        let labelled = try party(whileReading: url, coordinator)
        XCTAssertEqual(labelled.label, "nightly export")
        XCTAssertEqual(labelled.processName, program.processName)
        coordinator.label = nil
        XCTAssertNil(coordinator.label)
        XCTAssertEqual(try party(whileReading: url, coordinator).label, "all of it")
        NSFileCoordinator.processLabel = nil
        XCTAssertNil(NSFileCoordinator.processLabel)
        XCTAssertEqual(try party(whileReading: url, coordinator).label, program.processName)
    }

    /// For a path that is delegated to the process, a label is written only if there is one.
    func testALabelledAccessOfAPlaceOfItsOwnIsNamedToo() throws {
        let url = try file("a")
        let coordinator = NSFileCoordinator()
        for _ in 0..<10 { write(url, coordinator) }
        coordinator.label = "tenth"
        var failure: NSError?
        let named = Lock<FileCoordinationError?>(nil)
        coordinator.coordinate(writingItemAt: url, error: &failure) { url in
            let waiter = onThread("reader") {
                do {
                    try NSFileCoordinator().coordinate(
                        readingItemAt: url, timeout: .seconds(2)
                    ) { _ in XCTFail("It had access") }
                } catch {
                    named.withLock { $0 = error as? FileCoordinationError }
                }
            }
            wait(for: [waiter], timeout: test_patience(60))
        }
        XCTAssertNil(failure)
        XCTAssertEqual(named.withLock { $0 }?.parties.map(\.label), ["tenth"])
    }

    func testALabelIsBounded() {
        let coordinator = NSFileCoordinator()
        coordinator.label = String(repeating: "é", count: 1000)
        XCTAssertEqual(coordinator.label, String(repeating: "é", count: 60))
        NSFileCoordinator.processLabel = String(repeating: "é", count: 1000)
        XCTAssertEqual(NSFileCoordinator.processLabel, String(repeating: "é", count: 60))
        XCTAssertNil(NSFileCoordinator().label)
    }

    func testAPresenterIsCalledByItsOwnLabel() throws {
        final class Silent: NSObject, NSFilePresenter {
            let presentedItemURL: URL?
            let presentedItemOperationQueue = OperationQueue()
            init(_ url: URL) { presentedItemURL = url }
            func savePresentedItemChanges(
                completionHandler: @escaping @Sendable ((any Error)?) -> Void
            ) {}
        }
        let url = try file("a")
        let presenter = Silent(url)
        NSFileCoordinator.addFilePresenter(presenter, label: "view\u{1b}er")
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertThrowsError(
            try NSFileCoordinator().coordinate(readingItemAt: url, timeout: .seconds(2)) {
                _ in XCTFail("It had access")
            }
        ) { error in
            let error = error as? FileCoordinationError
            XCTAssertEqual(error?.parties.map(\.label), ["view\u{1b}er"])
            XCTAssertTrue(error?.description.contains("view\\eer (pid ") ?? false)
        }
    }
}
