// SPDX-License-Identifier: Apache-2.0
//
// From URLs to paths, byte for byte: Foundation would put replacement characters, and so another
// file, in the place of bytes that are not UTF-8 (Rule 1.2).

package import FileCoordinationArbiter
package import FileCoordinationClient
package import Foundation

extension PlaceResolver {
    /// The path of `url` as the bytes that the kernel would be given, absolute.
    package static func pathBytes(of url: URL) throws(PlaceError) -> [UInt8] {
        guard url.isFileURL else { throw .unsupportedScheme }
        return try pathBytes(percentEncoded: url.absoluteURL.path(percentEncoded: true))
    }

    /// The canonical path that a URL names, without a look at what is there.
    package static func path(of url: URL) throws(PlaceError) -> ItemPath {
        try canonicalPath(of: pathBytes(of: url))
    }

    /// The bytes of the canonical path that a URL names, for those who compare paths.
    package static func canonicalBytes(of url: URL) throws(NSError) -> [UInt8] {
        do throws(PlaceError) {
            return try path(of: url).bytes
        } catch {
            throw error.nsError(url: url, writing: false)
        }
    }
}

extension ItemName {
    /// The name that a URL spells.
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
