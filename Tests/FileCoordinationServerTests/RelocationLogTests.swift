// SPDX-License-Identifier: Apache-2.0
//
// The next server reads the relocations that a server has written (Rule 11.4), however that server
// ended, whatever happened to its file, and even if a deposed server goes on writing.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import Glibc
import Testing

@testable import FileCoordinationServer

struct RelocationLogTests {
    private let world: RelocationLogWorld

    init() throws { world = try RelocationLogWorld() }

    private func items(_ serial: UInt64) -> [AccessItem]? {
        RelocationLog.items(ofClaim: serial, in: world.runtime)
    }

    // MARK: From server to server

    @Test func `A claimant waits a moment for a log that a server is making`() throws {
        let world = world
        try DetachedThread.start(name: "late-log") {
            // For longer than a hundred looks take without a pause.
            poll(nil, 0, 30)
            try? world.log(1).write(RelocationEntry(serial: 7, .claim(.one("/a"))))
        }
        #expect(items(7) == .one("/a"))
    }

    @Test func `A later server knows what the former one wrote, and the last word counts`() throws {
        let former = try world.log(3)
        #expect(former.items(ofClaim: 1) == nil && former.handledBytes(ofClaim: 1) == 0)
        try former.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        try former.write(RelocationEntry(serial: 2, .presenter(.of("/p"), isTold: true)))
        try former.write(RelocationEntry(serial: 1, .handled(17)))
        try former.write(RelocationEntry(serial: 1, .moved(MovedItems(others: .one("/h")))))
        try former.write(RelocationEntry(serial: 1, .claim(.one("/b"))))
        try former.write(RelocationEntry(serial: 2, .presenter(.of("/q"), isTold: false)))
        for log in [former, try world.log(4), try world.log(900)] {
            #expect(log.items(ofClaim: 1) == .one("/b"))
            #expect(log.handledBytes(ofClaim: 1) == 17)
            #expect(log.movedItems(ofClaim: 1)?.others == .one("/h"))
            let presenter = try #require(log.presenter(2))
            #expect(presenter.place == .of("/q") && !presenter.isTold)
            #expect(log.items(ofClaim: 2) == nil && log.presenter(1) == nil)
        }
        #expect(items(1) == .one("/b"))
        #expect(items(2) == nil)
        #expect(items(3) == nil)
    }

    @Test func `A server knows nothing of itself or of later ones`() throws {
        try world.log(5).write(RelocationEntry(serial: 1, .handled(1)))
        #expect(try world.log(5).handledBytes(ofClaim: 1) == 0)
        #expect(try world.log(4).handledBytes(ofClaim: 1) == 0)
    }

    @Test func `Settling drops the dead, and the former servers' files`() throws {
        let former = try world.log(3)
        for serial in 1...3 as ClosedRange<UInt64> {
            try former.write(RelocationEntry(serial: serial, .claim(.one("/c\(serial)"))))
            try former.write(RelocationEntry(serial: serial, .handled(UInt32(serial))))
            let moved = MovedItems(others: .one("/h\(serial)"))
            try former.write(RelocationEntry(serial: serial, .moved(moved)))
        }
        try world.put([1, 2, 3], into: "places.1")
        try world.put([1, 2, 3], into: "places.2.new")
        try world.put([1], into: "places")
        try world.put([1], into: "places.x")
        try world.put([1], into: "places.99")
        let log = try world.log(4)
        try log.begin(living: [2, 7])
        #expect(try world.logs() == ["places", "places.4", "places.99", "places.x"])
        try world.directory.remove("places.99")
        #expect(log.items(ofClaim: 1) == nil && log.handledBytes(ofClaim: 3) == 0)
        let next = try world.log(5)
        #expect(next.items(ofClaim: 2) == .one("/c2") && next.handledBytes(ofClaim: 2) == 2)
        #expect(next.items(ofClaim: 1) == nil && next.items(ofClaim: 3) == nil)
        #expect(next.handledBytes(ofClaim: 1) == 0)
        #expect(next.movedItems(ofClaim: 2)?.others == .one("/h2"))
        #expect(next.movedItems(ofClaim: 1) == nil)
        #expect(items(2) == .one("/c2"))
        #expect(items(1) == nil)
    }

    @Test func `What is written while a server recovers is all there before it settles`() throws {
        try world.log(1).write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        let log = try world.log(2)
        try log.write(RelocationEntry(serial: 2, .claim(.one("/b"))))
        #expect(items(1) == .one("/a") && items(2) == .one("/b"))
        try log.begin(living: [1, 2])
        #expect(items(1) == .one("/a") && items(2) == .one("/b"))
    }

