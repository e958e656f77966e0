// SPDX-License-Identifier: Apache-2.0
//
// Changes that a plain program makes beside a delegated write. The server keeps such a change back
// while the write may have made it, and tells the presenter once the write is over (Rule 7.14).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Glibc
import Testing

@testable import FileCoordinationServer

@Suite("Changes beside delegated writes")
struct HeldChangeTests {
    /// A directory with a file, removed with this object.
    private final class Home: Sendable {
        let file: String

        init() throws {
            let path = FileManager.default.temporaryDirectory
                .appendingPathComponent("held-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
            let real = String(decoding: try RealPath.resolve(Array(path.utf8)), as: UTF8.self)
            file = real + "/f"
            #expect(FileManager.default.createFile(atPath: file, contents: nil))
        }

        deinit {
            try? FileManager.default.removeItem(
                at: URL(fileURLWithPath: file).deletingLastPathComponent())
        }
    }

    private let world: TicketQueueWorld
    private let home: Home
    private var file: String { home.file }

    init() throws {
        home = try Home()
        world = try TicketQueueWorld(watchesItems: true)
    }

    private func turn(until condition: () throws -> Bool) throws {
        let limit = MonotonicClock.after(.seconds(60))
        while try !condition(), MonotonicClock.now < limit {
            try #require(world.server.turn(until: limit) == nil)
        }
        try #require(try condition())
    }

    /// A writer to which the file is delegated, with the report of each end.
    private func writer() throws -> TicketQueueClient {
        let writer = try world.client()
        for _ in 0..<8 where !writer.slotWord.isDelegated {
            let claim = try writer.file(file)
            try world.settle()
            try claim.end(outcomes: [.unchanged])
            try world.settle()
        }
        try #require(writer.slotWord.terms.contains(.reportsWrites))
        return writer
    }

    private func writePlainly() throws {
        let descriptor = open(file, O_WRONLY | O_APPEND | O_CLOEXEC)
        try #require(descriptor >= 0)
        #expect(write(descriptor, "x", 1) == 1)
        close(descriptor)
    }

    /// Waits until the watcher has a message for the server, which does not read it yet.
    private func awaitMail() throws {
        let poller = try Poller()
        let watcher = world.server.outgoing.watching.descriptor
        try poller.add(try #require(watcher), token: 1, .readable)
        var ready: [Poller.Ready] = []
        try poller.wait(
            into: &ready, until: MonotonicClock.after(.seconds(60)))
        try #require(!ready.isEmpty)
    }

    /// A presenter whose item is watched, and a write that runs by delegation.
    private func presenterAndWrite() throws -> (presenter: TicketQueueClient, write: Claimed) {
        let presenter = try world.client()
        let presented = try presenter.present(file)
        try turn { presented.state == .granted }
        let write = try #require(try writer().claimLocally(file))
        #expect(write.word.flags.isSuperset(of: [.unreported, .reportsRelease]))
        _ = try presenter.notices()
        return (presenter, write)
    }

    @Test("A change waits for the end of the write that runs, and is told then")
    func held() throws {
        let (presenter, write) = try presenterAndWrite()
        try writePlainly()
        try awaitMail()
        try world.settle()
        #expect(try presenter.notices() == 0)
        let isHeld = world.server.outgoing.watching.seen.isHolding
        #expect(isHeld)
        try write.end(outcomes: [.unchanged])
        var notices = 0
        try turn {
            notices += try presenter.notices()
            return notices > 0
        }
        #expect(notices == 1)
    }
}
