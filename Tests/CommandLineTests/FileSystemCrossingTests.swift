// SPDX-License-Identifier: Apache-2.0
//
// `filecoord mv` from one file system to another, by mv of the coreutils.

import XCTest

final class FileSystemCrossingTests: XCTestCase {
    /// A directory on another file system than the sandbox.
    private func withElsewhere(_ body: (Sandbox, URL) throws -> Void) throws {
        var template = Array("/dev/shm/fcl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw XCTSkip("/dev/shm cannot be written to") }
        let path = String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        var (here, there) = (stat(), stat())
        guard stat("/tmp", &here) == 0, stat(path, &there) == 0, here.st_dev != there.st_dev else {
            throw XCTSkip("/dev/shm and /tmp are one file system")
        }
        try with { try body($0, URL(fileURLWithPath: path, isDirectory: true)) }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return status
    }

    func testAViewerFollowsItsDocumentToAnotherFileSystem() throws {
        try withElsewhere { sandbox, elsewhere in
            let start = try sandbox.makeFile("a", "text")
            try sandbox.makeFile("old", "old")
            let viewer = try sandbox.startPresenting("a")
            let there = elsewhere.path + "/a"
            let away = try sandbox.run("mv", "a", elsewhere.path)
            XCTAssertEqual(away.status, 0, away.errors)
            XCTAssertEqual(
                try viewer.awaitMessage("presentedItemDidMove(to:)", to: start).url, there)
            XCTAssertEqual(try sandbox.run("read", there).output, "text")
            try viewer.awaitMessage("savePresentedItemChanges", to: start)
            XCTAssertEqual(try sandbox.names(), ["old"])
            // And back, over another file.
            XCTAssertEqual(try sandbox.run("mv", there, "old").status, 0)
            let back = try viewer.awaitMessage("presentedItemDidMove(to:)", to: start, count: 2)
            XCTAssertEqual(back.url, sandbox.path("old"))
            XCTAssertEqual(try sandbox.content("old"), "text")
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path), [])
        }
    }

    func testATreeKeepsWhatItHas() throws {
        try withElsewhere { sandbox, elsewhere in
            let setUp = try sandbox.runInShell(
                """
                mkdir -p d/e && printf 1 >d/e/f && ln d/e/f d/g && ln -s e/f d/l && mkfifo d/p
                printf x >"d/$(printf 'n\\377')" && truncate -s 64M d/hole && printf 2 >d/script
                chmod 4751 d/script && chmod 440 d/e/f && chmod 2750 d/e
                touch -h -d '2001-02-03 04:05:06.123456789' d/l
                touch -d '2001-02-03 04:05:06.123456789' d/e/f d/script d/e d
                python3 -c 'import os; os.setxattr("d/script", "user.note", b"kept")'
                """)
            XCTAssertEqual(setUp.errors, "")
            let list = """
                cd "$1" && find d -printf '%p %y %m %n %s %T@ %U:%G %l\\n' | sort
                python3 -c 'import os; print(os.getxattr("d/script", "user.note"))'
                """
            func listing(_ directory: String) throws -> String {
                let outcome = try sandbox.runInShell("set -- '' '\(directory)'; shift; \(list)")
                // The length of a directory depends on the file system, so it is left out.
                return outcome.output.split(separator: "\n").map { line in
                    let words = line.split(separator: " ")
                    guard words.count > 4, words[1] == "d" else { return String(line) }
                    return (words[..<3] + words[5...]).joined(separator: " ")
                }.joined(separator: "\n")
            }
            let before = try listing(sandbox.directory.path)
            XCTAssertTrue(before.contains("b'kept'"), before)
            let outcome = try sandbox.run("mv", "d", elsewhere.path)
            XCTAssertEqual(outcome.status, 0, outcome.errors)
            XCTAssertEqual(try listing(elsewhere.path), before)
            XCTAssertEqual(try sandbox.names(), [])
            let there = elsewhere.path + "/d"
            XCTAssertEqual(try status(there + "/g").st_ino, try status(there + "/e/f").st_ino)
            XCTAssertLessThan(try status(there + "/hole").st_blocks, 1000)
        }
    }

    /// What mv has copied by then stays, as without coordination.
    func testAFailureLeavesTheOriginalAndIsNotAnnounced() throws {
        try withElsewhere { sandbox, elsewhere in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/small", "small")
            let viewer = try sandbox.startPresenting("d/small")
            let script = """
                head -c 40000000 /dev/zero >d/large
                trap '' XFSZ; ulimit -f 60000
                "$0" mv d '\(elsewhere.path)'; echo $?
                """
            let outcome = try sandbox.runInShell(script)
            XCTAssertEqual(outcome.output, "74\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("File too large"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains("compare the two"), outcome.errors)
            XCTAssertEqual(try sandbox.content("d/small"), "small")
            XCTAssertEqual(try status(sandbox.path("d/large")).st_size, 40_000_000)
            // Rule 11.10: the viewer stays with its file.
            XCTAssertEqual(try sandbox.run("write", "d/small", "--", "true").status, 0)
            try viewer.awaitMessage(
                "relinquishPresentedItem(toWriter:)", to: sandbox.path("d/small"))
        }
    }

    func testAnInterruptedMoveLeavesTheOriginal() throws {
        try withElsewhere { sandbox, elsewhere in
            _ = try sandbox.runInShell("mkdir d && cd d && seq 10000 | xargs touch")
            try sandbox.makeFile("e", "text")
            let move = try sandbox.start("mv", "d", "e", elsewhere.path)
            let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
            while try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty {
                guard Date() < deadline else { throw Impatience(what: "copy", seen: "") }
            }
            move.kill(SIGINT)
            XCTAssertEqual(try move.outcome().status, 130)
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("d"))
            XCTAssertEqual(names.count, 10000)
            // The other sources are not moved.
            XCTAssertEqual(try sandbox.content("e"), "text")
        }
    }
}
