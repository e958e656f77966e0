// SPDX-License-Identifier: Apache-2.0
//
// A program that only looks finds the place at which others meet or would meet, and fails where
// they would fail, but creates nothing (Rules 2.0 and 18.14).

import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationServer

final class LookingTests {
    private let directory: String

    init() throws {
        var template = Array("/tmp/fc-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        for name in ["a", "b"] { #expect(mkdir(path(name), 0o700) == 0) }
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func path(_ name: String) -> String { directory + "/" + name }

    /// Places in two directories that exist, after one that does not.
    private var places: RuntimePlaces {
        RuntimePlaces(paths: ["none/x", "a/x", "b/x"].map(path))
    }

    /// What there is below the directory, and its type and mode.
    private func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).sorted().map {
            let status = try FileStatus(path: path($0), followLinks: false)
            return "\($0) \(status.kind) \(String(status.permissions, radix: 8))"
        }
    }

    /// Looks, and opens the same place; looking changes nothing.
    private func lookAndOpen(_ places: RuntimePlaces) throws -> MeetingPlace {
        let before = try contents()
        let found = try places.look()
        #expect(try contents() == before)
        #expect(try places.open(patience: 0).path == found.path)
        return found
    }

    /// Looking and opening fail with the same error.
    private func expectFailure(_ places: RuntimePlaces) throws -> RuntimeDirectoryError {
        let before = try contents()
        let error = try #require(throws: RuntimeDirectoryError.self) { try places.look() }
        #expect(try contents() == before)
        #expect(throws: error) { try places.open(patience: 0) }
        return error
    }

    @Test func `The first place that can be made is named, and is not made`() throws {
        let found = try lookAndOpen(places)
        #expect(found.path == path("a/x") && found.directory == nil)
        // Now it is there, and is watched, although no program uses it.
        #expect(try places.look().directory != nil)
    }

    @Test func `An empty directory stays empty`() throws {
        #expect(mkdir(path("a/x"), 0o700) == 0)
        #expect(try places.look().directory == nil)
        #expect(try contents().last == "b directory 700")
        #expect(try lookAndOpen(places).path == path("a/x"))
    }

    @Test func `A later place that is served or inhabited goes before an earlier one`() throws {
        let runtime = try RuntimeDirectory.open(path: path("b/x"))
        let role = try #require(
            try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime))
        #expect(try lookAndOpen(places).directory != nil)
        #expect(try places.look().path == path("b/x"))
        withExtendedLifetime(role) {}
    }

    @Test func `A stand-in leads to its server's directory, also if that is gone`() throws {
        let home = RuntimePlaces(chosen: path("b/y"))
        _ = try home.open()
        let named = try #require(StandIn.Home(path("b/y")))
        let standIn = try #require(try StandIn.take(path("a/x"), for: named))
        #expect(try places.look().path == path("b/y"))
        try FileManager.default.removeItem(atPath: path("b/y"))
        let found = try places.look()
        #expect(found.path == path("b/y") && found.directory == nil)
        #expect(!FileManager.default.fileExists(atPath: path("b/y")))
        withExtendedLifetime(standIn) {}
    }

    @Test func `A dead server's stand-in stays until a program needs the place`() throws {
        let named = try #require(StandIn.Home(path("b/y")))
        _ = try StandIn.take(path("a/x"), for: named)
        let found = try lookAndOpen(places)
        #expect(found.path == path("a/x") && found.directory == nil)
    }

    @Test func `A later place that is open to others does not matter`() throws {
        #expect(mkdir(path("b/x"), 0o755) == 0)
        #expect(try lookAndOpen(places).path == path("a/x"))
    }

    @Test func `A place that is open to others is an error if it is the best one`() throws {
        #expect(mkdir(path("a/x"), 0o755) == 0)
        #expect(
            try expectFailure(places)
                == .openToOthers(path("a/x"), permissions: 0o755))
    }

    @Test func `Something else at a place is passed over`() throws {
        #expect(symlink(path("b"), path("a/x")) == 0)
        #expect(try lookAndOpen(places).path == path("b/x"))
    }

    /// Rule 2.0: where programs fail, looking must not say that all is well.
    @Test func `Where nothing can be made, looking fails`() throws {
        let several = RuntimePlaces(paths: ["none/x", "none/y"].map(path))
        for places in [several, RuntimePlaces(chosen: path("none/x"))] {
            let error = try #require(throws: RuntimeDirectoryError.self) { try places.look() }
            #expect("\(error)".hasPrefix("the runtime directory \(path("none/x")) cannot be used"))
            #expect(throws: RuntimeDirectoryError.self) { try places.open(patience: 0) }
        }
    }

    /// The kernel would follow the link if the slash stayed.
    @Test func `A link with a slash at its end is none that is followed`() throws {
        #expect(symlink(path("b"), path("l")) == 0)
        #expect(
            try expectFailure(RuntimePlaces(chosen: path("l") + "//"))
                == .notADirectory(path("l")))
        #expect(RuntimePlaces(chosen: "//").paths == ["/"])
    }
}
