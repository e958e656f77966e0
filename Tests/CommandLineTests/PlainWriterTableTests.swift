// SPDX-License-Identifier: Apache-2.0
//
// Plain programs, and what presenters are told of them (Rules 7.3 to 7.7, 7.14, 11.9): a table of
// writers against the presenters of a file, of its directory, of a directory five levels up and of
// a package. Real processes; no cell waits for time. A message may come twice (Rule 7.12), and
// names that a writer uses for a moment may or may not be seen, so cells are sets of messages about
// the names that matter.

import Foundation
import XCTest

final class PlainWriterTableTests: XCTestCase {
    /// A writer, and what it does in the file's directory, as messages about the names that matter.
    private struct Row {
        let name: String
        let script: String
        /// To the file's presenter.
        let file: Set<String>
        /// To each presenter of a directory around it.
        let directory: Set<String>
        /// What a presenter of a directory is told only if the watcher looks between two steps.
        var perhaps: Set<String> = []
        /// A program that may be missing.
        var needs: String?
        /// What is done before anything is presented.
        var before = ":"
    }

    private static let fileChanged: Set = ["presentedItemDidChange"]
    private static let inside: Set = ["presentedSubitemDidChange(at:) f"]

    private static func appeared(_ name: String) -> Set<String> {
        ["presentedSubitemDidAppear(at:) \(name)", "presentedSubitemDidChange(at:) \(name)"]
    }

    private static let rows = [
        Row(name: "a redirection", script: "echo longer >f", file: fileChanged, directory: inside),
        Row(name: "appending", script: "echo more >>f", file: fileChanged, directory: inside),
        Row(name: "truncate", script: "truncate -s 1 f", file: fileChanged, directory: inside),
        Row(
            name: "touch", script: "touch -d 2001-01-01 f", file: fileChanged, directory: inside),
        Row(name: "chmod", script: "chmod 600 f", file: fileChanged, directory: inside),
        Row(
            name: "sed -i", script: "sed -i s/first/second/ f", file: fileChanged,
            directory: inside),
        Row(name: "cp over", script: "cp $OUT/x f", file: fileChanged, directory: inside),
        Row(name: "cp to a new name", script: "cp $OUT/x n", file: [], directory: appeared("n")),
        Row(
            name: "mv", script: "mv f g", file: ["presentedItemDidMove(to:) g"],
            directory: inside.union([
                "presentedSubitem(at:didMoveTo:) f g", "presentedSubitemDidChange(at:) g",
            ])),
        Row(name: "mv in", script: "mv $OUT/x n", file: [], directory: appeared("n")),
        Row(
            name: "mv out", script: "mv f $OUT/f", file: fileChanged,
            directory: inside),
        Row(name: "mv in and over", script: "mv $OUT/x f", file: fileChanged, directory: inside),
        Row(
            name: "an atomic save", script: "cp f t && echo more >>t && mv t f",
            file: fileChanged, directory: inside),
        Row(
            name: "an editor that keeps the old version",
            script: "mv f f~ && echo new >f && rm f~", file: fileChanged, directory: inside,
            // A presenter that was told of the move is told that there is an item again (Rules 7.5,
            // 11.9).
            perhaps: appeared("f")),
        Row(name: "rm", script: "rm f", file: fileChanged, directory: inside),
        Row(
            name: "ln", script: "ln f h", file: fileChanged,
            directory: inside.union(appeared("h"))),
        Row(name: "ln -s", script: "ln -s f s", file: [], directory: appeared("s")),
        Row(
            name: "mkdir and a file inside", script: "mkdir -p n && echo 1 >n/m", file: [],
            directory: appeared("n").union(appeared("n/m"))),
        Row(
            name: "a mapping",
            script: """
                python3 -c "import mmap; f = open('f', 'r+b'); m = mmap.mmap(f.fileno(), 0); \
                m[0:1] = b'X'; m.flush(); m.close(); f.close()"
                """, file: fileChanged, directory: inside, needs: "python3"),
        Row(
            name: "os.replace",
            script: """
                python3 -c "import os; open('t', 'w').write('new'); os.replace('t', 'f')"
                """, file: fileChanged, directory: inside, needs: "python3"),
        Row(
            name: "Python", script: "python3 -c \"open('f', 'w').write('new text')\"",
            file: fileChanged, directory: inside, needs: "python3"),
        Row(
            name: "rm -r", script: "rm -r n", file: [],
            directory: ["presentedSubitemDidChange(at:) n"],
            // The watcher may see first that the directory's contents have gone.
            perhaps: ["presentedSubitemDidChange(at:) n/m"], before: "mkdir n && echo 1 >n/m"),
    ]

    /// Programs that may make the file anew: the watcher
    /// may find no file first, and then a new one.
    private static let editors = [
        Row(
            name: "vim", script: "vim -u NONE -i NONE -N -n -es -c 'normal! ax' -c wq f",
            file: fileChanged, directory: inside, perhaps: appeared("f"), needs: "vim"),
        Row(
            name: "vim that renames the old version",
            script: "vim -u NONE -i NONE -N -n -es -c 'set wb bkc=no' -c 'normal! ax' -c wq f",
            file: fileChanged, directory: inside, perhaps: appeared("f"), needs: "vim"),
    ]

    private static let tree = inside.union(appeared("n")).union(appeared("n/m"))

