// SPDX-License-Identifier: Apache-2.0
//
// Places that are delegated to the one program which uses them: it needs no arbiter there, and yet
// no other access overlaps with it. That a claim was granted without the arbiter shows when the
// arbiter is stopped: no other process could have granted it.

import FileCoordinationArbiter
import FileCoordinationWire
import XCTest

/// Tests of programs that may have places delegated.
class DelegatingTestCase: StageTestCase {
    override func setUpWithError() throws {
        try XCTSkipUnless(Stage.isDelegating, "FILECOORDINATION_DELEGATION=off: nothing to test")
        try super.setUpWithError()
    }

    /// A program that serves, unless a daemon does, and does nothing else.
    func server() throws {
        if Self.serving == .embedded { _ = try stage.firstProgram("server") }
    }

    /// One access.
    func use(_ program: Program, _ access: String, _ name: String) throws {
        try program.ask("\(name) \(access)", "\(name) granted")
        try program.ask("\(name) go", "\(name) released")
    }
}

class DelegationTests: DelegatingTestCase {

    /// Uses an item until its place is delegated, and holds it then.
    private func holdLocally(_ program: Program, _ access: String) throws {
        for round in 0..<12 { try use(program, access, "u\(round)") }
        let arbiter = try stage.arbiter()
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        try program.ask("l " + access, "l granted")
    }

