// SPDX-License-Identifier: Apache-2.0
//
// A screen for pictures, at the other end of a socket that keeps writes apart.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import XCTest

@testable import filecoord

final class TerminalScreenTests: XCTestCase {
    private var ends: [Int32] = [-1, -1]

    override func setUp() {
        // A packet is what one call has written.
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends), 0)
    }

    override func tearDown() { for end in ends { close(end) } }

    /// What the next call has written; nil if there was none.
    private func nextWrite() -> String? {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(ends[1], &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    func testEachPictureIsWrittenByOneCall() throws {
        let screen = try TerminalScreen(ends[0])
        try screen.show { size in
            // A socket does not know its size.
            XCTAssertEqual(size, TerminalSize(rows: 24, columns: 80))
            return ["one", "two"]
        }
        let first = try XCTUnwrap(nextWrite())
        XCTAssertTrue(first.hasPrefix("\u{1b}[?1049h"), first)
        XCTAssertTrue(first.hasSuffix("\u{1b}[H\u{1b}[Kone\r\n\u{1b}[Ktwo\r\n\u{1b}[J"), first)
        XCTAssertNil(nextWrite())
        let long = (0..<200).map { "line \($0)" }
        try screen.show { _ in long }
        let second = try XCTUnwrap(nextWrite())
        // The screen is entered once.
        XCTAssertTrue(second.hasPrefix("\u{1b}[H\u{1b}[Kline 0\r\n"), second)
        XCTAssertTrue(second.contains("line 199"))
        XCTAssertNil(nextWrite())
    }

    func testAfterItsEndNothingIsShown() throws {
        let screen = try TerminalScreen(ends[0])
        // What was never changed needs no restoring.
        screen.restore()
        XCTAssertNil(nextWrite())
        let other = try TerminalScreen(ends[0])
        try other.show { _ in ["one"] }
        XCTAssertNotNil(nextWrite())
        other.restore()
        let last = try XCTUnwrap(nextWrite())
        XCTAssertTrue(last.hasSuffix("\u{1b}[?1049l"), last)
        try other.show { _ in ["two"] }
        XCTAssertNil(nextWrite())
    }

    func testAFullTerminalKeepsItsLastLine() {
        let size = (rows: 2, columns: 3)
        for lines in [["abc", "def"], ["abc"]] {
            let frame = TerminalScreen.frame(lines, rows: 2)
            let picture = TerminalPicture("xxx\r\nxxx" + frame, size)
            XCTAssertEqual(picture.lines, lines)
            XCTAssertFalse(picture.hasScrolled)
        }
    }

    func testRemarksOfAFileSystemThatHangsNeedOneThread() throws {
        let entered = Monitor(0)
        let isOpen = Monitor(false)
        let reader = NameRemarkReader { path, _ in
            entered.withLock { $0 += 1 }
            entered.notifyAll()
            _ = isOpen.wait { $0 }
            return "remark"
        }
        let report = StatusReport.of([.claim(1, .writing([]))])
        let deadline = MonotonicClock.after(.seconds(Int64(RunningCommand.patience)))
        XCTAssertNil(reader.remarks(on: report)[Array("/d/a".utf8)])
        XCTAssertTrue(entered.wait(until: deadline) { $0 == 1 })
        for _ in 0..<5 { XCTAssertNil(reader.remarks(on: report)[Array("/d/a".utf8)]) }
        XCTAssertEqual(entered.withLock { $0 }, 1)
        isOpen.withLock { $0 = true }
        isOpen.notifyAll()
        // When the first look, which hung, is over, the reader looks for the last picture.
        XCTAssertTrue(entered.wait(until: deadline) { $0 == 2 })
        var remark: String?
        while remark == nil, MonotonicClock.now < deadline {
            remark = reader.remarks(on: report)[Array("/d/a".utf8)]
        }
        XCTAssertEqual(remark, "remark")
    }
}
