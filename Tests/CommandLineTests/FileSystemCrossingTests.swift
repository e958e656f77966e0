// SPDX-License-Identifier: Apache-2.0
//
// `filecoord mv` from one file system to another: nothing of the item is lost, on any way out.

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

    func testAFailureLeavesEverythingAsItWas() throws {
        try withElsewhere { sandbox, elsewhere in
            try sandbox.makeDirectory("d")
            try sandbox.makeFile("d/small", "small")
            let script = """
                head -c 40000000 /dev/zero >d/large; printf old >'\(elsewhere.path)/large'
                "$0" status >/dev/null; trap '' XFSZ; ulimit -f 60000
                "$0" mv d '\(elsewhere.path)'; echo $?
                "$0" mv d/large '\(elsewhere.path)'; echo $?
                """
            let outcome = try sandbox.runInShell(script)
            XCTAssertEqual(outcome.output, "74\n74\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("File too large"), outcome.errors)
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: elsewhere.path), ["large"])
            XCTAssertEqual(
                try String(contentsOfFile: elsewhere.path + "/large", encoding: .utf8), "old")
            XCTAssertEqual(try sandbox.content("d/small"), "small")
            XCTAssertEqual(try status(sandbox.path("d/large")).st_size, 40_000_000)
        }
    }

    /// Otherwise a power failure could leave only the
    /// copy, under a name that the next move removes.
    func testNothingIsRemovedBeforeTheNewNameIsOnTheDevice() throws {
        try withElsewhere { sandbox, elsewhere in
            try sandbox.makeFile("a", "text")
            let outcome = try sandbox.runInShell(
                """
                "$0" write b </dev/null && rm b
                strace -qq -e trace=none true || exit 0
                strace -f -e trace=fdatasync,fsync -e inject=fdatasync,fsync:error=EIO \
                    -o /dev/null "$0" mv a '\(elsewhere.path)'
                echo $?
                """)
            guard !outcome.output.isEmpty else {
                throw XCTSkip("strace does not work here: \(outcome.errors)")
            }
            XCTAssertEqual(outcome.output, "74\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("is not removed"), outcome.errors)
            XCTAssertEqual(try sandbox.names(), ["a"])
            XCTAssertEqual(
                try FileManager.default.contentsOfDirectory(atPath: elsewhere.path), ["a"])
        }
    }

    /// Else the destination would be replaced, and the source would stay as well.
    func testNothingIsReplacedIfTheSourceCannotBeRemoved() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can make files immutable.")
        try withElsewhere { sandbox, elsewhere in
            let outcome = try sandbox.runInShell(
                """
                "$0" status >/dev/null; mkdir d e; for n in d/a e/b i p; do echo new >$n; done
                mkdir t; echo new >t/c
                for n in a b c i p; do echo old >"$1/$n"; done
                chattr +i i t && chattr +a p e || exit
                for n in i p e/b t/c; do
                    "$0" mv $n "$1/${n#*/}"; echo $? "$(cat "$1/${n#*/}")"
                done
                chattr -i -a i p e t; ls -A . e t "$1"
                """.replacingOccurrences(of: "$1", with: elsewhere.path))
            try XCTSkipIf(outcome.output.isEmpty, "Files cannot be made immutable here.")
            let lines = outcome.output.split(separator: "\n").map { String($0) }
            XCTAssertEqual(Array(lines.prefix(4)), ["66 old", "66 old", "66 old", "66 old"])
            XCTAssertTrue(outcome.errors.contains("nothing was moved"), outcome.errors)
            XCTAssertFalse(outcome.output.contains(".filecoord-"), outcome.output)
        }
    }

    /// In a sticky directory, only the owners may remove a file.
    func testNothingIsReplacedIfTheSourceIsAnothersInAStickyDirectory() throws {
        try XCTSkipUnless(geteuid() == 0, "Only root can start programs of other users.")
        try withElsewhere { sandbox, elsewhere in
            let outcome = try sandbox.runInShell(
                """
                chmod 755 . && mkdir s own && chmod 1777 s && chown 65534 own
                mkdir s/d && echo new >s/a && chmod 777 s/d && chmod 666 s/a
                chmod 777 '\(elsewhere.path)' && echo old >'\(elsewhere.path)/a'
                chown 65534 '\(elsewhere.path)/a'
                export FILECOORDINATIOND= FILECOORDINATION_RUNTIME_DIR="$PWD/own/run"
                export FILECOORDINATION_VERSIONS_DIR="$PWD/own/v"
                for n in a d; do
                    setpriv --reuid=65534 --regid=65534 --clear-groups \\
                        "$0" mv s/$n '\(elsewhere.path)'
                    echo $?
                done
                cat '\(elsewhere.path)/a'; ls -A s '\(elsewhere.path)'
                """)
            XCTAssertEqual(
                outcome.output, "66\n66\nold\n\(elsewhere.path):\na\n\ns:\na\nd\n",
                outcome.errors)
        }
    }

    func testAnInterruptedMoveLeavesEverythingAsItWas() throws {
        try withElsewhere { sandbox, elsewhere in
            _ = try sandbox.runInShell("mkdir d && cd d && seq 10000 | xargs touch")
            let move = try sandbox.start("mv", "d", elsewhere.path)
            let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
            while try FileManager.default.contentsOfDirectory(atPath: elsewhere.path).isEmpty {
                guard Date() < deadline else { throw Impatience(what: "copy", seen: "") }
            }
            move.kill(SIGINT)
            XCTAssertEqual(try move.outcome().status, 130)
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path), [])
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.path("d"))
            XCTAssertEqual(names.count, 10000)
        }
    }

    /// For rename(2), two mounts of one file system are two file systems.
    func testADirectoryIsNotMovedIntoItselfByAnotherMount() throws {
        try with { sandbox in
            for name in ["d/e/f", "all", "part"] { try sandbox.makeDirectory(name) }
            try sandbox.makeFile("d/e/f/x", "1")
            let outcome = try sandbox.runInShell(
                """
                "$0" write y </dev/null && rm y
                unshare -rm sh -c 'mount --bind d all && mount --bind d/e part || exit
                    for way in "d all/n" "d all/e/n" "d part" "d part/f/n" "all/e d/e/f"
                    do "$0" mv $way; echo $?; done; cat d/e/f/x' "$0"
                """)
            guard !outcome.output.isEmpty else {
                throw XCTSkip("nothing can be mounted here: \(outcome.errors)")
            }
            XCTAssertEqual(outcome.output, "66\n66\n66\n66\n66\n1", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("into itself"), outcome.errors)
            XCTAssertEqual(
                try sandbox.runPlainly("find d all part | sort"),
                "all\nd\nd/e\nd/e/f\nd/e/f/x\npart\n")
        }
    }

    func testATreeWithAnotherFileSystemInsideIsNotMoved() throws {
        try withElsewhere { sandbox, elsewhere in
            try sandbox.makeDirectory("d/m")
            let outcome = try sandbox.runInShell(
                """
                "$0" write d/f </dev/null
                unshare -rm sh -c 'mount -t tmpfs t d/m || exit; echo 1 >d/m/x
                    "$0" mv d "$1"; echo $?; cat d/m/x' "$0" '\(elsewhere.path)'
                """)
            guard !outcome.output.isEmpty else {
                throw XCTSkip("nothing can be mounted here: \(outcome.errors)")
            }
            XCTAssertEqual(outcome.output, "66\n1\n", outcome.errors)
            XCTAssertTrue(outcome.errors.contains("unmount it"), outcome.errors)
            XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path), [])
        }
    }
}
