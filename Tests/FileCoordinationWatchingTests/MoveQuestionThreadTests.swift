// SPDX-License-Identifier: Apache-2.0
//
// The watcher's thread and the server's: when the watcher says that all moves were told, they were
// (Rule 1.15). And a kernel that says nothing is found out.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching
import Foundation
import TestHome
import XCTest

final class MoveQuestionThreadTests: WatchedTestCase {
    private static let rounds = 1000

    /// Where the presenter's item is, as far as the messages have told.
    private func follow(_ mail: [WatchMessage], _ id: UInt64, from place: ItemPath) -> ItemPath {
        var place = place
        for message in mail where message.news.presenter == id {
            guard case .changes(let changes) = message.news.body else { continue }
            for change in changes where change.what == .moved(former: place) {
                place = change.path
            }
        }
        return place
    }

    func testThatAllMovesWereToldIsNeverSaidTooEarly() throws {
        try tree.write("x", to: "tree/f0")
        let id = try tree.present("tree/f0", .file)
        var told = try tree.item("tree/f0")
        let poller = try Poller()
        try poller.add(tree.watcher.mailbox.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        var asked = 0
        for round in 1...Self.rounds {
            XCTAssertEqual(
                rename(tree.path("tree/f\(round - 1)"), tree.path("tree/f\(round)")), 0)
            let place = try tree.item("tree/f\(round)")
            // The watcher is asked at different times after the move.
            for _ in 0..<(round % 16) { sched_yield() }
            let deadline = MonotonicClock.after(.seconds(test_patience(20)))
            var hasAsked = false
            while true {
                told = follow(tree.watcher.mailbox.takeMail(), id, from: told)
                if tree.watcher.hasToldAllMoves { break }
                guard MonotonicClock.now < deadline else { return XCTFail("waits too long") }
                if !hasAsked {
                    _ = tree.watcher.askForMoves(at: [place])
                    hasAsked = true
                    asked += 1
                }
                try poller.wait(into: &ready, until: MonotonicClock.after(.milliseconds(1)))
            }
            guard told == place else { return XCTFail("round \(round): \(told), not \(place)") }
        }
        XCTAssertGreaterThan(asked, 0)
    }

    func testAnAnswerComesAfterTheMove() throws {
        try tree.write("x", to: "tree/f0")
        let id = try tree.present("tree/f0", .file)
        var told = try tree.item("tree/f0")
        let poller = try Poller()
        try poller.add(tree.watcher.mailbox.descriptor, token: 1, .readable)
        var ready: [Poller.Ready] = []
        for round in 1...Self.rounds {
            XCTAssertEqual(
                rename(tree.path("tree/f\(round - 1)"), tree.path("tree/f\(round)")), 0)
            let place = try tree.item("tree/f\(round)")
            let question = tree.watcher.askForMoves(at: [place])
            let deadline = MonotonicClock.after(.seconds(test_patience(20)))
            while true {
                let (mail, answered) = tree.watcher.mailbox.takeAll()
                told = follow(mail, id, from: told)
                if answered >= question { break }
                guard MonotonicClock.now < deadline else { return XCTFail("waits too long") }
                try poller.wait(into: &ready, until: deadline)
            }
            guard told == place else { return XCTFail("round \(round): \(told), not \(place)") }
        }
    }
}

final class MuteKernelTests: XCTestCase {
    private func start(isMute: Bool) throws -> WatchedTree {
        var configuration = Watcher.Configuration()
        let home = FileManager.default.temporaryDirectory.path
        configuration.testDirectory = try Directory.open(home).descriptor
        configuration.isTestMute = isMute
        return try WatchedTree(configuration)
    }

    func testAKernelThatSaysNothingIsFoundOutAtTheStart() throws {
        let tree = try start(isMute: true)
        try tree.wait("the trouble") { news in
            news.contains(WatchNews(presenter: 1, body: .degraded(.silent)))
        }
        XCTAssertEqual(tree.watcher.troubles, [1: .silent])
    }

    func testAKernelThatNotifiesIsBelieved() throws {
        let tree = try start(isMute: false)
        try tree.barrier()
        XCTAssertEqual(tree.watcher.troubles, [:])
    }
}
