// SPDX-License-Identifier: Apache-2.0
//
// Known faults of other file watchers, each as a test with a real kernel; those that need a
// misbehaving kernel are in `KernelFaultTests` (Rules 7.14 and 11.9).

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWatching
import Foundation
import Glibc
import TestHome
import XCTest

final class TrapTests: WatchedTestCase {
    func testAnOverflowIsOneRescanForEachPresentedSubtree() throws {
        for name in ["tree/a", "tree/b"] { try tree.makeDirectory(name) }
        let one = try tree.present("tree/a", .directory)
        let other = try tree.present("tree/b", .directory)
        try tree.write("old", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        for round in 1...100 {
            tree.forget()
            tree.watcher.forceOverflow()
            try tree.wait("rescan \(round)") { _ in
                [one, other].allSatisfy { tree.told($0).contains("whole: overflow") }
            }
            XCTAssertEqual(tree.told(one).count + tree.told(other).count, 2)
        }
        try tree.barrier()
        XCTAssertEqual(tree.told(file), [])
    }

    func testAChangeWhoseNoticeWasLostIsTold() throws {
        try tree.write("old", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        let directory = try tree.present("tree", .directory)
        tree.forget()
        try tree.overwrite("tree/f", with: "new text")
        tree.watcher.forceOverflow()
        // On a busy machine the watcher sees the emptied file too, before the overflow.
        try tree.wait("the change") { _ in
            Set(tree.told(file)) == ["changed tree/f"] && !tree.told(directory).isEmpty
        }
    }

    func testFilesInANewDirectoryBeforeItsWatchAreTold() throws {
        let directory = try tree.present("tree", .directory)
        tree.forget()
        var expected: Set<String> = []
        for round in 0..<30 {
            let names = ["d\(round)", "d\(round)/e", "d\(round)/e/g"]
            try tree.makeDirectory("tree/" + names[2])
            try tree.write("x", to: "tree/d\(round)/e/g/x")
            expected.formUnion((names + [names[2] + "/x"]).map { "appeared tree/" + $0 })
        }
        // Items far inside may be told after the barrier, one level after the other.
        try tree.wait("all of them") { _ in
            // Temporary names of the files cancel out.
            var net = NetChanges(before: [])
            for line in tree.told(directory) { net.apply(line) }
            return Set(net.lines) == expected
        }
    }

    func testAMoveOutIsADeletionAfterItsBound() throws {
        try tree.write("old", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        let directory = try tree.present("tree", .directory)
        tree.forget()
        try tree.move("tree/f", to: "outside/f")
        // The kernel sets the time of a rename before the name is gone. A check in between finds
        // that the attributes have changed.
        try tree.wait("the deletion") { _ in
            [file, directory].allSatisfy { presenter in
                tree.told(presenter).filter { $0 != "attributes tree/f" } == ["deleted tree/f"]
            }
        }
    }

    func testAMovedDirectoryIsKnownByItsNewPath() throws {
        try tree.makeDirectory("tree/a/b")
        try tree.write("old", to: "tree/a/b/f")
        let directory = try tree.present("tree", .directory)
        let file = try tree.present("tree/a/b/f", .file)
        tree.forget()
        try tree.move("tree/a", to: "tree/c")
        try tree.barrier()
        XCTAssertEqual(tree.told(directory), ["moved tree/a to tree/c"])
        XCTAssertEqual(tree.told(file), ["moved tree/a/b/f to tree/c/b/f"])
        tree.forget()
        try tree.makeDirectory("tree/a/b")
        try tree.overwrite("tree/c/b/f", with: "new text")
        try tree.barrier()
        XCTAssertEqual(tree.told(file), ["changed tree/c/b/f"])
        XCTAssertEqual(
            Set(tree.told(directory)),
            ["appeared tree/a", "appeared tree/a/b", "changed tree/c/b/f"])
    }

    func testTheSecondAtomicSaveIsSeenToo() throws {
        try tree.write("0", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        for round in 1...5 {
            tree.forget()
            try tree.write("version \(round)", to: "tree/.aside")
            try tree.move("tree/.aside", to: "tree/f")
            try tree.barrier()
            XCTAssertEqual(tree.told(file), ["changed tree/f"], "save \(round)")
        }
    }

    func testASaveThatIsFinishedByLinkingIsSeen() throws {
        let file = try tree.present("tree/f", .file)
        let directory = try tree.present("tree", .directory)
        tree.forget()
        try tree.write("text", to: "outside/aside")
        XCTAssertEqual(link(tree.path("outside/aside"), tree.path("tree/f")), 0)
        try tree.remove("outside/aside")
        try tree.barrier()
        XCTAssertEqual(tree.told(file).first, "appeared tree/f")
        XCTAssertEqual(tree.told(directory).first, "appeared tree/f")
    }

    func testAWriterThroughAMappingIsSeenWhenItCloses() throws {
        try tree.write("old text", to: "tree/f")
        let file = try tree.present("tree/f", .file)
        try tree.barrier()
        tree.forget()
        let descriptor = open(tree.path("tree/f"), O_RDWR)
        let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        close(descriptor)
        memory?.storeBytes(of: 0x4e, as: UInt8.self)
        munmap(memory, 4096)
        try tree.wait("the change") { _ in tree.told(file) == ["changed tree/f"] }
    }

    func testReadingIsNoNewsAndARescanMakesNone() throws {
        try tree.makeDirectory("tree/a")
        try tree.write("old", to: "tree/a/f")
        let directory = try tree.present("tree", .directory)
        let file = try tree.present("tree/a/f", .file)
        tree.forget()
        try tree.shell("cat a/f; ls -R; find . -type f -exec cat {} +")
        try tree.barrier()
        tree.watcher.forceOverflow()
        try tree.wait("the rescan") { _ in tree.told(directory) == ["whole: overflow"] }
        try tree.barrier()
        XCTAssertEqual(tree.told(directory), ["whole: overflow"])
        XCTAssertEqual(tree.told(file), [])
    }

    func testADanglingLinkOfAnEditorIsAnItemLikeOthers() throws {
        let directory = try tree.present("tree", .directory)
        tree.forget()
        XCTAssertEqual(symlink("user@machine.1234:5678", tree.path("tree/.#f")), 0)
        try tree.barrier()
        XCTAssertEqual(tree.told(directory), ["appeared tree/.#f"])
        tree.forget()
        try tree.remove("tree/.#f")
        try tree.barrier()
        XCTAssertEqual(tree.told(directory), ["deleted tree/.#f"])
    }

    func testAWriteThroughAnotherNameOfAPresentedFileIsSeen() throws {
        try tree.write("old", to: "tree/f")
        XCTAssertEqual(link(tree.path("tree/f"), tree.path("outside/g")), 0)
        let file = try tree.present("tree/f", .file)
        tree.forget()
        try tree.overwrite("outside/g", with: "new text")
        try tree.wait("the change") { _ in tree.told(file).first == "changed tree/f" }
    }

    func testAnAncestorThatIsReplacedKeepsItsPresenters() throws {
        try tree.makeDirectory("tree/a/b")
        try tree.write("old", to: "tree/a/b/f")
        let file = try tree.present("tree/a/b/f", .file)
        try tree.makeDirectory("outside/n/b")
        try tree.write("new text", to: "outside/n/b/f")
        tree.forget()
        try tree.move("tree/a", to: "outside/former")
        try tree.move("outside/n", to: "tree/a")
        try tree.barrier()
        XCTAssertEqual(tree.told(file), ["changed tree/a/b/f"])
    }

    func testAWholeTreeThatIsDeletedAndMadeAgainIsFollowed() throws {
        try tree.makeDirectory("tree/a/b")
        try tree.write("old", to: "tree/a/b/f")
        let file = try tree.present("tree/a/b/f", .file)
        tree.forget()
        try tree.remove("tree/a")
        try tree.barrier()
        XCTAssertEqual(tree.told(file), ["deleted tree/a/b/f"])
        tree.forget()
        try tree.makeDirectory("tree/a/b")
        try tree.write("new text", to: "tree/a/b/f")
        try tree.barrier()
        XCTAssertEqual(tree.told(file).first, "appeared tree/a/b/f")
    }
}

/// What a mount hides, and what an unmount shows.
///
/// Mounting takes a privilege: else skipped.
final class MountTrapTests: WatchedTestCase {
    override var configuration: Watcher.Configuration {
        var configuration = Watcher.Configuration()
        configuration.limits.barrier = .milliseconds(20)
        return configuration
    }

    func testAMountOverAPresentedDirectoryIsFoundAndItsEndIsTold() throws {
        try tree.makeDirectory("tree/a")
        try tree.write("old", to: "tree/a/f")
        let file = try tree.present("tree/a/f", .file)
        tree.forget()
        guard mount("none", tree.path("tree/a"), "tmpfs", 0, nil) == 0 else {
            throw XCTSkip("may not mount")
        }
        defer { umount2(tree.path("tree/a"), Int32(MNT_DETACH)) }
        try tree.wait("the mount") { _ in tree.told(file) == ["deleted tree/a/f"] }
        tree.forget()
        try tree.write("inside", to: "tree/a/f")
        try tree.wait("the new file") { _ in tree.told(file).first == "appeared tree/a/f" }
        tree.forget()
        XCTAssertEqual(umount2(tree.path("tree/a"), 0), 0)
        try tree.wait("the end") { _ in tree.told(file) == ["changed tree/a/f"] }
    }
}

/// A limit of watches that is reached halfway.
final class WatchLimitTests: WatchedTestCase {
    override var configuration: Watcher.Configuration {
        var configuration = Watcher.Configuration()
        let depth = String(cString: test_home_root()).split(separator: "/").count
        // Watches for the directories above, the barrier's
        // file, the tree, and two directories in it.
        configuration.watchLimit = depth + 7
        configuration.limits.polling = .milliseconds(20)
        return configuration
    }

    func testASubtreeBeyondTheLimitIsPolledAndHeals() throws {
        for name in ["a", "b", "c", "d"] { try tree.makeDirectory("tree/" + name) }
        for name in ["a", "b", "c", "d"] { try tree.write("old", to: "tree/\(name)/f") }
        let other = try tree.present("tree/a", .directory)
        let directory = try tree.present("tree", .directory)
        try tree.wait("degraded") { _ in tree.told(directory).contains("degraded: limit") }
        XCTAssertEqual(tree.watcher.troubles[directory], .limit)
        tree.forget()
        for name in ["a", "b", "c", "d"] {
            try tree.overwrite("tree/\(name)/f", with: "new text")
        }
        let expected = Set(["a", "b", "c", "d"].map { "changed tree/\($0)/f" })
        try tree.wait("the changes") { _ in Set(tree.told(directory)) == expected }
        tree.forget()
        for name in ["b", "c", "d"] { try tree.remove("tree/" + name) }
        tree.watcher.unpresent(other)
        try tree.wait("healed") { _ in tree.told(directory).contains("healed") }
    }
}
