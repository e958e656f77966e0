// SPDX-License-Identifier: Apache-2.0
//
// URLs that name no place: a documented error, and never an accessor that runs all the same
// (Rule 1.10).

import FileCoordinationWire
import XCTest

final class BadURLTests: StageTestCase {
    /// A URL, or a path, and the codes for reading and writing it.
    private struct Case {
        var url: String
        var reading: Int
        var writing: Int
    }

    private func cases() throws -> [Case] {
        symlink("b", stage.path("a"))
        symlink("a", stage.path("b"))
        return [
            Case(url: "http://example.com/f", reading: 262, writing: 518),
            Case(url: "data:,text", reading: 262, writing: 518),
            Case(url: "file:///tmp/a%00b", reading: 258, writing: 514),
            Case(url: "file-without-path", reading: 258, writing: 514),
            Case(
                url: "/" + String(repeating: "x/", count: 2500), reading: 258, writing: 514),
            Case(url: stage.path("a/f"), reading: 256, writing: 512),
        ]
    }

    /// Rule 1.10, for the calls that wait and for those that do not.
    func testWhatNamesNoPlaceIsRefused() throws {
        let a = try stage.peer("A")
        for bad in try cases() {
            let expected = "NSCocoaErrorDomain"
            XCTAssertEqual(
                try a.ask("r read \(bad.url)", "r failed"), "r failed \(expected) \(bad.reading)",
                bad.url)
            XCTAssertEqual(
                try a.ask("w write \(bad.url)", "w failed"), "w failed \(expected) \(bad.writing)",
                bad.url)
            // One bad item spoils the claim.
            let good = stage.path("f")
            XCTAssertEqual(
                try a.ask("b readwrite \(good) \(bad.url)", "b failed"),
                "b failed \(expected) \(bad.writing)", bad.url)
        }
        XCTAssertFalse(a.lines.contains { $0.contains("granted") })
        try a.ask("w write \(stage.path("f"))", "w granted")
    }

    /// Rules 1.10 and 12.2: in the accessor, once.
    func testALaterAccessGetsTheError() throws {
        let a = try stage.peer("A")
        XCTAssertEqual(
            try a.ask(
                "l later write:\(stage.path("f")) read:/\(String(repeating: "x/", count: 2500))",
                "l failed"),
            "l failed NSCocoaErrorDomain 258")
    }

    /// Rule 1.10: such a presenter is inert, and it says so on standard error.
    func testAPresenterOfNoPlaceIsInert() throws {
        let a = try stage.peer("A")
        let urls = try cases().map(\.url)
        for url in urls {
            try a.ask("p present \(url)", "p registered")
            let said = try a.expect("! FileCoordination: a file presenter was not registered:")
            XCTAssertGreaterThan(said.count, 60)
            XCTAssertEqual(try a.ask("x presenters", "x presenters"), "x presenters 0", url)
        }
        XCTAssertTrue(
            a.lines.contains {
                $0.hasSuffix("Only file URLs can be coordinated; http://example.com/f is none.")
            },
            "\(a.lines)")
        try a.ask("w write \(stage.path("f"))", "w granted")
        try stage.until("no presenter") { $0.presenters.isEmpty }
    }
}
