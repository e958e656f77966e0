// SPDX-License-Identifier: Apache-2.0
//
// Directories and files, by name.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct DirectoryTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `A subdirectory is created once and opened afterwards`() throws {
        let first = try scratch.directory.openSubdirectory("sub", creatingWithMode: 0o700)
        let second = try scratch.directory.openSubdirectory("sub", creatingWithMode: 0o700)
        let status = try first.status()
        #expect(status.kind == .directory)
        #expect(status.permissions == 0o700)
        #expect(status.ownerUserID == CurrentProcess.effectiveUserID)
        #expect(try second.status().inode == status.inode)
    }

    @Test func `A link is no directory`() throws {
        _ = try scratch.directory.openSubdirectory("real", creatingWithMode: 0o700)
        symlink("real", scratch.path + "/link")
        let error = systemError {
            try scratch.directory.openSubdirectory("link", creatingWithMode: 0o700)
        }
        #expect([ErrorNumber.notADirectory, ErrorNumber.symbolicLink].contains(error?.code))
        #expect(throws: SystemError.self) {
            try Directory.open(scratch.path + "/link", followLinks: false)
        }
        #expect(try Directory.open(scratch.path + "/link").names().isEmpty)
        #expect(try scratch.directory.status(of: "link").kind == .symbolicLink)
        #expect(try scratch.directory.status(of: "link", followLinks: true).kind == .directory)
    }

    @Test func `A file is never opened through a link`() throws {
        _ = try scratch.file("real")
        symlink("real", scratch.path + "/link")
        let error = systemError { try scratch.directory.openFile("link", .read) }
        #expect(error?.code == ErrorNumber.symbolicLink)
    }

    @Test func `A status tells what changed`() throws {
        let file = try scratch.file("f", size: 10)
        let before = try file.status()
        #expect(before.kind == .regular)
        #expect(before.size == 10)
        #expect(before.linkCount == 1)
        #expect(before.permissions == 0o600)
        #expect(try scratch.directory.status(of: "f") == before)
        #expect(try FileStatus(path: scratch.path + "/f") == before)

        link(scratch.path + "/f", scratch.path + "/g")
        let after = try FileStatus(path: Array((scratch.path + "/g").utf8))
        #expect(after.inode == before.inode)
        #expect(after.linkCount == 2)
        #expect(after.changed >= before.changed)
    }

    @Test func `What does not exist is reported by name`() throws {
        let error = systemError { try scratch.directory.status(of: "absent") }
        #expect(error?.code == ErrorNumber.noSuchFile)
        #expect(error?.description.contains("\"absent\"") == true)
        #expect(error?.description.contains("No such file") == true)
    }

    @Test func `A name with a zero inside is refused`() throws {
        _ = try scratch.file("a")
        let error = systemError { try scratch.directory.openFile("a\0b", .read) }
        #expect(error?.code == ErrorNumber.invalidArgument)
        #expect(throws: SystemError.self) { try FileStatus(path: [97, 0, 98]) }
    }

    @Test func `All names are listed, each once, also from two lists at once`() throws {
        let expected = Set((0..<1500).map { "file-with-a-rather-long-name-\($0)" })
        for name in expected { _ = try scratch.directory.openFile(name, [.write, .create]) }
        let names = try scratch.directory.names()
        #expect(names.count == expected.count)
        #expect(Set(names) == expected)
        #expect(Set(try scratch.directory.names()) == expected)
    }

    @Test func `A name that is no text is listed as bytes only`() throws {
        let name: [CChar] = [102, -1, 0]
        name.withUnsafeBufferPointer {
            _ = close(openat(scratch.directory.descriptor.number, $0.baseAddress!, O_CREAT, 0o600))
        }
        #expect(try scratch.directory.names().isEmpty)
        #expect(try scratch.directory.rawNames() == [[102, 255]])
    }

    @Test func `Renaming replaces, refuses or exchanges`() throws {
        let a = try scratch.file("a").status().inode
        let b = try scratch.file("b").status().inode
        let refused = systemError {
            try scratch.directory.rename("a", to: "b", ifTaken: .refuse)
        }
        #expect(refused?.code == ErrorNumber.alreadyExists)
        try scratch.directory.rename("a", to: "b", ifTaken: .exchange)
        #expect(try scratch.directory.status(of: "a").inode == b)
        #expect(try scratch.directory.status(of: "b").inode == a)
        try scratch.directory.rename("a", to: "b")
        #expect(try scratch.directory.names() == ["b"])
        let other = try scratch.directory.openSubdirectory("other", creatingWithMode: 0o700)
        try scratch.directory.rename("b", to: "c", in: other, ifTaken: .refuse)
        #expect(try other.names() == ["c"])
    }

    @Test func `Files and directories are removed, each by its own call`() throws {
        _ = try scratch.file("f")
        let sub = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
        _ = try sub.openFile("x", [.write, .create])
        #expect(throws: SystemError.self) { try scratch.directory.remove("d") }
        let error = systemError { try scratch.directory.removeSubdirectory("d") }
        #expect(error?.code == ENOTEMPTY)
        try sub.remove("x")
        try scratch.directory.removeSubdirectory("d")
        try scratch.directory.remove("f")
        #expect(try scratch.directory.names().isEmpty)
    }

    @Test func `Exclusive creation fails if the name is taken`() throws {
        _ = try scratch.file("f")
        let error = systemError {
            try scratch.directory.openFile("f", [.write, .create, .exclusive])
        }
        #expect(error?.code == ErrorNumber.alreadyExists)
    }

    @Test func `A directory stays itself when its path changes`() throws {
        let sub = try scratch.directory.openSubdirectory("before", creatingWithMode: 0o700)
        try scratch.directory.rename("before", to: "after")
        _ = try sub.openFile("inside", [.write, .create])
        #expect(try FileStatus(path: scratch.path + "/after/inside").kind == .regular)
    }
}
