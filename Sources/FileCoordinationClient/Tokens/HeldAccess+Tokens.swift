// SPDX-License-Identifier: Apache-2.0
//
// The tokens of what a hold covers, and new contents for it: for faces whose accesses are holds
// (Rule 18.16).

import FileCoordinationSystem
import Glibc

extension HeldAccess {
    /// Returns the state of an item: of one that is read, that at the grant; else the state now.
    ///
    /// - Parameter index: which item of the hold.
    /// - Throws: `unexamined` if the item cannot be looked at.
    /// - Returns: the token.
    package func token(ofItem index: Int) throws(AccessFailure) -> ItemToken {
        let (path, sight) = place(ofItem: index)
        do throws(SystemError) {
            if let sight { return try ItemToken.make(of: sight, at: path, withDigest: false) }
            return try ItemToken.take(at: path)
        } catch {
            throw .unexamined(error, item: index)
        }
    }

    /// Puts new contents in the place of a held file, in one step, or removes it.
    ///
    /// - Parameters:
    ///   - index: which item of the hold, which must be one that is written.
    ///   - contents: the new contents; nil for no file.
    ///   - seen: the state in which the file must be; nil for any.
    /// - Returns: what was left.
    /// - Throws: if nothing was changed: `changed` if the file is not as it was seen.
    package func replace(
        item index: Int, with contents: [UInt8]?, ifSeen seen: ItemToken?
    ) throws(ReplacingError) -> ReplacedFile.Replacement {
        try FileUpdate(at: NativePath(place(ofItem: index).path), seen: seen).end(with: contents)
    }

    /// Puts another file in the place of a held file, in one step, with the attributes of the one
    /// before, or of a new file.
    ///
    /// - Parameters:
    ///   - index: which item of the hold, which must be one that is written.
    ///   - path: the other file, in the same directory, to which nothing is written any more; it
    ///     stays where it is after an error.
    ///   - seen: the state in which the file must be; nil for any.
    /// - Returns: what was left.
    /// - Throws: then the item is as it was; `changed` if it is not as it was seen.
    package func replace(
        item index: Int, byFileAt path: NativePath, ifSeen seen: ItemToken?
    ) throws(ReplacingError) -> ReplacedFile.Replacement {
        let file: Descriptor
        let status: FileStatus
        do throws(SystemError) {
            // Only a file that may be written can be locked for other programs to see.
            file = try path.open(O_RDWR | O_NOFOLLOW | O_NONBLOCK)
            status = try file.status()
            // So that the replacing file is complete even after a crash.
            if status.kind == .regular { try file.synchronize() }
        } catch {
            throw .failed(error, doing: "put in place", path)
        }
        guard status.kind == .regular else { throw .unsuitable(path, .noRegularFile) }
        guard status.linkCount <= 1 else {
            throw .unsuitable(path, .severalNames(status.linkCount))
        }
        let item = NativePath(place(ofItem: index).path)
        return try ReplacedFile(item, .replacing).replace(
            by: file, named: path, umask: mode_t(CurrentProcess.fileModeMask), ifStill: seen)
    }
}
