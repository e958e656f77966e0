// SPDX-License-Identifier: Apache-2.0
//
// Converts URLs to paths, byte for byte. Foundation would use replacement characters for bytes that
// are not UTF-8, and so denote another file (Rule 1.2).

package import FileCoordinationArbiter
package import FileCoordinationClient
package import Foundation

extension PlaceResolver {
    /// Returns the absolute path of `url`, as bytes for the kernel.
    package static func pathBytes(of url: URL) throws(PlaceError) -> [UInt8] {
        guard url.isFileURL else { throw .unsupportedScheme }
        return try pathBytes(percentEncoded: url.absoluteURL.path(percentEncoded: true))
    }

    /// Returns the canonical path of a URL, without examining the item.
    package static func path(of url: URL) throws(PlaceError) -> ItemPath {
        try canonicalPath(of: pathBytes(of: url))
    }

    /// Returns the bytes of a URL's canonical path, for comparisons.
    package static func canonicalBytes(of url: URL) throws(NSError) -> [UInt8] {
        do throws(PlaceError) {
            return try path(of: url).bytes
        } catch {
            throw error.nsError(url: url, writing: false)
        }
    }
}

extension ItemName {
    /// Creates the name that a URL spells.
    package init(_ url: URL) {
        let text = url.absoluteString
        if let plain = PlaceResolver.pathBytes(ofPlainURL: text) {
            self.init(path: .success(plain), spelling: text)
            return
        }
        let path = Result { () throws(PlaceError) in try PlaceResolver.pathBytes(of: url) }
        self.init(path: path, spelling: text)
    }
}
