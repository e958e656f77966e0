// SPDX-License-Identifier: Apache-2.0
//
// Directories that are delegated as a whole to the one program which goes through their items.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

class DirectoryDelegationTests: DelegatingTestCase {
    /// Uses files of a directory until it is delegated, and holds another one of them then.
    private func holdLocallyInside(_ program: Program, _ access: String, _ name: String) throws {
        for number in 0..<12 {
            try use(program, "\(access) \(stage.path("d/\(number)"))", "u\(number)")
        }
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        try program.ask("l \(access) \(stage.path("d/\(name)"))", "l granted")
    }

    //  A                              B
    //  write(d/f) without an arbiter,
    //  which it has never used before
    //                                 write(d/f) waits
    //                                 write(d/g) granted
    //  returns
    //                                 granted
    //
    /// Rule 2.3.
    func testALocalClaimInADelegatedDirectoryKeepsOthersOut() throws {
        try stage.folder("d")
        for name in ["f", "g"] { try stage.file("d/\(name)") }
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocallyInside(a, "write", "f")
        b.tell("b write \(stage.path("d/f"))")
        try stage.untilWaits(b)
        try use(b, "write \(stage.path("d/g"))", "g")
        XCTAssertFalse(b.said("b granted"))
        // The directory is A's no more.
        try b.ask("h write \(stage.path("d/g"))", "h granted")
        a.tell("a read \(stage.path("d/g"))")
        try stage.untilWaits(a)
        try a.ask("l go", "l released")
        try b.expect("b granted")
        XCTAssertFalse(a.said("a granted"))
        try b.ask("h go", "h released")
        try a.expect("a granted")
    }

    /// Rules 2.2, 2.6: a claim to delete the directory,
    /// or what contains it, waits for claims inside.
    func testWhoDeletesADelegatedDirectoryWaitsForClaimsInside() throws {
        try stage.folder("d")
        try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocallyInside(a, "read", "f")
        b.tell("b write \(stage.path("d")) options=forDeleting")
        try stage.untilWaits(b)
        try a.ask("l go", "l released")
        try b.expect("b granted")
        a.tell("a read \(stage.path("d/never"))")
        try stage.untilWaits(a)
        try b.ask("b go", "b released")
        try a.expect("a granted")
    }

    /// Rule 2.6: a claim to delete an item inside waits
    /// for its reader, and excludes the next reader.
    func testWhoDeletesInADelegatedDirectoryWaitsForTheItem() throws {
        try stage.folder("d")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocallyInside(a, "read", "f")
        b.tell("b write \(file) options=forDeleting")
        try stage.untilWaits(b)
        a.tell("a read \(file)")
        try stage.untilWaits(a)
        try a.ask("l go", "l released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
        try a.expect("a granted")
    }

    /// Rules 5.4, 6.1: presenters of an item, of the directory and of what contains it are asked.
    func testAPresenterEndsTheDelegationOfADirectory() throws {
        try stage.folder("d")
        for place in ["d/f", "d", "."] {
            let other = place == "d/f" ? place : "d/g"
            try stage.file(other)
            try server()
            let (a, b) = (try stage.peer("A"), try stage.peer("B"))
            try holdLocallyInside(a, "write", "l")
            try b.ask("p present \(stage.path(place))", "p registered")
            try a.ask("l go", "l released")
            try a.ask("a write \(stage.path(other))", "a granted")
            if place == "d/f" {
                try b.expect("p relinquish to writer")
            }
            try a.ask("a put new", "a put")
            try a.ask("a go", "a released")
            try b.expect(place == "d/f" ? "p did change" : "p did change \(stage.path(other))")
            a.signal(SIGKILL)
            b.signal(SIGKILL)
        }
    }

    /// Rule 2.2: if another client has a claim in a
    /// directory, only single paths are delegated there.
    func testADirectoryInWhichAnotherHasAnItemIsNotDelegated() throws {
        try stage.folder("d")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try b.ask("b read \(file)", "b granted")
        for number in 0..<12 { try use(a, "write \(stage.path("d/\(number)"))", "u\(number)") }
        a.tell("a write \(file)")
        try stage.untilWaits(a)
        XCTAssertFalse(a.said("a granted"))
        try b.ask("b go", "b released")
        try a.expect("a granted")
        try a.ask("a go", "a released")
    }

    /// Rules 1.12, 1.15: the client notices that an item
    /// has changed since it read the whole directory.
    func testAFileOfADelegatedDirectoryBecomesAPackage() throws {
        try stage.folder("d")
        for number in 0..<60 { try stage.file("d/\(number)") }
        let package = try stage.file("d/p.rtfd")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        for number in 0..<60 { try use(a, "read \(stage.path("d/\(number)"))", "u\(number)") }
        // The test replaces the file without a claim, as a plain program does.
        try FileManager.default.removeItem(atPath: package)
        try stage.folder("d/p.rtfd")
        let inner = try stage.file("d/p.rtfd/inner")
        try a.ask("a write \(package)", "a granted")
        b.tell("b write \(inner)")
        try stage.untilWaits(b)
        try a.ask("a go", "a released")
        try b.expect("b granted")
        try b.ask("b go", "b released")
    }

    /// Rule 2.12: a claim that was filed before its directory was delegated still excludes others.
    func testAClaimInADirectoryThatBecomesDelegated() throws {
        try stage.folder("d")
        try server()
        let a = try stage.peer("A")
        for number in 0..<12 {
            let access = "write \(stage.path("d/\(number)"))"
            try a.ask("l\(number) \(access)", "l\(number) granted")
            a.tell("a\(number) \(access)")
            try stage.untilWaits(a)
            try a.ask("l\(number) go", "l\(number) released")
            try a.expect("a\(number) granted")
            try a.ask("a\(number) go", "a\(number) released")
        }
        try stage.untilNoClaimHolds()
    }
}

/// The same with the daemon.
final class DirectoryDelegationWithDaemonTests: DirectoryDelegationTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
