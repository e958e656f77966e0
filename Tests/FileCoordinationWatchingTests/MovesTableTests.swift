// SPDX-License-Identifier: Apache-2.0
//
// The table of plain moves (Rule 11.9): a presenter follows its item by identity where the kernel
// shows where that went, and is told of a deletion or a change where it does not.

import FileCoordinationWatching
import XCTest

final class MovesTableTests: WatchedTestCase {
    /// A row of the table: steps between which all is told, and what the presenters of `a/f` and
    /// of `b/g` come to know.
    private struct Row {
        let move: String
        let steps: [String]
        let moved: [String]
        var other: [String] = []
        /// What the presenter of `a/f` comes to know if so much time passes within a step that the
        /// watcher tells of its first half, or gives the item up.
        var late: [String]?
    }

    private static let rows = [
        Row(move: "the item", steps: ["mv a/f a/n"], moved: ["moved tree/a/f to tree/a/n"]),
        Row(
            move: "into another directory", steps: ["mv a/f b/n"],
            moved: ["moved tree/a/f to tree/b/n"]),
        Row(move: "its directory", steps: ["mv a c"], moved: ["moved tree/a/f to tree/c/f"]),
        Row(
            move: "the directory above that", steps: ["mv ../tree ../other"],
            moved: ["moved tree/a/f to other/a/f"], other: ["moved tree/b/g to other/b/g"]),
        Row(
            move: "the item and its directory", steps: ["mv a/f a/n; mv a c"],
            moved: ["moved tree/a/f to tree/c/n"],
            late: ["moved tree/a/f to tree/a/n", "moved tree/a/n to tree/c/n"]),
        Row(
            move: "the item, and then its directory", steps: ["mv a/f a/n", "mv a c"],
            moved: ["moved tree/a/f to tree/a/n", "moved tree/a/n to tree/c/n"]),
        Row(
            move: "over another presented item", steps: ["mv a/f b/g"],
            moved: ["moved tree/a/f to tree/b/g"], other: ["changed tree/b/g"]),
        Row(
            move: "another item over it", steps: ["mv b/g a/f"], moved: ["changed tree/a/f"],
            other: ["moved tree/b/g to tree/a/f"]),
        Row(
            move: "out of what is watched", steps: ["mv a/f ../outside/f"],
            moved: ["deleted tree/a/f"]),
        Row(
            move: "its directory out of what is watched", steps: ["mv a ../outside/a"],
            moved: ["deleted tree/a/f"]),
        Row(
            move: "out and back at once", steps: ["mv a/f ../outside/f; mv ../outside/f a/f"],
            moved: ["attributes tree/a/f"], late: ["deleted tree/a/f", "appeared tree/a/f"]),
        Row(
            move: "out, and back when that was told",
            steps: ["mv a/f ../outside/f", "mv ../outside/f a/f"],
            moved: ["deleted tree/a/f", "appeared tree/a/f"]),
        Row(
            move: "its directory out and back at once",
            steps: ["mv a ../outside/a; mv ../outside/a a"], moved: [],
            late: ["deleted tree/a/f", "appeared tree/a/f"]),
        Row(
            move: "away, and another item to its name", steps: ["mv a/f a/n; echo new >a/f"],
            moved: ["changed tree/a/f"]),
    ]

    func testPresentersFollowWhatTheKernelShows() throws {
        for row in Self.rows {
            let tree = try WatchedTree(configuration)
            for name in ["tree/a", "tree/b"] { try tree.makeDirectory(name) }
            try tree.write("one", to: "tree/a/f")
            try tree.write("two", to: "tree/b/g")
            let moved = try tree.present("tree/a/f", .file)
            let other = try tree.present("tree/b/g", .file)
            try tree.barrier()
            tree.forget()
            for step in row.steps {
                try tree.shell(step, in: "tree")
                try tree.barrier()
            }
            let told = tree.told(moved)
            if told != row.late {
                XCTAssertEqual(told, row.moved, "\(row.move), the presenter of a/f")
            }
            XCTAssertEqual(tree.told(other), row.other, "\(row.move), the presenter of b/g")
        }
    }
}
