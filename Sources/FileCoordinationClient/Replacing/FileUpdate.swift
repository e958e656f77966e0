// SPDX-License-Identifier: Apache-2.0
//
// Changes a file under a write claim of the caller: reads it, and puts other contents in its place
// in one step, if no program without coordination has changed it meanwhile (Rule 18.16). Readers
// find the old or the new contents, also after a crash. Mode, owner, lists and attributes are kept.

import FileCoordinationSystem
import Glibc

/// The change of one file.
package struct FileUpdate: Sendable {
    private let path: NativePath
    /// What the file must still be; nil for anything.
    private let seen: ItemToken?
    /// The contents before; nil if there is no file, or it was not read.
    package let former: [UInt8]?

    /// Changes a file that the caller has read.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - seen: its state before it was read; nil if any state will do.
    init(at path: NativePath, seen: ItemToken?) {
        self.path = path
        self.seen = seen
        former = nil
    }

    /// Reads the file at a path.
    ///
    /// - Throws: also if there is something that cannot be replaced, such as a directory or a file
    ///   with several names.
    package init(at path: NativePath) throws(ReplacingError) {
        self.path = path
        do throws(SystemError) {
            seen = try ItemToken.take(at: path.bytes)
        } catch {
            throw .failed(error, doing: "look at", path)
        }
        guard try ReplacedFile(path, .replacing).status != nil else {
            former = nil
            return
        }
        do throws(SystemError) {
            former = try path.open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK).contents()
        } catch {
            throw .failed(error, doing: "read", path)
        }
    }

    /// Puts new contents in the place of the file, or removes it; equal contents stay.
    ///
    /// - Parameter contents: the new contents; nil for none.
    /// - Returns: what was left.
    /// - Throws: `changed` if another program has changed the file since it was read; then, and
    ///   after other errors, it is as it was.
    package func end(
        with contents: [UInt8]?
    ) throws(ReplacingError) -> ReplacedFile.Replacement {
        guard let contents, contents != former else {
            try seen?.requireCurrent(at: path)
            if contents == nil { try remove() }
            return ReplacedFile.Replacement(token: contents == nil ? .absent : seen, losses: [])
        }
        let (file, name) = try make(contents)
        do throws(ReplacingError) {
            let mask = mode_t(CurrentProcess.fileModeMask)
            return try ReplacedFile(path, .replacing)
                .replace(by: file, named: name, umask: mask, ifStill: seen)
        } catch {
            unlink(name)
            throw error
        }
    }

    private func unlink(_ name: NativePath?) {
        if let name { _ = unsafe name.withCString { unsafe Glibc.unlink($0) } }
    }

    private func remove() throws(ReplacingError) {
        guard try ReplacedFile(path, .breakingLinks).status != nil else { return }
        do throws(SystemError) {
            try path.directory.openDirectory().removeEntry(path.name)
        } catch {
            throw .failed(error, doing: "remove", path)
        }
    }

    /// Makes a temporary file with these contents, which has a name only where the file system
    /// knows no files without one.
    private func make(
        _ contents: [UInt8]
    ) throws(ReplacingError) -> (Descriptor, name: NativePath?) {
        let parent = path.directory
        var name: NativePath?
        do throws(SystemError) {
            let directory = try parent.openDirectory()
            let file: Descriptor
            if let unnamed = try UnnamedFile.tryCreate(in: directory, at: parent) {
                file = unnamed
            } else {
                let named = try UnnamedFile.createNamed(in: directory)
                (file, name) = (named.0, parent.appending(named.name))
            }
            try file.write(contents: contents)
            // So that the replacing file is complete even after a crash.
            try file.synchronize()
            return (file, name)
        } catch {
            unlink(name)
            throw .failed(error, doing: "write in", parent)
        }
    }
}
