// SPDX-License-Identifier: Apache-2.0
//
// Logs that were cut off, that are no logs, and that could not be written: servers read what can be
// read, and none fails to begin because of them.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire
import Glibc
import Testing

@testable import FileCoordinationServer

struct RelocationLogDamageTests {
    private let world: RelocationLogWorld

    init() throws { world = try RelocationLogWorld() }

    private func items(_ serial: UInt64) -> [AccessItem]? {
        RelocationLog.items(ofClaim: serial, in: world.runtime)
    }

    @Test func `Of a file that is cut anywhere the whole entries count`() throws {
        let entries = [
            RelocationEntry(serial: 1, .claim(.one("/a"))), RelocationEntry(serial: 2, .handled(3)),
            RelocationEntry(serial: 1, .claim(.one("/b"))),
        ]
        let log = try world.log(1)
        var ends: [Int] = []
        for entry in entries {
            try log.write(entry)
            ends.append(try #require(world.length(of: "places.1")))
        }
        let bytes = try world.contents(of: "places.1")
        #expect(bytes.count == ends[2])
        for cut in 0...bytes.count {
            try world.put(Array(bytes.prefix(cut)), into: "places.1")
            let next = try world.log(2)
            let expected: [AccessItem]? =
                cut < ends[0] ? nil : .one(cut < ends[2] ? "/a" : "/b")
            #expect(next.items(ofClaim: 1) == expected, "cut at \(cut)")
            #expect(next.handledBytes(ofClaim: 2) == (cut < ends[1] ? 0 : 3), "cut at \(cut)")
            if let expected { #expect(items(1) == expected, "cut at \(cut)") }
        }
    }

    @Test func `What is behind half an entry does no harm, and the next server begins anew`() throws
    {
        try world.log(1).write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        let whole = try world.contents(of: "places.1")
        let late = try RelocationEntry(serial: 2, .claim(.one("/b"))).encodeChecked()
        let zeros = [UInt8](repeating: 0, count: 64)
        for damage in [Array(late.prefix(9)) + late, zeros + late, [255, 255, 255, 255] + late] {
            try world.put(whole + damage, into: "places.1")
            #expect(items(1) == .one("/a"))
            let next = try world.log(2)
            #expect(next.items(ofClaim: 2) == nil)
            try next.begin(living: [1, 2])
            try next.write(RelocationEntry(serial: 3, .claim(.one("/c"))))
            #expect(items(1) == .one("/a") && items(3) == .one("/c"))
            next.remove()
        }
    }

    @Test func `A file longer than any server writes is read in part`() throws {
        try world.log(1).write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        // The long file has a hole and takes no disk space.
        // Its reader must not take that much memory.
        try FileSpace.truncate(
            try world.directory.openFile("places.1", [.write]), length: 1 << 42)
        #expect(try world.log(2).items(ofClaim: 1) == .one("/a"))
    }

    @Test func `What has the name of a log and is none is passed over`() throws {
        try world.log(4).write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        try world.put([], into: "target")
        #expect(mkdir(world.path + "/places.9", 0o700) == 0)
        #expect(mkfifo(world.path + "/places.10", 0o600) == 0)
        #expect(symlink("target", world.path + "/places.11") == 0)
        for name in ["places.+12", "places.012", "places.12x", "places.", "places.4294967296"] {
            try world.put([], into: name)
        }
        let log = try world.log(100)
        #expect(log.items(ofClaim: 1) == .one("/a"))
        #expect(items(1) == .one("/a"))
        try log.begin(living: [1])
        #expect(items(1) == .one("/a"))
    }

    @Test func `A directory that is gone is an error, and another one mends it`() throws {
        let log = try world.log(1)
        try world.directory.removeSubdirectory("ledgers")
        #expect(rmdir(world.path) == 0)
        #expect(throws: SystemError.self) {
            try log.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
        }
        let other = try RelocationLogWorld()
        try log.move(to: other.directory)
        try log.write(RelocationEntry(serial: 2, .claim(.one("/b"))))
        #expect(RelocationLog.items(ofClaim: 1, in: other.runtime) == .one("/a"))
        #expect(RelocationLog.items(ofClaim: 2, in: other.runtime) == .one("/b"))
    }

    // MARK: No room

    /// Lets no file of this process grow beyond `length`; nil: as long as they like.
    private static func limitFiles(to length: Int?) {
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = length.map { rlim_t($0) } ?? limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    @Test func `After half an entry, for want of room, the next one is to be read`() async {
        // In a process of its own, whose files may not grow.
        await #expect(processExitsWith: .success) {
            let world = try RelocationLogWorld()
            let log = try world.log(1)
            try log.write(RelocationEntry(serial: 1, .claim(.one("/a"))))
            let length = world.length(of: "places.1") ?? 0
            Self.limitFiles(to: length + 2000)
            #expect(throws: SystemError.self) { try log.write(.long(2, 1)) }
            #expect(world.length(of: "places.1") == length + 2000)
            Self.limitFiles(to: nil)
            try log.write(RelocationEntry(serial: 3, .claim(.one("/c"))))
            try log.write(RelocationEntry(serial: 4, .claim(.one("/d"))))
            let next = try world.log(2)
            #expect(next.items(ofClaim: 1) == .one("/a"))
            #expect(next.presenter(2)?.place.components.first == Array("n1".utf8))
            #expect(next.items(ofClaim: 3) == .one("/c"))
            #expect(next.items(ofClaim: 4) == .one("/d"))
        }
    }

    @Test func `A file that cannot be written anew stays as good as it was`() async {
        await #expect(processExitsWith: .success) {
            let world = try RelocationLogWorld()
            let log = try world.log(1)
            for serial in 1...87 { try log.write(.long(UInt64(serial), serial)) }
            #expect(world.length(of: "places.1") ?? 0 > 256 << 10)
            Self.limitFiles(to: 100_000)
            for serial in 88...90 {
                #expect(throws: SystemError.self) {
                    try log.write(.long(UInt64(serial), serial))
                }
            }
            #expect(try world.log(2).presenter(87) != nil)
            Self.limitFiles(to: nil)
            try log.write(.long(91, 91))
            let next = try world.log(2)
            for serial in 1...91 {
                let place = next.presenter(UInt64(serial))?.place
                #expect(place?.components.first == Array("n\(serial)".utf8))
            }
        }
    }
}
