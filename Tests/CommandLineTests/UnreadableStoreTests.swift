// SPDX-License-Identifier: Apache-2.0
//
// `filecoord versions` on a store that cannot be read: it must not be taken for an empty one.

import XCTest

final class UnreadableStoreTests: XCTestCase {
    /// The commands that need to know the versions of the file `a`.
    private let commands = [
        ["list", "a"], ["list", "--json", "a"], ["list", "--orphans"],
        ["list", "--orphans", "--json"], ["list", "missing"], ["restore", "a", "1"],
        ["remove", "a", "1"], ["remove", "a", "--all"], ["resolve", "a"],
    ]

    /// Ways to make the store unreadable, also for root, and to make it readable again.
    private let damages = [
        ("chmod 777 versions", "chmod 700 versions"),
        ("mv versions away; : >versions", "rm versions; mv away versions"),
        (
            "mv versions/places away; : >versions/places",
            "rm versions/places; mv away versions/places"
        ),
        ("mv versions/items away; : >versions/items", "rm versions/items; mv away versions/items"),
        (
            "v=$(echo versions/items/*/*/record); mv $v away; mkdir $v",
            "v=$(echo versions/items/*/*/record); rmdir $v; mv away $v"
        ),
    ]

    func testNoCommandTakesItForAnEmptyOne() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "one")
            XCTAssertEqual(try sandbox.run("versions", "add", "a").status, 0)
            try sandbox.makeFile("a", "two")
            for (damage, repair) in damages {
                try sandbox.runPlainly(damage)
                // The damage of a version says nothing about a file that has none.
                let isAboutOne = damage.contains("record")
                for arguments in commands where !(isAboutOne && arguments.contains("missing")) {
                    let outcome = try sandbox.run(["versions"] + arguments)
                    let what = "\(damage), \(arguments): \(outcome.output)\(outcome.errors)"
                    XCTAssertEqual(outcome.status, 74, what)
                    XCTAssertEqual(outcome.output, "", what)
                    XCTAssertTrue(outcome.errors.contains("cannot be read"), what)
                }
                try sandbox.runPlainly(repair)
                XCTAssertEqual(try sandbox.content("a"), "two")
                let list = try sandbox.run("versions", "list", "--json", "a")
                XCTAssertEqual(list.output.split(separator: "\n").count, 1, damage)
            }
        }
    }

    func testPermissionsAreNamed() throws {
        try with(.embedded) { sandbox in
            try sandbox.makeFile("a", "one")
            // Root may read everything, so root gives its rights up.
            let asUser =
                geteuid() == 0
                ? "chown -R 65534 . && setpriv --reuid=65534 --regid=65534 --clear-groups" : ""
            let outcome = try sandbox.runInShell(
                """
                mkdir own && export FILECOORDINATION_RUNTIME_DIR="$PWD/own/run"
                chmod 755 . && "$0" versions add a >/dev/null && chmod 0 versions/items
                \(asUser) "$0" versions list a; echo $?; chmod 700 versions/items
                """)
            try XCTSkipIf(outcome.output == "126\n", "Another user cannot start filecoord.")
            XCTAssertEqual(outcome.output, "74\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("Permission denied"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains(sandbox.path("versions")), outcome.errors)
        }
    }

    /// A program has no versions as long as it has added none.
    func testAStoreThatDoesNotExistIsEmpty() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "one")
            let list = try sandbox.run("versions", "list", "a")
            XCTAssertEqual(list.output, "No versions of \(path) are kept.\n", list.errors)
            let orphans = try sandbox.run("versions", "list", "--orphans")
            XCTAssertEqual(orphans.output, "There are no orphans.\n", orphans.errors)
            for arguments in [["resolve", "a"], ["remove", "a", "--all"]] {
                let outcome = try sandbox.run(["versions"] + arguments)
                XCTAssertEqual(outcome.status, 0, outcome.errors)
            }
        }
    }
}
