// SPDX-License-Identifier: Apache-2.0
//
// A user goes back to a version of a file whose group the user is not in. The kernel does not let
// the user give the new file to that group, so the group's rights must not go to another one.

import XCTest

final class ForeignGroupTests: StageTestCase {
    private static let user: UInt32 = 65534
    private static let foreignGroup: UInt32 = 4242

    /// A program of an ordinary user with one group.
    private func userPeer() throws -> Program {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        try XCTSkipUnless(
            access("/usr/bin/setpriv", X_OK) == 0 && Products.isForAllUsers(Products.peer),
            "Another user cannot start \(Products.peer).")
        chmod(stage.directory, 0o777)
        let user = Self.user
        return try stage.peer(
            "A",
            through: ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"])
    }

    //  A
    //  write(f): adds a version of f
    //            replaces f by it
    //
    func testTheRightsOfAGroupThatIsLostAreLostToo() throws {
        let a = try userPeer()
        for (mode, left) in [(0o660, 0o600), (0o664, 0o644)] as [(mode_t, mode_t)] {
            let file = try stage.file("f-\(left)", "old")
            XCTAssertEqual(chown(file, Self.user, Self.foreignGroup), 0)
            XCTAssertEqual(chmod(file, mode), 0)
            try a.ask("a write \(file)", "a granted")
            try a.ask("a version add \(file)", "a added")
            try a.ask("a version restore \(file)", "a restored")
            try a.ask("a go", "a released")
            var status = stat()
            XCTAssertEqual(stat(file, &status), 0)
            XCTAssertEqual([status.st_uid, status.st_gid], [Self.user, Self.user])
            XCTAssertEqual(status.st_mode & 0o777, left)
        }
    }
}
