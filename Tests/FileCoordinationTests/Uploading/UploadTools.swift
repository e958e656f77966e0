// SPDX-License-Identifier: Apache-2.0
//
// The programs by which archives are tried: those that people have.

import FileCoordination
import FileTree
import Foundation
import XCTest

/// A program that reads zip archives.
enum UploadTool: String, CaseIterable {
    case unzip
    case python3
    case bsdtar

    /// Where it is, by PATH; nil if it is not installed.
    var path: String? {
        let places = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return places.split(separator: ":").map { "\($0)/\(rawValue)" }
            .first(where: FileManager.default.isExecutableFile)
    }

    /// Skips the test, with a word on it, if the program is not installed.
    func require() throws {
        try XCTSkipIf(path == nil, "\(rawValue) is not installed")
    }

    /// Runs the program, and returns what it printed; fails the test if it is not content.
    @discardableResult
    func run(
        _ arguments: [String], in directory: String, file: StaticString = #filePath,
        line: UInt = #line
    ) throws -> String {
        let log = directory + "/tool-\(UUID().uuidString)"
        XCTAssertTrue(FileManager.default.createFile(atPath: log, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: log) }
        let output = try XCTUnwrap(FileHandle(forWritingAtPath: log))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try XCTUnwrap(path))
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        // Else they would take names for ASCII.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"]
        ) { $1 }
        process.standardOutput = output
        process.standardError = output
        try process.run()
        process.waitUntilExit()
        let data = FileManager.default.contents(atPath: log) ?? Data()
        let text = String(decoding: data, as: UTF8.self)
        XCTAssertEqual(
            process.terminationStatus, 0, "\(rawValue) \(arguments): \(text.suffix(2000))",
            file: file, line: line)
        return text
    }

    /// Has the program compare `archive` with the tree `top`, directly or by unpacking it first.
    func expect(
        _ archive: String, toHold top: String, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let directory = URL(fileURLWithPath: archive).deletingLastPathComponent().path
        let unpacked = directory + "/unpacked-\(rawValue)"
        defer { UploadStage.removeTree(at: unpacked) }
        switch self {
        case .python3:
            try run(["-c", Self.comparison, archive, top], in: directory, file: file, line: line)
            return
        case .unzip:
            try run(["-q", archive, "-d", unpacked], in: directory, file: file, line: line)
        case .bsdtar:
            try FileManager.default.createDirectory(
                atPath: unpacked, withIntermediateDirectories: false)
            try run(["-xpf", archive, "-C", unpacked], in: directory, file: file, line: line)
        }
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: unpacked).count, 1,
            "one item on top", file: file, line: line)
        let name = URL(fileURLWithPath: top).lastPathComponent
        let found = try TreeReport.lines(of: unpacked + "/" + name)
        let wanted = try TreeReport.lines(of: top)
        XCTAssertEqual(found, wanted, "by \(rawValue)", file: file, line: line)
    }

    /// Python's module knows no links and sets no modes, but tells of them.
    private static let comparison = """
        import os, stat, sys, zipfile
        archive, top = sys.argv[1:]
        zipped = zipfile.ZipFile(archive)
        assert zipped.testzip() is None
        left = {info.filename: info for info in zipped.infolist()}
        assert len(left) == len(zipped.infolist()), 'a name occurs twice'
        parent = os.path.dirname(top)
        paths = [top]
        for base, directories, files in os.walk(top):
            paths += [os.path.join(base, name) for name in directories + files]
        for path in paths:
            status = os.lstat(path)
            if stat.S_ISFIFO(status.st_mode) or stat.S_ISSOCK(status.st_mode):
                continue
            name = os.path.relpath(path, parent)
            info = left.pop(name + '/' if stat.S_ISDIR(status.st_mode) else name)
            assert info.external_attr >> 16 == status.st_mode, name
            assert info.create_system == 3
            if stat.S_ISLNK(status.st_mode):
                assert zipped.read(info) == os.fsencode(os.readlink(path)), name
            elif stat.S_ISREG(status.st_mode):
                assert info.file_size == status.st_size, name
                with open(path, 'rb') as file:
                    assert zipped.read(info) == file.read(), name
        assert not left, left
        """
}

/// What there is in a tree, one line for each item.
enum TreeReport {
    /// Kinds, modes, sizes and contents of all; times of the files only, and nothing of what has no
    /// contents.
    static func lines(of top: String) throws -> [String] {
        var lines: [String] = []
        var paths = [""]
        while let path = paths.popLast() {
            let directory = try SourceDirectory(path: Array((top + path).utf8))
            for bytes in try directory.names() {
                let name = path + "/" + String(decoding: bytes, as: UTF8.self)
                switch try XCTUnwrap(directory.item(bytes)) {
                case .directory(_, let status):
                    lines.append("\(name) directory \(String(status.st_mode, radix: 8))")
                    paths.append(name)
                case .link(let target, _):
                    lines.append("\(name) -> \(String(decoding: target, as: UTF8.self))")
                case .file(let file):
                    lines.append(try line(of: file, name))
                case .special: break
                }
            }
        }
        return lines.sorted()
    }

    private static func line(of file: SourceFile, _ name: String) throws -> String {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        var sum = ZipChecksum()
        var position: UInt64 = 0
        while true {
            let count = try file.read(into: buffer, at: position)
            guard count > 0 else { break }
            sum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += UInt64(count)
        }
        let mode = String(file.status.st_mode, radix: 8)
        return "\(name) \(mode) \(position) \(sum.value) \(file.status.st_mtim.tv_sec)"
    }
}
