// SPDX-License-Identifier: Apache-2.0
//
// The relocation log that a former server left behind, perhaps cut off, perhaps written by another
// program. What can be read of it counts, and what the next server writes reads the same.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

enum RelocationLogTarget {
    private struct Stage {
        let runtime: RuntimeDirectory
    }

    private static let stage = Lock<Stage?>(nil)

    @Sendable static func run(_ bytes: [UInt8]) throws {
        try stage.withLock { stage in
            let ready = try stage ?? Stage(runtime: FuzzDirectory.make())
            stage = ready
            let directory = ready.runtime.directory
            defer { clear(directory) }
            try play(bytes, in: directory)
        }
    }

    private static func clear(_ directory: Directory) {
        for name in (try? directory.names()) ?? [] where name.hasPrefix("places") {
            try? directory.remove(name)
        }
    }

    private static func play(_ bytes: [UInt8], in directory: Directory) throws {
        let arrangement = bytes.first ?? 0
        let text = Array(bytes.dropFirst())
        try put(text, into: "places.3", of: directory)
        if arrangement & 1 != 0 {
            try put(DecoderSeeds.placeFrames, into: "places.2", of: directory)
        }
        if arrangement & 2 != 0 { try put(text, into: "places.3.new", of: directory) }
        if arrangement & 4 != 0 { try put([0], into: "places.03", of: directory) }

        let log = try RelocationLog(in: directory, epoch: ServerEpoch(truncating: 4))
        let entries = RelocationEntry.entries(decoding: text)
        let serials = Set(entries.map(\.serial))
        try compare(log, entries, "the log that was found")
        // Of many the first are enough: the file is made anew with them.
        try log.begin(living: serials)
        let moved = RelocationEntry(
            serial: 1, .presenter(DecoderSeeds.far, isTold: arrangement & 8 != 0))
        try log.write([moved, RelocationEntry(serial: 2, .handled(5))])
        let all = entries + [moved, RelocationEntry(serial: 2, .handled(5))]
        try compare(log, all, "the log that goes on")
        let next = try RelocationLog(in: directory, epoch: ServerEpoch(truncating: 5))
        try compare(next, all, "the next server's log")
        let names = try directory.names().filter { $0.hasPrefix("places") }
        let strangers = arrangement & 4 != 0 ? 1 : 0
        try require(names.count == 1 + strangers, "left behind: \(names)")
    }

    private static func put(_ bytes: [UInt8], into name: String, of directory: Directory) throws {
        let file = try directory.openFile(name, [.write, .create, .truncate])
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// The last entry about a record counts.
    private static func compare(
        _ log: RelocationLog, _ entries: [RelocationEntry], _ name: String
    ) throws {
        var places: [UInt64: RelocationEntry.Relocation] = [:]
        var handled: [UInt64: UInt32] = [:]
        var moved: [UInt64: MovedItems] = [:]
        var packages: [UInt8] = []
        for entry in entries {
            switch entry.relocation {
            case .presenter, .claim: places[entry.serial] = entry.relocation
            case .handled(let count): handled[entry.serial] = count
            case .moved(let items): moved[entry.serial] = items
            case .packages(let lines): packages = lines
            }
        }
        try require(log.addedPackages == packages, "\(name): other packages")
        for serial in Set(entries.map(\.serial)).sorted() {
            try require(
                log.handledBytes(ofClaim: serial) == Int(handled[serial] ?? 0),
                "\(name): heard of \(serial)")
            try require(
                log.movedItems(ofClaim: serial) == moved[serial], "\(name): moved by \(serial)")
            switch places[serial] {
            case .presenter(let place, let isTold):
                let known = log.presenter(serial)
                try require(
                    known?.place == place && known?.isTold == isTold, "\(name): presenter \(serial)"
                )
            case .claim(let items):
                try require(log.items(ofClaim: serial) == items, "\(name): claim \(serial)")
            case .handled, .moved, .packages, nil:
                try require(
                    log.presenter(serial) == nil && log.items(ofClaim: serial) == nil,
                    "\(name): \(serial) has a place")
            }
        }
    }

    static var seeds: [[UInt8]] {
        let frames = DecoderSeeds.placeFrames
        return [[0], [1] + frames, [15] + frames, [0] + frames + frames, [1] + frames.dropLast(3)]
    }
}
