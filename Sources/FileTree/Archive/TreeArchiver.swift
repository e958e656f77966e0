// SPDX-License-Identifier: Apache-2.0
//
// Writes a directory into an archive, with the directory itself as the only item at the top (Rule
// 15.2). Symbolic links are stored as links. A file with several names is stored once for each
// name. Sockets, pipes and devices have no contents and are left out.

import FileCoordinationSystem
import Glibc

/// Adds a tree to an archive.
struct TreeArchiver {
    private let archive: ZipWriter
    /// The directory of temporary copies, which is left out.
    private let temporaries: FileStatus?
    /// The number of sockets, pipes and devices that were left out.
    private(set) var skippedCount = 0
    /// The path of one of them.
    private(set) var skippedPath: [UInt8]?

    init(to archive: ZipWriter, without temporaries: FileStatus? = nil) {
        self.archive = archive
        self.temporaries = temporaries
    }

    /// Adds `directory` and everything in it under the name `name`.
    mutating func add(
        _ directory: SourceDirectory, _ status: stat, as name: [UInt8]
    ) throws(UploadError) {
        var cursor = TreeCursor()
        try enter(directory, status, as: name, route: [], &cursor)
        while cursor.depth > 0 {
            guard let (next, route) = cursor.next() else {
                do throws(SystemError) {
                    _ = try cursor.leave()
                } catch {
                    throw .unreadable(path: directory.path + cursor.route, code: error.code)
                }
                continue
            }
            let parent = SourceDirectory(cursor.directory, path: directory.path + cursor.route)
            // An item that was removed after the directory was listed is left out.
            guard let item = try explained({ () throws(TreeError) in try parent.item(next) })
            else { continue }
            switch item {
            case .directory(let inner, let status):
                let isTemporary =
                    temporaries.map { $0.device == status.st_dev && $0.inode == status.st_ino }
                guard isTemporary != true else { continue }
                try enter(inner, status, as: name + route, route: route, &cursor)
            case .file(let file): try archive.addFile(name + route, file)
            case .link(let target, let status):
                try archive.addLink(name + route, to: target, status)
            case .special:
                skippedCount += 1
                skippedPath = parent.path(of: next)
            }
        }
    }

    private func enter(
        _ directory: SourceDirectory, _ status: stat, as name: [UInt8], route: [UInt8],
        _ cursor: inout TreeCursor
    ) throws(UploadError) {
        try archive.addDirectory(name, status)
        let names = try explained { () throws(TreeError) in try directory.names() }
        do throws(SystemError) {
            try cursor.enter(directory.descriptor, route: route, names: names)
        } catch {
            throw .unreadable(path: directory.path, code: error.code)
        }
    }

    private func explained<Result>(
        _ body: () throws(TreeError) -> Result
    ) throws(UploadError) -> Result {
        do throws(TreeError) { return try body() } catch { throw UploadError(error) }
    }
}
