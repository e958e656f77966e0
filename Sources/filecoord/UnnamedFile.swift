// SPDX-License-Identifier: Apache-2.0
//
// Files without a name: nothing is left behind, however the program ends.

import FileCoordinationSystem
import Glibc

/// Files that have no name, or have had one for a moment only.
enum UnnamedFile {
    /// Creates a file in the directory at `path`, readable and writable by this user alone.
    static func create(in path: NativePath) throws(SystemError) -> Descriptor {
        let directory = try path.openDirectory()
        if let file = try tryCreate(in: directory, at: path) { return file }
        let (file, name) = try createNamed(in: directory)
        try? directory.removeEntry(name)
        return file
    }

    /// Creates a file in the first of these directories that has room for one.
    static func create(inOneOf places: [NativePath]) throws(SystemError) -> Descriptor {
        var first: SystemError?
        for place in places {
            do throws(SystemError) {
                return try create(in: place)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? SystemError(code: ENOENT, operation: "create a file")
    }

    /// Where copies of the file at `path` may go: beside it, where they may share its blocks and
    /// there is room for files of its size, or else where temporary files go.
    static func places(for path: NativePath) -> [NativePath] {
        let temporary = getenv("TMPDIR").map { NativePath(ArgumentText.bytes(at: $0)) }
        return [path.directory] + (temporary.map { [$0] } ?? [])
            + ["/tmp", "/var/tmp"].map { NativePath(Array($0.utf8)) }
    }

    /// Creates a file in `directory` that has no name; nil where the file system cannot.
    ///
    /// Its number is above those of the standard streams.
    static func tryCreate(
        in directory: Descriptor, at path: NativePath
    ) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try directory.makeNamelessFile()
        } catch {
            throw SystemError(code: error.code, operation: "create a file in \(path)")
        }
    }

    /// Creates a file with a unique name, locked for as long as this program lives, so that the
    /// next one can tell what a killed one has left.
    static func createNamed(
        in directory: Descriptor
    ) throws(SystemError) -> (Descriptor, name: [UInt8]) {
        TemporaryEntry.sweep(directory)
        for _ in 0..<16 {
            let name = TemporaryEntry.spoolName()
            let file = try directory.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            // A sweep may have come between the making and the locking.
            guard try FileLock.tryLock(file), try file.status().linkCount > 0 else { continue }
            return (file, name)
        }
        throw SystemError(code: ETIMEDOUT, operation: "create a file")
    }
}

extension Descriptor {
    /// The same open file by a number above those of the standard streams, for children.
    func aboveStandardStreams() throws(SystemError) -> Descriptor {
        // F_DUPFD_CLOEXEC, which cannot be imported.
        let copy = fcntl(number, 1030, 3)
        guard copy >= 0 else { throw SystemError(code: errno, operation: "duplicate a descriptor") }
        return Descriptor(adopting: copy)
    }
}
