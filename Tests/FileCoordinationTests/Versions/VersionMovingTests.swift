// SPDX-License-Identifier: Apache-2.0
//
// Versions and moves: those of a file that was replaced just before its move, of files in a
// directory that was renamed or deleted, and those that a move must not take along (Rule 11.2).

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationVersions
import Foundation
import Testing

@Suite struct VersionMovingTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// Makes a document with one version, which says "old".
    private func document(_ name: String) throws {
        let url = try stage.file(name, "old")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.file(name, "now")
    }

    private func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(at: stage.url(name), to: stage.url(other))
    }

    /// Moves in a coordinated write that announces it.
    private func announceMove(
        _ name: String, to other: String, saving text: String? = nil,
        _ options: NSFileCoordinator.WritingOptions = .forMoving
    ) throws {
        try stage.use {
            let coordinator = NSFileCoordinator()
            try coordinator.coordinate(writingItemAt: stage.url(name), options: options) { url in
                if let text { try stage.saveByRenaming(name, text) }
                try FileManager.default.moveItem(at: url, to: stage.url(other))
                coordinator.item(at: url, didMoveTo: stage.url(other))
            }
        }
    }

    private func orphans(_ name: String) throws -> [String] {
        try stage.use {
            try NSFileVersion.orphanedVersionsOfItem(at: stage.url(name)).map { try text($0.url) }
        }
    }

    @Test func `A plain save just before an announced move loses no versions`() throws {
        try document("a.txt")
        try stage.saveByRenaming("a.txt", "saved")
        try announceMove("a.txt", to: "b.txt")
        #expect(try stage.texts("b.txt") == ["old"])
        try stage.file("a.txt", "another")
        #expect(try stage.texts("a.txt") == [])
        #expect(try orphans("a.txt") == [])
    }

    @Test(arguments: [NSFileCoordinator.WritingOptions.forMoving, []])
    func `Nor does a save in the write that moves`(_ options: NSFileCoordinator.WritingOptions)
        throws
    {
        try document("a.txt")
        try announceMove("a.txt", to: "b.txt", saving: "saved", options)
        #expect(try stage.texts("b.txt") == ["old"])
        try stage.file("a.txt", "another")
        #expect(try stage.texts("a.txt") == [])
    }

    @Test func `Nor does one in a directory that is moved`() throws {
        try FileManager.default.createDirectory(
            at: stage.url("d"), withIntermediateDirectories: false)
        try document("d/a.txt")
        try stage.saveByRenaming("d/a.txt", "saved")
        try announceMove("d", to: "e")
        #expect(try stage.texts("e/a.txt") == ["old"])
        #expect(try orphans("d/a.txt") == [])
    }

    @Test func `A moved file does not take the versions of one that was moved before`() throws {
        try document("a.txt")
        try move("a.txt", to: "c.txt")
        try stage.file("a.txt", "another")
        try announceMove("a.txt", to: "b.txt")
        #expect(try stage.texts("b.txt") == [])
        #expect(try stage.texts("c.txt") == ["old"])
    }

    @Test func `A moved file does not take the versions of one that was deleted`() throws {
        try document("a.txt")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        write.end()
        try stage.file("a.txt", "another")
        try announceMove("a.txt", to: "b.txt")
        #expect(try stage.texts("b.txt") == [])
        #expect(try orphans("a.txt") == ["old"])
    }

    @Test func `What is in a renamed directory is no orphan`() throws {
        try FileManager.default.createDirectory(
            at: stage.url("d/e"), withIntermediateDirectories: true)
        try document("d/e/a.txt")
        try move("d", to: "f")
        #expect(try stage.texts("f/e/a.txt") == ["old"])
        #expect(try orphans("d/e/a.txt") == [])
        #expect(stage.use { NSFileVersion.orphanedVersions() }.isEmpty)
    }

    @Test func `New files in a directory that was deleted and made anew have no versions`() throws {
        try FileManager.default.createDirectory(
            at: stage.url("d"), withIntermediateDirectories: false)
        try document("d/a.txt")
        try stage.use {
            try NSFileCoordinator().coordinate(
                writingItemAt: stage.url("d"), options: .forDeleting
            ) { try FileManager.default.removeItem(at: $0) }
        }
        try FileManager.default.createDirectory(
            at: stage.url("d"), withIntermediateDirectories: false)
        try stage.file("d/a.txt", "another")
        #expect(try stage.texts("d/a.txt") == [])
        #expect(try orphans("d/a.txt") == ["old"])
    }

    @Test func `A directory that is renamed during a save of a file in it deletes nothing`() throws
    {
        try FileManager.default.createDirectory(
            at: stage.url("d"), withIntermediateDirectories: false)
        try document("d/a.txt")
        let write = stage.store.beginWriting(at: try stage.place("d/a.txt"))
        try move("d", to: "e")
        write.end()
        try move("e", to: "d")
        try stage.saveByRenaming("d/a.txt", "saved")
        #expect(try stage.texts("d/a.txt") == ["old"])
    }
}
