// SPDX-License-Identifier: Apache-2.0
//
// The trash at home: for what is on the same file system as the home.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@Suite struct HomeTrashTests {
    private let stage: TrashStage

    init() throws { stage = try TrashStage() }

    @Test func `An item is in the trash with a note that says where it was`() throws {
        let before = Date()
        let url = try stage.file("a note.txt", "mine")
        let place = try stage.trashItem(at: url)

        #expect(!TrashStage.exists(url))
        #expect(place.path == stage.homeTrash.path + "/files/a note.txt")
        #expect(try contents(place) == "mine")
        let note = try stage.note("a note.txt", in: stage.homeTrash)
        #expect(note.count == 4)
        #expect(note[0] == "[Trash Info]")
        #expect(note[1] == "Path=" + stage.documents.path + "/a%20note.txt")
        #expect(note[3].isEmpty)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "'DeletionDate='yyyy-MM-dd'T'HH:mm:ss"
        let date = try #require(format.date(from: note[2]))
        #expect(date >= before.addingTimeInterval(-1) && date <= Date())
    }

    @Test func `The trash is made when it is first used, for its owner alone`() throws {
        try stage.trashItem(at: try stage.file("a"))
        for name in ["", "files", "info"] {
            let url = stage.homeTrash.appendingPathComponent(name)
            #expect(try TrashStage.permissions(url) == 0o700)
        }
        let note = stage.homeTrash.appendingPathComponent("info/a.trashinfo")
        #expect(try TrashStage.permissions(note) == 0o600)
    }

    @Test func `The data directory counts before the home, if it is absolute`() throws {
        let mounts = MountTable(mountPoints: [try TrashStage.place(stage.documents)])
        let data = stage.home.appendingPathComponent("data")
        for (value, expected) in [
            (data.path, data.appendingPathComponent("Trash")), ("data", stage.homeTrash),
        ] {
            let trash = Trash(
                environment: ["HOME": stage.home.path, "XDG_DATA_HOME": value], mounts: mounts)
            let place = try trash.put(try stage.file("a"))
            #expect(place.path == expected.path + "/files/a")
        }
    }

    @Test func `A taken name gets a number, and nothing is replaced`() throws {
        let names = try ["a.txt", "a.txt", "a.txt", ".hidden", ".hidden"].enumerated().map {
            try stage.trashItem(at: try stage.file($1, "\($0)")).lastPathComponent
        }
        #expect(names == ["a.txt", "a 2.txt", "a 3.txt", ".hidden", ".hidden 2"])
        for (number, name) in names.enumerated() {
            let place = stage.homeTrash.appendingPathComponent("files/\(name)")
            #expect(try contents(place) == "\(number)")
        }
        #expect(
            try stage.note("a 3.txt", in: stage.homeTrash)[1]
                == "Path=\(stage.documents.path)/a.txt")
    }

    @Test func `An item without a note, or a note without an item, keeps its name`() throws {
        try stage.trashItem(at: try stage.file("first"))
        let files = stage.homeTrash.appendingPathComponent("files")
        let info = stage.homeTrash.appendingPathComponent("info")
        try Data("old".utf8).write(to: files.appendingPathComponent("a"))
        try Data("old".utf8).write(to: info.appendingPathComponent("b.trashinfo"))

        #expect(try stage.trashItem(at: try stage.file("a")).lastPathComponent == "a 2")
        #expect(try stage.trashItem(at: try stage.file("b")).lastPathComponent == "b 2")
        #expect(try contents(files.appendingPathComponent("a")) == "old")
        #expect(try contents(info.appendingPathComponent("b.trashinfo")) == "old")
        #expect(
            stage.names(in: info)
                == ["a 2.trashinfo", "b 2.trashinfo", "b.trashinfo", "first.trashinfo"])
    }

    @Test func `Many who trash the same name at the same time lose nothing`() async throws {
        let count = 100
        let urls = try (0..<count).map { try stage.file("\($0)/same.txt", "\($0)") }
        let places = try await withThrowingTaskGroup(of: URL.self) { group in
            for url in urls { group.addTask { [stage] in try stage.trashItem(at: url) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(places).count == count)
        let texts = try places.map { try contents($0) }
        #expect(Set(texts) == Set((0..<count).map { "\($0)" }))
        for place in places {
            let number = try contents(place)
            let note = try stage.note(place.lastPathComponent, in: stage.homeTrash)
            #expect(note[1] == "Path=\(stage.documents.path)/\(number)/same.txt")
        }
    }

    @Test func `A directory goes with all that is in it, a link alone`() throws {
        try stage.file("folder/inner", "kept")
        let folder = stage.documents.appendingPathComponent("folder")
        let link = stage.documents.appendingPathComponent("link")
        symlink(folder.path, link.path)

        let linkPlace = try stage.trashItem(at: link)
        #expect(RealPath.target(ofLink: Array(linkPlace.path.utf8)) == Array(folder.path.utf8))
        #expect(!linkPlace.hasDirectoryPath)
        #expect(TrashStage.exists(folder))
        let place = try stage.trashItem(at: folder)
        #expect(place.hasDirectoryPath)
        #expect(try contents(place.appendingPathComponent("inner")) == "kept")
        let dangling = stage.documents.appendingPathComponent("dangling")
        symlink("/nowhere/at/all", dangling.path)
        try stage.trashItem(at: dangling)
        #expect(!TrashStage.exists(dangling))
    }

    @Test func `Names of any bytes keep them`() throws {
        let bytes = Array("100% ü\n#?".utf8) + [0xFF]
        let path = Array(stage.documents.path.utf8) + [UInt8(ascii: "/")] + bytes
        let file = open(path.map { CChar(bitPattern: $0) } + [0], O_CREAT | O_WRONLY, 0o600)
        #expect(file >= 0)
        close(file)
        let encoded = "100%25%20%C3%BC%0A%23%3F%FF"
        let url = try #require(URL(string: "file://\(stage.documents.path)/\(encoded)"))

        let place = try stage.trashItem(at: url)
        #expect(place.absoluteString == "file://\(stage.homeTrash.path)/files/\(encoded)")
        #expect((try? FileStatus(path: path, followLinks: false)) == nil)
        let info = try Directory.open(stage.homeTrash.path + "/info").rawNames()
        #expect(info == [bytes + Array(".trashinfo".utf8)])
        let note = stage.homeTrash.path + "/info"
        let raw = Array(note.utf8) + [UInt8(ascii: "/")] + (info.first ?? [])
        #expect(try FileStatus(path: raw).size > 0)
    }

    @Test func `A name that leaves no room for the note's is shortened`() throws {
        let stem = "x" + String(repeating: "ü", count: 124)
        let url = try stage.file(stem + ".text")
        #expect(url.lastPathComponent.utf8.count == 254)
        let place = try stage.trashItem(at: url)
        // 240 bytes are left for the stem: "x" and 119 and a half characters.
        #expect(place.lastPathComponent == "x" + String(repeating: "ü", count: 119) + ".text")
        let again = try stage.trashItem(at: try stage.file(stem + ".text"))
        #expect(again.lastPathComponent == "x" + String(repeating: "ü", count: 118) + " 2.text")
        let plain = try stage.trashItem(at: try stage.file(String(repeating: "x", count: 255)))
        #expect(plain.lastPathComponent.utf8.count == 245)
    }
}
