// SPDX-License-Identifier: Apache-2.0
//
// Removing files and trees, by open directories and without following links. What cannot be removed
// is named with the kernel's reason, and the rest goes nevertheless.

import FileCoordinationSystem
import Foundation

/// A removal that goes on after a failure.
struct TreeDeletion {
    /// What could not be removed, each with its path.
    private(set) var failures: [Failure] = []
    /// Called with the path of each item that is gone, and whether it was a directory.
    var report: (NativePath, _ isDirectory: Bool) throws(Failure) -> Void = { _, _ in }
    /// Whether an item may be removed.
    var isAgreed: (NativePath) -> Bool = { _ in true }
    /// Whether to stop where it is.
    var isUnwanted: () -> Bool = { false }

    /// Removes `name` from `parent`, with all that is inside; nothing of that name is fine, too.
    mutating func removeIfThere(_ name: [UInt8], in parent: Descriptor, path: NativePath) {
        guard !isUnwanted() else { return }
        do throws(SystemError) {
            let isDirectory = try parent.statusOfEntry(name).st_mode & S_IFMT == S_IFDIR
            if isDirectory { return removeDirectory(name, in: parent, path: path) }
            guard isAgreed(path) else { return }
            try parent.removeEntry(name)
            tell(path, isDirectory: false)
        } catch {
            note(error.code, path)
        }
    }

    private mutating func removeDirectory(
        _ name: [UInt8], in parent: Descriptor, path: NativePath
    ) {
        let before = failures.count
        var (reason, isWhole): (Int32?, Bool) = (nil, true)
        do throws(SystemError) {
            let directory = try parent.openEntry(name, O_RDONLY | O_DIRECTORY)
            for inner in try directory.entryNames() {
                let innerPath = path.appending(inner)
                removeIfThere(inner, in: directory, path: innerPath)
                if !isAgreed(innerPath) { isWhole = false }
            }
        } catch {
            // It may be empty, and can be removed then.
            reason = error.code
        }
        guard isAgreed(path), isWhole, !isUnwanted(), failures.count == before else { return }
        do throws(SystemError) {
            try parent.removeEntry(name, flags: AT_REMOVEDIR)
            tell(path, isDirectory: true)
        } catch {
            note(error.code == ENOTEMPTY ? reason ?? error.code : error.code, path)
        }
    }

    private mutating func note(_ code: Int32, _ path: NativePath) {
        guard code != ENOENT else { return }
        failures.append(Failure(errorNumber: code, doing: "remove", path: path))
    }

    private mutating func tell(_ path: NativePath, isDirectory: Bool) {
        do throws(Failure) { try report(path, isDirectory) } catch { failures.append(error) }
    }
}