    @Test func `What is over is forgotten, and not written again`() throws {
        let log = try world.log(1)
        try log.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        try log.write(RelocationEntry(serial: 1, .handled(5)))
        try log.write(RelocationEntry(serial: 2, .presenter(.of("/p"), isTold: true)))
        log.end(1)
        log.forgetOver()
        #expect(log.items(ofClaim: 1) == nil && log.handledBytes(ofClaim: 1) == 0)
        #expect(log.presenter(2) != nil)
        try log.begin(living: [1, 2])
        let next = try world.log(2)
        #expect(next.items(ofClaim: 1) == nil && next.handledBytes(ofClaim: 1) == 0)
        #expect(next.presenter(2)?.place == .of("/p"))
    }

    @Test func `What is over is known to the next server until its client has it back`() throws {
        let log = try world.log(1)
        try log.write(RelocationEntry(serial: 1, .handled(5)))
        let second = try world.log(2)
        second.end(1)
        try second.begin(living: [])
        #expect(second.handledBytes(ofClaim: 1) == 5)
        #expect(try world.log(3).handledBytes(ofClaim: 1) == 5)
        second.forgetOver()
        try second.begin(living: [])
        #expect(try world.log(3).handledBytes(ofClaim: 1) == 0)
    }

    @Test func `A server that leaves with no client there leaves no file`() throws {
        let log = try world.log(1)
        log.remove()
        try log.begin(living: [])
        #expect(try world.logs() == ["places.1"])
        log.remove()
        #expect(try world.logs().isEmpty)
    }

    // MARK: A server that was deposed

    @Test(arguments: [true, false])
    func `The file of a deposed server is not read, even if it writes it anew`(
        _ knows: Bool
    ) throws {
        let deposed = try world.log(4)
        try deposed.write(RelocationEntry(serial: 1, .claim(.one("/old"))))
        let present = try world.log(5)
        try present.begin(living: knows ? [1] : [])
        // The deposed server writes into a file that has no name any more; grown, into another one.
        for number in 0..<200 { try deposed.write(.long(9, number)) }
        try deposed.write(RelocationEntry(serial: 1, .claim(.one("/wrong"))))
        try deposed.write(RelocationEntry(serial: 2, .claim(.one("/wrong"))))
        #expect(try world.logs() == ["places.4", "places.5"])
        #expect(items(1) == (knows ? .one("/old") : nil))
        #expect(items(2) == nil)
        let next = try world.log(6)
        #expect(next.items(ofClaim: 1) == (knows ? .one("/old") : nil))
        #expect(next.items(ofClaim: 2) == nil && next.presenter(9) == nil)
        try next.begin(living: [1])
        #expect(try world.logs() == ["places.6"])
    }

    @Test func `A deposed server that settles late removes nothing of its successor's`() throws {
        let deposed = try world.log(4)
        let present = try world.log(5)
        try present.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        try world.put([], into: "places.6.new")
        try deposed.begin(living: [])
        #expect(try world.logs() == ["places.4", "places.5", "places.6.new"])
        #expect(items(1) == .one("/a"))
    }

    // MARK: Growing

    @Test func `A file that has grown is written anew, with what still counts`() throws {
        let log = try world.log(1)
        try log.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        var longest = 0
        var rewrites = 0
        var before = 0
        for number in 0..<400 {
            try log.write(.long(2, number))
            let length = try #require(world.length(of: "places.1"))
            if length < before { rewrites += 1 }
            before = length
            longest = max(longest, length)
        }
        // The test wrote 400 entries of 3 KB, of which only the last one counts.
        #expect(rewrites >= 3)
        #expect(longest < 262_144 + 4096)
        #expect(try world.logs() == ["places.1"])
        let next = try world.log(2)
        #expect(next.items(ofClaim: 1) == .one("/a"))
        #expect(next.presenter(2)?.place.components.first == Array("n399".utf8))
    }

    @Test func `A file in which all counts may grow beyond, and loses nothing`() throws {
        let log = try world.log(1)
        for serial in 1...300 { try log.write(.long(UInt64(serial), serial)) }
        #expect(try #require(world.length(of: "places.1")) > 800_000)
        let next = try world.log(2)
        for serial in 1...300 {
            let place = next.presenter(UInt64(serial))?.place
            #expect(place?.components.first == Array("n\(serial)".utf8))
        }
    }

    // MARK: Another directory

    @Test func `A log goes on in another directory, with all it says`() throws {
        let other = try RelocationLogWorld()
        let log = try world.log(7)
        try log.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        try log.move(to: other.directory)
        #expect(try other.logs() == ["places.7"])
        #expect(RelocationLog.items(ofClaim: 1, in: other.runtime) == .one("/a"))
        try log.write(RelocationEntry(serial: 2, .claim(.one("/b"))))
        #expect(RelocationLog.items(ofClaim: 2, in: other.runtime) == .one("/b"))
        #expect(items(2) == nil)
        log.remove()
        #expect(try other.logs().isEmpty)

        // A log without a file makes none in the other directory.
        try world.log(8).move(to: other.directory)
        #expect(try other.logs().isEmpty)
    }
}
