// SPDX-License-Identifier: Apache-2.0
//
// If the kernel cannot report changes, the server polls: presenters are told that anything may have
// changed, `filecoord status` shows the reason, and when the reason has ended, changes are reported
// as usual (Rule 7.14). The tests use limits of the kernel: those of a user namespace, and the
// permissions of directories.

import Foundation
import XCTest

final class WatchDegradationTests: XCTestCase {
    /// Waits until all presenters are told of changes in this way.
    private func awaitWatching(_ word: String, _ sandbox: Sandbox) throws {
        try sandbox.awaitStatus("watching: \(word)") { status in
            !status.presenters.isEmpty && status.presenters.allSatisfy { $0.watching == word }
        }
    }

    private func countOfChanges(_ command: RunningCommand, to path: String) throws -> Int {
        try command.heard().count {
            $0.presenter == path && $0.message == "presentedItemDidChange"
        }
    }

    /// Waits until a directory's presenter was told of these names or, once more than `wholes`
    /// times, of everything.
    private func awaitLook(
        _ command: RunningCommand, at names: [String], in directory: String, wholes: Int
    ) throws {
        try command.awaitOutput("\(names) or everything to \(directory)") { lines in
            let heard = lines.compactMap {
                try? JSONDecoder().decode(PresenterLine.self, from: Data($0.utf8))
            }.filter { $0.presenter == directory }
            return heard.count { $0.message == "presentedItemDidChange" } > wholes
                || names.allSatisfy { name in
                    heard.contains { $0.url == "\(directory)/\(name)" }
                }
        }
    }

    func testThatTheLimitOfWatchesIsReachedIsToldAndHeals() throws {
        try with(.embedded) { sandbox in
            let isPermitted = try sandbox.runInShell(
                "unshare --user --map-root-user true && command -v nsenter")
            try XCTSkipUnless(
                isPermitted.status == 0, "No user namespace can be made: \(isPermitted.errors)")
            let directory = try sandbox.makeDirectory("d")
            // It serves itself, so that the kernel counts the server's watches in the namespace.
            let command = try sandbox.startInShell(
                "exec unshare --user --map-root-user \"$0\" present --json d")
            try command.awaitMessage("registered", to: directory)
            func limit(to count: Int) throws {
                try sandbox.runPlainly(
                    "nsenter --user --target \(command.processID) "
                        + "sh -c 'echo \(count) >/proc/sys/user/max_inotify_watches'")
            }
            try sandbox.makeFile("d/first", "1")
            try command.awaitName("first", to: directory)
            try awaitWatching("notified", sandbox)
            try limit(to: InotifyWatches(of: command.processID).inodes.count + 2)
            XCTAssertEqual(try countOfChanges(command, to: directory), 0)
            for number in 1...6 { try sandbox.makeDirectory("d/\(number)") }
            try command.awaitMessage("presentedItemDidChange", to: directory)
            try awaitWatching("limit", sandbox)
            let table = try sandbox.run("status").output
            XCTAssertTrue(
                table.contains("changes are polled: the user's limit of watches is reached"), table)
            // Changes in all directories are told, without a watch at the next poll.
            for number in 1...6 { try sandbox.makeFile("d/\(number)/f", "1") }
            for number in 1...6 { try command.awaitName("\(number)/f", to: directory) }
            try limit(to: 100_000)
            // When a watch is given back, the server tries to
            // watch the other directories at the next poll.
            try sandbox.runPlainly("rm -r d/1 d/2")
            try awaitWatching("notified", sandbox)
            try sandbox.makeFile("d/6/after", "1")
            try command.awaitName("6/after", to: directory)
            for line in try command.heard() where line.message != "registered" {
                XCTAssertEqual(line.origin, "uncoordinated", line.message)
            }
        }
    }

    /// Root may read everything, so root gives its rights up.
    private static let asUser =
        geteuid() == 0 ? "setpriv --bounding-set=-dac_override,-dac_read_search" : ""

    /// Presents a directory and a file below in a program that serves itself, and may not do more
    /// than the owner of the files.
    private func present(_ names: [String], _ sandbox: Sandbox) throws -> RunningCommand {
        let probe = try sandbox.runInShell("\(Self.asUser) true")
        try XCTSkipUnless(probe.status == 0, "Rights cannot be given up: \(probe.errors)")
        let command = try sandbox.startInShell(
            "exec \(Self.asUser) \"$0\" present --json \(names.joined(separator: " "))")
        for name in names { try command.awaitMessage("registered", to: sandbox.path(name)) }
        return command
    }

    func testThatADirectoryMayNotBeReadAnyMoreIsToldAndHeals() throws {
        try with(.embedded) { sandbox in
            let directory = try sandbox.makeDirectory("d")
            try sandbox.makeDirectory("d/s")
            let file = try sandbox.makeFile("d/s/f", "1")
            let command = try present(["d", "d/s/f"], sandbox)
            try awaitWatching("notified", sandbox)
            try sandbox.runPlainly("chmod 0 d/s")
            defer { chmod(sandbox.path("d/s"), 0o700) }
            for path in [directory, file] {
                try command.awaitMessage("presentedItemDidChange", to: path)
            }
            try awaitWatching("permission", sandbox)
            let table = try sandbox.run("status").output
            XCTAssertTrue(
                table.contains("changes are polled: something may not be read"), table)
            let before = try countOfChanges(command, to: file)
            let wholes = try countOfChanges(command, to: directory)
            try sandbox.runPlainly("chmod 700 d/s; echo longer >d/s/f; echo 1 >d/s/g")
            try command.awaitMessage("presentedItemDidChange", to: file, count: before + 1)
            try awaitLook(command, at: ["s/f", "s/g"], in: directory, wholes: wholes)
            try awaitWatching("notified", sandbox)
            let healed = try countOfChanges(command, to: file)
            try sandbox.makeFile("d/s/f", "after it has healed")
            try command.awaitMessage("presentedItemDidChange", to: file, count: healed + 1)
        }
    }

    func testADirectoryThatMayNotBeReadFromTheBeginningHeals() throws {
        try with(.embedded) { sandbox in
            let directory = try sandbox.makeDirectory("d")
            try sandbox.makeDirectory("d/s")
            try sandbox.makeFile("d/s/f", "1")
            try sandbox.runPlainly("chmod 0 d/s")
            defer { chmod(sandbox.path("d/s"), 0o700) }
            let command = try present(["d"], sandbox)
            try awaitWatching("permission", sandbox)
            // Changes in readable directories are reported as usual.
            try sandbox.makeFile("d/g", "1")
            try command.awaitName("g", to: directory)
            try sandbox.runPlainly("chmod 700 d/s")
            try awaitWatching("notified", sandbox)
            try sandbox.makeFile("d/s/f", "after it has healed")
            try command.awaitName("s/f", to: directory)
        }
    }
}
