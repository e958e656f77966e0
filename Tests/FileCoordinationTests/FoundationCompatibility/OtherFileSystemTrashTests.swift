// SPDX-License-Identifier: Apache-2.0
//
// The trash at the top of a file system that is not the home's. A directory in shared memory plays
// the top directory, so that the real one is left alone.

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

/// A file system that is not the temporary directory's.
private enum OtherFileSystem {
    static let path = "/dev/shm"
    static let reason: Comment = "needs /dev/shm, on another file system than the temporary files"

    static var isThere: Bool {
        guard let other = try? FileStatus(path: path),
            let usual = try? FileStatus(path: NSTemporaryDirectory())
        else { return false }
        return other.device != usual.device && access(path, W_OK) == 0
    }
}

@Suite(.enabled(if: OtherFileSystem.isThere, OtherFileSystem.reason))
struct OtherFileSystemTrashTests {
    private let stage: TrashStage
    private let user = CurrentProcess.effectiveUserID

    init() throws { stage = try TrashStage(documentsIn: OtherFileSystem.path) }

    private var ownTrash: URL {
        stage.documents.appendingPathComponent(".Trash-\(user)", isDirectory: true)
    }
    private var sharedTrash: URL {
        stage.documents.appendingPathComponent(".Trash", isDirectory: true)
    }

    private func makeSharedTrash(_ mode: mode_t) {
        mkdir(sharedTrash.path, 0o700)
        chmod(sharedTrash.path, mode)
    }

    @Test func `An item stays on its file system, and its note tells the place from the top`()
        throws
    {
        let url = try stage.file("folder/a note.txt", "mine")
        let place = try stage.trashItem(at: url)
        #expect(place.path == ownTrash.path + "/files/a note.txt")
        #expect(try contents(place) == "mine")
        #expect(try stage.note("a note.txt", in: ownTrash)[1] == "Path=folder/a%20note.txt")
        #expect(try TrashStage.permissions(ownTrash) == 0o700)
        #expect(!TrashStage.exists(url))
        // Not even the trash at home was made.
        #expect(stage.names(in: stage.home).isEmpty)
    }

    @Test func `A sticky trash for all is preferred, with a part for each user`() throws {
        makeSharedTrash(0o1777)
        let place = try stage.trashItem(at: try stage.file("a"))
        let part = sharedTrash.appendingPathComponent("\(user)", isDirectory: true)
        #expect(place.path == part.path + "/files/a")
        #expect(try stage.note("a", in: part)[1] == "Path=a")
        #expect(try TrashStage.permissions(part) == 0o700)
        #expect(!TrashStage.exists(ownTrash))
        #expect(stage.refusal(of: place)?.code == CocoaError.fileWriteUnknown.rawValue)
        #expect(stage.refusal(of: sharedTrash)?.code == CocoaError.fileWriteUnknown.rawValue)
    }

    @Test func `A trash for all that is not sticky, or a link, is not trusted`() throws {
        makeSharedTrash(0o777)
        let first = try stage.trashItem(at: try stage.file("a"))
        #expect(first.path == ownTrash.path + "/files/a")
        #expect(stage.names(in: sharedTrash).isEmpty)

        let trap = stage.documents.appendingPathComponent("trap")
        rename(sharedTrash.path, trap.path)
        chmod(trap.path, 0o1777)
        symlink(trap.path, sharedTrash.path)
        let second = try stage.trashItem(at: try stage.file("b"))
        #expect(second.path == ownTrash.path + "/files/b")
        #expect(stage.names(in: trap).isEmpty)
    }

    @Test func `A user's own trash that is a link is not trusted`() throws {
        let trap = stage.documents.appendingPathComponent("trap")
        mkdir(trap.path, 0o700)
        symlink(trap.path, ownTrash.path)
        let url = try stage.file("a")
        #expect(stage.refusal(of: url)?.code == CocoaError.featureUnsupported.rawValue)
        #expect(TrashStage.exists(url))
        #expect(stage.names(in: trap).isEmpty)
    }

    @Test func `Where no trash can be made nothing happens, and nothing is copied`() throws {
        try Data().write(to: stage.documents.appendingPathComponent(".Trash-\(user)"))
        let url = try stage.file("a", "mine")
        let refusal = try #require(stage.refusal(of: url))
        #expect(refusal.domain == NSCocoaErrorDomain)
        #expect(refusal.code == 3328)
        #expect(refusal.localizedDescription.contains("has no trash"))
        let cause = refusal.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSPOSIXErrorDomain)
        #expect(try contents(url) == "mine")
        #expect(stage.names(in: stage.home).isEmpty)
    }

    @Test func `Items, and the trash itself, are not trashed twice`() throws {
        let place = try stage.trashItem(at: try stage.file("a"))
        for url in [place, ownTrash, ownTrash.appendingPathComponent("info")] {
            #expect(stage.refusal(of: url)?.code == CocoaError.fileWriteUnknown.rawValue)
        }
        #expect(TrashStage.exists(place))
    }

    @Test func `The top directory is found by mount points and by devices`() throws {
        let inner = try TrashStage.place(try stage.file("one/two/a").deletingLastPathComponent())
        let one = inner.prefix(depth: inner.depth - 1)
        let shared = try #require(ItemPath(OtherFileSystem.path))
        #expect(MountTable(mountPoints: []).topDirectory(of: inner) == shared)
        #expect(MountTable.current.topDirectory(of: inner) == shared)
        #expect(MountTable(mountPoints: [one]).topDirectory(of: inner) == one)
        let root = try #require(ItemPath("/"))
        #expect(MountTable(mountPoints: [root]).topDirectory(of: root) == root)
    }

    @Test func `The kernel's list of mounts is read with its escapes`() throws {
        let lines = """
            25 24 0:23 / /dev/shm rw,relatime - tmpfs tmpfs rw
            31 24 8:1 / /media/my\\040disk\\134 rw shared:1 - ext4 /dev/sda1 rw
            not a line

            """
        let table = MountTable(parsing: Array(lines.utf8))
        let disk = try #require(ItemPath("/media/my disk\\"))
        let shared = try #require(ItemPath("/dev/shm"))
        #expect(table.mountPoints == [disk, shared])
        #expect(MountTable.current.mountPoints.contains(shared))
    }
}
