// SPDX-License-Identifier: Apache-2.0
//
// The file that gets new content. This type checks whether the file may be written, gives its
// attributes to the file that replaces it, and can write the file in place.

import FileCoordinationSystem
import Glibc

/// How the new content gets into place.
enum Placing: Hashable {
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
struct ReplacedFile {
    private let path: NativePath
    /// The status of the file, or nil if there is none.
    let status: FileStatus?

    /// Checks `path`, where there must be a file that may be written, or nothing.
    init(_ path: NativePath, _ placing: Placing) throws(Failure) {
        self.path = path
        do throws(SystemError) {
            status = try path.statusIfAny()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
        guard let status else { return }
        switch status.kind {
        case .regular: break
        case .directory:
            throw Failure(
                .badPath, "\(path) is a directory: name a file in it, or give a COMMAND")
        case .symbolicLink:
            throw Failure(
                .badPath,
                "\(path) is a symbolic link: leave out --no-follow, or name its target")
        case .socket, .other:
            throw Failure(.badPath, "\(path) is not a regular file: only those can be replaced")
        }
        let mayWrite = unsafe path.withCString {
            unsafe faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) == 0
        }
        guard mayWrite else { throw Failure(errorNumber: errno, doing: "write", path: path) }
        guard placing == .replacing, OtherNames.count(of: path.bytes) > 1 else { return }
        throw Failure(
            .badPath,
            "\(path) is one of \(status.linkCount) names of its file (hard links), and the others "
                + "would keep the old content: use --in-place to write the file that all of them "
                + "name, or --break-links to give this name a file of its own")
    }

    /// Gives the file's attributes to `copy`, which will replace it.
    ///
    /// Prints what cannot be preserved.
    func giveAttributes(to copy: Descriptor, umask: mode_t) throws(Failure) {
        do throws(SystemError) {
            let directory = try path.directory.openDirectory()
            let attributes =
                status == nil
                ? try CarriedAttributes(ofNewFileIn: directory, umask: UInt32(umask))
                : try CarriedAttributes(of: path.name, in: directory)
            for loss in try attributes.give(to: copy) {
                Console.say("\(path): \(loss) could not be kept")
            }
        } catch {
            throw Failure(errorNumber: error.code, doing: "keep the attributes of", path: path)
        }
    }

    // MARK: In place

    /// Overwrites the file with `contents`.
    func overwrite(with contents: Descriptor) throws(Failure) {
        do throws(SystemError) {
            let file = try openForOverwriting()
            let size = try contents.status().size
            try makeRoom(in: file, size)
            try copy(contents, to: file)
            try FileSpace.truncate(file, length: size)
            try file.synchronize()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
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
