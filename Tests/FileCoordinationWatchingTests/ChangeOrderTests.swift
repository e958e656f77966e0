// SPDX-License-Identifier: Apache-2.0
//
// The changes of one message, as a presenter applies them one after the other.

import FileCoordinationArbiter
import Testing

@testable import FileCoordinationWatching

@Suite("Order of changes")
struct ChangeOrderTests {
    private func change(
        _ what: WatchedChange.What, _ path: String, inode: UInt64? = nil, isDirectory: Bool = false
    ) throws -> WatchedChange {
        WatchedChange(
            what: what, path: try #require(ItemPath(path)), origin: .uncoordinated,
            observed: inode.map {
                ObservedFile(
                    identity: FileIdentity(device: 1, inode: $0), isDirectory: isDirectory,
                    stamp: FileStamp(size: 0, modified: 1, changed: 1))
            })
    }

    private func moved(
        _ from: String, _ to: String, inode: UInt64, isDirectory: Bool = false
    ) throws -> WatchedChange {
        try change(
            .moved(former: #require(ItemPath(from))), to, inode: inode, isDirectory: isDirectory)
    }

    private func order(_ changes: [WatchedChange]) throws -> ChangeOrder {
        ChangeOrder.order(changes, of: try #require(ItemPath("/p")))
    }

    private func texts(_ order: ChangeOrder) -> [String] {
        order.ordered.map { change in
            switch change.what {
            case .moved(let former): "moved \(former) to \(change.path)"
            case .appeared: "appeared \(change.path)"
            case .changed: "changed \(change.path)"
            case .deleted: "deleted \(change.path)"
            }
        }
    }

    @Test func `Of two files that exchange their paths, one is told as new`() throws {
        let order = try order([
            try moved("/d/a", "/d/b", inode: 2), try moved("/d/b", "/d/a", inode: 3),
        ])
        #expect(texts(order) == ["moved /d/a to /d/b", "appeared /d/a"])
        #expect(!order.losesContents)
    }

    /// A claim had moved the second file to /d/c, and a program has moved it on to /d/a.
    @Test func `A file that is told as new is told gone from where a claim had put it`() throws {
        var second = try moved("/d/b", "/d/a", inode: 3)
        second.leftAt = ItemPath("/d/c")
        let order = try order([try moved("/d/a", "/d/b", inode: 2), second])
        #expect(texts(order) == ["moved /d/a to /d/b", "appeared /d/a", "deleted /d/c"])
        #expect(order.ordered.allSatisfy { $0.origin == .uncoordinated })
    }

    @Test func `What is in directories that exchange their paths is read again`() throws {
        let order = try order([
            try moved("/d/a", "/d/b", inode: 2, isDirectory: true),
            try moved("/d/b", "/d/a", inode: 3, isDirectory: true),
        ])
        #expect(order.losesContents)
    }

    @Test func `A path is told free before it is taken`() throws {
        let order = try order([
            try moved("/d/a", "/d/b", inode: 2), try moved("/d/b", "/d/c", inode: 3),
        ])
        #expect(texts(order) == ["moved /d/b to /d/c", "moved /d/a to /d/b"])
        #expect(!order.losesContents)
    }

    /// The deleted item was in the directory that had the path before, or is in the other one.
    @Test func `A deletion below a path that a directory has taken is doubtful`() throws {
        let order = try order([
            try moved("/d/a", "/d/b", inode: 2, isDirectory: true),
            try change(.deleted, "/d/b/f"),
        ])
        #expect(texts(order) == ["moved /d/a to /d/b"])
        #expect(order.losesContents)
    }

    @Test func `A deletion in a moved directory is told with the new path`() throws {
        let order = try order([
            try change(.deleted, "/d/a/f"), try moved("/d/a", "/d/b", inode: 2, isDirectory: true),
        ])
        #expect(texts(order) == ["moved /d/a to /d/b", "deleted /d/b/f"])
        #expect(!order.losesContents)
    }

    @Test func `A move inside a package that has changed is told as such`() throws {
        let order = try order([
            try change(.changed(.content), "/p", inode: 2, isDirectory: true),
            try moved("/p/a", "/p/b", inode: 3),
        ])
        #expect(texts(order) == ["changed /p", "moved /p/a to /p/b"])
        #expect(!order.losesContents)
    }
}
