// SPDX-License-Identifier: Apache-2.0
//
// `read` through links (Rule 1.5) and for uploading (Rules 15.1, 15.2).

import XCTest

final class ReadOptionTests: XCTestCase {
    private func link(_ sandbox: Sandbox, _ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path(name), withDestinationPath: target)
    }

    func testMoreFilesThanDescriptorsAreRead() throws {
        try withEachArbiter { sandbox in
            let outcome = try sandbox.runInShell(
                """
                for n in $(seq 200); do echo $n >f$n; done
                (ulimit -S -n 64; exec "$0" read $(seq -f f%.0f 200)) | wc -l
                """)
            XCTAssertEqual(outcome.errors, "")
            XCTAssertEqual(outcome.output.filter { $0 != " " }, "200\n")
        }
    }

    // MARK: Links

    func testAChainOfLinksIsFollowedAndItsEndIsAsked() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("d")
            let path = try sandbox.makeFile("d/a", "text")
            try link(sandbox, "one", to: "two")
            try link(sandbox, "two", to: sandbox.path("d/three"))
            try link(sandbox, "d/three", to: "a")
            let presenter = try sandbox.startPresenting("d/a")
            let outcome = try sandbox.run("read", "one")
            XCTAssertEqual(outcome.output, "text")
            XCTAssertEqual(outcome.errors, "")
            try presenter.awaitMessage("savePresentedItemChanges", to: path)
            let command = try sandbox.run("read", "one", "--", "echo", "{}")
            XCTAssertEqual(command.output, path + "\n")
            let access = try sandbox.run("access", "--read", "one", "--", "echo", "{}")
            XCTAssertEqual(access.output, path + "\n")
        }
    }

    func testAccessIsWaitedForWhereTheLinkLeads() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            try link(sandbox, "l", to: "a")
            _ = try sandbox.startHolding("write", "a")
            let itself = try sandbox.run("read", "--nonblock", "--no-follow", "l")
            XCTAssertEqual(itself.status, 0, itself.errors)
            let outcome = try sandbox.run("read", "--nonblock", "l")
            XCTAssertEqual(outcome.status, 75, outcome.errors)
        }
    }

    func testALoopOfLinksIsABadPath() throws {
        try with { sandbox in
            try link(sandbox, "l", to: "l")
            let outcome = try sandbox.run("read", "l")
            XCTAssertEqual(outcome.status, 66)
            XCTAssertTrue(outcome.errors.contains("loop"), outcome.errors)
        }
    }

    // MARK: Uploading

    func testADirectoryIsPrintedAsAZipArchive() throws {
        try withEachArbiter { sandbox in
            try sandbox.makeDirectory("Photos/2026")
            try sandbox.makeFile("Photos/2026/a.jpg", "picture")
            try sandbox.makeFile("Photos/list", "one")
            let outcome = try sandbox.runInShell(
                """
                command -v python3 >/dev/null || { echo none; exit; }
                "$0" read --for-uploading Photos >archive && python3 -m zipfile -t archive &&
                    python3 -c 'import zipfile as z;print(*sorted(z.ZipFile("archive").NameToInfo))'
                """)
            try XCTSkipIf(outcome.output == "none\n", "python3 is not installed")
            XCTAssertEqual(
                outcome.output,
                "Done testing\nPhotos/ Photos/2026/ Photos/2026/a.jpg Photos/list\n",
                outcome.errors)
        }
    }

    func testAFileIsPrintedAsItIsAfterItsEditorHasSaved() throws {
        try with { sandbox in
            let path = try sandbox.makeFile("a", "text")
            let presenter = try sandbox.startPresenting("a")
            XCTAssertEqual(try sandbox.run("read", "--for-uploading", "a", "a").output, "texttext")
            try presenter.awaitMessage("savePresentedItemChanges", to: path)
        }
    }

    func testACommandGetsACopyAndKeepsNoProcessWaiting() throws {
        try withEachArbiter { sandbox in
            let path = try sandbox.makeFile("a", "text")
            let upload = try sandbox.start(
                "read", "--for-uploading", "a", "--", "sh", "-c", "echo $0; read line; cat $0", "{}"
            )
            try upload.awaitOutput("path") { !$0.isEmpty }
            let copy = upload.lines[0]
            XCTAssertNotEqual(copy, path)
            XCTAssertEqual(try sandbox.run("write", "--nonblock", "a", input: "new").status, 0)
            upload.type("go\n")
            upload.closeInput()
            XCTAssertEqual(try upload.outcome().output, copy + "\ntext")
            XCTAssertFalse(FileManager.default.fileExists(atPath: copy))
            XCTAssertEqual(try sandbox.content("a"), "new")
        }
    }

    func testWhatCannotBeUploadedIsABadPath() throws {
        try with { sandbox in
            try sandbox.makeFile("a", "text")
            try link(sandbox, "l", to: "a")
            for (name, reason) in [("missing", "No such file"), ("l", "symbolic link")] {
                let outcome = try sandbox.run("read", "--for-uploading", "--no-follow", name)
                XCTAssertEqual(outcome.status, 66, outcome.errors)
                XCTAssertTrue(outcome.errors.contains(reason), outcome.errors)
            }
            let both = try sandbox.run("read", "--for-uploading", "l")
            XCTAssertEqual(both.output, "text", both.errors)
        }
    }
}
