// SPDX-License-Identifier: Apache-2.0
//
// A file system that stamps whole seconds although its kind can stamp nanoseconds: ext4 with inodes
// of 128 bytes, in a file that is mounted. That needs root.

import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@testable import FileCoordinationClient

/// A mounted ext4 with inodes of 128 bytes.
private final class CoarseFileSystem {
    let path = NSTemporaryDirectory() + "coarse-" + UUID().uuidString

    init() throws {
        let image = path + ".image"
        try Self.run(
            "mkdir \(path) && truncate -s 8M \(image) && mkfs.ext4 -q -I 128 \(image)"
                + " && mount -o loop \(image) \(path); status=$?; rm -f \(image); exit $status")
    }

    deinit { try? Self.run("umount \(path); rmdir \(path)") }

    /// Whether one can be made here.
    static var isPossible: Bool { (try? CoarseFileSystem()) != nil }

    private static func run(_ script: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "PATH=$PATH:/usr/sbin:/sbin; exec 2>/dev/null; " + script]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}

struct CoarseStampTests {
    @Test(
        "Rule 7.8: a rewrite of the same size within the second of the first one is a change",
        .enabled("needs root, mkfs.ext4 and loop devices") { CoarseFileSystem.isPossible })
    func rewriteWithinASecond() throws {
        let mounted = try CoarseFileSystem()
        let file = mounted.path + "/f"
        let path = try #require(ItemPath(file))
        while true {
            try Data("1".utf8).write(to: URL(fileURLWithPath: file))
            var before = ItemStamp.take(of: path)
            let first = try #require(before.status)
            try #require(first.changed % 1_000_000_000 == 0)
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
            try handle.write(contentsOf: Data("2".utf8))
            try handle.close()
            let after = ItemStamp.take(of: path)
            // The second may have ended in between.
            guard after.status == first else { continue }
            // Older than the tick of the kernel's clock.
            before.takenAt = max(before.takenAt, first.changed + 100_000_000)
            #expect(before.outcome(after: after, at: path) == .changed)
            #expect(before.outcomeOfMove(after: after, at: path) == .changed)
            return
        }
    }

    @Test(
        "Rule 18.16: where stamps are whole seconds, a token is taken when another change shows",
        .enabled("needs root, mkfs.ext4 and loop devices") { CoarseFileSystem.isPossible })
    func tokenOfAFreshFile() throws {
        let mounted = try CoarseFileSystem()
        let file = mounted.path + "/f"
        let path = Array(file.utf8)
        for _ in 0..<2 {
            try Data("1".utf8).write(to: URL(fileURLWithPath: file))
            let token = try ItemToken.take(at: path)
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
            try handle.write(contentsOf: Data("2".utf8))
            try handle.close()
            #expect(try token.difference(fromItemAt: path) != nil)
        }
        // With the look at a grant, which does not wait.
        let sight = try #require(ItemToken.Sight(at: path))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file))
        try handle.write(contentsOf: Data("3".utf8))
        try handle.close()
        let token = try ItemToken.make(of: sight, at: path, withDigest: false)
        // The rewrite may have been in the same second as the change before the look.
        #expect(try token.difference(fromItemAt: path) != nil)
    }
}
