// SPDX-License-Identifier: Apache-2.0
//
// A runtime directory for one test, and servers that follow one another in it as far as their logs
// go.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation
import Glibc

@testable import FileCoordinationServer

/// A runtime directory, removed with the object.
final class RelocationLogWorld: Sendable {
    let path: String
    let runtime: RuntimeDirectory

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("server-unit-\(UUID().uuidString)").path
        runtime = try RuntimeDirectory.open(path: path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var directory: Directory { runtime.directory }

    /// The log of the server of an epoch.
    func log(_ epoch: UInt32) throws -> RelocationLog {
        try RelocationLog(in: directory, epoch: ServerEpoch(truncating: UInt64(epoch)))
    }

    /// The logs that are there, finished or not.
    func logs() throws -> [String] {
        try directory.names().filter { $0.hasPrefix("places") }.sorted()
    }

    /// All of a file.
    func contents(of name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// Makes a file of these bytes.
    func put(_ bytes: [UInt8], into name: String) throws {
        let file = try directory.openFile(name, [.write, .create, .truncate])
        try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// How long a file is; nil if there is none.
    func length(of name: String) -> Int? {
        (try? directory.status(of: name)).map { Int($0.size) }
    }
}

extension RelocationEntry {
    /// A presenter that was moved to a place of about 3000 bytes: a hundred of them make a file
    /// that is worth writing anew.
    static func long(_ serial: UInt64, _ number: Int) -> RelocationEntry {
        let name = [UInt8](repeating: 0x78, count: 250)
        let components = [Array("n\(number)".utf8)] + Array(repeating: name, count: 12)
        guard let path = ItemPath(components: components) else {
            preconditionFailure("\(components) is no path")
        }
        return RelocationEntry(serial: serial, .presenter(path, isTold: true))
    }
}

extension ItemPath {
    /// The path of which a test knows that it is one.
    static func of(_ text: String) -> ItemPath {
        guard let path = ItemPath(text) else { preconditionFailure("\(text) is not a path") }
        return path
    }
}

extension [AccessItem] {
    /// One item, written.
    static func one(_ path: String) -> [AccessItem] {
        [AccessItem(path: .of(path), access: .writing(.plain))]
    }
}

extension RelocationLog {
    /// Records one entry down.
    func write(_ entry: RelocationEntry) throws { try write([entry]) }
}

extension RelocationEntry {
    /// The frame of this entry alone.
    func encodeChecked() throws(WireError) -> [UInt8] { try RelocationEntry.encodeChecked([self]) }
}
