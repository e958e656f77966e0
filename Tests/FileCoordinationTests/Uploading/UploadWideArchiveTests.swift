// SPDX-License-Identifier: Apache-2.0
//
// Archives beyond what the first zip format could say, and archives without zlib.

import FileCoordination
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import XCTest

final class UploadWideArchiveTests: XCTestCase {
    private func item(_ name: String, on stage: UploadStage) throws -> SourceItem {
        let directory = try SourceDirectory(path: Array(stage.path.utf8))
        return try XCTUnwrap(directory.item(Array(name.utf8)))
    }

    private func archive(on stage: UploadStage) throws -> Descriptor {
        Descriptor(adopting: open(stage.path + "/out.zip", O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
    }

    private func lines(_ text: String) -> Int { text.split(separator: "\n").count }

    private func forEachTool(_ body: (UploadTool) throws -> Void) rethrows {
        for tool in UploadTool.allCases {
            if tool.path == nil {
                print("Not tried with \(tool.rawValue), which is not installed")
            } else {
                try body(tool)
            }
        }
    }

    func testMoreEntriesThanSixteenBitsCanCount() throws {
        let stage = try UploadStage()
        let count = 70_000
        guard case .directory(_, let attributes) = try item("tmp", on: stage) else {
            return XCTFail("tmp is no directory")
        }
        let writer = ZipWriter(to: try archive(on: stage))
        for number in 0..<count { try writer.addDirectory(Array("d\(number)".utf8), attributes) }
        try writer.finish()
        try forEachTool { tool in
            let list =
                switch tool {
                case .unzip: try tool.run(["-Z1", "out.zip"], in: stage.path)
                case .bsdtar: try tool.run(["-tf", "out.zip"], in: stage.path)
                case .python3:
                    try tool.run(
                        ["-c", "import zipfile\nprint(*zipfile.ZipFile('out.zip').namelist())"],
                        in: stage.path
                    ).replacing(" ", with: "\n")
                }
            XCTAssertEqual(lines(list), count, tool.rawValue)
        }
    }

    /// The archive begins after a hole of 5 GiB: legal, and it makes all its offsets large.
    func testOffsetsBeyondFourGibibytes() throws {
        let stage = try UploadStage()
        try stage.make("tree")
        try stage.write("tree/a", prose(300_000))
        try stage.write("tree/b", noise(300_000))
        let writer = ZipWriter(to: try archive(on: stage), from: 5 << 30)
        guard case .directory(let tree, let attributes) = try item("tree", on: stage) else {
            return XCTFail("tree is no directory")
        }
        try writer.addDirectory(Array("tree".utf8), attributes)
        for name in try tree.names() {
            guard case .file(let file) = try tree.item(name) else { return XCTFail("no file") }
            try writer.addFile(Array("tree/".utf8) + name, file)
        }
        try writer.finish()
        try forEachTool { try $0.expect(stage.path + "/out.zip", toHold: stage.path + "/tree") }
    }

    func testWithoutZlibContentsAreStored() throws {
        let stage = try UploadStage()
        try stage.make("tree")
        let text = prose(600_000)
        try stage.write("tree/a", text)
        XCTAssertNil(ZLibrary(named: "libz-that-does-not-exist.so.1"))
        let writer = ZipWriter(to: try archive(on: stage), library: nil)
        guard case .directory(let tree, let attributes) = try item("tree", on: stage),
            case .file(let file) = try tree.item(Array("a".utf8))
        else { return XCTFail("no tree") }
        try writer.addDirectory(Array("tree".utf8), attributes)
        try writer.addFile(Array("tree/a".utf8), file)
        try writer.finish()
        let bytes = try contents(of: URL(fileURLWithPath: stage.path + "/out.zip"))
        XCTAssertGreaterThan(bytes.count, text.count)
        try forEachTool { try $0.expect(stage.path + "/out.zip", toHold: stage.path + "/tree") }
    }

    func testOurChecksumIsZlibs() throws {
        let library = try XCTUnwrap(ZLibrary.shared, "libz.so.1 is not installed")
        var ours = ZipChecksum(library: nil)
        Array("123456789".utf8).withUnsafeBytes { ours.update($0) }
        XCTAssertEqual(ours.value, 0xCBF4_3926)
        var theirs = ZipChecksum(library: library)
        Array("1234".utf8).withUnsafeBytes { theirs.update($0) }
        Array("56789".utf8).withUnsafeBytes { theirs.update($0) }
        XCTAssertEqual(ours.value, theirs.value)
    }

    func testAFileOfMoreThanFourGibibytes() throws {
        let isLong = ProcessInfo.processInfo.environment["FILECOORDINATION_LONG"] == "1"
        try XCTSkipUnless(isLong, "Set FILECOORDINATION_LONG=1")
        let stage = try UploadStage()
        try stage.make("tree")
        try stage.write("tree/after", "text")
        try stage.write("tree/big", "beginning")
        let size: UInt64 = 4 << 30 + 12_345
        let file = try XCTUnwrap(FileHandle(forUpdatingAtPath: stage.path + "/tree/big"))
        try file.seek(toOffset: size - 3)
        try file.write(contentsOf: Data("end".utf8))
        try stage.withSnapshot(of: "tree") { snapshot in
            let path = snapshot.url.path
            try forEachTool { tool in
                switch tool {
                case .unzip:
                    try tool.run(["-tq", path], in: stage.path)
                    let list = try tool.run(["-l", path, "tree/big"], in: stage.path)
                    XCTAssertTrue(list.contains("\(size)"), list)
                case .bsdtar:
                    let list = try tool.run(["-tvf", path], in: stage.path)
                    XCTAssertTrue(list.contains(" \(size) "), list)
                    try tool.run(["-xf", path], in: stage.path + "/tmp")
                    let status = try status(
                        of: URL(fileURLWithPath: stage.path + "/tmp/tree/big"))
                    XCTAssertEqual(UInt64(status.st_size), size)
                case .python3:
                    let script = """
                        import sys, zipfile
                        archive = zipfile.ZipFile(sys.argv[1])
                        assert archive.testzip() is None
                        print(archive.getinfo('tree/big').file_size)
                        """
                    let printed = try tool.run(["-c", script, path], in: stage.path)
                    XCTAssertEqual(printed, "\(size)\n")
                }
            }
        }
    }
}
