// SPDX-License-Identifier: Apache-2.0
//
// The package policy as text: what each statement does, and what becomes of lines that are none
// (Rule 1.11).

import FileCoordination
import FileCoordinationClient
import Testing

@Suite struct PackagePolicyTextTests {
    typealias Statement = PackagePolicy.Statement

    private func policy(_ text: String) -> PackagePolicy { PackagePolicy(text: Array(text.utf8)) }

    // MARK: Statements

    @Test func `Each statement changes what an extension means`() throws {
        let fixture = try PackageFixture()
        for name in ["x.scene", "x.rtfd", "x.app"] { try fixture.directory(name) }
        try fixture.directory("full.scene/Contents")
        try fixture.directory("full.rtfd/Index")
        try fixture.file("full.app/Info.plist")

        #expect(!fixture.isPackage("x.scene"))
        #expect(fixture.isPackage("x.scene", "package scene"))
        #expect(fixture.isPackage("x.app", "package app"))

        #expect(!fixture.isPackage("x.scene", "package-with-contents scene"))
        #expect(fixture.isPackage("full.scene", "package-with-contents scene"))
        #expect(!fixture.isPackage("x.rtfd", "package-with-contents rtfd"))
        #expect(fixture.isPackage("full.rtfd", "package-with-contents rtfd"))

        #expect(!fixture.isPackage("x.rtfd", "directory rtfd"))
        #expect(fixture.isPackage("full.app"))
        #expect(!fixture.isPackage("full.app", "directory app"))
        #expect(fixture.isPackage("x.rtfd", "directory app"))
    }

    @Test func `Later lines win`() throws {
        let kinds = Statement.Kind.allCases
        for first in kinds {
            for second in kinds {
                for name in ["scene", "rtfd", "app"] {
                    let both = policy("\(first.rawValue) \(name)\n\(second.rawValue) \(name)")
                    #expect(both == policy("\(second.rawValue) \(name)"))
                    #expect(both.complaints == [])
                }
            }
        }
    }

    @Test func `What a text restates is the built-in policy`() {
        #expect(policy("") == .builtIn)
        #expect(policy("package rtfd\npackage-with-contents app\ndirectory d") == .builtIn)
        #expect(policy("directory rtfd") != .builtIn)
        #expect(policy("directory rtfd\npackage rtfd").hashValue == PackagePolicy.builtIn.hashValue)
        #expect(PackagePolicy.builtIn.complaints == [])
    }

    @Test(arguments: [
        "package .Scene", "package SCENE", "  package\tscene  ", "package scene\r\n",
        "\n\npackage scene",
        "package scene # a comment", "# a comment\npackage scene\n#package-with-contents scene",
        "\u{FEFF}package scene",
    ])
    func `Dots, case, blanks, comments and the ends of lines make no difference`(text: String) {
        #expect(policy(text) == policy("package scene"))
        #expect(policy(text).complaints == [])
    }

    @Test func `An extension may be in any script, and hold a number sign`() throws {
        let fixture = try PackageFixture()
        for name in ["x.gemälde", "x.c#"] {
            try fixture.directory(name)
            #expect(!fixture.isPackage(name))
            #expect(fixture.isPackage(name, "package gemälde\npackage c#"))
        }
        // Another composition of the same letter is another name (Rule 1.2).
        #expect(policy("package gem\u{E4}lde") != policy("package gema\u{308}lde"))
    }

    // MARK: Lines that are none

    @Test(arguments: [
        ("packages scene", "\"packages\" is no statement"), ("Package scene", "\"Package\""),
        ("package", "write one extension"), ("package # scene", "write one extension"),
        ("directory a b", "write one extension"), ("package .", "no extension"),
        ("package tar.gz", "write the last alone"), ("package ..x", "write the last alone"),
        ("package a/b", "slash"), ("package a\0", "control character"),
    ])
    func `A line that is not understood is left out and complained of`(
        line: String, hint: String
    ) {
        let result = policy("package one\n\n\(line)\npackage two")
        #expect(result == policy("package one\npackage two"))
        #expect(result.complaints.count == 1)
        #expect(result.complaints.first?.hasPrefix("line 3: ") == true)
        #expect(result.complaints.first?.contains(hint) == true, "\(result.complaints)")
    }

    @Test func `Bytes that are no text cost their line alone`() {
        let text = Array("package one\npackage ".utf8) + [0xFF, 0xC0] + Array("\npackage two".utf8)
        let result = PackagePolicy(text: text)
        #expect(result == policy("package one\npackage two"))
        #expect(result.complaints == ["line 2: this is no UTF-8; save the text as UTF-8"])
    }

    @Test func `Complaints do not make a policy another one`() {
        #expect(policy("nonsense") == .builtIn)
        #expect(policy("nonsense").hashValue == PackagePolicy.builtIn.hashValue)
        #expect(policy("nonsense\nmore nonsense").complaints.count == 2)
    }

    @Test func `A text is read up to its limit, in whole lines`() {
        let statement = Array("package scene".utf8)
        func text(of size: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(ascii: "\n"), count: size - statement.count) + statement
        }
        #expect(PackagePolicy.configurationLimit == 16_384)
        let fits = PackagePolicy(text: text(of: 16_384))
        #expect(fits == policy("package scene"))
        #expect(fits.complaints == [])
        let tooLong = PackagePolicy(text: text(of: 16_385) + Array("\npackage more".utf8))
        #expect(tooLong == .builtIn)
        #expect(tooLong.complaints.count == 1)
        #expect(tooLong.complaints.first?.contains("shorten it") == true)
        let cut = PackagePolicy(text: statement + text(of: 16_384))
        #expect(cut == policy("package scene"))
        #expect(cut.complaints.count == 1)
    }

    // MARK: Statements as values

    @Test(arguments: Statement.Kind.allCases)
    func `A statement is the line that says it`(kind: Statement.Kind) throws {
        let statement = try Statement(kind, ".Scene")
        #expect(statement.text == "\(kind.rawValue) scene")
        #expect(policy(statement.text).complaints == [])
        #expect(policy(statement.text) == policy("\(kind.rawValue) scene"))
    }

    @Test(arguments: ["", ".", "a.b", "a b", "a\ndirectory rtfd", "a/b", "a\0", "#a", "a\t"])
    func `A statement that no line could say is refused`(name: String) {
        #expect(throws: PackagePolicy.Complaint.self) { try Statement(.package, name) }
    }

    @Test(arguments: [
        "", "directory scene", "directory scene\n", "# a comment", "directory scene\r",
    ])
    func `Added statements win, also after a line without an end`(file: String) throws {
        let added = try [Statement(.package, "scene"), Statement(.directory, "rtfd")]
        let text = PackagePolicy.text(Array(file.utf8), adding: added)
        #expect(PackagePolicy(text: text) == policy("package scene\ndirectory rtfd"))
        #expect(PackagePolicy(text: text).complaints == [])
        #expect(PackagePolicy.text(Array(file.utf8), adding: []) == Array(file.utf8))
    }
}
