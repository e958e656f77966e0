// SPDX-License-Identifier: Apache-2.0
//
// The versions of an item that a write announces to delete or replace: they stay with the document
// if a file is at its path afterwards, and can be restored if not.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationVersions
import Foundation
import Testing

@Suite struct VersionOrphanTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// Makes a document with one version, which says "old".
    private func document(_ name: String) throws {
        let url = try stage.file(name, "old")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.file(name, "now")
    }

    /// Writes in a real coordinated access.
    private func write(
        _ name: String, _ options: NSFileCoordinator.WritingOptions, _ body: (URL) throws -> Void
    ) throws {
        try stage.use {
            var failure: NSError?
            var problem: (any Error)?
            NSFileCoordinator().coordinate(
                writingItemAt: stage.url(name), options: options, error: &failure
            ) { url in
                do { try body(url) } catch { problem = error }
            }
            if let error = failure ?? problem { throw error }
        }
    }

    private func orphans(_ name: String) throws -> [String] {
        try stage.use {
            try NSFileVersion.orphanedVersionsOfItem(at: stage.url(name)).map { try text($0.url) }
        }
    }

    @Test(arguments: [NSFileCoordinator.WritingOptions.forReplacing, .forDeleting, []])
    func `A write that leaves another file keeps the versions, whatever it says`(
        options: NSFileCoordinator.WritingOptions
    ) throws {
        try document("a.txt")
        for round in 1...3 {
            try write("a.txt", options) {
                try Data("saved \(round)".utf8).write(to: $0, options: .atomic)
            }
            #expect(try stage.texts("a.txt") == ["old"])
            #expect(try orphans("a.txt") == [])
        }
        // It is certain by now: they follow a move.
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("b.txt"))
        try stage.file("a.txt", "another")
        #expect(try stage.texts("b.txt") == ["old"])
        #expect(try stage.texts("a.txt") == [])
    }

    @Test(arguments: [NSFileCoordinator.WritingOptions.forReplacing, .forDeleting, []])
    func `A write that leaves nothing makes orphans, which a new file does not get`(
        options: NSFileCoordinator.WritingOptions
    ) throws {
        try document("a.txt")
        try write("a.txt", options) { try FileManager.default.removeItem(at: $0) }
        #expect(try orphans("a.txt") == ["old"])
        try write("a.txt", options) { try Data("new".utf8).write(to: $0, options: .atomic) }
        #expect(try stage.texts("a.txt") == [])
        #expect(try orphans("a.txt") == ["old"])
    }

    @Test func `What is moved over an item brings its own versions, and orphans the item's`() throws
    {
        try document("a.txt")
        let url = try stage.file("b.txt", "other's")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try write("a.txt", .forReplacing) {
            #expect(rename(url.path, $0.path) == 0)
            stage.store.itemDidMove(from: try stage.place("b.txt"), to: try stage.place("a.txt"))
        }
        #expect(try stage.texts("a.txt") == ["other's"])
        #expect(try orphans("a.txt") == ["old"])
        #expect(try stage.texts("b.txt").isEmpty && orphans("b.txt") == [])
    }

    @Test func `An orphan's document can be brought back, with all its versions`() throws {
        try document("a.txt")
        let url = stage.url("a.txt")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try write("a.txt", .forDeleting) { try FileManager.default.removeItem(at: $0) }
        #expect(stage.use { NSFileVersion.otherVersionsOfItem(at: url) } == nil)
        try stage.use {
            let first = try #require(NSFileVersion.orphanedVersionsOfItem(at: url).first)
            #expect(try first.replaceItem(at: url) == url)
        }
        #expect(try text(url) == "old")
        #expect(try stage.texts("a.txt") == ["old", "now"])
        #expect(try orphans("a.txt") == [])
        #expect(stage.counts == [1, 1])
    }

    @Test func `All orphans are found, and nothing else`() throws {
        for name in ["deleted", "moved", "kept"] { try document(name) }
        try FileManager.default.removeItem(at: stage.url("deleted"))
        try FileManager.default.moveItem(at: stage.url("moved"), to: stage.url("elsewhere"))
        stage.use {
            let found = NSFileVersion.orphanedVersions()
            #expect(found.map(\.itemURL.path) == [stage.url("deleted").path])
            // A removed orphan cannot be restored.
            #expect(throws: Never.self) { try found.first?.remove() }
            #expect(NSFileVersion.orphanedVersions() == [])
        }
        #expect(stage.counts == [2, 2])
    }

    @Test(arguments: VersionReplacement.Step.allCases)
    func `Who is killed while bringing one back leaves the versions`(
        last: VersionReplacement.Step
    ) throws {
        try document("a.txt")
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        do {
            let place = try stage.place("a.txt")
            var replacement = try VersionReplacement(
                restoringOrphanAt: place, store: stage.store)
            for step in VersionReplacement.Step.allCases {
                try replacement.perform(step)
                if step == last { break }
            }
        }
        let isThere = last >= .install
        func check() throws {
            #expect(try orphans("a.txt") == (isThere ? [] : ["old"]))
            #expect(try stage.texts("a.txt") == (isThere ? ["old"] : []))
        }
        try check()
        stage.store.recover()
        try check()
        #expect(try stage.documentNames() == (isThere ? ["a.txt"] : []))
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }
}
