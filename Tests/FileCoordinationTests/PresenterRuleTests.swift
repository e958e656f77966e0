// SPDX-License-Identifier: Apache-2.0
//
// What presenters of this very process see of coordinated access in it.

import FileCoordination
import FileCoordinationClient
import FileCoordinationSystem
import XCTest

final class PresenterRuleTests: CoordinatorTestCase {
    /// Rule 5.6: the system does not poll where a presenter says that its item is.
    func testAPresenterThatChangesItsURLRegistersAgain() throws {
        let (old, new) = (try file("old"), try file("new"))
        let presenter = NotingPresenter(old)
        NSFileCoordinator.addFilePresenter(presenter)
        presenter.notes.place = new
        write(old)
        XCTAssertTrue(presenter.notes.expect(1))
        NSFileCoordinator.removeFilePresenter(presenter)
        NSFileCoordinator.addFilePresenter(presenter)
        write(new)
        XCTAssertTrue(presenter.notes.expect(2))
        NSFileCoordinator.removeFilePresenter(presenter)
        XCTAssertEqual(presenter.notes.all, ["did change", "did change"])
    }

    /// Rule 5.9.
    func testARegistrationKeepsThePresenterAlive() throws {
        var presenter: NotingPresenter? = NotingPresenter(try file("f"))
        weak let shadow = presenter
        presenter.map { NSFileCoordinator.addFilePresenter($0) }
        presenter = nil
        let registered = try XCTUnwrap(shadow)
        NSFileCoordinator.removeFilePresenter(registered)
    }

    /// Rule 7.1: the writer does not wait for those who are told of its change.
    func testTheWriterDoesNotWaitForNotices() throws {
        let url = try file("f")
        let presenter = NotingPresenter(url)
        presenter.presentedItemOperationQueue.isSuspended = true
        NSFileCoordinator.addFilePresenter(presenter)
        write(url)
        XCTAssertEqual(presenter.notes.all, [])
        presenter.presentedItemOperationQueue.isSuspended = false
        XCTAssertTrue(presenter.notes.expect(1))
        NSFileCoordinator.removeFilePresenter(presenter)
    }

    /// Rules 7.1a and 7.5: in the arbiter's order.
    func testNoticesComeInOrder() throws {
        let presenter = NotingPresenter(directory)
        NSFileCoordinator.addFilePresenter(presenter)
        let names = (1...20).map { "f\($0)" }
        for name in names { write(directory.appendingPathComponent(name, isDirectory: false)) }
        XCTAssertTrue(presenter.notes.expect(40))
        NSFileCoordinator.removeFilePresenter(presenter)
        XCTAssertEqual(presenter.notes.all, names.flatMap { ["appeared \($0)", "changed \($0)"] })
    }

    /// Rules 7.3, 7.7 and 7.8: a change inside a package does not show in the package's own status.
    ///
    /// The claim reports a change of the package, and the watcher reports the item inside.
    func testAChangeInsideAPackageIsReported() throws {
        let package = directory.appendingPathComponent("p.rtfd", isDirectory: true)
        try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
        let inner = package.appendingPathComponent("text", isDirectory: false)
        try Data("one".utf8).write(to: inner)
        let presenter = NotingPresenter(package)
        NSFileCoordinator.addFilePresenter(presenter)
        NSFileCoordinator().coordinate(writingItemAt: package, error: nil) { _ in
            try? Data("two".utf8).write(to: inner)
        }
        XCTAssertTrue(presenter.notes.expect(2))
        NSFileCoordinator.removeFilePresenter(presenter)
        XCTAssertEqual(Set(presenter.notes.all), ["did change", "changed text"])
    }

    /// Rules 6.8, 6.15, 8.1 and 9.4.
    ///
    /// The presenter answers later, from another operation of its serial queue, and twice. It
    /// passes a reacquirer, or none. The access succeeds in each case.
    func testAPresenterMayAnswerLaterAndMoreThanOnce() throws {
        for handsOver in [true, false] {
            // The file is not presented when it is created,
            // so the watcher does not report the creation.
            let url = try file("f-\(handsOver)")
            let presenter = SlowPresenter(url, handsOver: handsOver)
            NSFileCoordinator.addFilePresenter(presenter)
            write(url)
            XCTAssertTrue(presenter.notes.expect(handsOver ? 4 : 3))
            NSFileCoordinator.removeFilePresenter(presenter)
            XCTAssertEqual(
                presenter.notes.all,
                ["asked", "answers", "did change"] + (handsOver ? ["has it back"] : []))
        }
    }

    /// Rule 2.18: only a claim of the presenter's own purpose passes the claim that asks.
    ///
    /// If it saves with another coordinator, both wait for each other, until one is cancelled.
    func testSavingWithAnotherPurposeWaits() throws {
        let url = try file("f")
        let presenter = MistakenPresenter(url)
        NSFileCoordinator.addFilePresenter(presenter)
        let reader = NSFileCoordinator()
        let hasRead = Lock(false)
        let end = expectation(description: "reader")
        let intent = NSFileAccessIntent.readingIntent(with: url)
        reader.coordinate(with: [intent], queue: OperationQueue()) { error in
            hasRead.withLock { $0 = error == nil }
            end.fulfill()
        }
        XCTAssertTrue(presenter.notes.expect(1))
        XCTAssertFalse(hasRead.withLock { $0 })
        reader.cancel()
        wait(end)
        XCTAssertTrue(presenter.notes.expect(2))
        NSFileCoordinator.removeFilePresenter(presenter)
        XCTAssertEqual(presenter.notes.all, ["asked to save", "has saved"])
        XCTAssertFalse(hasRead.withLock { $0 })
    }
}

/// Answers from a later operation of its queue, and twice.
private final class SlowPresenter: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    private let handsOver: Bool
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL, handsOver: Bool) {
        self.handsOver = handsOver
        notes = PresenterNotes(url)
    }

    func relinquishPresentedItem(
        toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
    ) {
        notes.add("asked")
        notes.queue.addOperation { [self] in
            notes.add("answers")
            for _ in 1...2 {
                if handsOver {
                    writer { self.notes.add("has it back") }
                } else {
                    writer(nil)
                }
            }
        }
    }

    func presentedItemDidChange() { notes.add("did change") }
}

/// Saves with a coordinator that is not its own.
private final class MistakenPresenter: NSObject, NSFilePresenter, Sendable {
    let notes: PresenterNotes
    var presentedItemURL: URL? { notes.place }
    var presentedItemOperationQueue: OperationQueue { notes.queue }

    init(_ url: URL) { notes = PresenterNotes(url) }

    func savePresentedItemChanges(
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        notes.add("asked to save")
        NSFileCoordinator().coordinate(
            writingItemAt: notes.place ?? URL(fileURLWithPath: "/"), error: nil
        ) { _ in }
        notes.add("has saved")
        completionHandler(nil)
    }
}
