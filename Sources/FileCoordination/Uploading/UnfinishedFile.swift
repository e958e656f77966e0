// SPDX-License-Identifier: Apache-2.0
//
// A file that has no name until it is complete: if the process dies before, the kernel frees it,
// and nobody ever sees half of it. Where file systems cannot do that, it has a name beside the
// place where it will be, and moves there.

#if !canImport(Darwin)
package import FileCoordinationSystem
import Glibc

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

    /// Makes an empty file, which belongs to nobody else.
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

    // O_TMPFILE without its O_DIRECTORY; <fcntl.h> shows it to GNU sources only.
    private static let temporary: Int32 = 0o20000000

    private static func nameless(in slot: UploadSlot) -> Descriptor? {
        let number = openat(
            slot.directory.descriptor.number, ".", temporary | O_DIRECTORY | O_RDWR | O_CLOEXEC,
            0o600)
        guard number >= 0 else { return nil }
        let file = Descriptor(adopting: number)
        // Without /proc it could never get a name.
        guard let seen = try? FileStatus(path: link(to: file)), let status = try? file.status(),
            seen.inode == status.inode, seen.device == status.device
        else { return nil }
        return file
    }

    private static func link(to file: Descriptor) -> String { "/proc/self/fd/\(file.number)" }

    /// Gives the complete file its name.
    package func publish(as name: [UInt8]) throws(UploadError) {
        let target = slot.directory.descriptor.number
        let result =
            switch naming {
            case .none:
                withCName(name) {
                    linkat(AT_FDCWD, Self.link(to: file), target, $0, AT_SYMLINK_FOLLOW)
                }
            case .part:
                withCName(name) {
                    renameat(slot.root.directory.descriptor.number, slot.name.part, target, $0)
                }
            }
        guard result == 0 else {
            let code = errno
            let text = String(decoding: name, as: UTF8.self)
            throw .unwritable(SystemError(code: code, operation: "name the copy \"\(text)\""))
        }
    }
}
#endif
