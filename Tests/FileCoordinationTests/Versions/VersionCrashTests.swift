// SPDX-License-Identifier: Apache-2.0
//
// A process may be killed at any instant. Other processes can only see completed steps. So the
// tests mostly stop after a step and release the locks as the kernel would; that represents every
// death before the next step. Some tests really kill a process.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionCrashTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// The store as another process sees it.
    private var next: VersionStore { VersionStore(path: stage.store.path) }

    // MARK: Adding

    /// Adds a version, up to and with the step `last`.
    private func add(_ contents: ItemPath, isMoving: Bool, last: VersionAddition.Step) throws {
        var addition = try VersionAddition(
            of: stage.place("a.txt"), contents: contents, isMoving: isMoving, store: stage.store)
        for step in VersionAddition.Step.allCases {
            try addition.perform(step)
            if step == last { return }
        }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

    @Test(arguments: VersionAddition.Step.allCases, [false, true])
    func `Who is killed while adding leaves the whole version or none`(
        last: VersionAddition.Step, hasVersions: Bool
    ) throws {
        let url = try stage.file("a.txt", "now")
        let before = hasVersions ? ["now"] : []
        if hasVersions {
            try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        }
        let source = try stage.package("package", "kept")
        try add(stage.place("package"), isMoving: false, last: last)

        let count = try #require(next.versionIdentifiers(at: stage.place("a.txt"))).count
        next.recover()
        #expect(try next.versionIdentifiers(at: stage.place("a.txt"))?.count == count)
        let isThere = count == before.count + 1
        #expect(isThere || count == before.count)
        #expect(isThere == (last >= .publish))
        #expect(stage.leftovers() == [])
        #expect(stage.counts == (count == 0 ? [0, 0] : [1, 1]))
        try stage.use {
            let versions = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(versions.count == count)
            if isThere {
                let version = try #require(versions.last)
                #expect(try text(version.url.appendingPathComponent("text")) == "kept")
                #expect(try text(version.url.appendingPathComponent("locked/inner")) == "kept")
                #expect(version.localizedName == "a.txt")
                #expect(version.modificationDate != nil)
            }
            // And it can be done again.
            try NSFileVersion.addOfItem(at: url, withContentsOf: source)
            #expect(NSFileVersion.otherVersionsOfItem(at: url)?.count == count + 1)
        }
        #expect(exists(source))
        #expect(stage.leftovers() == [])
    }

    @Test(arguments: VersionAddition.Step.allCases, [false, true])
    func `Contents that are moved are always somewhere, and whole`(
        last: VersionAddition.Step, isPackage: Bool
    ) throws {
        let url = try stage.file("a.txt", "now")
        let name = isPackage ? "package" : "file"
        let source =
            isPackage ? try stage.package("package", "kept") : try stage.file("file", "kept")
        try add(stage.place(name), isMoving: true, last: last)

        let count = try #require(next.versionIdentifiers(at: stage.place("a.txt"))).count
        next.recover()
        #expect(try next.versionIdentifiers(at: stage.place("a.txt"))?.count == count)
        #expect(exists(source) == (count == 0))
        #expect(exists(source) == (last < .moveContents))
        #expect(stage.leftovers() == [])
        #expect(stage.counts == (count == 0 ? [0, 0] : [1, 1]))
        try stage.use {
            let versions = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(versions.count == count)
            let kept = versions.first?.url ?? source
            #expect(try text(isPackage ? kept.appendingPathComponent("text") : kept) == "kept")
        }
    }

    @Test(.enabled(if: OtherDevice.exists), arguments: VersionAddition.Step.allCases)
    func `Contents from another file system are never lost`(last: VersionAddition.Step) throws {
        let other = try OtherDevice()
        let source = other.url.appendingPathComponent("file")
        try write("kept", to: source)
        let url = try stage.file("a.txt", "now")
        let place = try #require(ItemPath(source.path))
        try add(place, isMoving: true, last: last)

        let count = try #require(next.versionIdentifiers(at: stage.place("a.txt"))).count
        next.recover()
        #expect(try next.versionIdentifiers(at: stage.place("a.txt"))?.count == count)
        #expect(exists(source) || count == 1)
        #expect(exists(source) == (last < .removeSource))
        #expect(stage.leftovers() == [])
        let kept = stage.use { NSFileVersion.otherVersionsOfItem(at: url)?.first?.url }
        #expect(try text(kept ?? source) == "kept")
    }

    @Test func `What a living process is about to add is left alone`() throws {
        try stage.file("a.txt", "now")
        let place = try stage.place("a.txt")
        var addition = try VersionAddition(
            of: place, contents: place, isMoving: false, store: stage.store)
        for step in VersionAddition.Step.allCases {
            let count = next.versionIdentifiers(at: place)?.count
            #expect(count == (step <= .publish ? 0 : 1))
            // Rule 3 of the store: an empty item directory may be removed, and is made again.
            for item in stage.names(in: "items") {
                rmdir(stage.store.path + "/items/" + item)
                #expect(next.versionIdentifiers(at: place)?.count == count)
            }
            try addition.perform(step)
        }
        #expect(try stage.texts("a.txt") == ["now"])
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }

    // MARK: Failing

    /// An addition whose contents, "kept", were moved into the workspace just now.
    private func additionAfterMoving() throws -> VersionAddition {
        try stage.file("a.txt", "now")
        try stage.file("file", "kept")
        var addition = try VersionAddition(
            of: stage.place("a.txt"), contents: stage.place("file"), isMoving: true,
            store: stage.store)
        for step in VersionAddition.Step.allCases where step <= .moveContents {
            try addition.perform(step)
        }
        return addition
    }

    /// Has the making of ties fail.
    private func breakTies() throws {
        rmdir(stage.store.path + "/places")
        try write("no directory", to: URL(fileURLWithPath: stage.store.path + "/places"))
    }

    @Test func `Who fails after the contents were moved puts them back`() throws {
        var addition = try additionAfterMoving()
        try breakTies()
        #expect(throws: (any Error).self) { try addition.run(from: .synchronize) }
        unlink(stage.store.path + "/places")
        #expect(try text(stage.url("file")) == "kept")
        #expect(try stage.texts("a.txt") == [])
        #expect(stage.leftovers() == [])
    }

    @Test func `Contents that cannot be put back become the version after all`() throws {
        do {
            var addition = try additionAfterMoving()
            try breakTies()
            try stage.file("file", "another")
            #expect(throws: (any Error).self) { try addition.run(from: .synchronize) }
            unlink(stage.store.path + "/places")
        }
        #expect(try stage.texts("a.txt") == ["kept"])
        next.recover()
        #expect(try stage.texts("a.txt") == ["kept"])
        #expect(try text(stage.url("file")) == "another")
        #expect(stage.leftovers() == [])
    }

    @Test func `What a newer program was about to do is left to it`() throws {
        _ = try additionAfterMoving()
        let lock = try #require(stage.names(in: "work").first { $0.hasSuffix(".lock") })
        let workspace = URL(fileURLWithPath: stage.store.path)
            .appendingPathComponent("work").appendingPathComponent(String(lock.dropLast(5)))
        let url = workspace.appendingPathComponent("intention")
        let intention = try Data(contentsOf: url)
        try write("{\"newer\":{}}", to: url)
        #expect(try stage.texts("a.txt") == [])
        #expect(exists(workspace.appendingPathComponent("version/contents/file")))
        stage.store.recover()
        #expect(exists(workspace.appendingPathComponent("version/contents/file")))
        try intention.write(to: url)
        #expect(try stage.texts("a.txt") == ["kept"])
        stage.store.recover()
        #expect(try stage.texts("a.txt") == ["kept"])
        #expect(stage.leftovers() == [])
    }

    // MARK: Removing

    @Test func `Who is killed while removing leaves nothing of the version`() throws {
        let url = try stage.file("a.txt", "now")
        let package = try stage.package("package", "kept")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: package) }
        let path = stage.store.path
        let item = try #require(stage.names(in: "items").first)
        let version = try #require(stage.names(in: "items/" + item).first)
        // The first thing that removing does.
        #expect(rename("\(path)/items/\(item)/\(version)", "\(path)/removed/\(version)") == 0)
        #expect(try next.versionIdentifiers(at: stage.place("a.txt")) == [])
        next.recover()
        #expect(stage.leftovers() == [])
        // The item is empty, and still good for the next version.
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        #expect(try stage.texts("a.txt") == ["now"])
        #expect(stage.counts == [1, 1])
        // A tie without an item is removed by the next write.
        try FileManager.default.removeItem(atPath: "\(path)/items/\(item)")
        #expect(try next.versionIdentifiers(at: stage.place("a.txt")) == [])
        next.beginWriting(at: try stage.place("a.txt")).end()
        #expect(stage.counts == [0, 0])
    }

    @Test(arguments: [false, true])
    func `The first restoration after a killed move finds the contents`(hasVersions: Bool) throws {
        let url = try stage.file("a.txt", "now")
        try stage.file("source", "kept")
        try stage.use {
            if hasVersions { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
            try add(stage.place("source"), isMoving: true, last: .moveContents)
            let version = try #require(NSFileVersion.otherVersionsOfItem(at: url)?.last)
            try version.replaceItem(at: url)
        }
        #expect(try text(url) == "kept")
        #expect(stage.leftovers() == [])
    }

    // MARK: Replacing

    @Test(arguments: VersionReplacement.Step.allCases, [false, true])
    func `Who is killed while replacing leaves the old or the new, and all versions`(
        last: VersionReplacement.Step, isPackage: Bool
    ) throws {
        let name = isPackage ? "a.rtfd" : "a.txt"
        let url = isPackage ? try stage.package(name, "old") : try stage.file(name, "old")
        let inner = isPackage ? url.appendingPathComponent("text") : url
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try write("now", to: inner)
        do {
            let identifier = try #require(
                stage.store.versionIdentifiers(at: stage.place(name))?.first)
            var replacement = try VersionReplacement(
                restoring: stage.place(name), to: identifier, store: stage.store)
            for step in VersionReplacement.Step.allCases {
                try replacement.perform(step)
                if step == last { break }
            }
        }
        #expect(try next.versionIdentifiers(at: stage.place(name))?.count == 1)
        next.recover()
        #expect(try next.versionIdentifiers(at: stage.place(name))?.count == 1)
        #expect(try text(inner) == (last < .install ? "now" : "old"))
        #expect(try stage.documentNames() == [name])
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }
}
