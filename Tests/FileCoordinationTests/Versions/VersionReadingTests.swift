// SPDX-License-Identifier: Apache-2.0
//
// A read of the store changes nothing in it, and a reader takes nothing away from programs that
// save: it may have looked at the item before a save, and at the store after it.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionReadingTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// Makes a document with one version, which says "old".
    private func document(_ name: String) throws {
        let url = try stage.file(name, "old")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.file(name, "now")
    }

    /// Everything in the store: names, kinds, where links lead, and when each was changed last.
    private func contentsOfStore() throws -> [String] {
        let names = try #require(FileManager.default.enumerator(atPath: stage.store.path))
        return try names.map { name in
            let path = "\(stage.store.path)/\(name)"
            var status = stat()
            try #require(lstat(path, &status) == 0)
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            return "\(name) \(status.st_ino) \(status.st_ctim) \(target ?? "")"
        }.sorted()
    }

    /// Asks all that can be asked of the versions of some documents.
    private func readAll(_ names: [String]) {
        stage.use {
            for name in names {
                let url = stage.url(name)
                let versions = NSFileVersion.otherVersionsOfItem(at: url) ?? []
                _ = NSFileVersion.unresolvedConflictVersionsOfItem(at: url)
                _ = NSFileVersion.currentVersionOfItem(at: url)?.persistentIdentifier
                for version in versions {
                    _ = (version.isConflict, version.modificationDate, version.hasLocalContents)
                    _ = NSFileVersion.version(
                        itemAt: url, forPersistentIdentifier: version.persistentIdentifier)
                    _ = NSFileVersion.version(
                        ofItemAt: url, identifier: "\(version.persistentIdentifier)")
                }
            }
        }
    }

    @Test func `A read changes nothing, whatever state the store is in`() throws {
        for name in ["moved", "saved", "deleted", "written"] { try document(name) }
        try FileManager.default.moveItem(at: stage.url("moved"), to: stage.url("elsewhere"))
        try stage.saveByRenaming("saved", "newer")
        try FileManager.default.removeItem(at: stage.url("deleted"))
        // One writer died after it had saved, and another one while it added a version.
        let write = stage.store.beginWriting(at: try stage.place("written"))
        try stage.saveByRenaming("written", "newer")
        write.abandon()
        do {
            try stage.file("source", "moved in")
            var addition = try VersionAddition(
                of: stage.place("saved"), contents: stage.place("source"), isMoving: true,
                store: stage.store)
            for step in VersionAddition.Step.allCases where step <= .takeCopy {
                try addition.perform(step)
            }
        }
        let before = try contentsOfStore()
        readAll(["moved", "elsewhere", "saved", "deleted", "written"])
        #expect(try contentsOfStore() == before)
        // A reader finds the versions of the dead writers nevertheless.
        #expect(try stage.texts("written") == ["old"])
        #expect(try stage.texts("elsewhere") == ["old"])
        #expect(try stage.texts("saved") == ["old", "moved in"])
        #expect(try contentsOfStore() == before)
    }

    @Test func `A read makes no store, and nothing in one that is being made`() throws {
        try stage.file("a.txt", "1")
        #expect(try stage.texts("a.txt") == [])
        #expect(!FileManager.default.fileExists(atPath: stage.store.path))
        try FileManager.default.createDirectory(
            atPath: stage.store.path, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(try stage.texts("a.txt") == [])
        #expect(try contentsOfStore() == [])
    }

    @Test(arguments: [true, false])
    func `Readers beside savers detach nothing`(isCoordinated: Bool) throws {
        try document("a.txt")
        let isOver = Lock(false)
        let misses = Lock(0)
        let place = try stage.place("a.txt")
        sideBySide(4) { index in
            // As in processes of their own.
            let store = VersionStore(path: stage.store.path)
            guard index > 0 else {
                for round in 0..<120 {
                    let write = isCoordinated ? store.beginWriting(at: place) : nil
                    try? stage.saveByRenaming("a.txt", "\(round)")
                    write?.end()
                }
                return isOver.withLock { $0 = true }
            }
            while !isOver.withLock({ $0 }) {
                let count = store.versionIdentifiers(at: place)?.count
                if count != 1 { misses.withLock { $0 += 1 } }
            }
        }
        #expect(misses.withLock { $0 } == 0)
        #expect(try stage.texts("a.txt") == ["old"])
    }

    @Test func `Many who add, list, remove, save and restore at once lose no version`() throws {
        let url = try stage.file("a.txt", "1")
        let place = try stage.place("a.txt")
        let failures = Lock<[String]>([])
        // Writers take turns, as their claims make them do; readers read at any time.
        let claim = Lock(())
        let rounds = 24
        let remaining = Lock(5 * rounds)
        sideBySide(8) { index in
            let store = VersionStore(path: stage.store.path)
            do {
                try VersionStore.choosing(store) {
                    if index >= 5 {
                        while remaining.withLock({ $0 > 0 }) {
                            for version in NSFileVersion.otherVersionsOfItem(at: url) ?? [] {
                                // It may be removed by now, but it never has other contents.
                                let text = try? text(version.url)
                                guard text == nil || text == "1" else { throw POSIXError(.EIO) }
                            }
                        }
                        return
                    }
                    for _ in 0..<rounds {
                        defer { remaining.withLock { $0 -= 1 } }
                        try claim.withLock { _ in
                            let write = store.beginWriting(at: place)
                            defer { write.end() }
                            switch index {
                            case 0, 1: try NSFileVersion.addOfItem(at: url, withContentsOf: url)
                            case 2: try stage.saveByRenaming("a.txt", "1")
                            case 3:
                                let own = try NSFileVersion.addOfItem(
                                    at: url, withContentsOf: url)
                                try own.remove()
                            default:
                                try NSFileVersion.otherVersionsOfItem(at: url)?.first?
                                    .replaceItem(at: url)
                            }
                        }
                    }
                }
            } catch {
                failures.withLock { $0.append("\(index): \(error)") }
                remaining.withLock { $0 = 0 }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try stage.texts("a.txt").count == 2 * rounds)
        #expect(stage.leftovers() == [])
    }
}
