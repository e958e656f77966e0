// SPDX-License-Identifier: Apache-2.0
//
// The properties that distinguish a file from a later one with the same inode number, extended
// attributes, and names of any bytes.

import FileCoordinationSystem
import Glibc
import Testing

@Suite struct FileIdentityTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func path(_ name: String) -> [UInt8] { Array((scratch.path + "/" + name).utf8) }

    // MARK: Birth

    @Test func `A birth names the same file as a status`() throws {
        let status = try scratch.file("f").status()
        let birth = try FileProperties(path: path("f"))
        #expect(birth.device == status.device)
        #expect(birth.inode == status.inode)
        if let born = birth.born { #expect(born <= status.changed) }
    }

    @Test func `A birth stays the same when the file changes, and is a link's own`() throws {
        let file = try scratch.file("f")
        symlink("f", scratch.path + "/link")
        let birth = try FileProperties(path: path("f"))
        try FileSpace.truncate(file, length: 1)
        let later = try FileProperties(path: path("f"))
        #expect((later.device, later.inode, later.born) == (birth.device, birth.inode, birth.born))
        #expect(try FileProperties(path: path("link")).inode != birth.inode)
    }

    @Test func `What does not exist has neither birth nor handle`() {
        let error = systemError { try FileProperties(path: path("absent")) }
        #expect(error?.code == ErrorNumber.noSuchFile)
    }

    // MARK: Handles

    @Test func `A handle tells files apart, and is the same by any name`() throws {
        _ = try scratch.file("f")
        _ = try scratch.file("g")
        link(scratch.path + "/f", scratch.path + "/also-f")
        // Some file systems have none.
        guard let handle = try FileProperties(path: path("f")).handle else { return }
        #expect(handle != 0)
        #expect(try FileProperties(path: path("also-f")).handle == handle)
        #expect(try FileProperties(path: path("g")).handle != handle)
    }

    // MARK: Extended attributes

    @Test func `Extended attributes are set, listed and read`() throws {
        let file = try scratch.file("f")
        #expect(try ExtendedAttributes.names(of: file).allSatisfy { !$0.isUser })
        let values: [(name: String, value: [UInt8])] = [
            ("user.some", Array("value".utf8)), ("user.empty", []),
            ("user.long", [UInt8](repeating: 7, count: 1_000)),
        ]
        do {
            for (name, value) in values {
                try ExtendedAttributes.set(Array(name.utf8), to: [1, 2, 3], of: file)
                try ExtendedAttributes.set(Array(name.utf8), to: value, of: file)
            }
        } catch {
            // Some file systems have none.
            #expect(error.code == ErrorNumber.notSupported)
            return
        }
        let names = try ExtendedAttributes.names(of: file).filter(\.isUser)
        #expect(Set(names) == Set(values.map { Array($0.name.utf8) }))
        for (name, value) in values {
            #expect(try ExtendedAttributes.value(of: Array(name.utf8), of: file) == value)
        }
        #expect(try ExtendedAttributes.value(of: Array("user.absent".utf8), of: file) == nil)
    }

    // MARK: Names of any bytes

    @Test func `Names that are no text are renamed from one directory to another`() throws {
        let name: [UInt8] = [0xE9, 0xFF]
        _ = try scratch.file("f")
        let source = scratch.directory.descriptor
        let folder = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
        try source.rename(Array("f".utf8), to: name, in: folder.descriptor)
        #expect(try folder.rawNames() == [name])
        #expect(try scratch.directory.names() == ["d"])
    }

    /// As on NFS, 9p and sshfs.
    @Test func `Without the file system's help, a name that is taken is refused`() throws {
        _ = try scratch.file("f")
        _ = try scratch.file("taken", size: 2)
        symlink("nowhere", scratch.path + "/link")
        _ = try scratch.directory.openSubdirectory("d", creatingWithMode: 0o700)
        _ = try scratch.directory.openSubdirectory("other", creatingWithMode: 0o700)
        let folder = scratch.directory.descriptor
        for name in ["f", "link", "d"] {
            let (old, new) = (Array(name.utf8), Array("\(name)-moved".utf8))
            for taken in ["taken", "other", "link"] {
                let error = systemError {
                    try folder.renameInSteps(old, toFree: Array(taken.utf8), in: folder)
                }
                #expect(error?.code == ErrorNumber.alreadyExists, "\(name) to \(taken)")
            }
            let inode = try folder.status(of: old).st_ino
            try folder.renameInSteps(old, toFree: new, in: folder)
            #expect(try folder.status(of: new).st_ino == inode)
            try folder.renameInSteps(new, toFree: old, in: folder)
        }
        #expect(try scratch.directory.names().sorted() == ["d", "f", "link", "other", "taken"])
        #expect(try scratch.directory.status(of: "taken").size == 2)
        let inside = try scratch.directory.openSubdirectory("d").descriptor
        #expect(
            systemError {
                try folder.rename(
                    Array("d".utf8), to: Array("d".utf8), in: inside, ifTaken: .refuse)
            }?.code == ErrorNumber.invalidArgument)
        #expect(
            systemError {
                try folder.renameInSteps(
                    Array("absent".utf8), toFree: Array("new".utf8), in: folder)
            }?.code == ErrorNumber.noSuchFile)
    }

    @Test func `A name that is taken is replaced, refused or exchanged`() throws {
        for name in ["a", "b"] { _ = try scratch.file(name, size: name == "a" ? 1 : 2) }
        let folder = scratch.directory.descriptor
        let (a, b) = (Array("a".utf8), Array("b".utf8))
        let error = systemError { try folder.rename(a, to: b, in: folder, ifTaken: .refuse) }
        #expect(error?.code == ErrorNumber.alreadyExists)
        try folder.rename(a, to: b, in: folder, ifTaken: .exchange)
        #expect(try scratch.directory.status(of: "b").size == 1)
        try folder.rename(a, to: b, in: folder)
        #expect(try scratch.directory.names() == ["b"])
        #expect(try scratch.directory.status(of: "b").size == 2)
        #expect(
            systemError { try folder.rename([0x61, 0], to: b, in: folder) }?.code
                == ErrorNumber.invalidArgument)
    }

    @Test func `A whole file system is brought to its device`() throws {
        try scratch.file("f").synchronizeFileSystem()
        try scratch.directory.descriptor.synchronizeFileSystem()
    }
}

extension [UInt8] {
    /// Whether it is the name of an attribute that all users may use.
    fileprivate var isUser: Bool { starts(with: "user.".utf8) }
}
