// SPDX-License-Identifier: Apache-2.0
//
// To which item a version belongs: the one for which it was added, wherever that item is moved and
// however it is saved.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationVersions
import Foundation
import Glibc
import Testing

@Suite struct VersionBelongingTests {
    private let stage: VersionStage

    init() throws { stage = try VersionStage() }

    /// Makes a document with one version, which says "old".
    private func document(_ name: String) throws {
        let url = try stage.file(name, "old")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.file(name, "now")
    }

    // MARK: Names

    /// Removes a document in a coordinated write.
    private func delete(_ name: String) throws {
        let write = stage.store.beginWriting(at: try stage.place(name))
        try FileManager.default.removeItem(at: stage.url(name))
        write.end()
    }

    @Test func `A new file with the name of one that a coordinated write deleted has no versions`()
        throws
    {
        try document("a.txt")
        // At once, so that the file system is likely to use the same number again.
        try delete("a.txt")
        try stage.file("a.txt", "new")
        #expect(try stage.texts("a.txt") == [])
        // It has none after a coordinated write has saved it either.
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.saveByRenaming("a.txt", "newer")
        write.end()
        #expect(try stage.texts("a.txt") == [])
    }

    @Test func `Many files in a row with one name never see each other's versions`() throws {
        for round in 1...30 {
            let url = try stage.file("a.txt", "\(round)")
            #expect(try stage.texts("a.txt") == [])
            try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
            #expect(try stage.texts("a.txt") == ["\(round)"])
            try delete("a.txt")
        }
    }

