// SPDX-License-Identifier: Apache-2.0
//
// The runtime directory: a directory that other users can access is refused with an error that says
// what to do, and nothing is read or written there (Rules 2.0 and 18.12).

import FileCoordinationWire
import XCTest

final class RuntimeDirectoryTests: StageTestCase {
    /// Asserts that coordination is refused with a sentence that contains all of `words`.
    private func assertRefused(
        _ words: String..., by program: Program, line: UInt = #line
    ) throws {
        try program.ask(
            "w write \(stage.path("f")) explain", "w failed FileCoordinationErrorDomain 1")
        let sentence = try program.expect("w because File coordination is not available:")
        for word in words { XCTAssertTrue(sentence.contains(word), sentence, line: line) }
        try program.ask(
            "l later write:\(stage.path("f"))", "l failed FileCoordinationErrorDomain 1")
        try program.ask("p present \(stage.path("f"))", "p registered")
        try program.expect("! FileCoordination: a file presenter was not registered:")
        XCTAssertFalse(program.lines.contains { $0.contains("granted") }, line: line)
    }

    /// Rule 2.0: a directory is refused as long as other users may have put something into it.
    func testADirectoryThatIsOpenToOthers() throws {
        mkdir(stage.runtime, 0o755)
        chmod(stage.runtime, 0o755)
        let a = try stage.peer("A")
        try assertRefused("open to other users (mode 755)", "chmod 700", by: a)
        XCTAssertNotEqual(try stage.start("daemon", [Products.daemon]).awaitEnd(), 0)
        chmod(stage.runtime, 0o700)
        try a.ask("w write \(stage.path("f"))", "w granted")
    }

    /// Rule 2.0.
    func testALinkToADirectory() throws {
        try stage.folder("elsewhere")
        chmod(stage.path("elsewhere"), 0o700)
        symlink(stage.path("elsewhere"), stage.runtime)
        try assertRefused("is not a directory (links are not followed)", by: stage.peer("A"))
        let left = try FileManager.default.contentsOfDirectory(atPath: stage.path("elsewhere"))
        XCTAssertEqual(left, [])
    }

    /// Rule 2.0.
    func testAFile() throws {
        try stage.file("run")
        try assertRefused("is not a directory", "remove it", by: stage.peer("A"))
    }

    /// Rule 2.0.
    func testARelativePath() throws {
        let a = try stage.peer("A", environment: ["FILECOORDINATION_RUNTIME_DIR": "relative/run"])
        try assertRefused("\"relative/run\" is not an absolute path", by: a)
    }

    /// Rule 2.0.
    func testAnotherUsersDirectory() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can give a directory to another user.")
        mkdir(stage.runtime, 0o700)
        chown(stage.runtime, 65534, 65534)
        try assertRefused("belongs to user 65534, not to you", by: stage.peer("A"))
    }

    //  A                       another user's program
    //  write(f) granted
    //  (all doors are opened)
    //                          the library: refuses
    //                          says hello without the library: refused by the arbiter
    //  returns
    //
    /// Rule 2.0: the processes of one user.
    func testAnotherUsersProgram() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of another user.")
        let wrapper = ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        try XCTSkipUnless(
            access(wrapper[0], X_OK) == 0 && Products.isForAllUsers(Products.peer),
            "Another user cannot start \(Products.peer).")
        let daemon = try stage.daemon()
        let a = try stage.peer("A")
        let b = try stage.peer("B")
        try a.ask("a write \(stage.path("f"))", "a granted")
        b.tell("b read \(stage.path("f"))")
        try stage.untilWaits(b)
        for path in [stage.directory, stage.runtime, stage.runtime + "/socket"] {
            chmod(path, 0o777)
        }
        let stranger = try stage.peer("stranger", through: wrapper)
        try assertRefused("belongs to user 0, not to you", by: stranger)
        stranger.tell("x hello \(stage.runtime)/socket")
        let answer = try stranger.expect("x refused")
        XCTAssertTrue(
            answer.contains("you are user 65534; this server serves user 0 only"), answer)
        try daemon.expect("closed the connection of process \(stranger.pid)", inside: true)
        try stage.untilWaits(b)
        try a.ask("a go", "a released")
        try b.expect("b granted")
    }
}
