// SPDX-License-Identifier: Apache-2.0
//
// What would happen to an access, according to an arbiter with the state of a report.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

@testable import filecoord

final class WhatIfTests: XCTestCase {
    private func outcome(
        _ report: StatusReport, _ action: FileAction, _ path: String = "/d/a",
        isDirectory: Bool = false,
        packageDepths: [Int] = []
    ) throws -> WhatIf.Outcome {
        let item = AccessItem(
            path: try XCTUnwrap(ItemPath(path)), access: action.access, isDirectory: isDirectory,
            packageDepths: packageDepths)
        return WhatIf(report).outcome(of: item)
    }

    func testWithoutOthersAllIsGrantedAtOnce() throws {
        for action in FileAction.allCases {
            let outcome = try outcome(.of([]), action)
            XCTAssertEqual(outcome, WhatIf.Outcome())
            XCTAssertTrue(outcome.isImmediate)
        }
    }

    func testReadersShareAndAWriterWaitsForThem() throws {
        let report = StatusReport.of([.claim(1, .reading([])), .claim(2, .reading([]))])
        XCTAssertTrue(try outcome(report, .read).isImmediate)
        for action in [FileAction.write, .delete, .move] {
            XCTAssertEqual(try outcome(report, action).blockers, [0, 1])
        }
    }

    func testALineIsWaitedForAsAWhole() throws {
        let report = StatusReport.of([
            .claim(1, .writing(.plain)), .claim(2, .reading([]), .waiting),
            .claim(3, .writing(.plain), .waiting, at: "/d/b"),
        ])
        XCTAssertEqual(try outcome(report, .write).blockers, [0, 1])
        // Rule 2.14: a reader waits for the writer before it, but not for another reader.
        XCTAssertEqual(try outcome(report, .read).blockers, [0])
    }

    func testWhoIsStoppedInLineIsSteppedOver() throws {
        var waiter = FileCoordinationWire.ClaimStatus.claim(2, .writing(.plain), .waiting)
        waiter.isStopped = true
        let report = StatusReport.of([.claim(1, .writing(.plain)), waiter])
        XCTAssertEqual(try outcome(report, .read).blockers, [0])
    }

    func testABatchIsNotWaitedFor() throws {
        var batch = FileCoordinationWire.ClaimStatus.claim(1, .writing(.deleting), .asking)
        batch.kind = .preparation
        XCTAssertTrue(try outcome(.of([batch]), .write).isImmediate)
    }

    func testAPackageIsOneFile() throws {
        let part = FileCoordinationWire.ClaimStatus.claim(
            1, .writing(.plain), at: "/d/p/x", packageDepths: [2])
        XCTAssertEqual(try outcome(.of([part]), .read, "/d/p/y", packageDepths: [2]).blockers, [0])
        XCTAssertTrue(try outcome(.of([part]), .read, "/d/q/y", packageDepths: [2]).isImmediate)
    }

    func testADirectoryIsNotItsContentsButItsDeletionIs() throws {
        let inside = FileCoordinationWire.ClaimStatus.claim(1, .reading([]), at: "/d/a/b")
        XCTAssertTrue(try outcome(.of([inside]), .write, isDirectory: true).isImmediate)
        XCTAssertEqual(try outcome(.of([inside]), .delete, isDirectory: true).blockers, [0])
    }

    // MARK: Presenters

    func testEachDeedAsksForWhatItNeeds() throws {
        let report = StatusReport.of([], [.presenter(7)])
        func messages(_ action: FileAction) throws -> [[filecoord.PresenterMessage]] {
            try outcome(report, action).requests.map(\.steps.messages)
        }
        XCTAssertEqual(try messages(.read), [[.relinquishToReader, .save]])
        XCTAssertEqual(try messages(.write), [[.relinquishToWriter]])
        XCTAssertEqual(try messages(.delete), [[.relinquishToWriter, .accommodateDeletion]])
        XCTAssertFalse(try outcome(report, .read).isImmediate)
    }

    func testWhatIsNotImplementedIsNotAskedFor() throws {
        let report = StatusReport.of([], [.presenter(7, methods: [.itemDidChange])])
        let outcome = try outcome(report, .read)
        XCTAssertTrue(outcome.isImmediate)
        XCTAssertEqual(try self.outcome(report, .write).news.map(\.notices), [[.itemDidChange]])
    }

    func testBehindAHolderItIsSaidWhoWillBeAsked() throws {
        let report = StatusReport.of([.claim(1, .writing(.plain))], [.presenter(7)])
        let outcome = try outcome(report, .read)
        XCTAssertEqual(outcome.blockers, [0])
        XCTAssertEqual(outcome.requests.map(\.presenter), [0])
    }

    func testASecondReaderDoesNotAskForWhatIsRelinquished() throws {
        let report = StatusReport.of(
            [.claim(1, .reading([]))], [.presenter(7, relinquished: [.reader])])
        XCTAssertEqual(try outcome(report, .read).requests.map(\.steps.messages), [[.save]])
        // The presenter has its item back when the writer's turn comes.
        let write = try outcome(report, .write)
        XCTAssertEqual(write.blockers, [0])
        XCTAssertEqual(write.requests.map(\.steps.messages), [[.relinquishToWriter]])
    }

    func testAPresenterThatIsBeingAskedIsAskedAgain() throws {
        let asker = FileCoordinationWire.ClaimStatus.claim(1, .reading([]), .asking)
        let report = StatusReport.of(
            [asker.waiting(for: .presenter(7))], [.presenter(7)])
        XCTAssertEqual(try outcome(report, .read).requests.map(\.presenter), [0])
        XCTAssertEqual(try outcome(report, .write).blockers, [0])
    }

    func testAPresenterThatDoesNotAnswerIsPassedOver() throws {
        let report = StatusReport.of([], [.presenter(7, isUnresponsive: true), .presenter(8)])
        let outcome = try outcome(report, .read)
        XCTAssertEqual(outcome.passedOver, [0])
        XCTAssertEqual(outcome.requests.map(\.presenter), [1])
    }

    func testDirectoriesAreTold() throws {
        let report = StatusReport.of([], [.presenter(7, at: "/d"), .presenter(8, at: "/e")])
        let path = try XCTUnwrap(ItemPath("/d/a"))
        let outcome = try outcome(report, .write)
        XCTAssertTrue(outcome.isImmediate)
        XCTAssertEqual(
            outcome.news, [WhatIf.News(presenter: 0, notices: [.subitemDidChange(path)])])
        XCTAssertEqual(try self.outcome(report, .read).news, [])
    }
}
