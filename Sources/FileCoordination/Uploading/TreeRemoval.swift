// SPDX-License-Identifier: Apache-2.0
//
// Removing a directory and all that is in it, by open directories and without following links: what
// is removed is inside, whatever somebody renames meanwhile.

#if !canImport(Darwin)
package import FileCoordinationSystem
import Glibc

/// The removal of trees.
package enum TreeRemoval {
    /// Removes what `name` stands for in `parent`; returns whether nothing is left of that name.
    @discardableResult
    package static func remove(_ name: [UInt8], from parent: Descriptor) -> Bool {
        if unlink(name, in: parent, 0) { return true }
        guard let directory = SourceDirectory(subdirectory: name, of: parent) else {
            return errno == ENOENT
        }
        var frames = [Frame(name: name, directory: directory)]
        while let frame = frames.last {
            guard let next = frames[frames.count - 1].names.popLast() else {
                frames.removeLast()
                let holder = frames.last?.directory.descriptor ?? parent
                // What cannot be removed makes its directory stay, and so on up.
                let isGone = unlink(frame.name, in: holder, AT_REMOVEDIR)
                if frames.isEmpty { return isGone }
                continue
            }
            if unlink(next, in: frame.directory.descriptor, 0) { continue }
            let inner = SourceDirectory(subdirectory: next, of: frame.directory.descriptor)
            if let inner { frames.append(Frame(name: next, directory: inner)) }
        }
        return true
    }

    private struct Frame {
        let name: [UInt8]
        let directory: SourceDirectory
        var names: [[UInt8]]

        init(name: [UInt8], directory: SourceDirectory) {
            self.name = name
            self.directory = directory
            // It is ours: whoever unpacked something there may have made it read-only.
            _ = fchmod(directory.descriptor.number, 0o700)
            names = (try? directory.names()) ?? []
        }
    }

    /// Whether the name is gone.
    private static func unlink(_ name: [UInt8], in parent: Descriptor, _ flags: Int32) -> Bool {
        withCName(name) { unlinkat(parent.number, $0, flags) } == 0 || errno == ENOENT
    }
}
#endif
