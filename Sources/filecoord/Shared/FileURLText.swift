// SPDX-License-Identifier: Apache-2.0
//
// Writes paths as the text of file URLs, for programs that expect URLs.

import FileCoordinationClient

/// Writes file URLs.
enum FileURLText {
    /// The bytes that RFC 3986 allows unescaped in a path.
    private static let plain = Set(
        "!$&'()*+,-./:;=@_~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The URL of an absolute path.
    ///
    /// This does not access the file system.
    static func text(_ path: NativePath) -> String {
        let bytes = path.bytes.flatMap { byte -> [UInt8] in
            guard !plain.contains(byte) else { return [byte] }
            return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return "file://" + String(decoding: bytes, as: UTF8.self)
    }
}
