// SPDX-License-Identifier: Apache-2.0
//
// The user's configuration of packages (Rule 1.11): where the server finds it, and which part of it
// the server sends to clients. The server does not interpret the lines.

import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import Glibc
import Testing

@testable import FileCoordinationServer

struct PackageConfigurationTests {
    private func location(_ variables: [String: String]) -> String? {
        PackageConfiguration.location { variables[$0] }
    }

    @Test func `The configuration is where the user keeps such files`() {
        let file = "/filecoordination/packages"
        #expect(location(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == "/x" + file)
        #expect(location(["HOME": "/h"]) == "/h/.config" + file)
        #expect(location(["XDG_CONFIG_HOME": "", "HOME": "/h"]) == "/h/.config" + file)
        #expect(location(["XDG_CONFIG_HOME": "x", "HOME": "/h"]) == "/h/.config" + file)
        #expect(location(["XDG_CONFIG_HOME": "/x"]) == "/x" + file)
        for nothing in [[:], ["HOME": ""], ["HOME": "h"], ["XDG_CONFIG_HOME": "../x"]] {
            #expect(location(nothing) == nil)
        }
    }

    // MARK: Reading it

    private func load(_ variables: [String: String]) -> [UInt8] {
        PackageConfiguration.load { variables[$0] }
    }

    @Test func `The file is read as it is`() throws {
        let world = try RelocationLogWorld()
        let home = ["HOME": world.path]
        let folder = world.path + "/.config/filecoordination"
        #expect(load(home).isEmpty && load([:]).isEmpty)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        #expect(load(home).isEmpty)
        for bytes in [[], Array("+abc\n".utf8), Array("-pkg\nmine".utf8), [0xFF, 0, 0x0A]] {
            try Data(bytes).write(to: URL(fileURLWithPath: folder + "/packages"))
            #expect(load(home) == bytes)
            #expect(load(["XDG_CONFIG_HOME": world.path + "/.config", "HOME": "/"]) == bytes)
        }
        try FileManager.default.removeItem(atPath: folder + "/packages")
        #expect(mkdir(folder + "/packages", 0o700) == 0)
        #expect(load(home).isEmpty)
        #expect(rmdir(folder + "/packages") == 0)
        // No open waits for the other end.
        #expect(mkfifo(folder + "/packages", 0o600) == 0)
        #expect(load(home).isEmpty)
    }

    @Test func `The file may be a link to where it is kept`() throws {
        let world = try RelocationLogWorld()
        let folder = world.path + "/filecoordination"
        #expect(mkdir(folder, 0o700) == 0)
        try world.put(Array("+abc\n".utf8), into: "kept")
        #expect(symlink("../kept", folder + "/packages") == 0)
        #expect(load(["XDG_CONFIG_HOME": world.path]) == Array("+abc\n".utf8))
        try world.directory.remove("kept")
        #expect(load(["XDG_CONFIG_HOME": world.path]).isEmpty)
    }

    @Test func `Of a file that is too long the lines count that fit`() throws {
        let world = try RelocationLogWorld()
        let folder = world.path + "/filecoordination"
        #expect(mkdir(folder, 0o700) == 0)
        let line = Array("+extension\n".utf8)
        let bytes = Array([[UInt8]](repeating: line, count: 100_000).joined())
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/packages"))
        let loaded = load(["XDG_CONFIG_HOME": world.path])
        #expect(loaded.count == WireLimits.packagePolicyBytes / line.count * line.count)
        #expect(bytes.starts(with: loaded))
        // The policy fits into a message to a client.
        #expect(throws: Never.self) { try ServerMessage.packagePolicy(loaded).encodeChecked() }
    }

    // MARK: Whole lines

    private func text(_ count: Int, newlinesAt places: Int...) -> [UInt8] {
        var bytes = [UInt8](repeating: 0x61, count: count)
        for place in places { bytes[place] = 0x0A }
        return bytes
    }

    @Test func `What fits is left alone, with or without the end of its last line`() {
        let limit = WireLimits.packagePolicyBytes
        for bytes in [[], text(1), text(limit), text(limit, newlinesAt: 5, limit - 1)] {
            #expect(PackageConfiguration.wholeLines(bytes) == bytes)
        }
    }

    @Test func `What does not fit ends with a whole line`() {
        let limit = WireLimits.packagePolicyBytes
        func lengthKept(_ bytes: [UInt8]) -> Int {
            let kept = PackageConfiguration.wholeLines(bytes)
            #expect(bytes.starts(with: kept))
            return kept.count
        }
        #expect(lengthKept(text(limit + 1)) == 0)
        #expect(lengthKept(text(limit + 1, newlinesAt: 0)) == 1)
        #expect(lengthKept(text(limit + 1, newlinesAt: 5, 99)) == 100)
        #expect(lengthKept(text(limit + 1, newlinesAt: 5, limit - 1)) == limit)
        // The last line fits; only the newline after it does not.
        #expect(lengthKept(text(limit + 1, newlinesAt: 5, limit)) == limit)
        #expect(lengthKept(text(limit + 9, newlinesAt: 5, limit + 1)) == 6)
    }

    // MARK: Adding to it

    private func adding(_ lines: String, to policy: String) -> String {
        let sum = PackageConfiguration.adding(Array(lines.utf8), to: Array(policy.utf8))
        return String(decoding: sum, as: UTF8.self)
    }

    @Test func `A line takes the place of what was said about the same`() {
        #expect(adding("package a\npackage b", to: "") == "package a\npackage b\n")
        #expect(adding("package b\n", to: "package a") == "package a\npackage b\n")
        #expect(
            adding("directory a\n\npackage c\n", to: "package a\npackage b\n")
                == "package b\ndirectory a\npackage c\n")
        #expect(
            adding("package a\ndirectory a\npackage a", to: "directory b\n")
                == "directory b\npackage a\n")
        #expect(adding("directory\ta\t# why", to: "package a # how") == "directory\ta\t# why\n")
        // The writer does not compare spellings of one extension.
        // Readers use the last line, so it stays last.
        #expect(
            adding("package a", to: "package a\ndirectory .a\n")
                == "directory .a\npackage a\n")
    }

    @Test func `What makes no difference leaves the policy as it is, to its last byte`() {
        let policy = "# mine\n\npackage a\npackage b"
        let nothings = ["", "\n\n", "package b", "\n\npackage b\n", "package", "#", " ", "\t\n"]
        for nothing in nothings { #expect(adding(nothing, to: policy) == policy) }
    }

    @Test func `Lines that are too many leave the policy as it was`() {
        let limit = WireLimits.packagePolicyBytes
        let policy = text(limit - 4, newlinesAt: limit - 5)
        let fits = Array("p x".utf8)
        #expect(PackageConfiguration.adding(fits, to: policy) == policy + fits + [0x0A])
        #expect(PackageConfiguration.adding(fits + [0x64], to: policy) == policy)
        let many = Array("package ".utf8) + text(limit)
        #expect(PackageConfiguration.adding(many, to: []).isEmpty)
    }
}
