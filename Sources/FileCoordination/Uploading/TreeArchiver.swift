// SPDX-License-Identifier: Apache-2.0
//
// From a directory to an archive of it, with the directory itself as the only item on top
// (Rule 15.2). Links are kept as links and never followed; a file with several names becomes
// several files; sockets, pipes and devices have no contents, and are left out.

#if !canImport(Darwin)
import FileCoordinationSystem

/// Adds a tree to an archive.
struct TreeArchiver {
    private let archive: ZipWriter
    /// The directory of temporary copies, which is no part of anything that is copied.
    private let temporaries: FileStatus?
    /// How many sockets, pipes and devices were left out.
    private(set) var skippedCount = 0
    /// The path of one of them.
    private(set) var skippedPath: [UInt8]?

    init(to archive: ZipWriter, without temporaries: FileStatus? = nil) {
        self.archive = archive
        self.temporaries = temporaries
    }

    /// A directory whose names are being gone through.
    private struct Frame {
        let directory: SourceDirectory
        /// Its path in the archive.
        let path: [UInt8]
        /// The names that are left, the next one last.
        var names: [[UInt8]]
    }

    /// Adds `directory` and all that is in it, under the name `name`.
    mutating func add(
        _ directory: SourceDirectory, _ attributes: SourceAttributes, as name: [UInt8]
    ) throws(UploadError) {
        // Not by recursion: trees may be deeper than a thread's stack.
        var frames: [Frame] = []
        try enter(directory, attributes, path: name, &frames)
        while var frame = frames.popLast() {
            guard let next = frame.names.popLast() else { continue }
            // One that is done is closed before the next is entered, so that a long chain of
            // directories does not take all descriptors.
            if !frame.names.isEmpty { frames.append(frame) }
            let path = frame.path + [UInt8(ascii: "/")] + next
            switch try frame.directory.item(next) {
            case .directory(let inner, let attributes):
                if let temporaries, attributes.isSameItem(as: temporaries) { continue }
                try enter(inner, attributes, path: path, &frames)
            case .file(let file): try archive.addFile(path, file)
            case .link(let target, let attributes):
                try archive.addLink(path, to: target, attributes)
            case .special:
                skippedCount += 1
                skippedPath = frame.directory.path(of: next)
            case nil: break
            }
        }
    }

    private func enter(
        _ directory: SourceDirectory, _ attributes: SourceAttributes, path: [UInt8],
        _ frames: inout [Frame]
    ) throws(UploadError) {
        try archive.addDirectory(path, attributes)
        frames.append(
            Frame(directory: directory, path: path, names: try directory.names().reversed()))
    }
}
#endif
