// SPDX-License-Identifier: Apache-2.0
//
// A file system below a presented directory goes away while it is presented (Rule 7.14). It is
// mounted in a namespace of the program that presents and serves.

import Foundation
import XCTest

final class MountBelowTests: XCTestCase {
    func testAFileSystemThatIsTakenAwayIsToldAndTheWatcherGoesOn() throws {
        try with(.embedded) { sandbox in
            let directory = try sandbox.makeDirectory("d")
            let mount = try sandbox.makeDirectory("d/m")
            let probe = try sandbox.runInShell(
                "command -v nsenter && unshare --mount mount -t tmpfs none d/m")
            try XCTSkipUnless(probe.status == 0, "Nothing may be mounted: \(probe.errors)")
            let command = try sandbox.startInShell(
                """
                exec unshare --mount sh -c 'mount -t tmpfs none d/m && echo 1 >d/m/f \\
                    && exec "$0" present --json d d/m/f' "$0"
                """)
            for path in [directory, mount + "/f"] {
                try command.awaitMessage("registered", to: path)
            }
            func runInside(_ script: String) throws {
                try sandbox.runPlainly(
                    "nsenter --mount --target \(command.processID) sh -c '\(script)'")
            }
            try runInside("echo 2 >\(mount)/before")
            try command.awaitName("m/before", to: directory)
            try runInside("umount -l \(mount)")
            let told = try command.awaitMessage("presentedItemDidChange", to: mount + "/f")
            XCTAssertEqual(told.exists, false)
            try runInside("echo 3 >\(mount)/after")
            try command.awaitName("m/after", to: directory)
            // The server answers and grants.
            XCTAssertEqual(try sandbox.status().presenters.count, 2)
            XCTAssertEqual(try sandbox.run("write", "d/x", input: "1").status, 0)
        }
    }
}
