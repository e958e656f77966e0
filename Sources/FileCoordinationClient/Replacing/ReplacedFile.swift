// SPDX-License-Identifier: Apache-2.0
//
// The file that gets new content. This type checks whether the file may be written, puts another
// file with its attributes in its place, and can write the file itself.

package import FileCoordinationSystem
package import Glibc

/// How the new content gets into place.
package enum Placing: Hashable {
    /// Another file with the same attributes replaces it.
    ///
    /// A file with several names is refused.
    case replacing
    /// Replaces also a file with several names, whose other names keep the old content.
    case breakingLinks
    /// The file itself is overwritten, for all its names.
    ///
    /// That is not atomic.
    case inPlace
}

/// The file at the path that is written.
package struct ReplacedFile {
    private let path: NativePath
    /// The status of the file, or nil if there is none.
    package let status: FileStatus?

    /// Checks `path`, where there must be a file that may be written, or nothing.
    package init(_ path: NativePath, _ placing: Placing) throws(ReplacingError) {
        self.path = path
        do throws(SystemError) {
            status = try path.statusIfAny()
        } catch {
            throw .failed(error, doing: "write", path)
        }
        guard let status else { return }
        switch status.kind {
        case .regular: break
        case .directory:
            throw .unsuitable(path, .directory)
        case .symbolicLink:
            throw .unsuitable(path, .symbolicLink)
        case .socket, .other:
            throw .unsuitable(path, .noRegularFile)
        }
        let mayWrite = unsafe path.withCString {
            unsafe faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) == 0
        }
        guard mayWrite else {
            throw .failed(SystemError(code: errno, operation: "write"), doing: "write", path)
        }
        if placing == .replacing, path.nameCount > 1 {
            throw .unsuitable(path, .severalNames(status.linkCount))
        }
    }

    // MARK: Replacing

    /// What a replacement has left.
    package struct Replacement: Sendable {
        /// The state of the file; nil if another program has changed or replaced it by now, or it
        /// cannot be looked at.
        package let token: ItemToken?
        /// What of the former file's attributes could not be kept.
        package let losses: [AttributeLoss]
    }

    /// Puts another file in the place of this one, with this one's attributes.
    ///
    /// - Parameters:
    ///   - contents: the other file, in the same directory.
    ///   - former: its temporary name; nil if it has none.
    ///   - umask: what a new file is made with.
    ///   - seen: the state in which this file must be until the last moment; nil for any.
    /// - Returns: what was left.
    /// - Throws: if it was not replaced; then it is as it was.
    package func replace(
        by contents: Descriptor, named former: NativePath?, umask: mode_t,
        ifStill seen: ItemToken? = nil
    ) throws(ReplacingError) -> Replacement {
        let losses: [AttributeLoss]
        do throws(SystemError) {
            losses = try giveAttributes(to: contents, umask: umask)
        } catch {
            throw .failed(error, doing: "keep the attributes of", path)
        }
        let (directory, name, written): (Descriptor, [UInt8], FileStatus)
        do throws(SystemError) {
            directory = try path.directory.openDirectory()
            name = try Self.name(contents, former, in: directory)
            written = try contents.status()
        } catch {
            throw .failed(error, doing: "write", path)
        }
        do throws(ReplacingError) {
            try rename(name, in: directory, ifStill: seen)
        } catch {
            putBack(name, former, in: directory)
            throw error
        }
        // The lock also ends with the descriptor.
        try? FileLock.unlock(contents)
        return Replacement(token: token(of: contents, writtenAs: written), losses: losses)
    }

    /// Gives the other file its own name back, or removes it if it had none.
    private func putBack(_ name: [UInt8], _ former: NativePath?, in directory: Descriptor) {
        do throws(SystemError) {
            guard let former else { return try directory.removeEntry(name) }
            try directory.rename(name, to: former.name, in: directory, ifTaken: .refuse)
        } catch {
            // The first error counts. What stays is swept by the next command.
        }
    }

    /// Gives the other file this one's name, if this one is still as it was seen.
    private func rename(
        _ name: [UInt8], in directory: Descriptor, ifStill seen: ItemToken?
    ) throws(ReplacingError) {
        try seen?.requireCurrent(at: path)
        do throws(SystemError) {
            try directory.rename(
                name, to: path.name, in: directory,
                ifTaken: seen?.isAbsent == true ? .refuse : .replace)
        } catch {
            guard error.code != ErrorNumber.alreadyExists else { throw .changed(path, .appeared) }
            throw .failed(error, doing: "write", path)
        }
    }

    /// Returns the token of what was put in place, unless something has changed since.
    private func token(of file: Descriptor, writtenAs written: FileStatus) -> ItemToken? {
        // The file is replaced, whether or not it can be looked at.
        guard let left = try? file.status(), left.size == written.size,
            left.modified == written.modified,
            let token = try? ItemToken.take(at: path.bytes),  // The same.
            token.isState(left)
        else { return nil }
        return token
    }

    private func giveAttributes(
        to copy: Descriptor, umask: mode_t
    ) throws(SystemError) -> [AttributeLoss] {
        let directory = try path.directory.openDirectory()
        let attributes =
            status == nil
            ? try CarriedAttributes(ofNewFileIn: directory, umask: UInt32(umask))
            : try CarriedAttributes(of: path.name, in: directory)
        return try attributes.give(to: copy)
    }

    /// Gives a temporary file a name in `directory`.
    private static func name(
        _ contents: Descriptor, _ former: NativePath?, in directory: Descriptor
    ) throws(SystemError) -> [UInt8] {
        // The lock tells other programs that this one lives, so that they do not remove the file.
        _ = try FileLock.tryLock(contents)
        let name = TemporaryEntry.spoolName()
        guard let former else {
            try directory.makeHardLink(name, toNameless: contents)
            return name
        }
        try unsafe directory.call("name the spool", name) { number, name in
            unsafe former.withCString { unsafe renameat(AT_FDCWD, $0, number, name) }
        }
        return name
    }

    // MARK: In place

    /// Overwrites the file with `contents`.
    package func overwrite(with contents: Descriptor) throws(ReplacingError) {
        do throws(SystemError) {
            let file = try openForOverwriting()
            let size = try contents.status().size
            try makeRoom(in: file, size)
            try copy(contents, to: file)
            try FileSpace.truncate(file, length: size)
            try file.synchronize()
        } catch {
            throw .failed(error, doing: "write", path)
        }
    }

    private func openForOverwriting() throws(SystemError) -> Descriptor {
        let flags = O_NOFOLLOW | O_NONBLOCK
        do throws(SystemError) {
            // The C library must also read to reserve space where the kernel cannot do it.
            return try path.open(O_RDWR | flags)
        } catch {
            guard error.code == EACCES else { throw error }
            return try path.open(O_WRONLY | flags)
        }
    }

    /// Reserves space for the file, so that a full device is noticed before anything is
    /// overwritten.
    private func makeRoom(in file: Descriptor, _ size: UInt64) throws(SystemError) {
        let former = try file.status().size
        guard size > former else { return }
        do throws(SystemError) {
            do throws(SystemError) {
                try FileSpace.reserve(file, length: size)
            } catch {
                // The C library could not read a file that may only be written; others have no
                // substitute for the kernel.
                guard [EBADF, EOPNOTSUPP].contains(error.code) else { throw error }
                try append(zerosTo: size, file, from: former)
            }
        } catch {
            try FileSpace.truncate(file, length: former)
            throw error
        }
    }

    /// Lets the file grow by zeros, which take the space that the contents need.
    private func append(
        zerosTo size: UInt64, _ file: Descriptor, from former: UInt64
    ) throws(SystemError) {
        let zeros = unsafe Self.makeBuffer()
        defer { unsafe zeros.deallocate() }
        unsafe zeros.initializeMemory(as: UInt8.self, repeating: 0)
        var offset = former
        while offset < size {
            let count = Int(min(size - offset, UInt64(zeros.count)))
            let part = unsafe UnsafeRawBufferPointer(rebasing: zeros[..<count])
            try unsafe file.write(part, at: offset)
            offset += UInt64(count)
        }
    }

    private static func makeBuffer() -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    }

    private func copy(_ contents: Descriptor, to file: Descriptor) throws(SystemError) {
        let buffer = unsafe Self.makeBuffer()
        defer { unsafe buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = try unsafe contents.read(into: buffer, at: offset)
            guard count > 0 else { return }
            try unsafe file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            offset += UInt64(count)
        }
    }
}
