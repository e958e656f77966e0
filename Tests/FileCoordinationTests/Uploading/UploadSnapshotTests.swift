// SPDX-License-Identifier: Apache-2.0

import FileCoordination
import FileCoordinationSystem
import FileTree
import Foundation
import Glibc
import Testing

@Suite struct UploadSnapshotTests {
    private let stage: UploadStage

    init() throws { stage = try UploadStage() }

    // MARK: Copies (Rule 15.2)

    @Test func `A file's copy has its name, contents, mode and time`() throws {
        let bytes = noise(700_001)
        try stage.write("Notiz é.txt", bytes, mode: 0o640, time: 981_173_106)
        try stage.withSnapshot(of: "Notiz é.txt") { snapshot in
            #expect(snapshot.url.lastPathComponent == "Notiz é.txt")
            #expect(try contents(of: snapshot.url) == bytes)
            let status = try status(of: snapshot.url)
            #expect(status.st_mode == S_IFREG | 0o640)
            #expect(status.st_mtim.tv_sec == 981_173_106)
            #expect(status.st_nlink == 1)
        }
    }

    @Test func `A copy does not change with its original`() throws {
        try stage.write("note", "before")
        try stage.withSnapshot(of: "note") { snapshot in
            try stage.write("note", "after!")
            #expect(try contents(of: snapshot.url) == Array("before".utf8))
        }
    }

    @Test(arguments: ["folder", "book.rtfd", "Ordner ü"])
    func `A directory, package or not, becomes a zip file named after it`(name: String) throws {
        try stage.make(name)
        try stage.write(name + "/page", "text")
        let bytes = try stage.withSnapshot(of: name) { snapshot in
            #expect(snapshot.url.lastPathComponent == name + ".zip")
            return try contents(of: snapshot.url)
        }
        #expect(bytes.starts(with: [0x50, 0x4b, 3, 4]))
        // The first entry is the directory itself.
        #expect(Array(bytes[30...].prefix(name.utf8.count + 1)) == Array((name + "/").utf8))
    }

    @Test func `A file that says that it is empty is read to its end`() throws {
        let snapshot = try stage.snapshot(ofPath: "/proc/self/status")
        let bytes = try withExtendedLifetime(snapshot) { try contents(of: snapshot.url) }
        #expect(bytes.starts(with: Array("Name:".utf8)))
    }

    @Test func `Holes stay holes`() throws {
        try stage.write("sparse", "beginning")
        let file = try #require(FileHandle(forUpdatingAtPath: stage.path + "/sparse"))
        try file.seek(toOffset: 5 << 30)
        try file.write(contentsOf: Data("end".utf8))
        try file.truncate(atOffset: 6 << 30)
        let copy = try stage.withSnapshot(of: "sparse") { try status(of: $0.url) }
        #expect(copy.st_size == 6 << 30)
        #expect(copy.st_blocks * 512 < 1 << 20)
    }

    @Test(arguments: FileContents.Way.allCases)
    func `Every way to copy copies the same`(way: FileContents.Way) throws {
        try stage.write("source", prose(1_300_000))
        let number = open(stage.path + "/source", O_RDWR)
        let hole = try #require(FileHandle(forUpdatingAtPath: stage.path + "/source"))
        try hole.seek(toOffset: 3 << 20)
        try hole.write(contentsOf: noise(70_000))
        try hole.truncate(atOffset: 4 << 20)
        #expect(close(number) == 0)
        guard
            case .file(let source) = try SourceDirectory(path: Array(stage.path.utf8))
                .item(Array("source".utf8))
        else { throw SystemError(code: EINVAL, operation: "open the source") }
        let target = try Directory.open(stage.path).openFile("copy", [.read, .write, .create])
        var contents = FileContents(of: source.descriptor, to: target, from: way)
        try contents.copy()
        let copy = try Data(contentsOf: URL(fileURLWithPath: "/proc/self/fd/\(target.number)"))
        #expect(copy == FileManager.default.contents(atPath: stage.path + "/source"))
    }

    @Test func `A name that is too long, or that no URL can spell, is changed`() {
        let long = Array(String(repeating: "ü", count: 127).utf8) + [UInt8(ascii: "x")]
        let name = UploadSnapshot.copyName(of: long, ending: ".zip")
        #expect(name == Array(String(repeating: "ü", count: 125).utf8) + Array(".zip".utf8))
        #expect(UploadSnapshot.copyName(of: long) == long)
        #expect(UploadSnapshot.copyName(of: [0x61, 0xE9]) == Array("a\u{FFFD}".utf8))
    }

    // MARK: Failures (Rules 15.3 and 17.3)

    @Test(arguments: ["nothing", "nowhere/nothing"])
    func `What does not exist cannot be uploaded`(name: String) throws {
        let error = try #require(throws: NSError.self) {
            try UploadSnapshot.make(of: URL(fileURLWithPath: stage.path + "/" + name))
        }
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == CocoaError.fileReadNoSuchFile.rawValue)
        #expect(error.userInfo[NSFilePathErrorKey] is String)
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `A link as such, and what has no contents, cannot be uploaded`() throws {
        try stage.write("target", "text")
        try stage.link("link", to: "target")
        try stage.makeSpecial("pipe", S_IFIFO)
        #expect(throws: UploadError.symbolicLink(path: Array((stage.path + "/link").utf8))) {
            try stage.snapshot(of: "link")
        }
        #expect(throws: UploadError.notCopyable(path: Array((stage.path + "/pipe").utf8))) {
            try stage.snapshot(of: "pipe")
        }
        #expect(throws: UploadError.nameless) { try stage.snapshot(ofPath: "/") }
        #expect(try stage.temporaries.isEmpty)
    }

    @Test func `A file that cannot be read leaves nothing`() throws {
        let error = try #require(throws: UploadError.self) {
            try stage.snapshot(ofPath: "/proc/self/mem")
        }
        #expect(error == .unreadable(path: Array("/proc/self/mem".utf8), code: EIO))
        #expect(try stage.temporaries.isEmpty)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `An unreadable file in a directory is named, and leaves nothing`() throws {
        try stage.make("folder")
        try stage.write("folder/a", noise(1_000_000))
        try stage.write("folder/secret", [1], mode: 0)
        let error = try #require(throws: UploadError.self) { try stage.snapshot(of: "folder") }
        let path = stage.path + "/folder/secret"
        #expect(error == .unreadable(path: Array(path.utf8), code: EACCES))
        let report = error.nsError(item: URL(fileURLWithPath: stage.path + "/folder"))
        #expect(report.code == CocoaError.fileReadNoPermission.rawValue)
        #expect(report.userInfo[NSFilePathErrorKey] as? String == path)
        #expect(report.localizedDescription.contains("secret"))
        #expect(try stage.temporaries.isEmpty)
    }
}
