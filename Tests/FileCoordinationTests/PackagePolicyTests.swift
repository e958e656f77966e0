// SPDX-License-Identifier: Apache-2.0
//
// Which directories are packages (Rule 1.11), and how they nest (Rule 1.12): real directories,
// looked at by the policy that is built in and by configured ones.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Testing

@Suite struct PackagePolicyTests {
    private let fixture: PackageFixture

    init() throws { fixture = try PackageFixture() }

    // MARK: Built in (Rule 1.11)

    @Test(arguments: [
        "rtfd", "framework", "graffle", "xcodeproj", "xcworkspace", "playground", "photoslibrary",
        "logicx", "fcpbundle", "sparsebundle", "textbundle",
    ])
    func `An empty directory is a package by an extension of that kind`(kind: String) throws {
        try fixture.directory("x.\(kind)")
        #expect(fixture.isPackage("x.\(kind)"))
    }

    @Test(arguments: ["app", "bundle", "pages", "numbers", "key", "pkg", "band"])
    func `A directory with an ordinary extension is a package by its contents`(
        kind: String
    ) throws {
        for name in ["none", "contents", "info", "index"] {
            try fixture.directory("\(name).\(kind)")
        }
        try fixture.directory("contents.\(kind)/Contents")
        try fixture.file("info.\(kind)/Info.plist")
        try fixture.directory("index.\(kind)/Index")
        #expect(!fixture.isPackage("none.\(kind)"))
        for name in ["contents", "info", "index"] { #expect(fixture.isPackage("\(name).\(kind)")) }
    }

    @Test func `Contents of another sort are no proof`() throws {
        try fixture.file("a.app/Contents")
        try fixture.file("b.app/Index")
        try fixture.directory("c.app/Info.plist")
        try fixture.directory("d.app/Resources/Contents")
        try fixture.directory("e.app")
        try fixture.link("e.app/Contents", to: "Resources")
        try fixture.directory("e.app/Resources")
        for name in ["a", "b", "c", "d", "e"] { #expect(!fixture.isPackage("\(name).app")) }
    }

    @Test(arguments: ["foo.d", "v1.2", "plain", "rtfd", "x.rtfd.old", "x.", "x.rtfdx", "x.rtf"])
    func `A directory with another name is no package`(name: String) throws {
        try fixture.directory("\(name)/Contents")
        #expect(!fixture.isPackage(name))
    }

    @Test func `A hidden name without a stem has no extension`() throws {
        try fixture.directory(".rtfd")
        try fixture.directory(".hidden.rtfd")
        #expect(!fixture.isPackage(".rtfd"))
        #expect(fixture.isPackage(".hidden.rtfd"))
    }

    @Test func `The last extension counts, without case`() throws {
        for name in ["x.RTFD", "x.Rtfd", "x.tar.rtfd", "name with spaces.rtfd"] {
            try fixture.directory(name)
            #expect(fixture.isPackage(name))
        }
        // The Kelvin sign is a capital k to Unicode, but these are bytes (Rule 1.2).
        try fixture.directory("x.\u{212A}ey/Contents")
        #expect(!fixture.isPackage("x.\u{212A}ey"))
    }

    @Test func `A file is no package, nor what is absent, nor a link to a package`() throws {
        try fixture.file("file.rtfd")
        try fixture.directory("real.rtfd")
        try fixture.link("link.rtfd", to: "real.rtfd")
        try fixture.link("nowhere.rtfd", to: "absent")
        for name in ["file", "absent", "link", "nowhere"] {
            #expect(!fixture.isPackage("\(name).rtfd"))
            #expect(try fixture.packages(on: "\(name).rtfd") == [])
        }
        #expect(!PackagePolicy.builtIn.isPackage(directoryAt: fixture.path("real.rtfd") + [0]))
    }

    // MARK: The attribute (Rule 1.11)

    @Test(.ifAttributesAreKept)
    func `A directory with the attribute is a package, whatever its name and the value`() throws {
        for (name, value) in [("plain", []), ("foo.d", [0]), ("empty.app", Array("no".utf8))] {
            try fixture.directory(name)
            #expect(!fixture.isPackage(name))
            try fixture.mark(name, with: value)
            #expect(fixture.isPackage(name))
        }
    }

    @Test(.ifAttributesAreKept)
    func `No statement switches the attribute off`() throws {
        try fixture.directory("x.rtfd")
        #expect(!fixture.isPackage("x.rtfd", "directory rtfd"))
        try fixture.mark("x.rtfd")
        #expect(fixture.isPackage("x.rtfd", "directory rtfd"))
    }

    @Test(.ifAttributesAreKept)
    func `The attribute makes no package of a file, nor of a link to a package`() throws {
        try fixture.file("file")
        try fixture.mark("file")
        try fixture.directory("real")
        try fixture.mark("real")
        try fixture.link("link", to: "real")
        #expect(!fixture.isPackage("file"))
        #expect(!fixture.isPackage("link"))
        #expect(try fixture.packages(on: "file") == [])
        #expect(try fixture.packages(on: "link") == [])
    }

    // MARK: Packages on the way (Rule 1.12)

    @Test func `An item is in every package above it, however they nest`() throws {
        try fixture.file("outer.rtfd/plain.d/inner.app/Contents/deep.key/note")
        let outer = "outer.rtfd"
        let inner = "outer.rtfd/plain.d/inner.app"
        #expect(try fixture.packages(on: "\(inner)/Contents/deep.key/note") == [outer, inner])
        #expect(try fixture.packages(on: inner) == [outer, inner])
        #expect(try fixture.packages(on: "outer.rtfd/plain.d") == [outer])
        #expect(try fixture.packages(on: outer) == [outer])
        #expect(try fixture.packages(on: "other/note") == [])
    }

    @Test func `What does not exist yet is in the packages that do`() throws {
        try fixture.directory("x.rtfd")
        #expect(try fixture.packages(on: "x.rtfd/absent.rtfd/absent.app/note") == ["x.rtfd"])
    }

    @Test(.ifAttributesAreKept)
    func `A package by attribute counts at any depth, also without a dot on the way`() throws {
        try fixture.file("a/b/c/note")
        #expect(try fixture.packages(on: "a/b/c/note") == [])
        try fixture.mark("a")
        try fixture.mark("a/b/c")
        #expect(try fixture.packages(on: "a/b/c/note") == ["a", "a/b/c"])
        #expect(try fixture.packages(on: "a/b/c") == ["a", "a/b/c"])
        #expect(try fixture.packages(on: "a/b") == ["a"])
    }

    @Test func `A place is told with its kind, and by the policy that was asked`() throws {
        try fixture.file("x.scene/note")
        let policy = PackagePolicy(text: Array("package scene".utf8))
        #expect(try fixture.packages(on: "x.scene/note") == [])
        #expect(try fixture.packages(on: "x.scene/note", policy) == ["x.scene"])
        for (name, isDirectory) in [("x.scene", true), ("x.scene/note", false), ("none", false)] {
            let path = try #require(ItemPath(bytes: fixture.path(name)))
            #expect(PlaceResolver.facts(of: path, policy: policy).isDirectory == isDirectory)
        }
        let root = try #require(ItemPath("/"))
        #expect(PlaceResolver.facts(of: root, policy: policy).packageDepths == [])
    }
}
