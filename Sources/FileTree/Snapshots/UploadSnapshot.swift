// SPDX-License-Identifier: Apache-2.0
//
// Makes the copy that the accessor of a coordinated read for uploading gets. It is made while the
// claim is held, so that the claim can end before the upload begins (Rules 15.1 to 15.3).

import FileCoordinationSystem
import Glibc

/// A temporary copy of one item.
///
/// It is removed when this object is released, at the latest. If the process dies, the next process
/// that makes a copy removes it. It may be used from any thread.
package final class UploadSnapshot: Sendable {
    /// The path of the copy: a file with the original's name, or a zip archive named after a
    /// directory.
    ///
    /// It is in a directory of its own, from which it may be moved away.
    package let path: [UInt8]
    /// The items that an archive does not contain: their number and the path of one of them.
    package let omission: (count: Int, path: [UInt8])?
    private let slot: UploadSlot

    private init(path: [UInt8], omission: (count: Int, path: [UInt8])?, slot: UploadSlot) {
        self.path = path
        self.omission = omission
        self.slot = slot
    }

    deinit { remove() }

    /// Removes the copy and its directory, as far as they still exist.
    ///
    /// Calling it again or in a forked child has no effect.
    package func remove() { slot.remove() }

    // MARK: Making

    /// Copies the item at an absolute path.
    ///
    /// The caller must hold the claim on it meanwhile.
    ///
    /// - Parameters:
    ///   - path: the path.
    ///   - environment: determines by `TMPDIR` where temporary copies are made.
    /// - Returns: the copy; of a directory, a zip archive.
    /// - Throws: ``UploadError`` if the item cannot be copied.
    package static func make(
        of path: [UInt8], environment: [String: String] = CurrentProcess.environment
    ) throws(UploadError) -> UploadSnapshot {
        let components = path.split(separator: UInt8(ascii: "/"))
        guard let name = components.last.map({ Array($0) }) else { throw .nameless }
        let above = components.dropLast().joined(separator: [UInt8(ascii: "/")])
        switch try item(name, in: [UInt8(ascii: "/")] + Array(above), path) {
        case .link: throw .symbolicLink(path: path)
        case .special: throw .notCopyable(path: path)
        case .file(let file):
            return try fill(copyName(of: name), environment) { (copy, _) throws(UploadError) in
                try duplicate(file, to: copy)
                return nil
            }
        case .directory(let directory, let status):
            return try fill(copyName(of: name, ending: ".zip"), environment) {
                (copy, root) throws(UploadError) in
                // If this fails, other temporary copies inside the directory become part of the
                // archive.
                let temporaries = try? root.directory.status()
                return try archive(directory, status, as: name, without: temporaries, to: copy)
            }
        }
    }

    private static func item(
        _ name: [UInt8], in parent: [UInt8], _ path: [UInt8]
    ) throws(UploadError) -> SourceItem {
        do throws(TreeError) {
            if let item = try SourceDirectory(path: parent).item(name) { return item }
        } catch {
            throw UploadError(error)
        }
        throw .unreadable(path: path, code: ErrorNumber.noSuchFile)
    }

    /// Makes a temporary file by calling `writing`, and names it when it is complete.
    private static func fill(
        _ name: [UInt8], _ environment: [String: String],
        writing: (Descriptor, UploadRoot) throws(UploadError) -> (count: Int, path: [UInt8])?
    ) throws(UploadError) -> UploadSnapshot {
        let root = try UploadRoot.open(environment: environment)
        root.sweep()
        let slot: UploadSlot
        do throws(SystemError) {
            slot = try UploadSlot(in: root)
        } catch {
            throw .unwritable(error)
        }
        do throws(UploadError) {
            let copy = try UnfinishedFile(in: slot)
            let omission = try writing(copy.file, root)
            try copy.publish(as: name)
            return UploadSnapshot(
                path: Array((slot.path + "/").utf8) + name, omission: omission, slot: slot)
        } catch {
            slot.remove()
            throw error
        }
    }

    /// The name of the copy of an item called `name`.
    ///
    /// It is the same unless URLs cannot represent it or it is too long.
    package static func copyName(of name: [UInt8], ending: String = "") -> [UInt8] {
        // URLs are text, so a name that is not UTF-8 could not be represented.
        let text = Array(String(decoding: name, as: UTF8.self).utf8)
        var stem = text.prefix(Int(NAME_MAX) - ending.utf8.count)
        if stem.count < text.count {
            // Removes the rest of a character that was cut.
            while let last = stem.last, last & 0xC0 == 0x80 { stem.removeLast() }
            if let last = stem.last, last >= 0xC0 { stem.removeLast() }
        }
        return stem + Array(ending.utf8)
    }

    // MARK: Contents

    private static func duplicate(
        _ file: SourceFile, to copy: Descriptor
    ) throws(UploadError) {
        // At most the size at the opening is copied, because other programs may append to the file
        // faster than this one can read.
        var contents = FileContents(of: file.descriptor, to: copy, followsGrowth: false)
        do throws(FileContents.Failure) {
            try contents.copy()
        } catch {
            switch error {
            case .reading(let error): throw .unreadable(path: file.path, code: error.code)
            case .writing(let error): throw .unwritable(error)
            case .unwanted: throw .unwritable(TreeError.unwanted.systemError)
            }
        }
        // The copy is readable for this user even if the original is not.
        let mode = file.status.st_mode & 0o777 | 0o400
        let times = [file.status.st_mtim, file.status.st_mtim]
        guard fchmod(copy.number, mode) == 0, unsafe futimens(copy.number, times) == 0 else {
            throw .unwritable(SystemError(code: errno, operation: "set the copy's attributes"))
        }
    }

    /// Writes the archive.
    ///
    /// Returns what was left out.
    private static func archive(
        _ directory: SourceDirectory, _ status: stat, as name: [UInt8],
        without temporaries: FileStatus?, to copy: Descriptor
    ) throws(UploadError) -> (count: Int, path: [UInt8])? {
        let writer = ZipWriter(to: copy)
        var archiver = TreeArchiver(to: writer, without: temporaries)
        try archiver.add(directory, status, as: name)
        try writer.finish()
        return archiver.skippedPath.map { (archiver.skippedCount, $0) }
    }
}
