// SPDX-License-Identifier: Apache-2.0
//
// One item, many spellings (Rules 1.1 to 1.15), among processes.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class SpellingTests: StageTestCase {
    /// Rules 1.8 and 1.14: a relative URL names the same item, and comes back as it was.
    func testARelativeURLIsMadeAbsolute() throws {
        try stage.folder("d")
        let file = try stage.file("d/f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write relative:\(stage.path("d")):f", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        XCTAssertEqual(try a.ask("a url", "a urls"), "a urls \(file)")
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
    }

    //  A                       B
    //  write(link/f), at one
    //                          link leads to two now
    //                          write(link/f) granted, at two
    //                          read(one/f) waits
    //
    /// Rules 1.3 and 1.15: a claim follows a link as it is when the claim is filed; later changes
    /// of the link do not matter.
    func testALinkCountsAsItIsWhenTheClaimIsFiled() throws {
        try stage.folder("one")
        try stage.folder("two")
        let (first, second) = (try stage.file("one/f", "1"), try stage.file("two/f", "2"))
        let link = stage.path("link")
        symlink(stage.path("one"), link)
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a read \(link)/f", "a granted")
        try a.ask("a go", "a released")
        try a.ask("a write \(link)/f", "a granted")
        unlink(link)
        symlink(stage.path("two"), link)
        XCTAssertEqual(try b.ask("b write \(link)/f", "b granted"), "b granted 2")
        b.tell("r read \(first)")
        try stage.untilWaits(b)
        try a.ask("a go", "a released")
        try b.expect("r granted")
        for label in ["b", "r"] { try b.ask("\(label) go", "\(label) released") }
        XCTAssertEqual(stage.text(second), "2")
    }

    /// Rule 1.15: a claim also sees that a directory on its way was renamed before.
    func testARenamedDirectoryIsSeen() throws {
        try stage.folder("old")
        try stage.file("old/f", "text")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("old"))/f", "a granted")
        try a.ask("a go", "a released")
        XCTAssertEqual(rename(stage.path("old"), stage.path("new")), 0)
        XCTAssertEqual(
            try a.ask("a write \(stage.path("new"))/f", "a granted"), "a granted text")
        b.tell("b read \(stage.path("new"))/f")
        try stage.untilWaits(b)
        // The old name is another place by now.
        XCTAssertEqual(
            try b.ask("o read \(stage.path("old"))/f", "o granted"), "o granted nothing")
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }

    /// Rule 1.2: names are bytes; two that look the same are not one item, and come back unchanged.
    func testNamesAreComparedByteForByte() throws {
        // Precomposed, decomposed, of capitals.
        let names = ["caf%C3%A9", "cafe%CC%81", "CAF%C3%A9"]
        let programs = try names.indices.map { try stage.peer("\($0)") }
        for (program, name) in zip(programs, names) {
            try program.ask("w write file://\(stage.directory)/\(name)", "w granted")
            try program.ask("w put \(name)", "w put")
        }
        for program in programs { try program.ask("w go", "w released") }
        for (program, name) in zip(programs.reversed(), names) {
            XCTAssertEqual(
                try program.ask("r read file://\(stage.directory)/\(name)", "r granted"),
                "r granted \(name)")
            try program.ask("r go", "r released")
        }
    }

    /// Rule 1.2: also names that are no text, which Foundation can pass on but not open.
    func testNamesNeedNotBeText() throws {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write file://\(stage.directory)/%FF%FE", "a granted")
        try b.ask("o write file://\(stage.directory)/%FF%FD", "o granted")
        b.tell("b read file://\(stage.directory)/%FF%FE")
        try stage.until("B waits for it") { report in
            report.claims.contains { $0.processID == b.pid && $0.stage == .waiting }
        }
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }

    //  A                       B
    //  write(f, forDeleting)
    //                          read(f) waits
    //  deletes f, returns
    //                          granted, at f, where nothing is
    //
    /// Rules 1.1 and 11.13.
    func testWhatIsDeletedMeanwhileIsFoundAbsent() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(file) options=forDeleting", "a granted")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("a delete", "a deleted")
        try a.ask("a go", "a released")
        XCTAssertEqual(try b.expect("b granted"), "b granted nothing")
        XCTAssertEqual(try b.ask("b url", "b urls"), "b urls \(file)")
        try b.ask("b go", "b released")
    }

    /// Rule 16.1: a coordinator may serve one thread after the other.
    func testACoordinatorServesOneThreadAfterTheOther() throws {
        let file = try stage.file("f")
        let a = try stage.peer("A")
        try a.ask("c coordinator", "c made")
        for text in ["1", "2", "3"] {
            // The program carries out each command on a thread of its own.
            try a.ask("w write \(file) using=c", "w granted")
            try a.ask("w put \(text)", "w put")
            try a.ask("w go", "w released")
        }
        XCTAssertEqual(stage.text(file), "3")
    }
}

/// The same with the daemon.
final class SpellingWithDaemonTests: SpellingTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
