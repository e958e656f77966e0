// SPDX-License-Identifier: Apache-2.0
//
// A tree that is to be copied or archived, looked at by open directories: a name is looked up in
// the directory that was opened, never by a path, and no symbolic link is followed.
//
// Programs that do not coordinate may change the tree meanwhile. What they replace between two
// calls is looked at again; of what they remove the caller decides what it means.

package import FileCoordinationSystem
package import Glibc

/// A file that is open for reading.
package struct SourceFile: Sendable {
    /// The open file.
    package let descriptor: Descriptor
    /// What it was when it was opened.
    package let status: stat
    /// What errors call it.
    package let path: [UInt8]

    /// Bytes, as of then; what is read may be less.
    var size: UInt64 { UInt64(max(0, status.st_size)) }

    /// Fills `buffer` from `offset` on; returns less than its length only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(TreeError) -> Int {
        var filled = 0
        while filled < buffer.count {
            do throws(SystemError) {
                let count = try descriptor.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]),
                    at: offset + UInt64(filled))
                guard count > 0 else { return filled }
                filled += count
            } catch {
                throw .unreadable(path: path, error)
            }
        }
        return filled
    }
}

/// One thing that a name stands for, opened or read.
package enum SourceItem: Sendable {
    /// A file with contents.
    case file(SourceFile)
    /// A directory.
    case directory(SourceDirectory, stat)
    /// A symbolic link, and what is written in it.
    case link(target: [UInt8], stat)
    /// A socket, a pipe or a device, which was not opened.
    case special(stat)

    /// What the kernel tells of it.
    package var status: stat {
        switch self {
        case .file(let file): file.status
        case .directory(_, let status), .link(_, let status), .special(let status): status
        }
    }
}

/// A directory that is open for looking up names.
package struct SourceDirectory: Sendable {
    /// The open directory.
    package let descriptor: Descriptor
    /// What errors call it.
    package let path: [UInt8]

    /// Opens the directory at `path`; the links on the way are followed.
    package init(path: [UInt8]) throws(TreeError) {
        do throws(SystemError) {
            self.init(try Descriptor.openDirectory(at: path), path: path)
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// A directory that is open; errors call it `path`.
    package init(_ descriptor: Descriptor, path: [UInt8]) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The names in the directory, sorted, so that the same tree makes the same archive.
    package func names() throws(TreeError) -> [[UInt8]] {
        do throws(SystemError) {
            return try descriptor.names().sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// What errors call `name` in this directory.
    func path(of name: [UInt8]) -> [UInt8] {
        (path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]) + name
    }

    // MARK: Opening

    /// How often a name that keeps changing its kind is looked at.
    private static let patience = 8

    /// Opens what `name` stands for; nil if there is nothing of that name any more.
    package func item(_ name: [UInt8]) throws(TreeError) -> SourceItem? {
        do throws(SystemError) {
            for _ in 0..<Self.patience {
                if let item = try attempt(name) { return item }
            }
            throw SystemError(code: EBUSY, operation: "open what keeps changing its kind")
        } catch {
            guard error.code != ErrorNumber.noSuchFile else { return nil }
            throw .unreadable(path: path(of: name), error)
        }
    }

    /// Looks once; nil if the name stood for one thing, and then for another.
    private func attempt(_ name: [UInt8]) throws(SystemError) -> SourceItem? {
        let status = try descriptor.status(of: name)
        do throws(SystemError) {
            switch status.kind {
            case S_IFREG: return try openFile(name).map { .file($0) }
            case S_IFDIR:
                let opened = try descriptor.openDirectory(name)
                return .directory(
                    SourceDirectory(opened, path: path(of: name)), try opened.fullStatus())
            case S_IFLNK: return .link(target: try descriptor.linkText(of: name), status)
            case _: return .special(status)
            }
        } catch {
            // It is another kind of thing by now.
            guard [ENOTDIR, ELOOP, EINVAL].contains(error.code) else { throw error }
            return nil
        }
    }

    private func openFile(_ name: [UInt8]) throws(SystemError) -> SourceFile? {
        let opened: Descriptor
        do throws(SystemError) {
            // A pipe that has come into the file's place must not hold us up.
            opened = try descriptor.openFile(name, O_RDONLY | O_NONBLOCK)
        } catch {
            guard error.code != ENXIO else { return nil }
            guard error.code == EWOULDBLOCK else { throw error }
            // It is a file, of which another process has a lease that must be given back first.
            opened = try descriptor.openFile(name, O_RDONLY)
        }
        let status = try opened.fullStatus()
        guard status.kind == S_IFREG else { return nil }
        return SourceFile(descriptor: opened, status: status, path: path(of: name))
    }
}
