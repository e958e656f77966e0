// SPDX-License-Identifier: Apache-2.0
//
// Holds inside one process: what ends them, what runs inside them, in tasks, and their join tokens
// (Rule 18.13).

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import XCTest

final class AccessHoldValueTests: CoordinatorTestCase {
    /// How a read that may wait ends; `timeout` is short only if the read must fail.
    private func code(
        of url: URL, within timeout: Duration = .seconds(60)
    ) -> FileCoordinationError.Code? {
        do {
            try NSFileCoordinator().coordinate(readingItemAt: url, timeout: timeout) { _ in }
            return nil
        } catch { return (error as? FileCoordinationError)?.code }
    }

    func testTheLastReferenceReleases() throws {
        let url = try file("f")
        var hold: FileAccessHold? = try NSFileCoordinator().hold(writingItemAt: url)
        XCTAssertEqual(hold?.urls, [url])
        XCTAssertEqual(hold?.isHeld, true)
        XCTAssertEqual(code(of: url, within: .milliseconds(20)), .timedOut)
        hold = nil
        XCTAssertNil(code(of: url))
    }

    /// Rule 2.10: calls of the hold's coordinator, and of its purpose, run inside the hold.
    func testCallsOfItsPurposeRunInsideIt() throws {
        let url = try file("f")
        let coordinator = NSFileCoordinator()
        let hold = try coordinator.hold(writingItemAt: url)
        write(url, coordinator)
        let other = NSFileCoordinator()
        other.purposeIdentifier = hold.purposeIdentifier
        write(url, other)
        hold.release()
        hold.release()
        XCTAssertFalse(hold.isHeld)
        let reading = try NSFileCoordinator().hold(readingItemAt: url)
        XCTAssertNil(code(of: url))
        reading.release()
        // Cancelling ends only waits, and also all later ones (Rules 12.3, 12.4).
        let last = try coordinator.hold(writingItemAt: url)
        coordinator.cancel()
        XCTAssertTrue(last.isHeld)
        XCTAssertThrowsError(try coordinator.hold(writingItemAt: url)) { error in
            XCTAssertEqual((error as? CocoaError)?.code, .userCancelled)
        }
        last.release()
    }

    /// Rule 11.4: what is moved under a hold is followed.
    func testAMoveUnderAHoldIsAnnounced() throws {
        let (old, new) = (try file("old"), directory.appendingPathComponent("new"))
        let presenter = NotingPresenter(old)
        try NSFileCoordinator.registerFilePresenter(presenter)
        defer { NSFileCoordinator.removeFilePresenter(presenter) }
        let hold = try NSFileCoordinator().hold(writingItemAt: old, options: .forMoving)
        try FileManager.default.moveItem(at: old, to: new)
        hold.release()
        let status = try FileCoordinationStatus(ofItemAt: new)
        XCTAssertEqual(status.presenters.map(\.url.path), [new.path])
    }

    /// Rules 18.1, 18.2, 18.11: in a task, with a deadline, and cancelled.
    func testATaskHolds() async throws {
        let url = try file("f")
        let hold = try await NSFileCoordinator().hold(
            with: [.writingIntent(with: url)], timeout: .seconds(30))
        do {
            _ = try await NSFileCoordinator().hold(
                readingItemAt: url, timeout: .milliseconds(20))
            XCTFail("It was granted")
        } catch FileCoordinationError.timedOut {}
        let waiting = Task { _ = try await NSFileCoordinator().hold(writingItemAt: url) }
        while try FileCoordinationStatus(ofItemAt: url).waiters.isEmpty { await Task.yield() }
        waiting.cancel()
        do {
            try await waiting.value
            XCTFail("It was granted")
        } catch { XCTAssertEqual((error as? CocoaError)?.code, .userCancelled) }
        hold.release()
        try await NSFileCoordinator().hold(readingItemAt: url).release()
    }

    func testWhatIsForUploadingCannotBeHeld() throws {
        XCTAssertThrowsError(
            try NSFileCoordinator().hold(readingItemAt: try file("f"), options: .forUploading)
        ) { XCTAssertEqual(($0 as? FileCoordinationError)?.code, .invalidOptions) }
    }

    /// The environment tells a child which purpose to use, and in which claim it runs.
    func testTheEnvironmentTellsAChild() throws {
        let url = try file("f")
        let hold = try NSFileCoordinator().hold(writingItemAt: url)
        let environment = hold.environment
        XCTAssertEqual(environment["FILECOORD_PURPOSE"], hold.purposeIdentifier)
        XCTAssertEqual(environment["FILECOORD_PATH_1"], url.path)
        let claim = try XCTUnwrap(environment["FILECOORD_CLAIM"])
        XCTAssertEqual(SurroundingClaims(text: claim).claims.count, 1)
        let joined = try FileAccessHold(joinToken: try XCTUnwrap(environment["FILECOORD_HOLD"]))
        XCTAssertEqual(joined.urls.map(\.path), [url.path])
        hold.release()
        XCTAssertEqual(code(of: url, within: .milliseconds(20)), .timedOut)
        joined.release()
        XCTAssertNil(code(of: url))
    }

    func testAJoinTokenSurvivesItsText() throws {
        let joinToken = JoinToken(
            purpose: "a,b/ü", label: "back\u{1b}up",
            items: [
                .init(
                    path: Array("/a,b/\u{1f}".utf8) + [0xff], access: .reading([.withoutChanges])),
                .init(path: [0x2f], access: .writing([.deleting, .includingContents])),
            ],
            surroundings: SurroundingClaims())
        XCTAssertEqual(JoinToken(text: joinToken.text), joinToken)
        // Parsing must not crash, for any prefix of the text or with any character replaced.
        for end in joinToken.text.indices {
            _ = JoinToken(text: String(joinToken.text[..<end]))
            for sign in ["x", ",", "/", "0", "é"] {
                var text = joinToken.text
                text.replaceSubrange(end...end, with: sign)
                _ = JoinToken(text: text)
            }
        }
        for text in [
            "", "hold1", "hold1,,,,", "hold1,61,,,w255/2f", "hold1,61,,,r8/2f",
            "hold1,61,,,w0/61", "hold1,61,,,w0/2f00", "hold1,,,,w0/2f", "hold2,61,,,w0/2f",
            "hold1,61,,,w0/2",
        ] {
            XCTAssertNil(JoinToken(text: text), text)
        }
        XCTAssertNotNil(JoinToken(text: "hold1,61,,,w0/2f"))
    }
}
