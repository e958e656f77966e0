// SPDX-License-Identifier: Apache-2.0
//
// Directories and packages, among processes (Rules 2.2 to 2.8).

import XCTest

class PlaceTests: StageTestCase {
    private enum Outcome {
        case waits
        case overlaps
    }

    /// A does `first`, B does `second` meanwhile, on a stage of their own.
    private func assert(_ second: String, after first: String, _ expected: Outcome) throws {
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a " + first, "a granted")
        b.tell("b " + second)
        switch expected {
        case .waits:
            try stage.untilWaits(b)
            XCTAssertFalse(b.said("b granted"), "\(second) beside \(first)")
        case .overlaps:
            try b.expect("b granted")
        }
        try a.ask("a go", "a released")
        if expected == .waits { try b.expect("b granted") }
        try b.ask("b go", "b released")
        try a.leave()
        try b.leave()
    }

    //  A                       B
    //  write(d) granted
    //                          write(d/f) granted
    //
    /// Rule 2.4, both ways.
    func testAPlainWriteOfADirectoryIsNotInTheWayOfItsItems() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        try assert("write \(file)", after: "write \(folder)", .overlaps)
        try assert("write \(folder)", after: "read \(file)", .overlaps)
    }

    //  A                       B
    //  read(d/e/f) granted
    //                          write(d, forDeleting) waits
    //  returns
    //                          granted
    //
    /// Rules 2.2, 2.3, 2.6 and 2.8, both ways and for all kinds that concern what is inside.
    func testDeletingMovingAndReplacingADirectoryWaitForClaimsInside() throws {
        let folder = try stage.folder("d")
        try stage.folder("d/e")
        let file = try stage.file("d/e/f")
        for option in ["forDeleting", "forMoving", "forReplacing"] {
            try assert("write \(folder) options=\(option)", after: "read \(file)", .waits)
        }
        try assert("write \(file)", after: "write \(folder) options=forDeleting", .waits)
        try assert("read \(file)", after: "write \(folder) options=forMoving", .waits)
    }

    //  A                       B
    //  write(d/f, forDeleting) granted
    //                          read(d) granted
    //
    /// Rule 2.5.
    func testDeletingAnItemIsNotInTheWayOfItsDirectory() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        try assert("read \(folder)", after: "write \(file) options=forDeleting", .overlaps)
    }

    //  A                       B
    //  write(p.rtfd/a) granted
    //                          read(p.rtfd/b) waits
    //
    /// Rules 1.11, 1.12, 2.2 and 2.3: a package is one file.
    func testAPackageIsOneItem() throws {
        let package = try stage.folder("p.rtfd")
        let (first, second) = (try stage.file("p.rtfd/a"), try stage.file("p.rtfd/b"))
        try assert("read \(second)", after: "write \(first)", .waits)
        try assert("write \(package)", after: "read \(first)", .waits)
        try assert("read \(second)", after: "read \(first)", .overlaps)
    }

    /// Rule 1.12: of nested packages, the outermost decides who waits.
    func testTheOutermostPackageCounts() throws {
        try stage.folder("p.rtfd/q.rtfd")
        let (first, second) = (try stage.file("p.rtfd/q.rtfd/a"), try stage.file("p.rtfd/b"))
        try assert("read \(second)", after: "write \(first)", .waits)
    }

    /// Rule 1.11: an extension alone does not make a package on Linux.
    func testAnyExtensionIsNoPackage() throws {
        try stage.folder("conf.d")
        try stage.folder("x.app")
        for folder in ["conf.d", "x.app"] {
            let (first, second) = (try stage.file("\(folder)/a"), try stage.file("\(folder)/b"))
            try assert("write \(second)", after: "write \(first)", .overlaps)
        }
        try stage.folder("y.app/Contents")
        let (first, second) = (try stage.file("y.app/a"), try stage.file("y.app/b"))
        try assert("write \(second)", after: "write \(first)", .waits)
    }

    //  A                       B
    //  write(link/f) granted
    //                          read(d/f) waits
    //
    /// Rules 1.3 and 1.9.
    func testSpellingsThroughLinksAreOneItem() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        symlink(folder, stage.path("link"))
        try assert("read \(file)", after: "write \(stage.path("link"))/f", .waits)
        try assert("read \(folder)/", after: "write \(folder)", .waits)
        try assert("read \(folder)/./../d/f", after: "write \(file)", .waits)
    }

    //  A                       B
    //  write(link) granted
    //                          write(target) granted
    //
    /// Rules 1.4 and 1.6: a final link is an item of its own.
    func testAFinalLinkIsNotItsTarget() throws {
        let file = try stage.file("f")
        symlink(file, stage.path("link"))
        try assert("write \(file)", after: "write \(stage.path("link"))", .overlaps)
        try assert("write \(stage.path("link"))", after: "read \(stage.path("link"))", .waits)
    }

    /// Rules 1.1 and 1.8: what does not exist can be coordinated, under the URL as it was passed.
    func testWhatDoesNotExistCanBeCoordinated() throws {
        let absent = stage.path("no/such/thing")
        try assert("read \(absent)", after: "write \(absent)", .waits)
        let a = try stage.peer("A")
        let odd = "\(stage.directory)/./x/../x"
        try a.ask("a write \(odd)", "a granted")
        XCTAssertEqual(try a.ask("a url", "a urls"), "a urls \(odd)")
    }
}

/// The same with the daemon.
final class PlaceWithDaemonTests: PlaceTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
