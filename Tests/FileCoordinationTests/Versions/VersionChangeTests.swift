// SPDX-License-Identifier: Apache-2.0
//
// The reports of changed versions, for presenters: every change is reported once (Rule 10.2).

import FileCoordination
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import Testing

@Suite struct VersionChangeTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// The changes that `body` makes, as "kind name", and which versions they are of.
    private func changes(_ body: () throws -> Void) throws -> [String] {
        let heard = Lock<[VersionChange]>([])
        try VersionChanges.$listener.withValue({ change in heard.withLock { $0.append(change) } }) {
            try stage.use(body)
        }
        return heard.withLock { $0 }.map { "\($0.kind) \($0.itemURL.lastPathComponent)" }
    }

    @Test func `Adding and removing are reported, each once (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "1")
        var first: NSFileVersion?
        #expect(
            try changes { first = try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
                == ["gained a.txt"])
        let version = try #require(first)
        #expect(try changes { try version.remove() } == ["lost a.txt"])
        #expect(try changes { try? version.remove() } == [])
    }

    @Test func `What is reported names the version (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "1")
        let heard = Lock<[VersionChange]>([])
        let version = try VersionChanges.$listener.withValue(
            { change in heard.withLock { $0.append(change) } }
        ) {
            try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        }
        let news = try #require(heard.withLock { $0 }.first?.news)
        #expect(news.kind == .gained)
        stage.use {
            let told = NSFileVersion.version(
                ofItemAt: url, identifier: news.persistentIdentifier)
            #expect(told == version)
            #expect(told?.hasLocalContents == true)
        }
    }

    @Test func `Removing all others reports each of them (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            for _ in 0..<3 { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        }
        #expect(
            try changes { try NSFileVersion.removeOtherVersionsOfItem(at: url) }
                == ["lost a.txt", "lost a.txt", "lost a.txt"])
    }

    @Test func `Resolving a conflict is reported once, and nothing else is (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "winner")
        let loser = try stage.file("loser", "other")
        let (conflict, kept) = try stage.use {
            (
                try NSFileVersion.addConflictOfItem(at: url, withContentsOf: loser),
                try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            )
        }
        #expect(
            try changes {
                conflict.isResolved = true
                conflict.isResolved = true
                kept.isResolved = true
                kept.isDiscardable = true
            } == ["conflictResolved a.txt"])
    }

    @Test func `Replacing loses a version if it is moved, and none if not (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        #expect(try changes { try version.replaceItem(at: url) } == [])
        #expect(
            try changes { try version.replaceItem(at: stage.url("b.txt"), options: .byMoving) }
                == ["lost a.txt"])
    }

    @Test func `What is discarded for want of room is reported (Rule 10.2)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        version.isDiscardable = true
        #expect(try changes { _ = try stage.store.makeRoom() } == ["lost a.txt"])
    }

    @Test func `A version that outlived a move is reported at its item's new place (Rule 10.1)`()
        throws
    {
        let url = try stage.file("a.txt", "1")
        let loser = try stage.file("loser", "other")
        let conflict = try stage.use {
            try NSFileVersion.addConflictOfItem(at: url, withContentsOf: loser)
        }
        let new = stage.url("b.txt")
        try FileManager.default.moveItem(at: url, to: new)
        stage.store.itemDidMove(from: try stage.place("a.txt"), to: try stage.place("b.txt"))
        // Another file has the name by now.
        try stage.file("a.txt", "new")
        #expect(try changes { conflict.isResolved = true } == ["conflictResolved b.txt"])
        #expect(try changes { try conflict.remove() } == ["lost b.txt"])
    }
}
