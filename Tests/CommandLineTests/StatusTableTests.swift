// SPDX-License-Identifier: Apache-2.0
//
// The tables of a status report, word for word: the order of the files, what each party does and
// since when, and why a presenter is told of changes late.

import FileCoordinationArbiter
import FileCoordinationTracing
import FileCoordinationWire
import XCTest

@testable import filecoord

final class StatusTableTests: XCTestCase {
    private func claim(
        _ number: UInt64, _ path: String, _ stage: ClaimStage, seconds: UInt64,
        isStopped: Bool = false, waitsFor: [Party] = []
    ) throws -> FileCoordinationWire.ClaimStatus {
        FileCoordinationWire.ClaimStatus(
            claim: number, processID: Int32(number), processName: "p\(number)", purpose: [],
            stage: stage, since: .seconds(seconds), isStopped: isStopped,
            items: [AccessItem(path: try XCTUnwrap(ItemPath(path)), access: .writing([]))],
            waitsFor: waitsFor)
    }

    private func presenter(
        _ number: UInt64, _ path: String, isUnresponsive: Bool = false, isStopped: Bool = false,
        _ watching: PresenterWatching = .notified
    ) -> FileCoordinationWire.PresenterStatus {
        FileCoordinationWire.PresenterStatus(
            presenter: number, processID: Int32(number), processName: "p\(number)",
            path: Array(path.utf8), isUnresponsive: isUnresponsive, isStopped: isStopped,
            watching: watching)
    }

    /// The lines below those on the server.
    private func lines(
        _ report: StatusReport, isSortedByWait: Bool = false, showsAllDelegations: Bool = false
    ) -> [String] {
        let table = StatusTable(
            report, runtimeDirectory: "/run/x", nameRemarks: .none,
            isSortedByWait: isSortedByWait, showsAllDelegations: showsAllDelegations)
        return table.lines.dropFirst(2).map(\.plain).filter { !$0.isEmpty }
    }

    private func report() throws -> StatusReport {
        let holder = Party(
            claim: 1, presenter: nil, processID: 1, processName: "p1", purpose: [],
            path: Array("/a".utf8), role: .holder, since: .zero, message: nil,
            isStopped: false)
        return StatusReport(
            arbiter: ServerStatus(
                processID: 9, kind: .daemon, uptime: .zero, protocolVersion: 7),
            claims: [
                try claim(1, "/a", .granted, seconds: 9),
                try claim(2, "/a", .waiting, seconds: 3, isStopped: true, waitsFor: [holder]),
                try claim(3, "/b", .granted, seconds: 2),
                try claim(4, "/b", .asking, seconds: 5),
            ],
            presenters: [
                presenter(5, "/b", isUnresponsive: true), presenter(6, "/b", isStopped: true),
            ])
    }

    func testEachPartyHasARowWithItsTime() throws {
        XCTAssertEqual(
            lines(try report()),
            [
                "/a",
                "  holds     writing  p1 (pid 1)  9.0 s",
                "  waits     writing  p2 (pid 2)  3.0 s  for p1 (pid 1), stopped",
                "/b",
                "  holds     writing  p3 (pid 3)  2.0 s",
                "  asks      writing  p4 (pid 4)  5.0 s",
                "  presents           p5 (pid 5)         does not answer",
                "  presents           p6 (pid 6)         stopped",
            ])
    }

    func testTheFileWithTheLongestWaitComesFirst() throws {
        let files = lines(try report(), isSortedByWait: true).filter { $0.hasPrefix("/") }
        XCTAssertEqual(files, ["/b", "/a"])
    }

    private func delegation(
        _ number: Int32, _ path: String, _ kind: DelegationKind
    ) -> DelegationStatus {
        DelegationStatus(
            processID: number, processName: "p\(number)", path: Array(path.utf8), kind: kind)
    }

    func testDelegationsAreShownWithTheirFileAndOthersAreCounted() throws {
        var report = try report()
        report.claims = [try claim(1, "/a", .granted, seconds: 9)]
        report.presenters = []
        report.delegations = [
            delegation(2, "/a", .reading), delegation(3, "/d", .directory),
            delegation(3, "/c", .writing), delegation(3, "/e", .queue),
            delegation(4, "/e", .queue),
        ]
        let file = [
            "/a",
            "  holds     writing  p1 (pid 1)  9.0 s",
            "  may use   reading  p2 (pid 2)         without asking",
        ]
        XCTAssertEqual(
            lines(report),
            file + [
                "p3 (pid 3) may use 2 files and all in 1 directory without asking; "
                    + "status PATH names them",
                "p4 (pid 4) may use 1 file without asking; status PATH names them",
            ])
        XCTAssertEqual(
            lines(report, showsAllDelegations: true),
            file + [
                "/d", "  may use   writing inside  p3 (pid 3)    without asking",
                "/c", "  may use   writing  p3 (pid 3)    without asking",
                "/e", "  may use   writing in turn  p3 (pid 3)    without asking",
                "  may use   writing in turn  p4 (pid 4)    without asking",
            ])
        XCTAssertTrue(
            StatusJSON.text(report).contains(
                #""delegations":[{"pid":2,"process":"p2","label":"p2","path":"/a","#
                    + #""kind":"reading"}"#))
    }

    func testOfManyProcessesWithDelegationsTheFirstAreNamed() throws {
        var report = try report()
        report.claims = []
        report.presenters = []
        report.delegations = (1...12).map { delegation($0, "/x\($0)", .writing) }
        let lines = lines(report)
        XCTAssertEqual(lines.count, 1 + StatusTable.rowLimit + 1)
        XCTAssertEqual(lines.last, "and 4 more processes")
    }

    func testWhyChangesArePolledOrNotFoundIsSaid() throws {
        let reasons: [(PresenterWatching, name: String, reason: String)] = [
            (.limited, "limit", "polled: the user's limit of watches is reached"),
            (.forbidden, "permission", "polled: something may not be read"),
            (.remote, "remote", "polled: the file system does not notify of all"),
            (.silent, "silent", "polled: the kernel does not notify"),
            (.unwatched, "unwatched", "not found: the server could not begin to look for them"),
            (.stuck, "stuck", "not found: a file system does not answer"),
        ]
        for (watching, name, reason) in reasons {
            var report = try report()
            report.claims = []
            report.presenters = [presenter(5, "/b", watching)]
            XCTAssertEqual(
                lines(report), ["/b", "  presents    p5 (pid 5)    changes are \(reason)"])
            XCTAssertTrue(StatusJSON.text(report).contains(#""watching":"\#(name)""#), name)
        }
    }
}
