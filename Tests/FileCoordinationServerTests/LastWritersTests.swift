// SPDX-License-Identifier: Apache-2.0
//
// Who has written an item last: named only if what that left is what is there now (Rule 18.16).

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

@testable import FileCoordinationServer

struct LastWritersTests {
    private func path(_ name: String) throws -> ItemPath { try #require(ItemPath("/d/\(name)")) }

    private func properties(changed: Int64) -> ItemProperties {
        ItemProperties(
            device: 1, inode: 2, mode: 0o100644, owner: 3, group: 4, size: 5, modified: 6,
            changed: changed, linkCount: 1)
    }

    private func writer(_ label: String) -> LastWriters.Writer {
        LastWriters.Writer(
            process: Processes.Numbers(ownID: 7, namespace: 8, visibleID: 9), label: label)
    }

    @Test func `Rule 18.16: the last writer is named if it left what is there`() throws {
        var writers = LastWriters()
        let path = try path("f")
        #expect(writers.writer(of: path, leaving: nil) == nil)
        writers.remember(path, left: properties(changed: 1), by: writer("a"))
        writers.remember(path, left: properties(changed: 2), by: writer("b"))
        #expect(writers.writer(of: path, leaving: properties(changed: 2))?.label == "b")
        #expect(writers.writer(of: path, leaving: properties(changed: 1)) == nil)
        #expect(writers.writer(of: path, leaving: properties(changed: 3)) == nil)
        #expect(writers.writer(of: path, leaving: nil) == nil)
        // Something may have come and gone since.
        writers.remember(path, left: nil, by: writer("c"))
        #expect(writers.writer(of: path, leaving: nil) == nil)
    }

    @Test func `Rule 18.16: of many items, none has the writer of another`() throws {
        var writers = LastWriters()
        for number in 0..<5_000 {
            writers.remember(
                try path("\(number)"), left: properties(changed: 1), by: writer("\(number)"))
        }
        var known = 0
        for number in 0..<5_000 {
            let found = writers.writer(of: try path("\(number)"), leaving: properties(changed: 1))
            guard let found else { continue }
            #expect(found.label == "\(number)")
            known += 1
        }
        #expect((1...1024).contains(known))
    }
}