    private static let copiers = [
        Row(
            name: "git checkout", script: "git --git-dir=$OUT/g --work-tree=. checkout -q other",
            file: fileChanged, directory: tree, perhaps: appeared("f"), needs: "git",
            before: """
                export GIT_DIR="$OUT/g" GIT_WORK_TREE=. && git init -q \
                && git config user.email a@b && git config user.name a \
                && git add f && git commit -qm one && git checkout -qb other \
                && echo other >f && mkdir n && echo m >n/m && git add f n && git commit -qm two \
                && git checkout -q -
                """),
        Row(
            name: "rsync", script: "rsync -a -I $OUT/x f", file: fileChanged, directory: inside,
            needs: "rsync"),
        Row(
            name: "rsync in place",
            script: "rsync -a -I --inplace $OUT/x f && rsync -a --inplace $OUT/r/ n/",
            file: fileChanged, directory: tree, needs: "rsync",
            before: "mkdir $OUT/r && echo m >$OUT/r/m"),
    ]

    /// The names that cells are about.
    ///
    /// If an item moves to such a name from another, it has appeared.
    private static let names: Set = ["f", "g", "h", "n", "n/m", "s"]

    func testEachCellIsAsTheRulesSay() throws {
        try with { sandbox in
            let rows = Self.rows + Self.editors + Self.copiers
            for (number, row) in rows.enumerated() where try isThere(row.needs, sandbox) {
                try play(row, number, sandbox)
            }
        }
    }

    private func isThere(_ program: String?, _ sandbox: Sandbox) throws -> Bool {
        guard let program else { return true }
        let isThere = try sandbox.runPlainly("command -v \(program) || true") != ""
        if !isThere { print("PlainWriterTableTests: \(program) is not installed") }
        return isThere
    }

    private func play(_ row: Row, _ number: Int, _ sandbox: Sandbox) throws {
        let top = "row\(number)/top"
        let package = top + "/l1/l2/p.rtfd"
        let directory = package + "/d"
        try sandbox.makeDirectory(directory)
        try sandbox.makeDirectory("row\(number)/outside")
        try sandbox.makeFile(directory + "/f", "the first version\n")
        try sandbox.makeFile("row\(number)/outside/x", "another one\n")
        let barrier = try sandbox.makeFile("row\(number)/barrier", "0")
        let presented = [directory + "/f", directory, package, top].map { sandbox.path($0) }
        let inDirectory =
            "cd '\(sandbox.path(directory))' && OUT='\(sandbox.path("row\(number)/outside"))' && "
        try sandbox.runPlainly(inDirectory + row.before)
        let command = try sandbox.startPresenting(
            presented[0], presented[1], presented[2],
            presented[3], barrier, count: 5)
        try sandbox.runPlainly(inDirectory + row.script)
        // The kernel reports both ends of this move, and the server tells its presenter once it has
        // settled. By then the server has told all earlier changes.
        try sandbox.runPlainly("mv '\(barrier)' '\(barrier).past'")
        try command.awaitMessage("presentedItemDidMove(to:)", to: barrier)
        let expected = [row.file] + Array(repeating: row.directory, count: 3)
        for (path, expected) in zip(presented, expected) {
            // Another presenter of this program may print a moment later.
            try command.awaitOutput("\(row.name): \(expected) to \(path)") { lines in
                Self.cell(lines, path, directory: presented[1]).isSuperset(of: expected)
            }
            let perhaps = path == presented[0] ? [] : row.perhaps.subtracting(expected)
            XCTAssertEqual(
                Self.cell(command.lines, path, directory: presented[1]).subtracting(perhaps),
                expected, "\(row.name), the presenter of \(path)")
        }
        for line in try command.heard() where line.message != "registered" {
            XCTAssertEqual(line.origin, "uncoordinated", "\(row.name): \(line.message)")
        }
        command.kill(SIGTERM)
        _ = try command.exitStatus()
    }

    /// The messages to one presenter about names that matter, relative to the file's directory.
    private static func cell(
        _ lines: [String], _ presenter: String, directory: String
    ) -> Set<String> {
        func name(_ path: String?) -> String? {
            guard let path else { return nil }
            if path.hasPrefix(directory + "/") {
                return String(path.dropFirst(directory.count + 1))
            }
            let parts = path.split(separator: "/")
            return parts.suffix(2).joined(separator: "/")
        }
        var result: Set<String> = []
        let heard = lines.compactMap {
            try? JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8))
        }
        for line in heard
        where line.presenter == presenter && line.message != "registered" {
            switch line.message {
            case "presentedItemDidMove(to:)":
                result.insert("\(line.message) \(name(line.url) ?? "")")
            case "presentedSubitem(at:didMoveTo:)":
                guard let old = name(line.oldURL), let new = name(line.newURL) else { break }
                if Self.names.isSuperset(of: [old, new]) {
                    result.insert("\(line.message) \(old) \(new)")
                } else {
                    for moved in [old, new] where Self.names.contains(moved) {
                        result.insert("presentedSubitemDidChange(at:) \(moved)")
                    }
                }
            case "presentedItemDidChange": result.insert(line.message)
            case _:
                guard let inner = name(line.url), Self.names.contains(inner) else { break }
                result.insert("\(line.message) \(inner)")
            }
        }
        return result
    }
}
