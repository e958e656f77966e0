// SPDX-License-Identifier: Apache-2.0
//
// Versions and ubiquity attributes, among processes (section 10), and copies for uploading (15).

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class AnnouncementTests: StageTestCase {
    /// A store of versions of this test's own.
    private func peer(_ name: String) throws -> Program {
        try stage.peer(name, environment: ["XDG_DATA_HOME": stage.path("data")])
    }

    //  presenters of d and d/f         writer, which presents d/f too
    //                                  write(d/f): adds a version, a conflict, resolves, removes
    //  gain, gain, resolve, lose       the same
    //
    /// Rules 10.1, 10.2 and 10.3.
    func testVersionsAreToldToEveryPresenterTheWritersOwnToo() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        let viewer = try peer("viewer")
        let writer = try peer("writer")
        try viewer.ask("d present \(folder) kind=listener", "d registered")
        try viewer.ask("v present \(file) kind=listener", "v registered")
        try writer.ask("p present \(file) kind=listener", "p registered")
        try writer.ask("c coordinator presenter=p", "c made")
        // A version that is added outside of a coordinated write is reported to no presenter.
        try writer.ask("r read \(file)", "r granted")
        try writer.ask("r version add \(file)", "r added")
        try writer.ask("r go", "r released")
        try writer.ask("w write \(file) using=c", "w granted")
        let added = try writer.ask("w version add \(file)", "w added").split(separator: " ")[2]
        let other = try writer.ask("w version conflict \(file)", "w conflicting")
            .split(separator: " ")[2]
        try writer.ask("w version resolve \(file)", "w resolved")
        try writer.ask("w version removeall \(file)", "w removed")
        try writer.ask("w go", "w released")
        for (program, label, subject) in [
            (viewer, "v", ""), (writer, "p", ""), (viewer, "d", "\(file) "),
        ] {
            try program.expect("\(label) did gain \(subject)\(added)")
            try program.expect("\(label) did gain \(subject)\(other)")
            try program.expect("\(label) did resolve \(subject)\(other)")
            try program.expect("\(label) did lose \(subject)\(added)")
            try program.expect("\(label) did lose \(subject)\(other)")
            XCTAssertEqual(program.count("\(label) did gain"), 2)
            XCTAssertEqual(program.count("\(label) did resolve"), 1)
            XCTAssertEqual(program.count("\(label) did lose"), 3)
        }
    }

    /// Versions follow their item through coordinated moves (Rule 11.2), and stay with the document
    /// that a plain write replaces by another file.
    func testVersionsFollowTheirItem() throws {
        let file = try stage.file("f")
        let moved = stage.path("g")
        let writer = try peer("writer")
        let other = try peer("other")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w version add \(file)", "w added")
        try writer.ask("w go", "w released")
        try other.ask("m write \(file) options=forMoving", "m granted")
        try other.ask("m rename \(file) \(moved)", "m renamed")
        try other.ask("m go", "m released")
        try stage.file("new", "new")
        try other.ask("m write \(moved)", "m granted")
        try other.ask("m rename \(stage.path("new")) \(moved)", "m renamed")
        try other.ask("m version list \(moved)", "m has")
        try other.ask("m go", "m released")
        try writer.ask("w read \(moved)", "w granted")
        XCTAssertEqual(try writer.ask("w version list \(moved)", "w has"), "w has 1")
        try writer.ask("w go", "w released")
    }

    //  presenters of f and of its directory    announcer
    //                                          two attributes and one that is none
    //  what is observed
    //
    /// Rules 10.4, 10.5 and 10.6.
    func testAttributesAreToldToWhoObservesThem() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        let (one, two) = ("NSURLIsUbiquitousItemKey", "NSURLUbiquitousItemIsUploadedKey")
        let viewer = try peer("viewer")
        let announcer = try peer("announcer")
        for (label, rest) in [
            ("d", folder), ("a", file), ("o", "\(file) observes=\(two)"),
            ("n", "\(file) observes=NSURLUbiquitousItemIsUploadingKey"),
        ] {
            try viewer.ask("\(label) present \(rest) kind=listener", "\(label) registered")
        }
        try announcer.ask("p present \(file) kind=listener", "p registered")
        try announcer.ask("c coordinator presenter=p", "c made")
        let keys = "\(one) \(two) NSURLNameKey"
        try announcer.ask("x attributes \(file) \(keys) using=c", "x announced")
        try viewer.expect("a did change attributes \(one) \(two)")
        try viewer.expect("o did change attributes \(two)")
        // Inside of an accessor, and nothing that another process could observe.
        try announcer.ask("x attributes \(file) NSURLNameKey", "x announced")
        try announcer.ask("x attributes \(file) \(one)", "x announced")
        try viewer.expect("a did change attributes \(one)")
        try announcer.expect("p did change attributes \(one)")
        XCTAssertEqual(viewer.count("n did"), 0)
        XCTAssertEqual(viewer.count("d did"), 0)
        XCTAssertEqual(viewer.count("o did"), 1)
        XCTAssertEqual(announcer.count("p did"), 1)
    }

    //  uploader                        writer
    //  read(f, forUploading): a copy
    //                                  write(f) granted at once
    //  reads the copy: as it was
    //  returns: the copy is gone
    //
    /// Rules 15.1, 15.2 and 15.3.
    func testAnUploadHoldsNoProcessUp() throws {
        let file = try stage.file("f", "before")
        let presenter = try peer("presenter")
        let uploader = try peer("uploader")
        let writer = try peer("writer")
        try presenter.ask("p present \(file)", "p registered")
        let granted = try uploader.ask("u read \(file) options=forUploading", "u granted")
        XCTAssertEqual(granted, "u granted before")
        let copy = try uploader.ask("u url", "u urls").split(separator: " ")[2]
        XCTAssertNotEqual(String(copy), file)
        XCTAssertTrue(copy.hasSuffix("/f"))
        try presenter.expect("p reacquire from reader")
        try writer.ask("w write \(file)", "w granted")
        try writer.ask("w put after", "w put")
        try writer.ask("w go", "w released")
        XCTAssertEqual(try uploader.ask("u show", "u holds"), "u holds before")
        try uploader.ask("u go", "u released")
        XCTAssertFalse(FileManager.default.fileExists(atPath: String(copy)))
        try uploader.ask(
            "u read \(stage.path("absent")) options=forUploading", "u failed NSCocoaErrorDomain 260"
        )
    }
}

/// The same with the daemon.
final class AnnouncementWithDaemonTests: AnnouncementTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
