// SPDX-License-Identifier: Apache-2.0
//
// Standard input, kept beside the file that it is to become: on the same file system, so that it
// can be put in place in one step, and without a name, so that nothing is left of it if it never
// is. File systems that know no files without names get one that signals and failures remove.

import FileCoordinationSystem
import Foundation

/// Content on its way into a file.
final class Spool {
    private let contents: Descriptor
    private let signals: SignalDesk
    private let umask: mode_t
    /// The path of the spool where it must have a name.
    private var leftover: String?

    /// Makes an empty spool beside `path`, if something can be written there at all.
    init(for path: String, signals: SignalDesk) throws(Failure) {
        self.signals = signals
        // The only way to ask; nothing else creates files yet.
        umask = Foundation.umask(0)
        _ = Foundation.umask(umask)
        _ = try Self.target(path)
        let directory = PathParts(path).directory
        if let file = try Self.attempt(
            in: directory, { () throws(SystemError) in try Self.fileWithoutName(in: directory) })
        {
            contents = file
            return
        }
        // No signal may come between the file's making and its being known.
        try signals.hold()
        let (file, name) = try Self.attempt(in: directory) { () throws(SystemError) in
            try UnnamedFile.createNamed(in: directory)
        }
        contents = file
        leftover = name
        try signals.end(removing: name)
    }

    private static func fileWithoutName(in path: String) throws(SystemError) -> Descriptor? {
        try UnnamedFile.tryCreate(in: Directory.open(path))
    }

    private static func attempt<Result>(
        in directory: String, _ body: () throws(SystemError) -> Result
    ) throws(Failure) -> Result {
        do throws(SystemError) {
            return try body()
        } catch {
            throw Failure(errorNumber: error.code, doing: "write in", path: directory)
        }
    }

    // MARK: Filling

    /// Takes in all of `descriptor`, down to the device: what is put in place must be whole even
    /// after a crash.
    func fill(from descriptor: Int32) throws(Failure) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        var offset: UInt64 = 0
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw Failure(
                    .inputOutput,
                    "cannot read standard input: \(String(cString: strerror(errno)))")
            }
            guard count > 0 else { break }
            do {
                try contents.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
            } catch {
                throw Failure(error, path: "the spool")
            }
            offset += UInt64(count)
        }
        do { try contents.synchronize() } catch { throw Failure(error, path: "the spool") }
    }

    // MARK: Putting in place

    /// Puts the content in place, in one step, with the mode and the owner of what was there.
    func place(at path: String) throws(Failure) {
        let former = try Self.target(path)
        try adopt(former, path: path)
        let parts = PathParts(path)
        do throws(SystemError) {
            let directory = try Directory.open(parts.directory)
            let name = try nameSpool(in: directory)
            do throws(SystemError) {
                try directory.rename(name, to: parts.name)
            } catch {
                try? directory.remove(name)
                throw error
            }
            leftover = nil
        } catch {
            throw Failure(errorNumber: error.code, doing: "write", path: path)
        }
    }

    /// Removes what is left, after a failure.
    func discard() {
        if let leftover { unlink(leftover) }
    }

    /// Gives the spool a name in `directory`.
    private func nameSpool(in directory: Directory) throws(SystemError) -> String {
        let name = ".filecoord-\(getpid())-\(UInt32.random(in: .min ... .max))"
        let result: Int32
        if let leftover {
            result = renameat(AT_FDCWD, leftover, directory.descriptor.number, name)
        } else {
            result = linkat(
                AT_FDCWD, "/proc/self/fd/\(contents.number)", directory.descriptor.number, name,
                AT_SYMLINK_FOLLOW)
        }
        guard result == 0 else {
            throw SystemError(code: errno, operation: "name the spool in \(directory.path)")
        }
        return name
    }

    private func adopt(_ former: FileStatus?, path: String) throws(Failure) {
        guard let former else {
            guard fchmod(contents.number, 0o666 & ~umask) == 0 else {
                throw Failure(errorNumber: errno, doing: "set the mode of", path: path)
            }
            return
        }
        do {
            let own = try contents.status()
            let isOurs =
                own.ownerUserID == former.ownerUserID && own.ownerGroupID == former.ownerGroupID
            // Before the mode: a change of owner takes set-user-ID away.
            if !isOurs, fchown(contents.number, former.ownerUserID, former.ownerGroupID) != 0 {
                throw SystemError(code: errno, operation: "fchown")
            }
        } catch {
            throw Failure(
                .badPath,
                "the owner of \(path) cannot be kept: write it in place with a COMMAND after "
                    + "\"--\", such as sh -c 'cat > \"$FILECOORD_PATH_1\"'")
        }
        guard fchmod(contents.number, mode_t(former.permissions)) == 0 else {
            throw Failure(errorNumber: errno, doing: "set the mode of", path: path)
        }
    }

    /// What is at `path`: a file that may be written, or nothing.
    private static func target(_ path: String) throws(Failure) -> FileStatus? {
        let status: FileStatus
        do {
            status = try FileStatus(path: path, followLinks: false)
        } catch {
            guard error.code == ENOENT else {
                throw Failure(errorNumber: error.code, doing: "write", path: path)
            }
            return nil
        }
        switch status.kind {
        case .regular: break
        case .directory:
            throw Failure(
                .badPath, "\(path) is a directory: name a file in it, or give a COMMAND")
        case .symbolicLink:
            throw Failure(
                .badPath,
                "\(path) is a symbolic link, which a write does not follow: name its target")
        case .socket, .other:
            throw Failure(.badPath, "\(path) is not a regular file: only those can be replaced")
        }
        guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else {
            throw Failure(errorNumber: errno, doing: "write", path: path)
        }
        return status
    }
}
