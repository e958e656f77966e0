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
    private let yard: PackageYard

    init() throws { yard = try PackageYard() }

    // MARK: Built in (Rule 1.11)

    @Test(arguments: [
        "rtfd", "framework", "graffle", "xcodeproj", "xcworkspace", "playground", "photoslibrary",
        "logicx", "fcpbundle", "sparsebundle", "textbundle",
    ])
    func `An empty directory is a package by an extension of that kind`(kind: String) throws {
        try yard.directory("x.\(kind)")
        #expect(yard.isPackage("x.\(kind)"))
    }

    @Test(arguments: ["app", "bundle", "pages", "numbers", "key", "pkg", "band"])
    func `A directory with an ordinary extension is a package by its contents`(
        kind: String
    ) throws {
        for name in ["none", "contents", "info", "index"] { try yard.directory("\(name).\(kind)") }
        try yard.directory("contents.\(kind)/Contents")
        try yard.file("info.\(kind)/Info.plist")
        try yard.directory("index.\(kind)/Index")
        #expect(!yard.isPackage("none.\(kind)"))
        for name in ["contents", "info", "index"] { #expect(yard.isPackage("\(name).\(kind)")) }
    }

    @Test func `Contents of another sort are no proof`() throws {
        try yard.file("a.app/Contents")
        try yard.file("b.app/Index")
        try yard.directory("c.app/Info.plist")
        try yard.directory("d.app/Resources/Contents")
        try yard.directory("e.app")
        try yard.link("e.app/Contents", to: "Resources")
        try yard.directory("e.app/Resources")
        for name in ["a", "b", "c", "d", "e"] { #expect(!yard.isPackage("\(name).app")) }
    }

    @Test(arguments: ["foo.d", "v1.2", "plain", "rtfd", "x.rtfd.old", "x.", "x.rtfdx", "x.rtf"])
    func `A directory with another name is no package`(name: String) throws {
        try yard.directory("\(name)/Contents")
        #expect(!yard.isPackage(name))
    }

    @Test func `A hidden name without a stem has no extension`() throws {
        try yard.directory(".rtfd")
        try yard.directory(".hidden.rtfd")
        #expect(!yard.isPackage(".rtfd"))
        #expect(yard.isPackage(".hidden.rtfd"))
    }

    @Test func `The last extension counts, without case`() throws {
        for name in ["x.RTFD", "x.Rtfd", "x.tar.rtfd", "name with spaces.rtfd"] {
            try yard.directory(name)
            #expect(yard.isPackage(name))
        }
        // The Kelvin sign is a capital k to Unicode, but these are bytes (Rule 1.2).
        try yard.directory("x.\u{212A}ey/Contents")
        #expect(!yard.isPackage("x.\u{212A}ey"))
    }

    @Test func `A file is no package, nor what is absent, nor a link to a package`() throws {
        try yard.file("file.rtfd")
        try yard.directory("real.rtfd")
        try yard.link("link.rtfd", to: "real.rtfd")
        try yard.link("nowhere.rtfd", to: "absent")
        for name in ["file", "absent", "link", "nowhere"] {
            #expect(!yard.isPackage("\(name).rtfd"))
            #expect(try yard.packages(on: "\(name).rtfd") == [])
        }
        #expect(!PackagePolicy.builtIn.isPackage(directoryAt: yard.path("real.rtfd") + [0]))
    }

    // MARK: The attribute (Rule 1.11)

    @Test(.ifAttributesAreKept)
    func `A directory with the attribute is a package, whatever its name and the value`() throws {
        for (name, value) in [("plain", []), ("foo.d", [0]), ("empty.app", Array("no".utf8))] {
            try yard.directory(name)
            #expect(!yard.isPackage(name))
            try yard.mark(name, with: value)
            #expect(yard.isPackage(name))
        }
    }

    @Test(.ifAttributesAreKept)
    func `No statement switches the attribute off`() throws {
        try yard.directory("x.rtfd")
        #expect(!yard.isPackage("x.rtfd", "directory rtfd"))
        try yard.mark("x.rtfd")
        #expect(yard.isPackage("x.rtfd", "directory rtfd"))
    }

    @Test(.ifAttributesAreKept)
    func `The attribute makes no package of a file, nor of a link to a package`() throws {
        try yard.file("file")
        try yard.mark("file")
        try yard.directory("real")
        try yard.mark("real")
        try yard.link("link", to: "real")
        #expect(!yard.isPackage("file"))
        #expect(!yard.isPackage("link"))
        #expect(try yard.packages(on: "file") == [])
        #expect(try yard.packages(on: "link") == [])
    }

    // MARK: Packages on the way (Rule 1.12)

    @Test func `An item is in every package above it, however they nest`() throws {
        try yard.file("outer.rtfd/plain.d/inner.app/Contents/deep.key/note")
        let outer = "outer.rtfd"
        let inner = "outer.rtfd/plain.d/inner.app"
        #expect(try yard.packages(on: "\(inner)/Contents/deep.key/note") == [outer, inner])
        #expect(try yard.packages(on: inner) == [outer, inner])
        #expect(try yard.packages(on: "outer.rtfd/plain.d") == [outer])
        #expect(try yard.packages(on: outer) == [outer])
        #expect(try yard.packages(on: "other/note") == [])
    }

    @Test func `What does not exist yet is in the packages that do`() throws {
        try yard.directory("x.rtfd")
        #expect(try yard.packages(on: "x.rtfd/absent.rtfd/absent.app/note") == ["x.rtfd"])
    }

    @Test(.ifAttributesAreKept)
    func `A package by attribute counts at any depth, also without a dot on the way`() throws {
        try yard.file("a/b/c/note")
        #expect(try yard.packages(on: "a/b/c/note") == [])
        try yard.mark("a")
        try yard.mark("a/b/c")
        #expect(try yard.packages(on: "a/b/c/note") == ["a", "a/b/c"])
        #expect(try yard.packages(on: "a/b/c") == ["a", "a/b/c"])
        #expect(try yard.packages(on: "a/b") == ["a"])
    }

    @Test func `A place is told with its kind, and by the policy that was asked`() throws {
        try yard.file("x.scene/note")
        let policy = PackagePolicy(text: Array("package scene".utf8))
        #expect(try yard.packages(on: "x.scene/note") == [])
        #expect(try yard.packages(on: "x.scene/note", policy) == ["x.scene"])
        for (name, isDirectory) in [("x.scene", true), ("x.scene/note", false), ("none", false)] {
            let path = try #require(ItemPath(bytes: yard.path(name)))
            #expect(PlaceResolver.facts(of: path, policy: policy).isDirectory == isDirectory)
        }
        let root = try #require(ItemPath("/"))
        #expect(PlaceResolver.facts(of: root, policy: policy).packageDepths == [])
    }
}
