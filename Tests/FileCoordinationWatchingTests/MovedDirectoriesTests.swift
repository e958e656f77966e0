// SPDX-License-Identifier: Apache-2.0
//
// Where claims have left the directories that they have moved, without a watcher.

import FileCoordinationArbiter
import Testing

@testable import FileCoordinationWatching

@Suite struct MovedDirectoriesTests {
    private func directory(
        _ inode: UInt64, born: Int64? = nil, changed: Int64 = 10
    ) -> ObservedFile {
        ObservedFile(
            identity: FileIdentity(device: 1, inode: inode, born: born), isDirectory: true,
            stamp: FileStamp(size: 0, modified: 5, changed: changed, mode: 0o40755))
    }

    private func path(_ text: String) throws -> ItemPath { try #require(ItemPath(text)) }

    private func move(
        _ item: ObservedFile, _ from: String, _ to: String
    ) throws -> [ClaimedChange] {
        [
            ClaimedChange(path: try path(from), before: item, after: nil),
            ClaimedChange(path: try path(to), before: nil, after: item),
        ]
    }

    @Test func `A directory is found by its identity, also inside another one that moves`() throws {
        var moved = MovedDirectories()
        #expect(moved.enter(try move(directory(2), "/a", "/c/d")).count == 1)
        #expect(moved.place(of: directory(2)) == (try path("/c/d")))
        #expect(moved.place(of: directory(3)) == nil)
        _ = moved.enter(try move(directory(3), "/c", "/e"))
        #expect(moved.place(of: directory(2)) == (try path("/e/d")))
        // A program moves the outer one, and then the inner one.
        moved.carry(directory(3), from: try path("/e"), to: try path("/g"))
        #expect(moved.place(of: directory(3)) == (try path("/g")))
        #expect(moved.place(of: directory(2)) == (try path("/g/d")))
        moved.carry(directory(2), from: try path("/g/d"), to: try path("/h"))
        #expect(moved.place(of: directory(2)) == (try path("/h")))
        moved.discard(directory(2))
        #expect(moved.place(of: directory(2)) == nil)
        moved.discard(directory(3))
        #expect(moved.isEmpty)
    }

    @Test func `Two that exchange their paths carry along what is inside each`() throws {
        var moved = MovedDirectories()
        _ = moved.enter(try move(directory(4), "/x", "/a/x"))
        let exchange = [
            ClaimedChange(path: try path("/a"), before: directory(2), after: directory(3)),
            ClaimedChange(path: try path("/b"), before: directory(3), after: directory(2)),
        ]
        #expect(moved.enter(exchange).count == 2)
        #expect(moved.place(of: directory(2)) == (try path("/b")))
        #expect(moved.place(of: directory(3)) == (try path("/a")))
        #expect(moved.place(of: directory(4)) == (try path("/b/x")))
    }

    /// Claims do not tell when an item was born, and its number is used again.
    @Test func `A directory that was born after the move is another one`() throws {
        var moved = MovedDirectories()
        _ = moved.enter(try move(directory(2, changed: 20), "/a", "/c"))
        #expect(moved.place(of: directory(2, born: 20)) != nil)
        #expect(moved.place(of: directory(2, born: 21)) == nil)
    }

    @Test func `Neither files nor removed directories are entered`() throws {
        var moved = MovedDirectories()
        var file = directory(2)
        file.isDirectory = false
        #expect(moved.enter(try move(file, "/a", "/c")).isEmpty)
        let removed = ClaimedChange(path: try path("/d"), before: directory(3), after: nil)
        #expect(moved.enter([removed]).isEmpty)
        #expect(moved.isEmpty)
    }

    @Test func `Those that were moved first are given up if there are too many`() throws {
        var moved = MovedDirectories()
        for inode in UInt64(1)...1100 {
            _ = moved.enter(try move(directory(inode), "/a\(inode)", "/c\(inode)"))
        }
        #expect(moved.place(of: directory(76)) == nil)
        #expect(moved.place(of: directory(77)) != nil)
        #expect(moved.place(of: directory(1100)) != nil)
    }
}
