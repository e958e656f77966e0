// SPDX-License-Identifier: Apache-2.0
//
// Reads a tree that is to be copied or archived. Every name is looked up in an open directory,
// never by a path, and no symbolic link is followed.
//
// Programs that do not coordinate may change the tree meanwhile. An item that is replaced between
// two system calls is looked at again. If an item is removed, the caller decides what that means.

package import FileCoordinationSystem
package import Glibc

/// A file that is open for reading.
package struct SourceFile: Sendable {
    /// The descriptor of the file.
    package let descriptor: Descriptor
    /// The file's status when it was opened.
    package let status: stat
    /// The path for error messages.
    package let path: [UInt8]

    /// The size when the file was opened.
    ///
    /// It may be shorter now.
    var size: UInt64 { UInt64(max(0, status.st_size)) }

    /// Reads from `offset` to fill `buffer`.
    ///
    /// Returns less than its length only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(TreeError) -> Int {
        var filled = 0
        while filled < buffer.count {
            do throws(SystemError) {
                let count = try unsafe descriptor.read(
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

/// An item in a directory, opened or read.
package enum SourceItem: Sendable {
    /// A file with contents.
    case file(SourceFile)
    /// A directory.
    case directory(SourceDirectory, stat)
    /// A symbolic link and its target.
    case link(target: [UInt8], stat)
    /// A socket, a pipe or a device, which is not opened.
    case special(stat)

    /// The status of the item.
    package var status: stat {
        switch self {
        case .file(let file): file.status
        case .directory(_, let status), .link(_, let status), .special(let status): status
        }
    }
}

/// A directory that is open for looking up names.
package struct SourceDirectory: Sendable {
    /// The descriptor of the directory.
    package let descriptor: Descriptor
    /// The path for error messages.
    package let path: [UInt8]

    /// Opens the directory at `path`.
    ///
    /// Links on the way are followed.
    package init(path: [UInt8]) throws(TreeError) {
        do throws(SystemError) {
            self.init(try Descriptor.openDirectory(at: path), path: path)
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// An open directory.
    ///
    /// `path` is used in error messages.
    package init(_ descriptor: Descriptor, path: [UInt8]) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The names in the directory, sorted so that the same tree always makes the same archive.
    package func names() throws(TreeError) -> [[UInt8]] {
        do throws(SystemError) {
            return try descriptor.names().sorted { $0.lexicographicallyPrecedes($1) }
        } catch {
            throw .unreadable(path: path, error)
        }
    }

    /// The path of `name` in this directory, for error messages.
    func path(of name: [UInt8]) -> [UInt8] {
        (path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]) + name
    }

    // MARK: Opening

    /// The greatest number of checks of a name whose kind of item keeps changing.
    private static let mostAttempts = 8

    /// Opens the item `name`.
    ///
    /// Returns nil if it does not exist any more.
    package func item(_ name: [UInt8]) throws(TreeError) -> SourceItem? {
        do throws(SystemError) {
            for _ in 0..<Self.mostAttempts {
                if let item = try attempt(name) { return item }
            }
            throw SystemError(code: EBUSY, operation: "open what keeps changing its kind")
        } catch {
            guard error.code != ErrorNumber.noSuchFile else { return nil }
            throw .unreadable(path: path(of: name), error)
        }
    }

    /// Makes one attempt.
    ///
    /// Returns nil if another kind of item got the name meanwhile.
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
            // Another kind of item has the name now.
            guard [ENOTDIR, ELOOP, EINVAL].contains(error.code) else { throw error }
            return nil
        }
    }

    private func openFile(_ name: [UInt8]) throws(SystemError) -> SourceFile? {
        let opened: Descriptor
        do throws(SystemError) {
            // Without O_NONBLOCK, opening could block if a pipe has replaced the file.
            opened = try descriptor.openFile(name, O_RDONLY | O_NONBLOCK)
        } catch {
            guard error.code != ENXIO else { return nil }
            guard error.code == EWOULDBLOCK else { throw error }
            // Another process has a lease on the file. This call waits until the lease is given
            // back.
            opened = try descriptor.openFile(name, O_RDONLY)
        }
        let status = try opened.fullStatus()
        guard status.kind == S_IFREG else { return nil }
        return SourceFile(descriptor: opened, status: status, path: path(of: name))
    }
}
