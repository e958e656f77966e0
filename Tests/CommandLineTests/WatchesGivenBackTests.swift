// SPDX-License-Identifier: Apache-2.0
//
// The kernel's watches are few, and shared by all programs of a user: the server has one inotify
// instance for all presenters, and gives back each watch that no presenter needs (Rule 7.14).

import Foundation
import XCTest

final class WatchesGivenBackTests: XCTestCase {
    /// A daemon, which a claim keeps from ending, and the inotify instances that it had before the
    /// first presenter came.
    private struct Daemon {
        let sandbox: Sandbox
        let process: pid_t
        let earlier: InotifyWatches

        init(_ sandbox: Sandbox) throws {
            _ = try sandbox.startHolding("write", "kept")
            self.sandbox = sandbox
            process = try XCTUnwrap(try sandbox.status().arbiter?.pid)
            earlier = InotifyWatches(of: process)
        }

        /// The watches for presenters.
        var watches: InotifyWatches { InotifyWatches(of: process).beyond(earlier) }

        /// Waits until the watches for presenters are as the test wants them.
        func awaitWatches(_ what: String, _ condition: (InotifyWatches) -> Bool) throws {
            let deadline = Date(timeIntervalSinceNow: RunningCommand.patience)
            while Date() < deadline {
                if condition(watches) { return }
                poll(nil, 0, 5)
            }
            throw Impatience(what: what, seen: "\(watches)")
        }
    }

    /// Rules 5.7 and 15.8: a presenter is removed, its program ends, or is killed.
    func testTheLastPresentersWatchesAreGivenBackOnEveryWayOut() throws {
        try with { sandbox in
            let daemon = try Daemon(sandbox)
            for inner in 1...3 { try sandbox.makeDirectory("a/b/d/\(inner)") }
            try sandbox.makeFile("a/b/f", "0")
            let ofFile = try sandbox.inodesOnTheWay(to: "a/b/f")
            let ofDirectory = try ["", "/1", "/2", "/3"].flatMap {
                try sandbox.inodesOnTheWay(to: "a/b/d" + $0)
            }
            let inside = ofDirectory.filter { !ofFile.contains($0) }
            let ways: [(String, (RunningCommand) -> Void)] = [
                ("removed", { $0.kill(SIGTERM) }), ("ended", { $0.closeInput() }),
                ("killed", { $0.kill(SIGKILL) }),
            ]
            for (name, leave) in ways {
                let one = try sandbox.startPresenting("a/b/f", "a/b/d", count: 2)
                let other = try sandbox.startPresenting("a/b/f")
                try daemon.awaitWatches("watches of everything, \(name)") {
                    $0.contains(allOf: ofFile + ofDirectory)
                }
                leave(one)
                try one.exitStatus()
                // The other presenter needs watches of the
                // file and of the directories above it only.
                try daemon.awaitWatches("end of the directory's watches, \(name)") {
                    !$0.contains(anyOf: inside)
                }
                XCTAssertTrue(daemon.watches.contains(allOf: ofFile), name)
                leave(other)
                try other.exitStatus()
                // What is left is the watcher's own test file.
                try daemon.awaitWatches("end of all watches, \(name)") {
                    !$0.contains(anyOf: ofFile + ofDirectory) && $0.inodes.count <= 1
                }
            }
            XCTAssertEqual(try sandbox.status().arbiter?.pid, daemon.process)
        }
    }

    func testThereIsOneInotifyInstanceForAllPresenters() throws {
        try with { sandbox in
            let daemon = try Daemon(sandbox)
            var inodes: [UInt64] = []
            for number in 0..<4 {
                let names = (0..<5).map { "d\(number)/\($0)" }
                for name in names {
                    try sandbox.makeDirectory(name)
                    inodes += try sandbox.inodesOnTheWay(to: name)
                }
                let command = try sandbox.start(["present", "--json"] + names)
                try command.awaitOutput("five presenters") { lines in
                    lines.filter { $0.contains("\"message\":\"registered\"") }.count == 5
                }
            }
            XCTAssertEqual(try sandbox.status().presenters.count, 20)
            try daemon.awaitWatches("watches of everything") { $0.contains(allOf: inodes) }
            let watches = daemon.watches
            XCTAssertEqual(watches.instances.count, 1, "\(watches)")
            XCTAssertEqual(Set(watches.inodes).count, watches.inodes.count, "\(watches)")
        }
    }
}