    @Test func `What a plain program saves by renaming has the versions of what was there`() throws
    {
        try document("a.txt")
        for round in 1...3 {
            try stage.saveByRenaming("a.txt", "saved \(round)")
            #expect(try stage.texts("a.txt") == ["old"])
        }
        // The next coordinated write ties the versions to the new file, so that they follow a move.
        stage.store.beginWriting(at: try stage.place("a.txt")).end()
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("b.txt"))
        #expect(try stage.texts("b.txt") == ["old"])
        #expect(stage.counts == [1, 1])
    }

    @Test func `What a plain program deletes and writes anew has the versions, too`() throws {
        try document("a.txt")
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        #expect(stage.use { NSFileVersion.otherVersionsOfItem(at: stage.url("a.txt")) } == nil)
        let url = try stage.file("a.txt", "new")
        #expect(try stage.texts("a.txt") == ["old"])
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        #expect(try stage.texts("a.txt") == ["old", "new"])
        #expect(stage.counts == [1, 1])
    }

    @Test(arguments: ["b.txt", "d/b.txt", "d/e/f/b.txt", "../b.txt", "../g/b.txt"])
    func `A file that was moved keeps its versions, and a new one at its old name has none`(
        target: String
    ) throws {
        for folder in ["d/e/f", "../g"] {
            try FileManager.default.createDirectory(
                at: stage.url(folder), withIntermediateDirectories: true)
        }
        try document("a.txt")
        #expect(rename(stage.url("a.txt").path, stage.url(target).path) == 0)
        try stage.file("a.txt", "new")
        #expect(try stage.texts("a.txt") == [])
        #expect(try stage.texts(target) == ["old"])
        // It has none after a coordinated write has saved it either.
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.saveByRenaming("a.txt", "newer")
        write.end()
        #expect(try stage.texts("a.txt") == [])
        #expect(try stage.texts(target) == ["old"])
    }

    @Test func `A file that takes the place by a move brings its own versions, and no others`()
        throws
    {
        try document("a.txt")
        let url = try stage.file("b.txt", "other's")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        #expect(rename(url.path, stage.url("a.txt").path) == 0)
        #expect(try stage.texts("a.txt") == ["other's"])
    }

    @Test func `A file that was moved over the item brings its own versions`() throws {
        try document("a.txt")
        let url = try stage.file("b.txt", "other's")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        try FileManager.default.moveItem(at: url, to: stage.url("a.txt"))
        stage.store.itemDidMove(from: try stage.place("b.txt"), to: try stage.place("a.txt"))
        #expect(try stage.texts("a.txt") == ["other's"])
    }

    @Test func `Hard links are one item`() throws {
        try document("a.txt")
        link(stage.url("a.txt").path, stage.url("b.txt").path)
        #expect(try stage.texts("b.txt") == ["old"])
        #expect(try stage.texts("a.txt") == ["old"])
        try FileManager.default.removeItem(at: stage.url("a.txt"))
        #expect(try stage.texts("b.txt") == ["old"])
    }

    @Test func `A link and what it leads to are two items (Rule 1.4)`() throws {
        try document("a.txt")
        symlink("a.txt", stage.url("link").path)
        #expect(try stage.texts("link") == [])
        symlink(".", stage.url("folder").path)
        #expect(try stage.texts("folder/a.txt") == ["old"])
    }

    // MARK: Identities

    @Test func `An identity is more than a number that is used again`() {
        func identity(_ device: UInt64, _ inode: UInt64, _ born: Int64, _ handle: UInt64)
            -> ItemIdentity
        { ItemIdentity(device: device, inode: inode, born: born, handle: handle) }
        let whole = identity(1, 2, 3, 4)
        #expect(whole.compared(with: whole) == .same)
        #expect(whole.compared(with: identity(1, 9, 3, 4)) == .different)
        #expect(whole.compared(with: identity(1, 2, 9, 4)) == .different)
        #expect(whole.compared(with: identity(1, 2, 3, 9)) == .different)
        #expect(whole.compared(with: identity(9, 2, 3, 4)) == .sameElsewhere)
        // A property that the file system does not report is not compared.
        #expect(whole.compared(with: identity(1, 2, 0, 4)) == .same)
        #expect(whole.compared(with: identity(1, 2, 3, 0)) == .same)
        #expect(whole.compared(with: identity(1, 2, 0, 0)) == .perhaps)
        #expect(whole.compared(with: identity(9, 2, 0, 0)) == .different)
    }

    @Test func `Devices may be numbered anew at every start`() throws {
        try document("a.txt")
        func renumber() throws {
            for folder in ["places", "files"] {
                let old = try #require(stage.ties(in: folder).first)
                var parts = old.split(separator: ".").map(String.init)
                parts[3] = "77777777"
                let path = stage.store.path + "/"
                #expect(rename(path + old, path + parts.joined(separator: ".")) == 0)
            }
        }
        try renumber()
        #expect(try stage.texts("a.txt") == ["old"])
        stage.store.beginWriting(at: try stage.place("a.txt")).end()
        #expect(!stage.ties(in: "places").contains { $0.contains(".77777777.") })
        try renumber()
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("b.txt"))
        #expect(try stage.texts("b.txt") == ["old"])
        #expect(stage.counts == [1, 1])
    }

    // MARK: Moves (Rules 11.2 and 11.4)

    @Test func `Versions follow a move, announced or not`() throws {
        try document("a.txt")
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("b.txt"))
        #expect(try stage.texts("b.txt") == ["old"])
        try FileManager.default.moveItem(at: stage.url("b.txt"), to: stage.url("c.txt"))
        stage.store.itemDidMove(from: try stage.place("b.txt"), to: try stage.place("c.txt"))
        #expect(try stage.texts("c.txt") == ["old"])
        #expect(stage.counts == [1, 1])
    }

    @Test func `Versions follow the move of a directory around their item`() throws {
        try FileManager.default.createDirectory(
            at: stage.url("d/e"), withIntermediateDirectories: true)
        try document("d/e/a.txt")
        try FileManager.default.moveItem(at: stage.url("d"), to: stage.url("f"))
        stage.store.itemDidMove(from: try stage.place("d"), to: try stage.place("f"))
        // The place is known, so the document can be saved there.
        let write = stage.store.beginWriting(at: try stage.place("f/e/a.txt"))
        try stage.saveByRenaming("f/e/a.txt", "saved")
        write.end()
        #expect(try stage.texts("f/e/a.txt") == ["old"])
    }

    @Test func `Two items that change places keep their own`() throws {
        try document("a.txt")
        try document("b.txt")
        try stage.use {
            let url = stage.url("b.txt")
            try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        }
        for (old, new) in [("a.txt", "c.txt"), ("b.txt", "a.txt"), ("c.txt", "b.txt")] {
            try FileManager.default.moveItem(at: stage.url(old), to: stage.url(new))
        }
        stage.store.itemDidMove(from: try stage.place("a.txt"), to: try stage.place("b.txt"))
        stage.store.itemDidMove(from: try stage.place("b.txt"), to: try stage.place("a.txt"))
        #expect(try stage.texts("a.txt") == ["old", "now"])
        #expect(try stage.texts("b.txt") == ["old"])
    }

    @Test(.enabled(if: OtherDevice.exists))
    func `Versions follow an announced move to another file system`() throws {
        let other = try OtherDevice()
        try FileManager.default.createDirectory(
            at: stage.url("d"), withIntermediateDirectories: true)
        // One that was deleted before does not come along.
        try document("d/a.txt")
        try delete("d/a.txt")
        let url = try stage.file("d/a.txt", "mine")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }

        let new = other.url.appendingPathComponent("moved")
        try FileManager.default.copyItem(at: stage.url("d"), to: new)
        try FileManager.default.removeItem(at: stage.url("d"))
        let place = try #require(ItemPath(new.path))
        stage.store.itemDidMove(from: try stage.place("d"), to: place)
        try stage.use {
            let versions = try #require(
                NSFileVersion.otherVersionsOfItem(at: new.appendingPathComponent("a.txt")))
            #expect(try versions.map { try text($0.url) } == ["mine"])
        }
    }

    // MARK: Saving

    @Test func `A coordinated write keeps the versions with the document it saves`() throws {
        try document("a.txt")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.saveByRenaming("a.txt", "saved")
        // The versions are there inside the accessor already, also for other processes.
        #expect(try stage.texts("a.txt") == ["old"])
        #expect(
            VersionStore(path: stage.store.path)
                .versionIdentifiers(at: try stage.place("a.txt"))?.count == 1)
        try stage.saveByRenaming("a.txt", "saved again")
        write.end()
        #expect(try stage.texts("a.txt") == ["old"])
        #expect(stage.leftovers() == [])
        #expect(stage.counts == [1, 1])
    }

    @Test func `So it does with a version that was added in it`() throws {
        let url = try stage.file("a.txt", "old")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.saveByRenaming("a.txt", "saved")
        #expect(try stage.texts("a.txt") == ["old"])
        try stage.saveByRenaming("a.txt", "saved again")
        write.end()
        #expect(try stage.texts("a.txt") == ["old"])
        #expect(stage.leftovers() == [])
    }

    @Test func `So it does with a document that it makes`() throws {
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        let url = try stage.file("a.txt", "first")
        try stage.use { try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
        try stage.saveByRenaming("a.txt", "saved")
        write.end()
        #expect(try stage.texts("a.txt") == ["first"])
        #expect(stage.leftovers() == [])
    }

    @Test func `A backup that the save leaves has no versions`() throws {
        try document("a.txt")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("a.txt~"))
        try stage.file("a.txt", "saved")
        write.end()
        #expect(try stage.texts("a.txt") == ["old"])
        #expect(try stage.texts("a.txt~") == [])
    }

    @Test func `A writer that dies after it has saved loses no versions`() throws {
        try document("a.txt")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.saveByRenaming("a.txt", "saved")
        write.abandon()
        let next = VersionStore(path: stage.store.path)
        #expect(next.versionIdentifiers(at: try stage.place("a.txt"))?.count == 1)
        next.recover()
        #expect(stage.leftovers() == [])
        #expect(try stage.texts("a.txt") == ["old"])
    }

    @Test func `A writer that dies before it has saved changes nothing`() throws {
        try document("a.txt")
        stage.store.beginWriting(at: try stage.place("a.txt")).abandon()
        #expect(try stage.texts("a.txt") == ["old"])
        stage.store.recover()
        #expect(try stage.texts("a.txt") == ["old"])
        #expect(stage.leftovers() == [])
    }

    @Test func `What was moved away in a write is the item there`() throws {
        try document("a.txt")
        let write = stage.store.beginWriting(at: try stage.place("a.txt"))
        try FileManager.default.moveItem(at: stage.url("a.txt"), to: stage.url("b.txt"))
        stage.store.itemDidMove(from: try stage.place("a.txt"), to: try stage.place("b.txt"))
        try stage.file("a.txt", "another")
        write.end()
        #expect(try stage.texts("a.txt") == [])
        #expect(try stage.texts("b.txt") == ["old"])
    }

    @Test func `A document that two writes delete and make is a new one`() throws {
        try document("a.txt")
        try delete("a.txt")
        let second = stage.store.beginWriting(at: try stage.place("a.txt"))
        try stage.file("a.txt", "new")
        second.end()
        #expect(try stage.texts("a.txt") == [])
    }

    @Test func `A write to an item without versions leaves nothing in the store`() throws {
        try document("a.txt")
        try stage.file("b.txt", "1")
        let write = stage.store.beginWriting(at: try stage.place("b.txt"))
        #expect(stage.names(in: "writing") == [])
        write.end()
        let other = stage.store.beginWriting(at: try stage.place("a.txt"))
        #expect(stage.names(in: "writing").count == 1)
        other.end()
        #expect(stage.names(in: "writing") == [])
    }
}

/// A directory on another file system than the temporary one, if this machine has it.
final class OtherDevice {
    static var exists: Bool {
        var here = stat()
        var there = stat()
        return stat(NSTemporaryDirectory(), &here) == 0 && stat("/dev/shm", &there) == 0
            && here.st_dev != there.st_dev && access("/dev/shm", W_OK) == 0
    }

    let url: URL

    init() throws {
        url = URL(fileURLWithPath: "/dev/shm/versions-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
