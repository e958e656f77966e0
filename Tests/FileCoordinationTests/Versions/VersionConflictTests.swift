// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationVersions
import Foundation
import Testing

@Suite struct VersionConflictTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    private func conflict(_ text: String, in name: String = "a.txt") throws -> NSFileVersion {
        let loser = try stage.file("loser", text)
        return try stage.use {
            try NSFileVersion.addConflictOfItem(
                at: stage.url(name), withContentsOf: loser, options: .byMoving,
                savedOn: "Anna's laptop",
                by: PersonNameComponents(givenName: "Anna", familyName: "Berg"),
                modificationDate: Date(timeIntervalSince1970: 1_000_000))
        }
    }

    @Test func `A conflict is unresolved until it is resolved (Rule 19.3)`() throws {
        let url = try stage.file("a.txt", "winner")
        let version = try conflict("other")
        #expect(version.isConflict)
        #expect(!version.isResolved)
        try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [version])
            #expect(NSFileVersion.otherVersionsOfItem(at: url)?.count == 2)

            version.isResolved = true
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [])
            // It is kept until it is removed.
            let found = try #require(
                NSFileVersion.otherVersionsOfItem(at: url)?.first { $0.isConflict })
            #expect(found == version)
            #expect(found.isResolved)
            found.isResolved = true
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
        }
        #expect(stage.counts == [0, 0])
        #expect(stage.leftovers() == [])
    }

    @Test func `A conflict remembers who made it, where and when`() throws {
        try stage.file("a.txt", "winner")
        let version = try conflict("other")
        #expect(version.localizedNameOfSavingComputer == "Anna's laptop")
        #expect(version.originatorNameComponents?.givenName == "Anna")
        #expect(version.originatorNameComponents?.familyName == "Berg")
        #expect(version.modificationDate == Date(timeIntervalSince1970: 1_000_000))
        #expect(version.localizedName == "a.txt")
        #expect(try text(version.url) == "other")
        #expect(try stage.documentNames() == ["a.txt"])
    }

    @Test func `Resolving what is no conflict changes nothing (Rule 19.3)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        version.isResolved = true
        #expect(version.isResolved)
        #expect(!version.isConflict)
    }

    @Test func `The usual way to resolve a conflict works`() throws {
        let url = try stage.file("a.txt", "winner")
        let first = try conflict("one")
        _ = try conflict("two")
        try stage.use {
            let write = stage.store.beginWriting(at: try stage.place("a.txt"))
            try first.replaceItem(at: url)
            let unresolved = try #require(NSFileVersion.unresolvedConflictVersionsOfItem(at: url))
            #expect(unresolved.count == 2)
            unresolved.forEach { $0.isResolved = true }
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
            write.end()
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
        }
        #expect(try text(url) == "one")
        #expect(stage.counts == [0, 0])
        #expect(stage.leftovers() == [])
    }

    @Test func `What may be discarded goes first when there is no room (Rule 19.4)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let kept = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let discardable = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            discardable.isDiscardable = true
            discardable.isDiscardable = true
            let fought = try conflict("other")
            fought.isDiscardable = true
            #expect(discardable.isDiscardable)
            #expect(try stage.store.makeRoom() == 1)
            // Making room never removes a conflict that is not resolved.
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [kept, fought])
            #expect(!discardable.isDiscardable)
            fought.isResolved = true
            #expect(try stage.store.makeRoom() == 1)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [kept])
        }
        #expect(stage.leftovers() == [])
    }
}
