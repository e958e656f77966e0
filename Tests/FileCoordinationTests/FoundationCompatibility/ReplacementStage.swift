// SPDX-License-Identifier: Apache-2.0
//
// The files for tests of replacing: a directory with an item that contains "old", and one with a
// new item that contains "new".

import FileCoordination
import FileCoordinationArbiter
import FileCoordinationSystem
import Foundation
import Glibc

/// Two items, of which one is to replace the other.
final class ReplacementStage: Sendable {
    /// What an item is.
    enum Kind: CaseIterable, Sendable { case file, directory }

    let folder: URL
    let aside: URL
    var original: URL { folder.appendingPathComponent("item") }
    var new: URL { aside.appendingPathComponent("draft") }
    var backup: URL { folder.appendingPathComponent("backup") }

    init(_ old: Kind? = .file, by new: Kind? = .file, on place: String = NSTemporaryDirectory())
        throws
    {
        let name = "fc-replacing-" + UUID().uuidString
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath()
            .appendingPathComponent(name, isDirectory: true)
        aside = URL(fileURLWithPath: place).resolvingSymlinksInPath()
            .appendingPathComponent(name + "-aside", isDirectory: true)
        for directory in [folder, aside] {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
        }
        try make(old, original, "old")
        try make(new, self.new, "new")
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        try? FileManager.default.removeItem(at: aside)
    }

    func make(_ kind: Kind?, _ url: URL, _ text: String) throws {
        guard let kind else { return }
        let file = kind == .file ? url : url.appendingPathComponent("inner/text")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// What the item says, whether it is a file or a directory; nil if there is none.
    func text(_ url: URL) -> String? {
        let inner = url.appendingPathComponent("inner/text")
        return (try? String(contentsOf: url, encoding: .utf8))
            ?? (try? String(contentsOf: inner, encoding: .utf8))
    }

    /// What all items say that are there, hidden ones included, by name.
    var everything: [String: String] {
        var all: [String: String] = [:]
        for directory in [folder, aside] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            for name in names { all[name] = text(directory.appendingPathComponent(name)) ?? "?" }
        }
        return all
    }

    func replacement(backupName: String? = nil, keepsBackup: Bool = false) throws -> ItemReplacement
    {
        func place(_ url: URL) throws -> ItemPath {
            guard let path = ItemPath(bytes: Array(url.path.utf8)) else {
                throw POSIXError(.EINVAL)
            }
            return path
        }
        return try ItemReplacement(
            of: place(original), by: place(new), backupName: backupName, keepsBackup: keepsBackup,
            keepsMetadata: true)
    }

    static func permissions(_ url: URL) throws -> mode_t {
        var status = stat()
        guard lstat(url.path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return status.st_mode & 0o7777
    }

    /// Whether there is another file system than that of the temporary files.
    static var hasOtherFileSystem: Bool {
        guard let other = try? FileStatus(path: otherFileSystem),
            let usual = try? FileStatus(path: NSTemporaryDirectory())
        else { return false }
        return other.device != usual.device && access(otherFileSystem, W_OK) == 0
    }

    static let otherFileSystem = "/dev/shm"
}
