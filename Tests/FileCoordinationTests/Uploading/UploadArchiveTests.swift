// SPDX-License-Identifier: Apache-2.0
//
// Archives, as read by three programs with which people open archives (Rule 15.2): Info-ZIP's
// unzip, Python's zipfile and libarchive's bsdtar. XCTest, because the tests wait for programs.

import FileCoordination
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import XCTest

final class UploadArchiveTests: XCTestCase {
    // MARK: A tree with everything

    /// Names that some programs cannot handle.
    private static let names = [
        "plain.txt", "two words", "-dash", "quote\"s'", "back\\slash", "ü composed", "u\u{308} not",
        "日本語", "🙂.txt", ".hidden", "a%20b", "star*?[x]", String(repeating: "é", count: 127),
    ]

    private func makeTree(on stage: UploadStage) throws {
        try stage.make("tree", mode: 0o750)
        for (index, name) in Self.names.enumerated() {
            try stage.write("tree/" + name, Array("contents \(index)".utf8))
            try stage.make("tree/folder of " + name.prefix(50))
            try stage.link("tree/folder of \(name.prefix(50))/link", to: "../" + name)
        }
        for mode: mode_t in [0o600, 0o755, 0o444, 0o640] {
            try stage.write("tree/mode-\(mode)", [UInt8(mode & 0xff)], mode: mode)
        }
        // Around the size of the buffer.
        for size in [0, 1, 65_536, 262_143, 262_144, 262_145, 524_288, 1_000_000] {
            try stage.write("tree/prose-\(size)", prose(size), time: 1_100_000_000 + size)
            try stage.write("tree/noise-\(size)", noise(size))
        }
        try stage.write("tree/old", [1], time: 160_000_000)
        try stage.make("tree/empty", mode: 0o711)
        try stage.make("tree/inner")
        try stage.make("tree/inner/empty", mode: 0o700)
        try stage.link("tree/dangling", to: "/no/such/ü")
        try stage.link("tree/inner/up", to: "..")
        try stage.link("tree/absolute", to: "/tmp")
        try stage.makeSpecial("tree/pipe", S_IFIFO)
        try stage.makeSpecial("tree/inner/socket", S_IFSOCK)
        try stage.make("tree/locked", mode: 0o555)
    }

    private func expectTree(by tool: UploadTool) throws {
        try tool.require()
        let stage = try UploadStage()
        try makeTree(on: stage)
        try stage.withSnapshot(of: "tree") {
            try tool.expect($0.url.path, toHold: stage.path + "/tree")
        }
    }

    func testUnzipRestoresNamesModesLinksAndEmptyDirectories() throws {
        try expectTree(by: .unzip)
    }

    func testPythonFindsNamesModesLinksAndEmptyDirectories() throws {
        try expectTree(by: .python3)
    }

    func testBsdtarRestoresNamesModesLinksAndEmptyDirectories() throws {
        try expectTree(by: .bsdtar)
    }

    // MARK: A large tree

    func testATreeOfTenThousandFilesRoundTrips() throws {
        // In memory, because on a disk the tools would
        // need nearly all of the time to make the files.
        let stage = try UploadStage.inMemory(128 << 20)
        try stage.make("many")
        let text = prose(4_000)
        for folder in 0..<100 {
            try stage.make("many/\(folder)")
            for file in 0..<100 {
                let name = "many/\(folder)/\(file)"
                if folder == 0 {
                    try stage.write(name, Array(text[..<(file * 40)]))
                } else {
                    // Further links to the same files: they are
                    // made faster, and archived like other files.
                    try stage.name("many/0/\(file)", also: name)
                }
            }
        }
        let snapshot = try stage.snapshot(of: "many")
        defer { snapshot.remove() }
        for tool in UploadTool.allCases {
            guard tool.path != nil else {
                print("Not tried with \(tool.rawValue), which is not installed")
                continue
            }
            try tool.expect(snapshot.url.path, toHold: stage.path + "/many")
        }
    }

    // MARK: Names that are not text

    func testBytesThatAreNoTextAreKept() throws {
        let stage = try UploadStage()
        try stage.make("tree")
        let name = "tree/latin".utf8.map { CChar($0) } + [CChar(bitPattern: 0xE9), 0]
        let folder = open(stage.path, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let number = openat(folder, name, O_WRONLY | O_CREAT, 0o644)
        XCTAssertGreaterThanOrEqual(number, 0)
        close(number)
        try stage.withSnapshot(of: "tree") { snapshot in
            for tool in [UploadTool.unzip, .bsdtar] where tool.path != nil {
                let place = stage.path + "/" + tool.rawValue
                try stage.make(tool.rawValue)
                try tool.run(
                    [tool == .unzip ? "-q" : "-xf", snapshot.url.path], in: place)
                XCTAssertEqual(
                    try SourceDirectory(path: Array((place + "/tree").utf8)).names(),
                    [Array("latin".utf8) + [0xE9]], "by \(tool.rawValue)")
            }
        }
    }

    // MARK: What is no part of it

    func testTemporaryCopiesAreNoPartOfACopy() throws {
        let stage = try UploadStage()
        try UploadTool.python3.require()
        try stage.write("note", "text")
        let other = try stage.snapshot(of: "note")
        try stage.withSnapshot(of: "tmp") { snapshot in
            let list = try UploadTool.python3.run(
                ["-m", "zipfile", "-l", snapshot.url.path], in: stage.path)
            XCTAssertEqual(list.split(separator: "\n").count, 2, list)
        }
        other.remove()
    }

    func testWhatIsRemovedMeanwhileWasNotThere() throws {
        let stage = try UploadStage()
        try stage.make("folder")
        let directory = try SourceDirectory(path: Array((stage.path + "/folder").utf8))
        XCTAssertNil(try directory.item(Array("gone".utf8)))
    }
}
