// SPDX-License-Identifier: Apache-2.0
//
// Notices about changes in directories: the kernel queues them before the call that caused them
// returns, so nothing here waits.

import FileCoordinationSystem
import Foundation
import Testing

@Suite struct DirectoryWatchTests {
    let scratch: Scratch
    let watch: DirectoryWatch

    init() throws {
        scratch = try Scratch()
        watch = try DirectoryWatch()
    }

    private func name(_ event: DirectoryWatch.Event) -> String {
        String(decoding: event.name, as: UTF8.self)
    }

    @Test func `What happens to names is told in order`() throws {
        let number = try watch.add(scratch.directory, [.created, .removed, .movedFrom, .movedTo])
        #expect(try watch.read().events.isEmpty)
        _ = try scratch.file("one")
        try scratch.directory.rename("one", to: "two")
        try scratch.directory.remove("two")
        _ = try scratch.directory.openSubdirectory("sub", creatingWithMode: 0o700)
        let batch = try watch.read()
        #expect(!batch.overflowed)
        #expect(batch.events.map(name) == ["one", "one", "two", "two", "sub"])
        #expect(batch.events.allSatisfy { $0.watch == number })
        let moved = batch.events[1...2]
        #expect(moved.map(\.changes) == [.movedFrom, .movedTo])
        #expect(Set(moved.map(\.cookie)).count == 1)
        #expect(batch.events[4].changes == [.created, .isDirectory])
    }

    @Test func `A watch that was ended says so, and nothing more`() throws {
        let number = try watch.add(scratch.path, .created)
        try watch.remove(number)
        _ = try scratch.file("unseen")
        #expect(try watch.read().events.map(\.changes) == [.watchEnded])
        #expect(throws: SystemError.self) { try watch.remove(number) }
    }

    @Test func `An open directory is watched wherever its path leads`() throws {
        let sub = try scratch.directory.openSubdirectory("before", creatingWithMode: 0o700)
        try scratch.directory.rename("before", to: "after")
        _ = try watch.add(sub, .created)
        _ = try sub.openFile("inside", [.write, .create])
        #expect(try watch.read().events.map(name) == ["inside"])
    }

    @Test func `What does not exist cannot be watched`() throws {
        let error = systemError { try watch.add(scratch.path + "/absent", .created) }
        #expect(error?.code == ErrorNumber.noSuchFile)
    }

    @Test func `A queue that was too short says so at its end`() throws {
        let limit = try String(
            contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let most = try #require(Int(limit.split(separator: "\n")[0]))
        _ = try watch.add(scratch.directory, [.movedFrom, .movedTo])
        _ = try scratch.file("a")
        // Two notifications each, which the kernel cannot join.
        for _ in 0...most / 4 {
            try scratch.directory.rename("a", to: "b")
            try scratch.directory.rename("b", to: "a")
        }
        var count = 0
        var hasOverflowed = false
        while true {
            let batch = try watch.read()
            count += batch.events.count
            if batch.overflowed { hasOverflowed = true }
            if batch.events.isEmpty { break }
            #expect(!hasOverflowed || !watch.hasNews)
        }
        #expect(hasOverflowed)
        #expect(count == most)
        // From then on, changes are told again.
        try scratch.directory.rename("a", to: "b")
        #expect(try watch.read().events.map(name) == ["a", "b"])
    }
}
