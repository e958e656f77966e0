// SPDX-License-Identifier: Apache-2.0
//
// Arguments as text, byte for byte. The kernel's arguments are bytes, Swift's text is Unicode, and
// would be repaired where it is not: a repaired path is another file's. So each byte that is not
// part of UTF-8 stands as one of 128 characters at the very end of Unicode's private planes, and so
// do the bytes of those characters themselves: the way back is always the same bytes.

import Glibc

/// Text that stands for any bytes.
enum ArgumentText {
    /// Where the characters for single bytes are: this and the byte, which is 0x80 or more.
    private static let base: UInt32 = 0x10FF00
    private static let bytes: ClosedRange<UInt32> = 0x10FF80...0x10FFFF

    /// This process's arguments, the program's name first.
    static var ofProcess: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            CommandLine.unsafeArgv[index].map { encode(bytes(at: $0)) }
        }
    }

    /// The bytes up to a zero.
    static func bytes(at start: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
    }

    /// Text that stands for `bytes`.
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

    /// The bytes that `text` stands for.
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

/// Bytes as characters, and as what is none.
enum UTF8Pieces {
    /// Calls `body` with each character and its bytes, and with nil for a byte of none.
    static func forEach(
        in bytes: [UInt8], _ body: (Unicode.Scalar?, ArraySlice<UInt8>) -> Void
    ) {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                body(Unicode.UTF8.decode(encoded), bytes[offset..<offset + encoded.count])
                offset += encoded.count
            case .error(let length):
                for _ in 0..<length {
                    body(nil, bytes[offset..<offset + 1])
                    offset += 1
                }
            case .emptyInput: return
            }
        }
    }
}
