// SPDX-License-Identifier: Apache-2.0
//
// The table of plain writers: what a program does, and what the presenters of a file, of its
// directory, of a package around it, and of a directory five levels up know afterwards (Rules 7.14,
// 7.7 and 11.9). The steps of a program differ between its versions, so a cell has the net result
// of the messages.

import FileCoordinationWatching
import Foundation
import XCTest

final class PlainWriterTests: WatchedTestCase {
    private static let package = "tree/l1/l2/pack.rtfd"
    private static let directory = package + "/dir"

    /// A row of the table.
    ///
    /// Paths are below the package's directory `dir`.
    private struct Row {
        let writer: String
        let script: String
        /// What the presenter of `f` comes to know.
        let file: [String]
        /// What the presenters of directories come to know.
        let tree: [String]
        var needs: String?
        var before = ":"
        /// The same with whole paths, if the directory itself is concerned.
        var whole: [String]?
        /// What the presenter of the package comes to know; nil if that is the same.
        var package: [String]?
    }

    private static let rows: [Row] = [
        Row(
            writer: "shell redirection", script: "echo new > f", file: ["changed f"],
            tree: ["changed f"]),
        Row(
            writer: "shell append", script: "echo more >> f", file: ["changed f"],
            tree: ["changed f"]),
        Row(writer: "a new file", script: "echo new > n", file: [], tree: ["appeared n"]),
        Row(
            writer: "cp over", script: "cp \"$OUT/x\" f", file: ["changed f"],
            tree: ["changed f"]),
        Row(writer: "cp to a new name", script: "cp f n", file: [], tree: ["appeared n"]),
        Row(
            writer: "cp -a of a tree", script: "cp -a \"$OUT/d\" n", file: [],
            tree: ["appeared n", "appeared n/e", "appeared n/e/x", "appeared n/x"]),
        Row(
            writer: "mv within", script: "mv f n", file: ["moved f to n"],
            tree: ["moved f to n"]),
        Row(
            writer: "mv into a subdirectory", script: "mv f sub/f",
            file: ["moved f to sub/f"], tree: ["moved f to sub/f"]),
        Row(writer: "mv out", script: "mv f \"$OUT/n\"", file: ["deleted f"], tree: ["deleted f"]),
        Row(
            writer: "mv out and back", script: "mv f \"$OUT/n\"; mv \"$OUT/n\" f",
            file: ["attributes f"], tree: ["attributes f"]),
        Row(writer: "mv in", script: "mv \"$OUT/x\" n", file: [], tree: ["appeared n"]),
        Row(
            writer: "mv of a directory in", script: "mv \"$OUT/d\" n", file: [],
            tree: ["appeared n", "appeared n/e", "appeared n/e/x", "appeared n/x"]),
        Row(
            writer: "mv over", script: "mv \"$OUT/x\" f", file: ["changed f"],
            tree: ["changed f"]),
        Row(writer: "rm", script: "rm f", file: ["deleted f"], tree: ["deleted f"]),
        Row(writer: "rm -r", script: "rm -r sub", file: [], tree: ["deleted sub"]),
        Row(
            writer: "rm -r of the directory", script: "rm -r ../dir", file: ["deleted f"],
            tree: [], whole: ["deleted \(directory)"]),
        Row(
            writer: "rm -r of the package", script: "rm -r ../../pack.rtfd", file: ["deleted f"],
            tree: [], whole: ["deleted \(directory)"], package: ["deleted \(package)"]),
        Row(
            writer: "mv of the directory out", script: "mv ../dir \"$OUT/n\"", file: ["deleted f"],
            tree: [], whole: ["deleted \(directory)"]),
        Row(
            writer: "truncate", script: "truncate -s 3 f", file: ["changed f"],
            tree: ["changed f"], needs: "truncate"),
        Row(writer: "touch", script: "touch f", file: ["changed f"], tree: ["changed f"]),
        Row(
            writer: "chmod", script: "chmod 600 f", file: ["attributes f"],
            tree: ["attributes f"]),
        Row(
            writer: "ln", script: "ln f n", file: ["attributes f"],
            tree: ["attributes f", "appeared n"]),
        Row(writer: "ln -s", script: "ln -s f n", file: [], tree: ["appeared n"]),
        Row(
            writer: "mkdir -p", script: "mkdir -p n/m; echo x > n/m/x", file: [],
            tree: ["appeared n", "appeared n/m", "appeared n/m/x"]),
        Row(
            writer: "sed -i", script: "sed -i s/old/new/ f", file: ["changed f"],
            tree: ["changed f"]),
        Row(
            writer: "write aside and rename over", script: "echo new > .f.tmp; mv .f.tmp f",
            file: ["changed f"], tree: ["changed f"]),
        Row(
            writer: "rename away and write anew", script: "mv f f~; echo new > f; rm f~",
            file: ["changed f"], tree: ["changed f"]),
        Row(
            writer: "Python", script: "python3 -c \"open('f', 'w').write('new text')\"",
            file: ["changed f"], tree: ["changed f"], needs: "python3"),
        Row(
            writer: "mmap",
            script: """
                python3 -c "
                import mmap, os
                d = os.open('f', os.O_RDWR)
                m = mmap.mmap(d, 3)
                os.close(d)
                m[0:3] = b'map'
                m.close()"
                """, file: ["changed f"], tree: ["changed f"], needs: "python3"),
        Row(
            writer: "vim", script: "vim -u NONE -N -n -es -c 'normal! ax' -c wq f",
            file: ["changed f"], tree: ["changed f"], needs: "vim"),
        Row(
            writer: "vim with a backup by renaming",
            script: "vim -u NONE -N -n -es -c 'set wb bkc=no' -c 'normal! ax' -c wq f",
            file: ["changed f"], tree: ["changed f"], needs: "vim"),
        Row(
            writer: "rsync", script: "rsync -a --inplace \"$OUT/x\" f; rsync -a \"$OUT/d/\" n/",
            file: ["changed f"],
            tree: [
                "changed f", "appeared n", "appeared n/e", "appeared n/e/x", "appeared n/x",
            ], needs: "rsync"),
        Row(
            writer: "git checkout",
            script: "git --git-dir=\"$OUT/g\" --work-tree=. checkout -q other",
            file: ["changed f"], tree: ["changed f", "appeared n", "appeared n/m"],
            needs: "git",
            before: """
                export GIT_DIR="$OUT/g" GIT_WORK_TREE=.
                git init -q; git config user.email a@b; git config user.name a
                git add f; git commit -qm one; git checkout -qb other
                echo other > f; mkdir n; echo m > n/m; git add f n; git commit -qm two
                git checkout -q -
                """),
    ]

