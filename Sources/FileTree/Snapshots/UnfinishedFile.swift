// SPDX-License-Identifier: Apache-2.0
//
// A file that has no name until it is complete. If the process dies before that, the kernel frees
// the file, and no process ever sees an incomplete one. If the file system does not support that,
// the file has a temporary name beside its final one, and is renamed.

package import FileCoordinationSystem

/// A temporary copy that is being made.
package struct UnfinishedFile {
    /// The name of the file until it is complete.
    package enum Naming: Hashable {
        /// No name, if the file system supports that.
        case none
        /// The name for unfinished copies of the slot.
        case part
    }

    /// The file, open for reading and writing.
    package let file: Descriptor
    private let slot: UploadSlot
    private let naming: Naming

    /// Makes an empty file, which only the caller has open.
    package init(in slot: UploadSlot, naming: Naming = .none) throws(UploadError) {
        self.slot = slot
        if naming == .none, let nameless = Self.nameless(in: slot) {
            file = nameless
            self.naming = .none
            return
        }
        do throws(SystemError) {
            file = try slot.root.directory.openFile(
                slot.name.part, [.read, .write, .create, .exclusive])
        } catch {
            throw .unwritable(error)
        }
        self.naming = .part
    }

    private static func nameless(in slot: UploadSlot) -> Descriptor? {
        // If this fails, making a file with a name will fail as well and report the reason.
        guard let file = try? slot.directory.descriptor.makeNamelessFile() else { return nil }
        // Without /proc, the file could never get a name.
        guard let seen = try? FileStatus(path: "/proc/thread-self/fd/\(file.number)"),
            let status = try? file.status(),
            seen.inode == status.inode, seen.device == status.device
        else { return nil }
        return file
    }

    /// Gives the complete file its name.
    package func publish(as name: [UInt8]) throws(UploadError) {
        let target = slot.directory.descriptor
        do throws(SystemError) {
            switch naming {
            case .none: try target.makeHardLink(name, toNameless: file)
            case .part:
                try slot.root.directory.descriptor.rename(
                    Array(slot.name.part.utf8), to: name, in: target)
            }
        } catch {
            let text = String(decoding: name, as: UTF8.self)
            throw .unwritable(
                SystemError(code: error.code, operation: "name the copy \"\(text)\""))
        }
    }
}
