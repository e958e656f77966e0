// SPDX-License-Identifier: Apache-2.0
//
// Creates temporary files without a name, so that nothing remains however the program ends.

package import FileCoordinationSystem
import Glibc

/// Creates files that have no name, or that had one only for a moment.
package enum UnnamedFile {
    /// Creates a file in the directory at `path` that only this user can read and write.
    package static func create(in path: NativePath) throws(SystemError) -> Descriptor {
        let directory = try path.openDirectory()
        if let file = try tryCreate(in: directory, at: path) { return file }
        let (file, name) = try createNamed(in: directory)
        // Without the right to remove it, the file keeps a name that the next command sweeps.
        try? directory.removeEntry(name)
        return file
    }

    /// Creates a file in the first of these directories in which that succeeds.
    package static func create(inOneOf places: [NativePath]) throws(SystemError) -> Descriptor {
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

    /// The directories for a copy of the file at `path`.
    ///
    /// The first is the file's own directory, where the copy may share the file's blocks and where
    /// there is room for files of its size. The others are the directories for temporary files.
    package static func places(for path: NativePath) -> [NativePath] {
        let temporary = unsafe getenv("TMPDIR").map { text in
            unsafe NativePath(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
        }
        return [path.directory] + (temporary.map { [$0] } ?? [])
            + ["/tmp", "/var/tmp"].map { NativePath(Array($0.utf8)) }
    }

    /// Creates a file without a name in `directory`.
    ///
    /// Returns nil if the file system cannot do that.
    ///
    /// The descriptor's number is above those of the standard streams.
    package static func tryCreate(
        in directory: Descriptor, at path: NativePath
    ) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try directory.makeNamelessFile()
        } catch {
            throw SystemError(code: error.code, operation: "create a file in \(path)")
        }
    }

    /// Creates a file with a unique name.
    ///
    /// The file is locked as long as this program lives, so that other programs can tell whether it
    /// was left by a killed one.
    package static func createNamed(
        in directory: Descriptor
    ) throws(SystemError) -> (Descriptor, name: [UInt8]) {
        TemporaryEntry.sweep(directory)
        for _ in 0..<16 {
            let name = TemporaryEntry.spoolName()
            let file = try directory.openFile(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            // Another program may have removed the file before it was locked.
            guard try FileLock.tryLock(file), try file.status().linkCount > 0 else { continue }
            return (file, name)
        }
        throw SystemError(code: ETIMEDOUT, operation: "create a file")
    }
}

extension Descriptor {
    /// Duplicates the descriptor to a number above those of the standard streams, for use by
    /// children.
    package func aboveStandardStreams() throws(SystemError) -> Descriptor {
        // F_DUPFD_CLOEXEC, which Swift does not import.
        let copy = fcntl(number, 1030, 3)
        guard copy >= 0 else { throw SystemError(code: errno, operation: "duplicate a descriptor") }
        return Descriptor(adopting: copy)
    }
}
