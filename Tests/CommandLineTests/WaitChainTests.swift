// SPDX-License-Identifier: Apache-2.0
//
// The chain of waits, to its end.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

@testable import filecoord

final class WaitChainTests: XCTestCase {
    /// Each step as its depth, the number of its claim or presenter, and its end.
    private func steps(
        _ claims: [FileCoordinationWire.ClaimStatus], from blockers: [Int]
    ) -> [String] {
        WaitChain(.of(claims), from: blockers).steps.map { step in
            let number = step.party.claim ?? step.party.presenter ?? 0
            return "\(step.depth) \(number) \(step.link) \(step.end)"
        }
    }

    func testItFollowsALineToItsHolder() {
        let claims: [FileCoordinationWire.ClaimStatus] = [
            .claim(1, .writing(.plain)),
            .claim(2, .writing(.plain), .waiting).waiting(for: .claim(1)),
            .claim(3, .writing(.plain), .waiting).waiting(for: .claim(2, .waiter)),
        ]
        XCTAssertEqual(
            steps(claims, from: [2]), ["0 3 waited open", "1 2 waited open", "2 1 waited last"])
        // What was followed already is not followed again.
        XCTAssertEqual(
            steps(claims, from: [0, 1, 2]),
            [
                "0 1 waited last", "0 2 waited open", "1 1 waited shown", "0 3 waited open",
                "1 2 waited shown",
            ])
    }

    func testItEndsWithAPresenter() {
        let claims = [
            FileCoordinationWire.ClaimStatus.claim(1, .reading([]), .asking)
                .waiting(for: .presenter(7))
        ]
        XCTAssertEqual(steps(claims, from: [0]), ["0 1 waited open", "1 7 waited last"])
    }

    func testItFollowsWhatThePresentersProcessWaitsFor() {
        let claims: [FileCoordinationWire.ClaimStatus] = [
            .claim(1, .reading([]), .asking).waiting(for: .presenter(7, process: 9)),
            .claim(2, .writing(.plain), .waiting, at: "/d/g", process: 9).waiting(for: .claim(3)),
            .claim(3, .writing(.plain), at: "/d/g"),
        ]
        XCTAssertEqual(
            steps(claims, from: [0]),
            ["0 1 waited open", "1 7 waited open", "2 2 alongside open", "3 3 waited last"])
    }

    func testAProcessThatAsksItsOwnPresenterIsNoCycle() {
        let claims = [
            FileCoordinationWire.ClaimStatus.claim(1, .reading([]), .asking, process: 9)
                .waiting(for: .presenter(7, process: 9))
        ]
        XCTAssertEqual(steps(claims, from: [0]), ["0 1 waited open", "1 7 waited last"])
    }

    func testAPresenterThatOwesAnAnswerIsInIt() {
        let report = StatusReport.of(
            [.claim(1, .reading([]), .asking).waiting(for: .presenter(7))],
            [.presenter(7), .presenter(8)])
        let steps = WaitChain(report, from: [], asking: [0, 1]).steps
        XCTAssertEqual(steps.map(\.party.presenter), [7])
    }

    func testACycleIsMarked() {
        // Each waiting claim was made inside the access for which the other one waits.
        let claims: [FileCoordinationWire.ClaimStatus] = [
            .claim(1, .writing(.plain)),
            .claim(2, .writing(.plain), at: "/d/b"),
            .claim(3, .writing(.plain), .waiting, at: "/d/b", inside: [1]).waiting(for: .claim(2)),
            .claim(4, .writing(.plain), .waiting, inside: [2]).waiting(for: .claim(1)),
        ]
        XCTAssertEqual(
            steps(claims, from: [0]),
            [
                "0 1 waited open", "1 3 inside open", "2 2 waited open", "3 4 inside open",
                "4 1 waited cycle",
            ])
    }

    func testAnotherWaitOfTheSameProcessIsNotSaidToBeInside() {
        let claims: [FileCoordinationWire.ClaimStatus] = [
            .claim(1, .writing(.plain), process: 9),
            .claim(2, .writing(.plain), at: "/d/b"),
            .claim(3, .writing(.plain), .waiting, at: "/d/b", process: 9)
                .waiting(for: .claim(2)),
        ]
        XCTAssertEqual(
            steps(claims, from: [0]),
            ["0 1 waited open", "1 3 alongside open", "2 2 waited last"])
    }

    func testALongOneIsCut() {
        let count = UInt64(WaitChain.limit) + 10
        let claims = (1...count).map { number in
            let claim = FileCoordinationWire.ClaimStatus.claim(number, .writing(.plain), .waiting)
            return number == 1 ? claim : claim.waiting(for: .claim(number - 1, .waiter))
        }
        let chain = WaitChain(.of(claims), from: [claims.count - 1])
        XCTAssertEqual(chain.steps.count, WaitChain.limit)
        XCTAssertTrue(chain.isCut)
    }

    func testAClaimThatIsNotInTheReportEndsIt() {
        let claims = [
            FileCoordinationWire.ClaimStatus.claim(2, .writing(.plain), .waiting)
                .waiting(for: .claim(1))
        ]
        XCTAssertEqual(steps(claims, from: [0]), ["0 2 waited open", "1 1 waited last"])
    }
}
