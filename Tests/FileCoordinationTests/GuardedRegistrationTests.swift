// SPDX-License-Identifier: Apache-2.0
//
// Presenters that are registered with a guard by the call that throws: what is an error, and what
// is a status of the guard (Rule 7.14). GuardTests has what a guard does.

import FileCoordination
import Glibc
import TestHome
import XCTest

final class GuardedRegistrationTests: CoordinatorTestCase {
    /// The status of a presenter's guard, as soon as the guard has tried to take a lease.
    private func triedStatus(
        _ presenter: any NSFilePresenter
    ) -> NSFileCoordinator.GuardStatus? {
        let end = Date() + test_patience(30)
        while NSFileCoordinator.guardStatus(of: presenter) == .starting, Date() < end {
            poll(nil, 0, 2)
        }
        return NSFileCoordinator.guardStatus(of: presenter)
    }

    private func isRegistered(_ presenter: any NSFilePresenter) -> Bool {
        NSFileCoordinator.filePresenters.contains { $0 === presenter }
    }

    /// Rule 1.10: the program sees that the registration failed, and no guard is left.
    func testAFailedRegistrationIsAnErrorAndLeavesNoGuard() throws {
        let presenter = NotingPresenter(URL(string: "https://example.org/f"))
        XCTAssertThrowsError(try NSFileCoordinator.registerGuardedFilePresenter(presenter)) {
            XCTAssertEqual(($0 as? CocoaError)?.code, .fileReadUnsupportedScheme)
        }
        XCTAssertFalse(isRegistered(presenter))
        XCTAssertNil(NSFileCoordinator.guardStatus(of: presenter))
    }

    func testAFileIsGuarded() throws {
        let presenter = NotingPresenter(try file("f"))
        try NSFileCoordinator.registerGuardedFilePresenter(presenter, label: "window")
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertTrue(isRegistered(presenter))
        XCTAssertEqual(triedStatus(presenter), .on)
    }

    /// The kernel gives leases of regular files only.
    func testWithoutALeaseThePresenterIsRegisteredAndTheStatusSaysWhy() throws {
        let presenter = NotingPresenter(directory)
        try NSFileCoordinator.registerGuardedFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertTrue(isRegistered(presenter))
        XCTAssertEqual(triedStatus(presenter), .off(reason: "it is no regular file"))
    }

    func testAnEarlierStateOfTheItemIsCompared() throws {
        let url = try file("f")
        let state = try NSFileCoordinator.token(of: url)
        try FileManager.default.removeItem(at: url)
        let presenter = NotingPresenter(url)
        try NSFileCoordinator.registerGuardedFilePresenter(presenter, since: state)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        XCTAssertTrue(presenter.notes.expect(1))
        XCTAssertEqual(triedStatus(presenter), .off(reason: "there is no file"))
    }
}
