// SPDX-License-Identifier: Apache-2.0
//
// Converts the bytes of arguments to text without loss. The kernel passes arguments as arbitrary
// bytes, but a Swift `String` is valid Unicode: it would replace invalid bytes, and the changed
// path would name another file. So each byte that is not part of valid UTF-8 is represented by one
// of 128 characters at the end of Unicode's last private-use plane. Where these characters
// themselves occur, their bytes are represented in the same way, so that decoding always returns
// the original bytes.

import FileCoordinationClient
import Glibc

/// Converts between bytes and text that represents them.
enum ArgumentText {
    /// The character for a byte is this plus the byte, which is 0x80 or more.
    private static let base: UInt32 = 0x10FF00
    private static let bytes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// The arguments of this process, beginning with the program's name.
    static var ofProcess: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            unsafe CommandLine.unsafeArgv[index].map { unsafe encode(bytes(at: $0)) }
        }
    }

    /// The bytes before the terminating zero.
    static func bytes(at start: UnsafePointer<CChar>) -> [UInt8] {
        unsafe Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    /// The text that represents `bytes`.
    static func encode(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { self.bytes.contains($0.value) })
        {
            return text
        }
        var result = String.UnicodeScalarView()
        UTF8Pieces.forEach(in: bytes) { scalar, piece in
            if let scalar, !self.bytes.contains(scalar.value) { return result.append(scalar) }
            for byte in piece {
                guard let scalar = Unicode.Scalar(base + UInt32(byte)) else { continue }
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The text for people: each byte that is not part of valid UTF-8 is written as `\xff`.
    ///
    /// Other programs are shown it, and do not know what the characters for bytes stand for.
    static func shown(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { bytes.contains($0.value) }) else { return text }
        var result = String.UnicodeScalarView()
        UTF8Pieces.forEach(in: decode(text)) { scalar, piece in
            if let scalar { return result.append(scalar) }
            for byte in piece { result += "\\x\(String(byte, radix: 16))".unicodeScalars }
        }
        return String(result)
    }

    /// The bytes that `text` represents.
    static func decode(_ text: String) -> [UInt8] {
        guard text.unicodeScalars.contains(where: { bytes.contains($0.value) }) else {
            return Array(text.utf8)
        }
        return text.unicodeScalars.reduce(into: []) { result, scalar in
            if bytes.contains(scalar.value) {
                result.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                result += Array(String(scalar).utf8)
            }
        }
    }
}
