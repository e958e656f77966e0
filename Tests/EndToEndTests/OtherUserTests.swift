// SPDX-License-Identifier: Apache-2.0
//
// What other users of the machine can do: nothing, and they learn nothing (Rule 2.0).

import XCTest

class OtherUserTests: StageTestCase {
    /// The user whose programs coordinate, and the one who must not learn of it.
    class var users: (ours: UInt32, stranger: UInt32) { (0, 65534) }

    private func wrapper(_ user: UInt32) -> [String] {
        ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    }

    /// A program with umask 0, so that files get all the permissions that it asks for.
    private func carelessPeer(_ name: String, of user: UInt32) throws -> Program {
        let careless = ["/bin/sh", "-c", "umask 0; exec \"$0\""]
        return try stage.peer(name, through: wrapper(user) + careless)
    }

    private func assertClosedToOthers(_ path: String, line: UInt = #line) throws {
        var status = stat()
        XCTAssertEqual(lstat(path, &status), 0, path, line: line)
        XCTAssertEqual(status.st_mode & 0o077, 0, path, line: line)
        XCTAssertEqual(status.st_uid, Self.users.ours, path, line: line)
        guard status.st_mode & S_IFMT == S_IFDIR else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try assertClosedToOthers(path + "/" + name)
        }
    }

    /// Rule 2.0.
    func testAStrangerFindsNoWayIn() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        try XCTSkipUnless(
            access("/usr/bin/setpriv", X_OK) == 0 && Products.isForAllUsers(Products.peer),
            "Another user cannot start \(Products.peer).")
        chmod(stage.directory, 0o777)
        let file = try stage.file("secret-name")
        chmod(file, 0o666)
        let a = try carelessPeer("A", of: Self.users.ours)
        try a.ask("p present \(stage.path("another-secret"))", "p registered")
        try a.ask("a write \(file)", "a granted")
        try assertClosedToOthers(stage.runtime)
        let stranger = try carelessPeer("stranger", of: Self.users.stranger)
        try stranger.ask("x hello \(stage.runtime)/socket", "x not connected")
        XCTAssertTrue(stranger.said("x not connected \(EACCES)"), "\(stranger.lines)")
        let ledgers = try FileManager.default.contentsOfDirectory(
            atPath: stage.runtime + "/ledgers")
        let paths = ["/socket", "/server.lock", "/epoch", "/ledgers", "/ledgers/\(ledgers[0])"]
        for path in [""] + paths {
            try stranger.ask("y peep \(stage.runtime)\(path)", "y \(EACCES)")
        }
        // Nor does coordinating at the same place help.
        stranger.tell("w write \(file)")
        try stranger.expect("w failed FileCoordinationErrorDomain 1")
        try a.ask("a go", "a released")
    }
}

/// The same with the daemon, for two ordinary users.
final class OtherOrdinaryUserTests: OtherUserTests {
    override class var serving: Serving { .daemon }
    override class var users: (ours: UInt32, stranger: UInt32) { (65534, 65533) }

    /// Rule 2.0: root does not use a runtime directory of another user.
    func testRootDoesNotJoin() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        mkdir(stage.runtime, 0o700)
        chown(stage.runtime, Self.users.ours, Self.users.ours)
        let root = try stage.peer("root")
        root.tell("w write \(stage.path("f")) explain")
        try root.expect("w failed FileCoordinationErrorDomain 1")
        let sentence = try root.expect("w because")
        XCTAssertTrue(sentence.contains("belongs to user 65534, not to you"), sentence)
    }
}
