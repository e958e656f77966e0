// SPDX-License-Identifier: Apache-2.0
//
// A program that only looks finds the directory in which others meet, and fails where they would
// fail, but creates nothing (Rules 2.0 and 18.14).

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

    /// What there is below the directory, and its type and mode.
    private func contents() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).sorted().map {
            let status = try FileStatus(path: path($0), followLinks: false)
            return "\($0) \(status.kind) \(String(status.permissions, radix: 8))"
        }
    }

    private func place(_ name: String) -> RuntimePlace { RuntimePlace(chosen: path(name)) }

    /// Looks, which changes nothing, and opens.
    private func look(_ name: String) throws -> RuntimeDirectory? {
        let before = try contents()
        let found = try place(name).look()
        #expect(try contents() == before)
        _ = try place(name).open()
        return found
    }

    /// Looking and opening fail with the same error.
    private func expectFailure(_ place: RuntimePlace) throws -> RuntimeDirectoryError {
        let before = try contents()
        let error = try #require(throws: RuntimeDirectoryError.self) { try place.look() }
        #expect(try contents() == before)
        #expect(throws: error) { try place.open() }
        return error
    }

    @Test func `A place that can be made is not made`() throws {
        #expect(try look("a/x") == nil)
        // Now it is there, and is watched, although no program uses it.
        #expect(try place("a/x").look() != nil)
    }

    @Test func `An empty directory stays empty`() throws {
        #expect(mkdir(path("a/x"), 0o700) == 0)
        #expect(try place("a/x").look() == nil)
        #expect(try contents().last == "b directory 700")
        #expect(try look("a/x") == nil)
    }

    @Test func `What a place is used for is told`() throws {
        guard case .vacant = place("b/x").use else { Issue.record("not vacant"); return }
        let runtime = try place("b/x").open()
        guard case .deserted = place("b/x").use else { Issue.record("not deserted"); return }
        let role = try #require(
            try RoleLock.tryAcquire(RuntimeDirectory.Name.serverLock, in: runtime))
        guard case .served = place("b/x").use else { Issue.record("not served"); return }
        withExtendedLifetime(role) {}
    }

    @Test func `A place that is open to others is an error`() throws {
        #expect(mkdir(path("a/x"), 0o755) == 0)
        #expect(
            try expectFailure(place("a/x")) == .openToOthers(path("a/x"), permissions: 0o755))
    }

    @Test func `Something else at the place is an error`() throws {
        #expect(symlink(path("b"), path("a/x")) == 0)
        #expect(try expectFailure(place("a/x")) == .notADirectory(path("a/x")))
    }

    /// Rule 2.0: where programs fail, looking must not say that all is well.
    @Test func `Where nothing can be made, looking fails`() throws {
        let error = try #require(throws: RuntimeDirectoryError.self) {
            try place("none/x").look()
        }
        #expect("\(error)".hasPrefix("the runtime directory \(path("none/x")) cannot be used"))
        #expect(throws: RuntimeDirectoryError.self) { try place("none/x").open() }
    }

    /// The kernel would follow the link if the slash stayed.
    @Test func `A link with a slash at its end is none that is followed`() throws {
        #expect(symlink(path("b"), path("l")) == 0)
        #expect(
            try expectFailure(RuntimePlace(chosen: path("l") + "//"))
                == .notADirectory(path("l")))
    }
}
