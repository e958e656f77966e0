// SPDX-License-Identifier: Apache-2.0
//
// Changes as a stream: what, where, by whom (Rule 7.14), and what a slow reader gets.

import Foundation
import Testing

@testable import FileCoordination

struct ChangeStreamTests {
    private func directory() throws -> URL {
        let url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("changes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    @Test("Rule 7.14: plain and coordinated changes come with what, where and by whom")
    func origins() async throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appendingPathComponent("f")
        var changes = try NSFileCoordinator.changes(at: directory).makeAsyncIterator()
        try Data("1".utf8).write(to: file, options: [])
        let appeared = try #require(await changes.next())
        #expect(appeared == FileChange(kind: .appeared, url: file, isCoordinated: false))
        try await NSFileCoordinator().coordinate(writingItemAt: file) { url in
            try Data("22".utf8).write(to: url, options: [])
        }
        var next = try #require(await changes.next())
        while !next.isCoordinated { next = try #require(await changes.next()) }
        let author = try #require(next.author)
        #expect(
            next == FileChange(kind: .changed, url: file, isCoordinated: true, author: author))
        #expect(author.processIdentifier == getpid())
        #expect(!author.isInAnotherNamespace)
        #expect(!author.label.isEmpty)
        try FileManager.default.removeItem(at: file)
        while next.kind != .removed { next = try #require(await changes.next()) }
        #expect(next == FileChange(kind: .removed, url: file, isCoordinated: false))
    }

    @Test("Rules 7.14 and 18.15: the stream says who moved the item, by its label")
    func authors() async throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let (old, new) = (
            directory.appendingPathComponent("f"), directory.appendingPathComponent("g")
        )
        try Data("1".utf8).write(to: old, options: [])
        var changes = try NSFileCoordinator.changes(at: old).makeAsyncIterator()
        let coordinator = NSFileCoordinator()
        coordinator.label = "renaming"
        try await coordinator.coordinate(writingItemAt: old, options: .forMoving) { url in
            // Found by the file's identity: it need not be announced (Rule 11.1).
            try FileManager.default.moveItem(at: url, to: new)
        }
        var next = try #require(await changes.next())
        while next.kind != .moved(from: old) { next = try #require(await changes.next()) }
        #expect(next.url == new)
        #expect(next.isCoordinated)
        #expect(next.author?.label == "renaming")
        #expect(next.author?.processIdentifier == getpid())
    }

    @Test("Rule 11.9: the stream of a file follows it")
    func moved() async throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let (old, new) = (
            directory.appendingPathComponent("f"), directory.appendingPathComponent("g")
        )
        try Data("1".utf8).write(to: old, options: [])
        var changes = try NSFileCoordinator.changes(at: old).makeAsyncIterator()
        #expect(rename(old.path, new.path) == 0)
        let moved = try #require(await changes.next())
        #expect(moved == FileChange(kind: .moved(from: old), url: new, isCoordinated: false))
    }

    @Test("A task that is cancelled reads no more, and no presenter of Apple's shape is there")
    func cancelled() async throws {
        let directory = try directory()
        defer { try? FileManager.default.removeItem(at: directory) }
        let changes = try NSFileCoordinator.changes(at: directory)
        #expect(
            !NSFileCoordinator.filePresenters.contains { $0.presentedItemURL == directory })
        let task = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test("Back-pressure: what is not read gives way to one change that stands for all")
    func buffer() {
        let item = URL(fileURLWithPath: "/d")
        var buffer = ChangeBuffer()
        func change(_ number: Int) -> FileChange {
            FileChange(
                kind: .changed, url: URL(fileURLWithPath: "/d/\(number)"), isCoordinated: true)
        }
        for number in 0..<ChangeBuffer.limit { buffer.add(change(number), of: item) }
        #expect(buffer.take() == change(0))
        buffer.add(change(-1), of: item)
        for number in 0..<10 { buffer.add(change(number), of: item) }
        #expect(buffer.take() == FileChange(kind: .everything, url: item, isCoordinated: false))
        #expect(buffer.take() == nil)
        buffer.add(change(5), of: item)
        #expect(buffer.take() == change(5))
    }
}
