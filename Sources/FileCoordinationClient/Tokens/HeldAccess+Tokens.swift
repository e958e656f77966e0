// SPDX-License-Identifier: Apache-2.0
//
// The tokens of what a hold covers, and new contents for it: for faces whose accesses are holds
// (Rule 18.16).

import FileCoordinationSystem

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
}
