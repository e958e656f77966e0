// SPDX-License-Identifier: Apache-2.0
//
// Paths that can be cached: those that are spelled canonically, without links or dots.

import FileCoordinationArbiter

extension PlaceCache {
    /// Returns the path of a spelling, if it is spelled canonically.
    static func plainPath(ofSpelling text: String) -> ItemPath? {
        let isPath = text.utf8.first == UInt8(ascii: "/")
        let bytes = isPath ? Array(text.utf8) : PlaceResolver.pathBytes(ofPlainURL: text)
        return bytes.flatMap { plainPath($0) }
    }

    /// Returns the path, if it is spelled canonically.
    static func plainPath(_ bytes: [UInt8]) -> ItemPath? {
        let isMarked = bytes.count > 1 && bytes.last == UInt8(ascii: "/")
        let plain = isMarked ? Array(bytes.dropLast()) : bytes
        guard let path = ItemPath(bytes: plain), path.bytes == plain, path.depth > 0 else {
            return nil
        }
        return path
    }
}
