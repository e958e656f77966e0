// SPDX-License-Identifier: Apache-2.0
//
// A runtime directory for one test, at epoch 1.

import FileCoordinationLedger
import FileCoordinationSystem
import Foundation
import Glibc

/// A directory for ledgers, removed with the object.
final class LedgerWorld {
    let path: String
    let directory: Directory
    let epochFile: EpochFile
    let epoch: ServerEpoch

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("ledger-unit-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        directory = try Directory.open(path)
        epochFile = try EpochFile(directory: directory)
        epoch = try epochFile.raise()
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func writer(programName: String = "test") throws -> LedgerWriter {
        try LedgerWriter(
            directory: directory, globalEpoch: epochFile, programName: programName)
    }

    func reader(of writer: LedgerWriter) throws -> LedgerReader { try reader(writer.fileName) }

    func reader(_ name: String) throws -> LedgerReader {
        try LedgerReader(
            directory: directory, name: name, expectedOwner: CurrentProcess.effectiveUserID)
    }

    /// The first bytes of a file.
    func contents(of name: String, count: Int) throws -> [UInt8] {
        let file = try directory.openFile(name, [.read])
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        return Array(bytes.prefix(read))
    }

    /// Overwrites a part of a file.
    func scribble(_ bytes: [UInt8], at offset: Int, in name: String) throws {
        let file = try directory.openFile(name, [.read, .write])
        try bytes.withUnsafeBytes { try file.write($0, at: UInt64(offset)) }
    }
}
