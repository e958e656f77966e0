// SPDX-License-Identifier: Apache-2.0
//
// What a written file keeps: attributes and lists, also where the writer is neither its owner nor
// one of its group. Other users need root.

import FileCoordinationSystem
import XCTest

final class KeptAttributeTests: XCTestCase {
    private let note = Array("user.note".utf8)
    private typealias Entry = AccessControlList.Entry

    /// A named user may write; the group, whose bits in the mode are the mask, may not even read.
    private let list = AccessControlList([
        Entry(.owner, 6), Entry(.user, 6, id: 1234), Entry(.group, 0), Entry(.mask, 6),
        Entry(.other, 0),
    ])

    private func open(_ path: String) throws -> Descriptor {
        let number = Foundation.open(path, O_RDONLY)
        guard number >= 0 else { throw POSIXError(.ENOENT) }
        return Descriptor(adopting: number)
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return status
    }

    private func value(_ name: [UInt8], _ path: String) throws -> [UInt8]? {
        try ExtendedAttributes.value(of: name, of: open(path))
    }

    private func set(_ name: [UInt8], _ value: [UInt8], _ path: String) throws {
        let file = try open(path)
        do throws(SystemError) {
            try ExtendedAttributes.set(name, to: value, of: file)
        } catch {
            guard error.code == ErrorNumber.notSupported else { throw error }
            throw XCTSkip("the file system of /tmp keeps no attributes")
        }
    }

    func testAttributesAndListsAreKept() throws {
        try with { sandbox in
            for (name, words) in [("a", ["write", "a"]), ("b", ["update", "b", "--", "rev"])] {
                let path = try sandbox.makeFile(name, "old")
                try set(note, [1, 2, 3], path)
                try set(AccessControlList.attribute, list.attributeValue, path)
                let outcome = try sandbox.run(words, input: "new")
                XCTAssertEqual(outcome.status, 0, outcome.errors)
                XCTAssertEqual(outcome.errors, "")
                XCTAssertNotEqual(try sandbox.content(name), "old")
                XCTAssertEqual(try value(note, path), [1, 2, 3])
                XCTAssertEqual(try value(AccessControlList.attribute, path), list.attributeValue)
                XCTAssertEqual(try status(path).st_mode & 0o7777, 0o660)
            }
        }
    }

    func testANewFileGetsTheDirectorysDefaultList() throws {
        try with { sandbox in
            let directory = try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/plain", "old")
            XCTAssertEqual(chmod(sandbox.path("d/plain"), 0o640), 0)
            try set(AccessControlList.defaultAttribute, list.attributeValue, directory)
            XCTAssertEqual(try sandbox.runInShell("touch d/expected").status, 0)
            XCTAssertEqual(try sandbox.run("write", "d/a", input: "new").status, 0)
            XCTAssertEqual(try sandbox.run("write", "d/plain", input: "new").status, 0)
            let expected = sandbox.path("d/expected")
            XCTAssertEqual(
                try value(AccessControlList.attribute, sandbox.path("d/a")),
                try value(AccessControlList.attribute, expected))
            XCTAssertEqual(try status(sandbox.path("d/a")).st_mode, try status(expected).st_mode)
            // And a file that has none does not get one.
            XCTAssertNil(try value(AccessControlList.attribute, sandbox.path("d/plain")))
            XCTAssertEqual(try status(sandbox.path("d/plain")).st_mode & 0o7777, 0o640)
        }
    }

    // MARK: Other users

    /// Runs a script as an ordinary user with one group.
    private func asUnprivilegedUser(_ sandbox: Sandbox, _ script: String) throws -> Outcome {
        try sandbox.runInShell(
            """
            FILECOORD="$0"; export FILECOORD FILECOORDINATIOND=
            mkdir -p own && chown 65534:65534 own && chmod 777 .
            export FILECOORDINATION_RUNTIME_DIR="$PWD/own/run"
            FILECOORDINATION_VERSIONS_DIR="$PWD/own/v" HOME="$PWD/own" \\
                setpriv --reuid=65534 --regid=65534 --clear-groups \\
                sh -c '\(script)'
            """)
    }

    private func requireRoot() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        let program = Sandbox.executables.appendingPathComponent("filecoord").path
        let check = try Sandbox(.embedded)
        defer { check.tearDown() }
        let outcome = try check.runInShell(
            "setpriv --reuid=65534 --regid=65534 --clear-groups '\(program)' --help >/dev/null")
        try XCTSkipUnless(outcome.status == 0, "Another user cannot start \(program).")
    }

    func testTheRightsOfAGroupThatIsLostAreLostToo() throws {
        try requireRoot()
        try with(.embedded) { sandbox in
            for (mode, left) in [(0o660, 0o600), (0o664, 0o644), (0o2770, 0o700)]
                as [(mode_t, mode_t)]
            {
                let path = try sandbox.makeFile("f", "old")
                XCTAssertEqual(chown(path, 65534, 5678), 0)
                XCTAssertEqual(chmod(path, mode), 0)
                let outcome = try asUnprivilegedUser(sandbox, "echo new | \"$FILECOORD\" write f")
                XCTAssertEqual(outcome.status, 0, outcome.errors)
                XCTAssertTrue(outcome.errors.contains("its group (group 5678)"), outcome.errors)
                let now = try status(path)
                XCTAssertEqual(now.st_gid, 65534)
                XCTAssertEqual(now.st_mode & 0o7777, left)
                XCTAssertEqual(try sandbox.content("f"), "new\n")
            }
        }
    }

    func testAnOwnerThatIsLostIsSaidAndGivesTheWriterNoMoreThanHeHad() throws {
        try requireRoot()
        try with(.embedded) { sandbox in
            let path = try sandbox.makeFile("f", "old")
            XCTAssertEqual(chown(path, 1234, 65534), 0)
            XCTAssertEqual(chmod(path, 0o6764), 0)
            let outcome = try asUnprivilegedUser(sandbox, "echo new | \"$FILECOORD\" write f")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("its owner (user 1234)"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains("set-user-ID"), outcome.errors)
            let now = try status(path)
            XCTAssertEqual([now.st_uid, now.st_gid], [65534, 65534])
            XCTAssertEqual(now.st_mode & 0o7777, 0o664)
            // A write in place keeps the owner.
            XCTAssertEqual(chown(path, 1234, 65534), 0)
            let inPlace = try asUnprivilegedUser(
                sandbox, "echo more | \"$FILECOORD\" write --in-place f")
            XCTAssertEqual(inPlace.errors, "")
            XCTAssertEqual(try status(path).st_uid, 1234)
            XCTAssertEqual(try sandbox.content("f"), "more\n")
        }
    }

    func testAListWithAnotherGroupIsNarrowed() throws {
        try requireRoot()
        try with(.embedded) { sandbox in
            let path = try sandbox.makeFile("f", "old")
            XCTAssertEqual(chown(path, 65534, 5678), 0)
            let list = AccessControlList([
                Entry(.owner, 6), Entry(.user, 4, id: 1234), Entry(.group, 6), Entry(.mask, 6),
                Entry(.other, 4),
            ])
            try set(AccessControlList.attribute, list.attributeValue, path)
            let outcome = try asUnprivilegedUser(sandbox, "echo new | \"$FILECOORD\" write f")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(
                try value(AccessControlList.attribute, path), list.forAnotherGroup.attributeValue)
        }
    }
}
