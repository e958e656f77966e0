// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    // MARK: Listing (Rule 19.1)

    @Test func `Where there is no file there are no versions (Rule 19.1)`() {
        stage.use {
            let url = stage.url("absent")
            #expect(NSFileVersion.currentVersionOfItem(at: url) == nil)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == nil)
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == nil)
        }
    }

    @Test func `Asking makes no store`() throws {
        let url = try stage.file("a.txt", "1")
        stage.use { #expect(NSFileVersion.otherVersionsOfItem(at: url) == []) }
        #expect(!FileManager.default.fileExists(atPath: stage.store.path))
    }

    @Test func `Versions are listed oldest first and without the current one (Rule 19.1)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            try stage.file("a.txt", "2")
            try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            try stage.file("a.txt", "3")
            let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
            let others = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(try others.map { try text($0.url) } == ["1", "2"])
            #expect(!others.contains(current))
            #expect(try text(current.url) == "3")
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == [])
        }
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }

    @Test func `Equal versions are equal objects (Rule 19.2)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let first = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let second = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let again = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(again == [first, second])
            #expect(again[0] !== first)
            #expect(again[0].hash == first.hash)
            #expect(first != second)
            let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
            #expect(current == NSFileVersion.currentVersionOfItem(at: url))
            #expect(current != first)
            #expect(!current.isEqual("current"))
        }
    }

    @Test func `A persistent identifier survives coding (Rule 19.8)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let added = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
            for version in [added, current] {
                let data = try NSKeyedArchiver.archivedData(
                    withRootObject: version.persistentIdentifier, requiringSecureCoding: true)
                let identifier = try #require(
                    try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: data))
                #expect(
                    NSFileVersion.version(itemAt: url, forPersistentIdentifier: identifier)
                        == version)
                #expect(
                    NSFileVersion.version(
                        itemAt: url, forPersistentIdentifier: String(describing: identifier))
                        == version)
            }
            #expect(NSFileVersion.version(itemAt: url, forPersistentIdentifier: 7) == nil)
            let other = try stage.file("b.txt", "1")
            #expect(
                NSFileVersion.version(
                    itemAt: other, forPersistentIdentifier: added.persistentIdentifier) == nil)
        }
    }

    // MARK: What is known of a version

    @Test func `A version keeps its name, date and computer`() throws {
        let url = try stage.file("a.txt", "1")
        let date = Date(timeIntervalSince1970: 1_234_567_890.5)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
        try stage.use {
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let new = stage.url("renamed.txt")
            try FileManager.default.moveItem(at: url, to: new)
            try stage.file("renamed.txt", "2")
            let found = try #require(NSFileVersion.otherVersionsOfItem(at: new)?.first)
            #expect(found == version)
            #expect(found.localizedName == "a.txt")
            #expect(found.url.lastPathComponent == "a.txt")
            #expect(found.modificationDate == date)
            #expect(found.localizedNameOfSavingComputer?.isEmpty == false)
            #expect(found.originatorNameComponents == nil)
            #expect(!found.isConflict)
            #expect(found.isResolved)
            #expect(!found.isDiscardable)
            #expect(found.hasLocalContents)
            #expect(!found.hasThumbnail)
        }
    }

    @Test func `The current version is the item itself`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let version = try #require(NSFileVersion.currentVersionOfItem(at: url))
            #expect(version.url == url)
            #expect(version.localizedName == "a.txt")
            #expect(version.localizedNameOfSavingComputer?.isEmpty == false)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            let date = try #require(attributes[.modificationDate] as? Date)
            let known = try #require(version.modificationDate)
            #expect(abs(known.timeIntervalSince(date)) < 0.001)
            #expect(!version.isConflict)
            #expect(version.isResolved)
            #expect(!version.isDiscardable)
            #expect(version.hasLocalContents)
            try FileManager.default.removeItem(at: url)
            #expect(!version.hasLocalContents)
            #expect(version.modificationDate == nil)
        }
    }

    @Test func `A removed version knows nothing any more (Rule 19.9)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            let same = try #require(NSFileVersion.otherVersionsOfItem(at: url)?.first)
            try same.remove()
            #expect(version.localizedName == nil)
            #expect(version.localizedNameOfSavingComputer == nil)
            #expect(version.modificationDate == nil)
            #expect(!version.hasLocalContents)
            #expect(version.isResolved)
            #expect(throws: CocoaError.self) { try version.remove() }
            #expect(throws: CocoaError.self) { try version.replaceItem(at: url) }
            #expect(try text(url) == "1")
            // What a message tells of can still be compared.
            let identifier = try #require(version.persistentIdentifier as? NSString)
            let told = NSFileVersion.version(ofItemAt: url, identifier: "\(identifier)")
            #expect(told == version)
            #expect(told?.hasLocalContents == false)
        }
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [0, 0])
    }

    // MARK: Adding and removing

    @Test func `Contents that are moved in are gone from where they were (Rule 19.6)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let folder = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
            let contents = folder.appendingPathComponent("old.txt")
            try write("0", to: contents)
            let version = try NSFileVersion.addOfItem(
                at: url, withContentsOf: contents, options: .byMoving)
            #expect(try text(version.url) == "0")
            #expect(version.url.lastPathComponent == "old.txt")
            #expect(!FileManager.default.fileExists(atPath: contents.path))
        }
        #expect(try text(url) == "1")
    }

    @Test func `A file with another name is not shared with it`() throws {
        let url = try stage.file("a.txt", "1")
        let contents = try stage.file("b.txt", "0")
        link(contents.path, stage.url("c.txt").path)
        try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: contents, options: .byMoving)
        }
        #expect(!FileManager.default.fileExists(atPath: contents.path))
        try stage.file("c.txt", "changed")
        #expect(try stage.texts("a.txt") == ["0"])
    }

    @Test func `Contents that are copied stay where they are (Rule 19.6)`() throws {
        let url = try stage.file("a.txt", "1")
        let contents = try stage.file("b.txt", "0")
        try stage.use {
            try NSFileVersion.addOfItem(at: url, withContentsOf: contents)
        }
        #expect(try text(contents) == "0")
        #expect(try stage.texts("a.txt") == ["0"])
    }

    @Test func `A directory for a new version exists and may be removed (Rule 19.10)`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let first = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
            let second = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
            #expect(first != second)
            #expect(try FileManager.default.contentsOfDirectory(atPath: first.path) == [])
            // Other uses of the store leave it alone, while this process lives.
            #expect(
                VersionStore(path: stage.store.path).versionIdentifiers(
                    at: try stage.place("a.txt")) == [])
            try write("x", to: first.appendingPathComponent("x"))
            try FileManager.default.removeItem(at: first)
            try FileManager.default.removeItem(at: second)
        }
    }

    @Test func `All other versions are removed, and nothing else (Rule 19.11)`() throws {
        let url = try stage.file("a.txt", "1")
        let other = try stage.file("b.txt", "1")
        try stage.use {
            for _ in 0..<3 { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
            try NSFileVersion.addOfItem(at: other, withContentsOf: other)
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
            #expect(NSFileVersion.otherVersionsOfItem(at: other)?.count == 1)
            #expect(NSFileVersion.currentVersionOfItem(at: url) != nil)
        }
        #expect(try text(url) == "1")
        #expect(stage.counts == [1, 1])
        #expect(stage.leftovers() == [])
    }

    @Test func `What cannot be added is an error, and leaves nothing`() throws {
        let url = try stage.file("a.txt", "1")
        let absent = stage.url("absent")
        try stage.use {
            let cases: [(URL, URL, NSFileVersion.AddingOptions)] = [
                (absent, url, []), (url, absent, []), (url, absent, .byMoving),
                (url, url, .byMoving), (url, stage.documents, .byMoving), (url, stage.root, []),
                (try #require(URL(string: "https://example.org/a")), url, []),
            ]
            for (item, contents, options) in cases {
                let error = #expect(throws: (any Error).self) {
                    try NSFileVersion.addOfItem(
                        at: item, withContentsOf: contents, options: options)
                }
                #expect((error as? CocoaError) != nil)
                #expect(error?.localizedDescription.hasSuffix(".") == true)
            }
            let missing = #expect(throws: CocoaError.self) {
                try NSFileVersion.addOfItem(at: absent, withContentsOf: url)
            }
            #expect(missing?.code == .fileNoSuchFile)
            #expect(throws: CocoaError.self) {
                try NSFileVersion.removeOtherVersionsOfItem(at: absent)
            }
        }
        #expect(try text(url) == "1")
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [0, 0])
    }

    // MARK: Elsewhere

    @Test func `No version is elsewhere`() async throws {
        let url = try stage.file("a.txt", "1")
        let count = try await NSFileVersion.nonlocalVersionsOfItem(at: url).count
        #expect(count == 0)
        await #expect(throws: CocoaError.self) {
            _ = try await NSFileVersion.nonlocalVersionsOfItem(at: stage.url("absent")).count
        }
        let answers = await [url, stage.url("absent")].answers()
        #expect(answers == ["0", "error"])
    }
}

extension [URL] {
    /// What the form with a completion handler says about each.
    fileprivate func answers() async -> [String] {
        var answers: [String] = []
        for url in self {
            answers.append(
                await withCheckedContinuation { continuation in
                    NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
                        continuation.resume(
                            returning: error.map { _ in "error" } ?? "\(versions?.count ?? -1)")
                    }
                })
        }
        return answers
    }
}
