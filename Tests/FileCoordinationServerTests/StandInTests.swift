// SPDX-License-Identifier: Apache-2.0
//
// The possible contents of the places for runtime directories, and how each is handled: a file or
// directory of another user or of another program is not changed (Rules 2.0 and 18.14).

import FileCoordinationSystem
import Foundation
import Testing

@testable import FileCoordinationServer

final class StandInTests {
    private let directory: String
    private let home: StandIn.Home

    init() throws {
        var template = Array("/tmp/fc-XXXXXX".utf8CString)
        #expect(mkdtemp(&template) != nil)
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        home = try #require(StandIn.Home(directory + "/home"))
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    private func path(_ name: String) -> String { directory + "/" + name }

    private func look(_ name: String) -> PlaceState {
        PlaceState(path(name), of: RuntimePlaces(chosen: path("home")))
    }

    @Test func `A stand-in is found held, then dead, then gone`() throws {
        var standIn = try StandIn.take(path("a"), for: home)
        #expect(standIn?.isInPlace == true)
        guard case .standIn(let named, isHeld: true) = look("a") else {
            Issue.record("\(look("a"))")
            return
        }
        #expect(named == home && named.isVisible)
        // Another server cannot take the name.
        #expect(try StandIn.take(path("a"), for: home) == nil)
        #expect(throws: RuntimeDirectoryError.busy(path("a"))) {
            try StandIn.removeIfDead(path("a"))
        }
        standIn = nil
        guard case .standIn(home, isHeld: false) = look("a") else {
            Issue.record("\(look("a"))")
            return
        }
        try StandIn.removeIfDead(path("a"))
        guard case .vacant = look("a") else {
            Issue.record("\(look("a"))")
            return
        }
    }

    @Test func `A stand-in that was removed is not in place, and its place can be had`() throws {
        let first = try #require(try StandIn.take(path("a"), for: home))
        StandIn.removeDeposed(path("a"))
        #expect(!first.isInPlace)
        let second = try #require(try StandIn.take(path("a"), for: home))
        // The first one's removal does not take the second one's name.
        first.remove()
        #expect(second.isInPlace)
    }

    @Test func `Another /dev/shm under the same path is not the same home`() {
        #expect(home.isVisible)
        let other = StandIn.Home(path: home.path, device: home.device, inode: home.inode + 1)
        #expect(!other.isVisible)
    }

    /// Rule 2.0: nothing of a user's is written to because of its name.
    @Test func `A file of another program stays as it is`() throws {
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path("a")))
        #expect(chmod(path("a"), 0o600) == 0)
        #expect(throws: SystemError.self) { try StandIn.take(path("a"), for: home) }
        try Data().write(to: URL(fileURLWithPath: path("b")))
        #expect(chmod(path("b"), 0o600) == 0 && link(path("b"), path("c")) == 0)
        #expect(throws: SystemError.self) { try StandIn.take(path("c"), for: home) }
        #expect(symlink(path("precious"), path("d")) == 0)
        #expect(throws: SystemError.self) { try StandIn.take(path("d"), for: home) }
        #expect(mkfifo(path("e"), 0o600) == 0)
        #expect(throws: SystemError.self) { try StandIn.take(path("e"), for: home) }
        for name in ["a", "c", "d", "e"] {
            guard case .unusable = look(name) else {
                Issue.record("\(name): \(look(name))")
                continue
            }
        }
        #expect(try String(contentsOfFile: path("a"), encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: path("precious")))
    }
}
