// SPDX-License-Identifier: Apache-2.0
//
// A file that has no name until it is complete: if the process dies before, the kernel frees it,
// and no process ever sees half of it. Where file systems cannot do that, it has a name beside the
// place where it will be, and moves there.

package import FileCoordinationSystem

/// A temporary copy in the making.
package struct UnfinishedFile {
    /// What such a file is called until it is complete.
    package enum Naming: Hashable {
        /// Nothing, if the file system can do that.
        case none
        /// The slot's name for an unfinished copy.
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
        // Where none can be made, the reason comes up again when one with a name is made.
        guard let file = try? slot.directory.descriptor.makeNamelessFile() else { return nil }
        // Without /proc it could never get a name.
        guard let seen = try? FileStatus(path: "/proc/self/fd/\(file.number)"),
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