    func testPlainWritersAreToldToEveryPresenterAsTheRulesSay() throws {
        var isTried = 0
        for row in Self.rows {
            guard row.needs.map(Self.isInstalled) ?? true else {
                print("PlainWriterTests: \(row.writer) is not installed")
                continue
            }
            isTried += 1
            try tryOut(row, WatchedTree(configuration))
        }
        XCTAssertGreaterThan(isTried, 20)
    }

    private static func isInstalled(_ program: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").contains {
            access("\($0)/\(program)", X_OK) == 0
        }
    }

    private func tryOut(_ row: Row, _ tree: WatchedTree) throws {
        let directory = Self.directory
        try tree.makeDirectory(directory + "/sub")
        try tree.makeDirectory("outside/d/e")
        for name in [directory + "/f", directory + "/sub/s"] { try tree.write("old", to: name) }
        for name in ["x", "d/x", "d/e/x"] { try tree.write("outer text", to: "outside/" + name) }
        try tree.shell(row.before, in: directory)
        let file = try tree.present(directory + "/f", .file)
        let own = try tree.present(directory, .directory)
        let package = try tree.present(Self.package, .directory)
        let top = try tree.present("tree", .directory)
        try tree.barrier()
        tree.forget()
        try tree.shell(row.script, in: directory)
        try tree.barrier()
        let wanted = row.whole ?? row.tree.map { Self.full($0) }
        let inPackage = row.package ?? wanted
        for (presenter, name, expected) in [
            (file, "the file", row.file.map { Self.full($0) }), (own, "the directory", wanted),
            (package, "the package", inPackage), (top, "five levels up", wanted),
        ] {
            var net = NetChanges(before: Self.before(presenter == file))
            if presenter == package { net = NetChanges(before: Self.before(false, package: true)) }
            for line in tree.told(presenter) { net.apply(line) }
            XCTAssertEqual(
                Set(net.lines), Set(expected),
                "\(row.writer), presenter of \(name): \(tree.told(presenter))")
        }
    }

    private static func full(_ line: String) -> String {
        var words = line.split(separator: " ").map(String.init)
        for index in [1, 3] where index < words.count {
            words[index] = directory + "/" + words[index]
        }
        return words.joined(separator: " ")
    }

    private static func before(_ isFile: Bool, package: Bool = false) -> Set<String> {
        var result: Set<String> = [directory + "/f"]
        if !isFile { result.formUnion([directory, directory + "/sub", directory + "/sub/s"]) }
        if package { result.insert(Self.package) }
        return result
    }
}
