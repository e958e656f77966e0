// SPDX-License-Identifier: Apache-2.0
//
// One of the two directories: which files it has, what is in them, and how a file is replaced in
// one step. The callers have claimed what they touch.

import FileCoordination

/// A directory that is kept the same as another one.
struct Replica: Sendable {
    let root: URL
    /// The tool's own directory, which shows that the root is that of the last run.
    ///
    /// It has drafts: they must be on the same file system as what they replace.
    let own: URL

    private static let manager = FileManager.default

    init(_ root: URL) {
        self.root = root
        own = root.appendingPathComponent(".sync", isDirectory: true)
    }

    /// Makes the directory ready, and removes drafts that a killed run has left.
    func prepare() throws {
        let drafts = own.appendingPathComponent("drafts", isDirectory: true)
        // There may be none.
        try? Self.manager.removeItem(at: drafts)
        try Self.manager.createDirectory(at: drafts, withIntermediateDirectories: true)
    }

    /// Throws if the directory is not there.
    ///
    /// A drive that is not mounted has no files. That does not mean that all were deleted.
    func check() throws {
        guard Self.manager.fileExists(atPath: own.path) else { throw DirectoryGone(root: root) }
    }

    /// The files, as paths below the root, also those whose names begin with a dot.
    func paths() throws -> [String] {
        try check()
        return try Self.manager.subpathsOfDirectory(atPath: root.path).filter { path in
            guard path != ".sync", !path.hasPrefix(".sync/") else { return false }
            let attributes = try Self.manager.attributesOfItem(atPath: url(path).path)
            return attributes[.type] as? FileAttributeType == .typeRegular
        }
    }

    func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    /// What is at `url`, which a claim has given.
    func look(at url: URL) throws -> Found {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try Self.manager.attributesOfItem(atPath: url.path)
        } catch CocoaError.fileReadNoSuchFile {
            try check()
            return Found()
        }
        // A directory or a link has come where a file was, or is, in the other directory.
        guard attributes[.type] as? FileAttributeType == .typeRegular else { throw NotAFile() }
        return Found(
            contents: try Data(contentsOf: url), modified: attributes[.modificationDate] as? Date)
    }

    /// Puts a copy of the file at `source` into the place of the one at `target`, if there is one.
    func replace(_ target: URL, withCopyOf source: URL) throws {
        let draft = own.appendingPathComponent("drafts/\(UUID().uuidString)")
        try Self.manager.copyItem(at: source, to: draft)
        // On the disk, before the state says so.
        let file = try FileHandle(forReadingFrom: draft)
        try file.synchronize()
        try file.close()
        if Self.manager.fileExists(atPath: target.path) {
            _ = try Self.manager.replaceItemAt(target, withItemAt: draft)
        } else {
            try Self.manager.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Self.manager.moveItem(at: draft, to: target)
        }
    }

    /// Keeps what is at `url` as a conflict version, unless a killed run has done that already.
    func keepAsConflict(_ url: URL, contents: Data?) throws {
        let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        // One that cannot be read is not the same.
        if conflicts.contains(where: { (try? Data(contentsOf: $0.url)) == contents }) { return }
        try NSFileVersion.addConflictOfItem(at: url, withContentsOf: url, savedOn: root.path)
    }
}

/// A directory was there at the last run, and is not there now.
struct DirectoryGone: LocalizedError {
    let root: URL
    var errorDescription: String? { "\(root.path) is not there, or not mounted." }
}

/// A file on one side is something else on the other side.
struct NotAFile: LocalizedError {
    var errorDescription: String? { "It is a file in one directory and not in the other one." }
}
