// SPDX-License-Identifier: Apache-2.0
//
// Copies a file, a link or a whole tree. Contents are shared where the file system can (reflink),
// else copied by the kernel, else through memory. Sockets, pipes and devices hold nothing that
// could be kept: inside a tree they are left out.

import FileCoordinationSystem
import Glibc

/// Copies that keep names, contents, permissions, access control lists, dates and attributes.
enum ContentsCopy {
    /// How deep a tree may be: each level costs two descriptors while it is copied.
    static let deepest = 128

    /// Copies `name` in one directory to `newName` in another; the new name must be free.
    ///
    /// After an error, part of the copy may be there.
    static func copy(
        _ name: [UInt8], in source: Descriptor, to newName: [UInt8], in target: Descriptor
    ) throws(SystemError) {
        let status = try source.status(of: name)
        guard [S_IFREG, S_IFDIR, S_IFLNK].contains(status.kind) else {
            throw SystemError(
                code: ErrorNumber.invalidArgument,
                operation: "copy what is neither a file nor a directory nor a link")
        }
        let place = Place(name: name, directory: source)
        try copy(place, status, to: Place(name: newName, directory: target), depth: 0)
    }

    /// A name in an open directory.
    private struct Place {
        var name: [UInt8]
        var directory: Descriptor
    }

    private static func copy(
        _ source: Place, _ status: stat, to target: Place, depth: Int
    ) throws(SystemError) {
        switch status.kind {
        case S_IFREG: try copyFile(source, to: target)
        case S_IFDIR: try copyDirectory(source, to: target, depth: depth)
        case S_IFLNK:
            let text = try source.directory.linkText(of: source.name)
            try target.directory.makeLink(target.name, saying: text)
        default: break
        }
    }

    // MARK: Directories

    private static func copyDirectory(
        _ source: Place, to target: Place, depth: Int
    ) throws(SystemError) {
        guard depth < deepest else {
            throw SystemError(
                code: ErrorNumber.nameTooLong,
                operation: "copy a tree of more than \(deepest) levels")
        }
        let from = try source.directory.openDirectory(source.name)
        // Ours alone until it is filled; then it gets the permissions of the original.
        try target.directory.makeDirectory(target.name)
        let to = try target.directory.openDirectory(target.name)
        for name in try from.names() {
            try copy(
                Place(name: name, directory: from), from.status(of: name),
                to: Place(name: name, directory: to), depth: depth + 1)
        }
        try copyAttributes(from: from, to: to)
    }

    // MARK: Files

    private static func copyFile(_ source: Place, to target: Place) throws(SystemError) {
        // Without waiting: by now it might be a pipe.
        let from = try source.directory.openFile(source.name, O_RDONLY | O_NONBLOCK)
        let to = try target.directory.openFile(
            target.name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        try copyContents(from: from, to: to)
        try copyAttributes(from: from, to: to)
    }

    private static func copyContents(from: Descriptor, to: Descriptor) throws(SystemError) {
        if (try? FileCopy.reflink(from: from, to: to)) != nil { return }
        var offset: UInt64 = 0
        do {
            while true {
                let count = try FileCopy.copyRange(
                    from: from, at: offset, to: to, at: offset, length: 1 << 30)
                guard count > 0 else { break }
                offset += UInt64(count)
            }
        } catch let error where kernelCannotCopy.contains(error.code) {}
        // What the kernel left: all of it where it cannot copy, and nothing where it can.
        try copyThroughMemory(from: from, to: to, from: offset)
    }

    /// What the kernel says when the file systems do not let it copy.
    private static let kernelCannotCopy = [
        ErrorNumber.crossDevice, ErrorNumber.invalidArgument, ErrorNumber.notSupported,
        ErrorNumber.notPermitted, ENOSYS, EBADF,
    ]

    private static func copyThroughMemory(
        from: Descriptor, to: Descriptor, from start: UInt64
    ) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var offset = start
        while true {
            let count = try from.read(into: buffer, at: offset)
            guard count > 0 else { return }
            try to.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += UInt64(count)
        }
    }

    /// Gives a copy the permissions, lists and attributes of its original, whole or narrowed: what
    /// is lost on the way gives no access to anybody.
    private static func copyAttributes(from: Descriptor, to: Descriptor) throws(SystemError) {
        _ = try CarriedAttributes(of: from).give(to: to)
        var status = stat()
        guard fstat(from.number, &status) == 0 else {
            throw SystemError(code: errno, operation: "read the status of what is copied")
        }
        // Last, since everything else changes the date.
        guard futimens(to.number, [status.st_atim, status.st_mtim]) == 0 else {
            throw SystemError(code: errno, operation: "set the date of a copy")
        }
    }

    /// Gives a copy the `user.` attributes of its original, as far as they can be kept.
    static func copyUserAttributes(from: Descriptor, to: Descriptor) {
        for name in (try? ExtendedAttributes.names(of: from)) ?? []
        where name.starts(with: "user.".utf8) {
            guard let value = try? ExtendedAttributes.value(of: name, of: from) else { continue }
            try? ExtendedAttributes.set(name, to: value, of: to)
        }
    }
}
