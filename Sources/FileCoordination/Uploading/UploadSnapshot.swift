// SPDX-License-Identifier: Apache-2.0
//
// What a coordinated read for uploading hands to its accessor: a copy, made while the claim is
// held, so that the claim can end before the upload begins (Rules 15.1 to 15.3).

#if !canImport(Darwin)
package import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
package import Foundation
import Glibc

/// A temporary copy of one item.
///
/// It is removed when this object goes, at the latest; if the process dies, by the next process
/// that makes one. May be used from any thread.
package final class UploadSnapshot: Sendable {
    /// The copy: a file's under its own name, a directory's a zip archive named after it.
    ///
    /// In a directory of its own, from which it may be moved away.
    package let url: URL
    private let slot: UploadSlot

    private init(url: URL, slot: UploadSlot) {
        self.url = url
        self.slot = slot
    }

    deinit { remove() }

    /// Removes the copy and its directory, as far as they are still there.
    ///
    /// Calling it again, or in a forked child, changes nothing.
    package func remove() { slot.remove() }

    // MARK: Making

    /// Copies what `url` names; the claim on it must be held meanwhile.
    package static func make(of url: URL) throws(NSError) -> UploadSnapshot {
        let path: ItemPath
        do throws(PlaceError) {
            path = try PlaceResolver.path(of: url)
        } catch {
            throw error.nsError(url: url, writing: false)
        }
        do throws(UploadError) {
            return try make(of: path)
        } catch {
            throw error.nsError(item: url)
        }
    }

    /// Copies the item at `place`; the claim on it must be held meanwhile.
    package static func make(
        of place: ItemPath,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(UploadError) -> UploadSnapshot {
        guard let name = place.lastComponent else { throw .nameless }
        let parent = try SourceDirectory(path: place.prefix(depth: place.depth - 1).bytes)
        guard let item = try parent.item(name) else {
            throw .unreadable(path: place.bytes, code: ErrorNumber.noSuchFile)
        }
        switch item {
        case .link: throw .symbolicLink(path: place.bytes)
        case .special: throw .notCopyable(path: place.bytes)
        case .file(let file):
            return try fill(copyName(of: name), environment) { (copy, _) throws(UploadError) in
                try duplicate(file, to: copy)
            }
        case .directory(let directory, let attributes):
            return try fill(copyName(of: name, ending: ".zip"), environment) {
                (copy, root) throws(UploadError) in
                let temporaries = try? root.directory.status()
                try archive(directory, attributes, as: name, without: temporaries, to: copy)
            }
        }
    }

    /// Makes a temporary file by `writing` it, and names it when it is complete.
    private static func fill(
        _ name: [UInt8], _ environment: [String: String],
        writing: (Descriptor, UploadRoot) throws(UploadError) -> Void
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
            try writing(copy.file, root)
            try copy.publish(as: name)
            guard let place = ItemPath(bytes: Array((slot.path + "/").utf8) + name) else {
                preconditionFailure("A path of names is no path")
            }
            return UploadSnapshot(url: URL(place: place), slot: slot)
        } catch {
            slot.remove()
            throw error
        }
    }

    /// What the copy of an item called `name` is called: the same, unless URLs cannot spell it, or
    /// it is longer than names can be.
    package static func copyName(of name: [UInt8], ending: String = "") -> [UInt8] {
        // URLs are text: a name of other bytes would lead nowhere.
        let text = Array(String(decoding: name, as: UTF8.self).utf8)
        var stem = text.prefix(Int(NAME_MAX) - ending.utf8.count)
        if stem.count < text.count {
            // Not in the middle of a character.
            while let last = stem.last, last & 0xC0 == 0x80 { stem.removeLast() }
            if let last = stem.last, last >= 0xC0 { stem.removeLast() }
        }
        return stem + Array(ending.utf8)
    }

    // MARK: Contents

    private static func duplicate(
        _ file: SourceFile, to copy: Descriptor
    ) throws(UploadError) {
        var duplicate = FileDuplicate(of: file, to: copy)
        try duplicate.make()
        // Readable to us in any case: the copy is ours, even where the file is not.
        let mode = file.attributes.mode & 0o777 | 0o400
        let times = [file.attributes.modified, file.attributes.modified]
        guard fchmod(copy.number, mode) == 0, futimens(copy.number, times) == 0 else {
            throw .unwritable(SystemError(code: errno, operation: "set the copy's attributes"))
        }
    }

    private static func archive(
        _ directory: SourceDirectory, _ attributes: SourceAttributes, as name: [UInt8],
        without temporaries: FileStatus?, to copy: Descriptor
    ) throws(UploadError) {
        let writer = ZipWriter(to: copy)
        var archiver = TreeArchiver(to: writer, without: temporaries)
        try archiver.add(directory, attributes, as: name)
        try writer.finish()
        guard let path = archiver.skippedPath else { return }
        Diagnostics.say(
            """
            the archive of \(String(decoding: directory.path, as: UTF8.self)) for uploading leaves \
            out what is no file, directory or link (\(archiver.skippedCount) in all), such as \
            \(String(decoding: path, as: UTF8.self))
            """)
    }
}
#endif