    //  A                              B
    //  write(f) without an arbiter
    //                                 write(f) waits
    //  returns
    //                                 granted
    //
    /// Rule 2.3: the path is not A's any more when B waits, so A's next claim waits, too.
    func testALocalClaimKeepsOthersOut() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        a.tell("a read \(file)")
        try stage.untilWaits(a)
        try a.ask("l go", "l released")
        try b.expect("b granted")
        XCTAssertFalse(a.said("a granted"))
        try b.ask("b go", "b released")
        try a.ask("a go", "a released")
        try stage.untilNoClaimHolds()
    }

    //  A                              A's child            B
    //  write(f) without an arbiter
    //    forks
    //                                 returns
    //                                                      read(f) waits
    //    returns
    //                                                      granted
    //
    /// Rule 18.8: a forked child cannot end a claim of its parent that no arbiter knows of.
    func testAForkedChildThatReturnsEndsNoLocalClaim() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        try a.ask("l fork return", "l forked")
        // The child writes this line, since it shares the parent's standard output. It writes
        // nothing if it died in an access to the parent's ledger, which it does not have.
        try a.expect("l child returned")
        b.tell("b read \(file)")
        try stage.untilWaits(b)
        try a.ask("l put new", "l put")
        XCTAssertFalse(b.said("b granted"))
        try a.ask("l go", "l released")
        XCTAssertEqual(try b.expect("b granted"), "b granted new")
        try b.ask("b go", "b released")
        try stage.untilNoClaimHolds()
    }

    /// Rule 2.12: the place may have been delegated while the first claim of its process runs.
    func testAClaimThatWasFiledKeepsOthersOfItsProcessOut() throws {
        let file = try stage.file("f")
        try server()
        let a = try stage.peer("A")
        try use(a, "write \(file)", "u")
        try a.ask("l write \(file)", "l granted")
        a.tell("a write \(file)")
        try stage.untilWaits(a)
        try a.ask("l go", "l released")
        try a.expect("a granted")
        try a.ask("a go", "a released")
        try stage.untilNoClaimHolds()
    }

    //  A                              B
    //                                 read(f) granted
    //  read(f) some times
    //  write(f) waits
    //                                 returns
    //  granted
    //
    /// Rule 2.2: what another client has is not delegated.
    func testAPlaceThatAnotherHasIsNotDelegated() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try b.ask("b read \(file)", "b granted")
        for round in 0..<6 { try use(a, "read \(file)", "u\(round)") }
        a.tell("l write \(file)")
        try stage.untilWaits(a)
        XCTAssertFalse(a.said("l granted"))
        try b.ask("b go", "b released")
        try a.expect("l granted")
        try a.ask("l go", "l released")
    }

    /// Rules 2.2, 2.6: a claim to delete a directory waits for local claims inside.
    func testWhoDeletesADirectoryWaitsForLocalClaimsInside() throws {
        let folder = try stage.folder("d")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "read \(file)")
        b.tell("b write \(folder) options=forDeleting")
        try stage.untilWaits(b)
        try a.ask("l go", "l released")
        try b.expect("b granted")
        // Later claims inside wait for the deletion: the former delegation does not let them in.
        a.tell("a read \(file)")
        try stage.untilWaits(a)
        try b.ask("b go", "b released")
        try a.expect("a granted")
    }

    /// Rule 5.4: when another program presents the item, its next writer asks before it writes.
    func testAPresenterEndsTheDelegation() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        try b.ask("p present \(file)", "p registered")
        try a.ask("l go", "l released")
        try a.ask("a write \(file)", "a granted")
        try b.expect("p relinquish to writer")
        try a.ask("a put new", "a put")
        try a.ask("a go", "a released")
        try b.expect("p did change")
        // The path is not delegated again, however often A uses the item.
        for round in 0..<4 { try use(a, "write \(file)", "v\(round)") }
        XCTAssertEqual(b.count("p relinquish to writer"), 5)
    }

    /// Rule 2.12: two coordinators of one program exclude each other as those of two programs do.
    func testLocalClaimsOfOneProgramExcludeEachOther() throws {
        let file = try stage.file("f")
        try server()
        let a = try stage.peer("A")
        try holdLocally(a, "read \(file)")
        try use(a, "read \(file)", "r")
        a.tell("w write \(file)")
        try stage.untilWaits(a)
        try a.ask("l go", "l released")
        try a.expect("w granted")
        a.tell("s read \(file)")
        try stage.untilWaits(a)
        try a.ask("w go", "w released")
        try a.expect("s granted")
        try a.ask("s go", "s released")
    }

    /// Rule 1.15: a client notices that a URL leads elsewhere than when it was used before.
    func testAMovedDirectoryIsNotTakenForTheOldOne() throws {
        try stage.folder("d")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "read \(file)")
        try a.ask("l go", "l released")
        // The test moves the directory without a claim, as a plain program does.
        try FileManager.default.moveItem(atPath: stage.path("d"), toPath: stage.path("e"))
        try FileManager.default.createSymbolicLink(
            atPath: stage.path("d"), withDestinationPath: stage.path("e"))
        try b.ask("b write \(stage.path("e/f"))", "b granted")
        a.tell("a read \(file)")
        try stage.untilWaits(a)
        try b.ask("b go", "b released")
        try a.expect("a granted")
    }

    /// Rule 18.7: the next arbiter knows of local claims, also of a stopped process.
    func testALocalClaimOutlivesTheArbiter() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        try a.stop()
        kill(try stage.arbiter(), SIGKILL)
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        a.signal(SIGCONT)
        try a.ask("l go", "l released")
        try b.expect("b granted")
    }

    /// Rule 18.8: a local claim ends with its process, also with a killed one.
    func testALocalClaimEndsWithItsProcess() throws {
        let file = try stage.file("f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        b.tell("b write \(file)")
        try stage.untilWaits(b)
        a.signal(SIGKILL)
        try b.expect("b granted")
    }

    //  A                                     B
    //  write(d/f) without an arbiter
    //                                        write(e/g)
    //    write(e/g) inside waits
    //                                          write(d/f) inside: refused
    //
    /// Rule 18.4: a cycle is found that leads through a local claim.
    func testALocalClaimIsPartOfACycle() throws {
        // Two directories: B's claim in A's directory would
        // already end the delegation of that directory.
        for folder in ["d", "e"] { try stage.folder(folder) }
        let (file, other) = (try stage.file("d/f"), try stage.file("e/g"))
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try holdLocally(a, "write \(file)")
        try b.ask("b write \(other)", "b granted")
        a.tell("l nest n write \(other)")
        try stage.untilWaits(a)
        b.tell("b nest m write \(file)")
        try b.expect("m failed")
        try b.ask("b go", "b released")
        try a.expect("n granted")
    }

    /// Rule 11.1: presenters in other programs are told what a local writer announces.
    func testALocalWriterAnnouncesAMove() throws {
        try stage.folder("d")
        try stage.folder("e")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try b.ask("p present \(stage.path("e"))", "p registered")
        try holdLocally(a, "write \(file)")
        try a.ask("l rename \(file) \(stage.path("e/f"))", "l renamed")
        try a.ask("l didmove \(file) \(stage.path("e/f"))", "l announced")
        try b.expect("p did appear")
        try a.ask("l go", "l released")
    }

    /// Rule 11.1: the same if the writer has returned before any presenter could be told.
    func testAMoveIsHeardOfThoughItsLocalWriterHasReturned() throws {
        try stage.folder("d")
        try stage.folder("e")
        let file = try stage.file("d/f")
        try server()
        let (a, b) = (try stage.peer("A"), try stage.peer("B"))
        try b.ask("p present \(stage.path("e"))", "p registered")
        try holdLocally(a, "write \(file)")
        let arbiter = try stage.arbiter()
        // Asking who arbitrates has made the claim known
        // to the arbiter, so A makes another local claim.
        try a.ask("l go", "l released")
        try holdLocally(a, "write \(file)")
        kill(arbiter, SIGSTOP)
        defer { kill(arbiter, SIGCONT) }
        try a.ask("l rename \(file) \(stage.path("e/f"))", "l renamed")
        try a.ask("l didmove \(file) \(stage.path("e/f"))", "l announced")
        try a.ask("l go", "l released")
        kill(arbiter, SIGCONT)
        try b.expect("p did appear")
        try stage.untilNoClaimHolds()
    }

    /// Status shows local claims, too.
    func testStatusShowsLocalClaims() throws {
        let file = try stage.file("f")
        try server()
        let a = try stage.peer("A")
        try holdLocally(a, "write \(file)")
        try stage.until(a, .granted)
        try a.ask("l go", "l released")
        try stage.untilNoClaimHolds()
    }
}

/// The same with the daemon.
final class DelegationWithDaemonTests: DelegationTests {
    override class var serving: Serving { .daemon }

    /// Rule 2.0.
    func testTheDaemonServes() throws { try assertDaemonServes() }
}
