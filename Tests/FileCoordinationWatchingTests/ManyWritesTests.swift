// SPDX-License-Identifier: Apache-2.0
//
// A plain program that writes much and quickly: presenters get few messages, and one after the last
// write (Rule 7.14).

import FileCoordinationSystem
import FileCoordinationWatching
import XCTest

final class ManyWritesTests: WatchedTestCase {
    /// The most messages that a presenter may get in the time since then: one for each pause.
    private func mostMessages(since began: Instant) -> Int {
        Int((MonotonicClock.now - began) / configuration.limits.pause) + 2
    }

    /// The messages of changes to a presenter, in order.
    private func messages(to presenter: UInt64) -> [[WatchedChange]] {
        tree.news.filter { $0.presenter == presenter }.compactMap { message in
            if case .changes(let changes) = message.body { changes } else { nil }
        }
    }

    func testAFileThatIsWrittenAThousandTimesIsToldRarelyAndAfterTheLastWrite() throws {
        try tree.write("", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        tree.forget()
        let began = MonotonicClock.now
        for round in 1...1000 {
            try tree.overwrite("tree/f", with: String(repeating: "x", count: round))
        }
        try tree.barrier()
        let most = mostMessages(since: began)
        let told = messages(to: file)
        XCTAssertLessThanOrEqual(told.count, most)
        XCTAssertEqual(told.last?.last?.observed?.stamp, try tree.observed("tree/f")?.stamp)
        XCTAssertEqual(tree.told(file).count, told.count, "one change in each: \(tree.told(file))")
    }

    func testTwoThousandFilesAreToldInFewMessages() throws {
        let directory = try tree.present("tree", .directory)
        tree.forget()
        let began = MonotonicClock.now
        for number in 0..<2000 { try tree.write("x", to: "tree/\(number)") }
        try tree.barrier()
        let most = mostMessages(since: began)
        let told = messages(to: directory)
        XCTAssertLessThanOrEqual(tree.news.count { $0.presenter == directory }, most)
        for changes in told { XCTAssertLessThanOrEqual(changes.count, 1024) }
        // A message that the whole directory may have changed tells of all names as well.
        guard !tree.told(directory).contains("whole: manyChanges") else { return }
        var net = NetChanges(before: [])
        for line in tree.told(directory) { net.apply(line) }
        XCTAssertEqual(Set(net.lines), Set((0..<2000).map { "appeared tree/\($0)" }))
    }
}
