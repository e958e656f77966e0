// SPDX-License-Identifier: Apache-2.0
//
// File systems that are mounted below a presented directory, and are unmounted without an event, or
// stop responding (Rule 7.14). Without the privilege to mount, the tests are skipped.

import FileCoordinationSystem
import FileCoordinationWatching
import Foundation
import Glibc
import XCTest

final class MountsBelowTests: WatchedTestCase {
    override var configuration: Watcher.Configuration {
        var configuration = Watcher.Configuration()
        configuration.limits.barrier = .milliseconds(20)
        configuration.limits.polling = .milliseconds(20)
        return configuration
    }

    func testAMountThatIsTakenAwayWhileAProgramUsesItIsTold() throws {
        try tree.makeDirectory("tree/m")
        guard mount("none", tree.path("tree/m"), "tmpfs", 0, nil) == 0 else {
            throw XCTSkip("may not mount")
        }
        defer { umount2(tree.path("tree/m"), Int32(MNT_DETACH)) }
        try tree.write("inside", to: "tree/m/f")
        let directory = try tree.present("tree", .directory)
        tree.forget()
        // The file system lives on with this file, so the kernel does not notify of its end.
        let user = try XCTUnwrap(FileHandle(forReadingAtPath: tree.path("tree/m/f")))
        XCTAssertEqual(umount2(tree.path("tree/m"), Int32(MNT_DETACH)), 0)
        try tree.wait("the end") { _ in
            tree.told(directory).contains { line in
                // A watcher that a busy machine has delayed does not tell the details.
                line == "deleted tree/m/f" || line == "whole: late"
                    || line.hasSuffix(" tree/m") && !line.hasPrefix("attributes")
            }
        }
        tree.forget()
        try tree.write("outside the mount", to: "tree/m/g")
        try tree.wait("a file in the directory that was hidden") { _ in
            tree.told(directory).contains("appeared tree/m/g")
        }
        try user.close()
    }

    func testAFileSystemThatAnswersNoMoreIsToldAndDelaysNothing() throws {
        try tree.makeDirectory("tree/m")
        try tree.write("old", to: "tree/f")
        let server = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard server >= 0 else { throw XCTSkip("No FUSE may be used here: error \(errno).") }
        let options = "fd=\(server),rootmode=40000,user_id=0,group_id=0"
        let flags = UInt(MS_NOSUID) | UInt(MS_NODEV)
        let isMounted = mount("dead", tree.path("tree/m"), "fuse", flags, options) == 0
        // From now on, every question is answered with an error.
        close(server)
        guard isMounted else { throw XCTSkip("may not mount") }
        defer { umount2(tree.path("tree/m"), Int32(MNT_DETACH) | Int32(MNT_FORCE)) }
        let directory = try tree.present("tree", .directory)
        try tree.wait("degraded") { _ in
            tree.told(directory).contains("degraded: permission")
        }
        tree.forget()
        try tree.overwrite("tree/f", with: "new text")
        try tree.wait("a change beside it") { _ in
            tree.told(directory).contains("changed tree/f")
        }
        XCTAssertEqual(umount2(tree.path("tree/m"), Int32(MNT_DETACH)), 0)
        try tree.wait("healed") { _ in tree.told(directory).contains("healed") }
        XCTAssertNil(tree.watcher.troubles[directory])
    }

    func testAThreadThatWaitsForAFileSystemShowsSinceWhen() throws {
        try tree.makeDirectory("tree/m")
        let server = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard server >= 0 else { throw XCTSkip("No FUSE may be used here: error \(errno).") }
        let options = "fd=\(server),rootmode=40000,user_id=0,group_id=0"
        let flags = UInt(MS_NOSUID) | UInt(MS_NODEV)
        guard mount("dead", tree.path("tree/m"), "fuse", flags, options) == 0 else {
            close(server)
            throw XCTSkip("may not mount")
        }
        defer { umount2(tree.path("tree/m"), Int32(MNT_DETACH) | Int32(MNT_FORCE)) }
        // No question is answered.
        tree.watcher.present(77, try tree.item("tree"), .directory)
        try until("the thread waits") { began in
            began.map { $0 + .milliseconds(100) <= MonotonicClock.now } ?? false
        }
        // From now on, every question is answered with an error.
        close(server)
        try tree.wait("the thread goes on") {
            $0.contains(WatchNews(presenter: 77, body: .listening))
        }
        try until("the thread rests") { $0 == nil }
    }

    /// Waits until the time at which the watcher's turn began fulfils a condition.
    private func until(_ what: String, _ isMet: (Instant?) -> Bool) throws {
        let poller = try Poller()
        var ready: [Poller.Ready] = []
        let deadline = MonotonicClock.after(.seconds(20))
        while !isMet(tree.watcher.turnBegan) {
            guard MonotonicClock.now < deadline else {
                XCTFail("Waited in vain: \(what)")
                return
            }
            try poller.wait(into: &ready, until: MonotonicClock.after(.milliseconds(5)))
        }
    }
}
