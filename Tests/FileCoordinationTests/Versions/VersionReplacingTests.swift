// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import Foundation
import Glibc
import Testing

@Suite struct VersionReplacingTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    private func version(of name: String, _ contents: URL) throws -> NSFileVersion {
        try stage.use {
            try NSFileVersion.addOfItem(at: stage.url(name), withContentsOf: contents)
        }
    }

    @Test func `Going back to a version keeps the name and all versions (Rule 19.7)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try version(of: "a.txt", url)
        try stage.file("a.txt", "2")
        let reader = try FileHandle(forReadingFrom: url)
        let result = try stage.use { try version.replaceItem(at: url) }
        #expect(result == url)
        #expect(try text(url) == "1")
        // In one step: who reads the old contents reads all of them.
        #expect(try reader.readToEnd() == Data("2".utf8))
        #expect(try stage.texts("a.txt") == ["1"])
        #expect(try stage.documentNames() == ["a.txt"])
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }

    @Test func `The item keeps its permissions and gets the version's date`() throws {
        let url = try stage.file("a.txt", "1")
        let date = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
        let version = try version(of: "a.txt", url)
        try stage.file("a.txt", "2")
        chmod(url.path, 0o640)
        try stage.use { try version.replaceItem(at: url) }
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(attributes[.modificationDate] as? Date == date)
    }

    @Test func `A version of another type brings its extension along (Rule 19.7)`() throws {
        let url = try stage.file("a.txt", "now")
        let other = try stage.file("old.rtf", "rich")
        let version = try version(of: "a.txt", other)
        try FileManager.default.removeItem(at: other)
        let result = try stage.use { try version.replaceItem(at: url) }
        #expect(result == stage.url("a.rtf"))
        #expect(try stage.documentNames() == ["a.rtf"])
        #expect(try text(result) == "rich")
        #expect(try stage.texts("a.rtf") == ["rich"])
    }

    @Test func `It does so over no other program's file`() throws {
        let url = try stage.file("a.txt", "now")
        let other = try stage.file("a.rtf", "foreign")
        let version = try version(of: "a.txt", other)
        let error = stage.use {
            #expect(throws: CocoaError.self) { try version.replaceItem(at: url) }
        }
        #expect(error?.code == .fileWriteFileExists)
        #expect(try text(url) == "now")
        #expect(try text(other) == "foreign")
        #expect(stage.leftovers() == [])
    }

    @Test func `An item that is not there is made (Rule 19.7)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try version(of: "a.txt", url)
        let new = stage.url("copy.md")
        let result = try stage.use { try version.replaceItem(at: new) }
        #expect(result == new)
        #expect(try text(new) == "1")
        // An item of its own.
        #expect(try stage.texts("copy.md") == [])
        #expect(try stage.texts("a.txt") == ["1"])
    }

    @Test func `A version that is moved out is gone (Rule 19.7)`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try version(of: "a.txt", url)
        try stage.use {
            try version.replaceItem(at: stage.url("copy.txt"), options: .byMoving)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
        }
        #expect(try text(stage.url("copy.txt")) == "1")
        #expect(stage.counts == [0, 0])
    }

    @Test func `Another item that is replaced keeps its own versions, and gets no others`() throws {
        let url = try stage.file("a.txt", "1")
        let version = try version(of: "a.txt", url)
        let other = try stage.file("b.txt", "other")
        _ = try self.version(of: "b.txt", other)
        try stage.use { try version.replaceItem(at: other) }
        #expect(try text(other) == "1")
        #expect(try stage.texts("b.txt") == ["other"])
        #expect(try stage.texts("a.txt") == ["1"])
    }

    @Test func `Packages, files and links take each other's place`() throws {
        let url = try stage.package("a.rtfd", "package")
        let package = try version(of: "a.rtfd", url)
        try write("changed", to: url.appendingPathComponent("text"))
        try stage.use { try package.replaceItem(at: url) }
        #expect(try text(url.appendingPathComponent("text")) == "package")

        let file = try stage.file("file.rtfd", "file")
        let flat = try version(of: "a.rtfd", file)
        try stage.use { try flat.replaceItem(at: url) }
        #expect(try text(url) == "file")
        try stage.use { try package.replaceItem(at: url) }
        #expect(try text(url.appendingPathComponent("locked/inner")) == "package")

        let link = stage.url("link.rtfd")
        symlink("file.rtfd", link.path)
        let pointer = try version(of: "a.rtfd", link)
        try stage.use { try pointer.replaceItem(at: url) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: url.path) == "file.rtfd")
        #expect(
            stage.use { NSFileVersion.otherVersionsOfItem(at: url) } == [package, flat, pointer])
        #expect(stage.leftovers() == [])
    }

    @Test func `The current version can make another item`() throws {
        let url = try stage.file("a.txt", "1")
        try stage.use {
            let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
            #expect(try current.replaceItem(at: url) == url)
            let copy = try current.replaceItem(at: stage.url("b.txt"))
            #expect(try text(copy) == "1")
        }
        #expect(try text(url) == "1")
    }
}
