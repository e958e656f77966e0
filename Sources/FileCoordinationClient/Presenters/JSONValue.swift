// SPDX-License-Identifier: Apache-2.0
//
// A small JSON reader, for presenters' errors. The bytes come from another process, so they must
// not cause a trap, and the depth of nesting is limited.

/// A JSON value.
enum JSONValue: Hashable, Sendable {
    case object([String: JSONValue])
    case list([JSONValue])
    case text(String)
    /// A number, as text.
    case number(String)
    /// `true`, `false` or `null`.
    case word(String)

    /// The value of an object's member; nil for other values or if there is none.
    subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// Parses a value; returns nil if the bytes are not exactly one value.
    init?(_ bytes: [UInt8]) {
        var reader = JSONReader(bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }

    /// Returns a quoted text with at most `limit` bytes of contents, in whole characters.
    static func quoted(_ text: String, limit: Int) -> String {
        var result = "\""
        var length = 0
        for scalar in text.unicodeScalars {
            length += UTF8.width(scalar)
            guard length <= limit else { break }
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// Reads values from bytes.
private struct JSONReader {
    private var rest: ArraySlice<UInt8>
    private static let deepest = 16

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return rest.isEmpty
        }
    }

    mutating func value(depth: Int) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        skipSpace()
        switch rest.first {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return list(depth)
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case _:
            let token = rest.prefix { byte in
                byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
                    || byte == UInt8(ascii: ".") || (0x30...0x39).contains(byte)
                    || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            }
            guard let first = token.first else { return nil }
            rest = rest.dropFirst(token.count)
            let text = String(decoding: token, as: UTF8.self)
            let isNumber = first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
            if isNumber { return .number(text) }
            return ["true", "false", "null"].contains(text) ? .word(text) : nil
        }
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
        var members: [String: JSONValue] = [:]
        let isWhole = sequence(closedBy: UInt8(ascii: "}")) { reader in
            reader.skipSpace()
            guard let name = reader.text(), reader.take(UInt8(ascii: ":")),
                let value = reader.value(depth: depth + 1)
            else { return false }
            members[name] = value
            return true
        }
        return isWhole ? .object(members) : nil
    }

    private mutating func list(_ depth: Int) -> JSONValue? {
        var values: [JSONValue] = []
        let isWhole = sequence(closedBy: UInt8(ascii: "]")) { reader in
            guard let value = reader.value(depth: depth + 1) else { return false }
            values.append(value)
            return true
        }
        return isWhole ? .list(values) : nil
    }

    /// Reads elements that are separated by commas, up to the closing bracket.
    private mutating func sequence(
        closedBy end: UInt8, _ element: (inout JSONReader) -> Bool
    ) -> Bool {
        rest = rest.dropFirst()
        if take(end) { return true }
        repeat {
            guard element(&self) else { return false }
        } while take(UInt8(ascii: ","))
        return take(end)
    }

    private mutating func text() -> String? {
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        var units: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(validating: units, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escaped() else { return nil }
                units += Array(String(scalar).utf8)
            case 0..<0x20: return nil
            case _: units.append(byte)
            }
        }
        return nil
    }

    /// Reads an escape sequence after its backslash.
    private mutating func escaped() -> Unicode.Scalar? {
        switch rest.popFirst() {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"):
            guard let first = unit() else { return nil }
            guard (0xD800..<0xDC00).contains(first) else { return Unicode.Scalar(first) }
            guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
                let second = unit(), (0xDC00..<0xE000).contains(second)
            else { return nil }
            return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        case let byte? where [0x22, 0x5C, 0x2F].contains(byte): return Unicode.Scalar(byte)
        case _: return nil
        }
    }

    /// Reads four hexadecimal digits.
    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4 else { return nil }
        rest = rest.dropFirst(4)
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func skipSpace() {
        rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
}
