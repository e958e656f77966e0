// SPDX-License-Identifier: Apache-2.0
//
// Parses JSON. The bytes come from files and from other processes, so invalid ones are refused, and
// the depth of nesting is limited, so that they cannot exhaust the stack.

extension JSONValue {
    /// Parses the bytes.
    ///
    /// Returns nil if they are invalid.
    package init?(reading bytes: [UInt8]) {
        var reader = JSONReader(bytes: bytes)
        guard let value = reader.value(depth: 0), reader.isAtEnd else { return nil }
        self = value
    }
}

/// The state of parsing a value.
private struct JSONReader {
    /// The deepest nesting: the reader calls itself, and a stack is bounded.
    private static let deepest = 64

    let bytes: [UInt8]
    private var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether only white space remains.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return position == bytes.count
        }
    }

    /// Parses the value that begins here.
    mutating func value(depth: Int) -> JSONValue? {
        skipSpace()
        guard depth < Self.deepest, let first = next else { return nil }
        switch first {
        case UInt8(ascii: "{"): return object(depth)
        case UInt8(ascii: "["): return list(depth)
        case UInt8(ascii: "\""): return text().map { .text($0) }
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        case UInt8(ascii: "t"): return take("true") ? .truth(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .truth(false) : nil
        case _: return number()
        }
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case _: return
            }
        }
    }

    private mutating func take(_ word: String) -> Bool {
        guard bytes[position...].starts(with: word.utf8) else { return false }
        position += word.utf8.count
        return true
    }

    /// Skips white space and then this character.
    ///
    /// Returns false if another one follows.
    private mutating func takes(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        return takesNext(mark)
    }

    private mutating func takesNext(_ mark: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func list(_ depth: Int) -> JSONValue? {
        var values: [JSONValue] = []
        guard takes("[") else { return nil }
        if takes("]") { return .list([]) }
        repeat {
            guard let value = value(depth: depth + 1) else { return nil }
            values.append(value)
        } while takes(",")
        return takes("]") ? .list(values) : nil
    }

    private mutating func object(_ depth: Int) -> JSONValue? {
        var fields: [JSONValue.Member] = []
        guard takes("{") else { return nil }
        if takes("}") { return .members([]) }
        repeat {
            skipSpace()
            guard let name = text(), takes(":"), let value = value(depth: depth + 1) else {
                return nil
            }
            fields.append(JSONValue.Member(name: name, value: value))
        } while takes(",")
        return takes("}") ? .members(fields) : nil
    }

    private mutating func number() -> JSONValue? {
        let digits = bytes[position...].prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "+-.eE".utf8.contains($0)
        }
        position += digits.count
        return Self.isNumber(digits) ? .number(String(decoding: digits, as: UTF8.self)) : nil
    }

    /// Whether these are the digits of a number: others would be written as they were read.
    private static func isNumber(_ digits: ArraySlice<UInt8>) -> Bool {
        func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Bool {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        var rest = digits
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        if rest.first == UInt8(ascii: "0") {
            rest = rest.dropFirst()
        } else if !takeDigits(&rest) {
            return false
        }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard takeDigits(&rest) else { return false }
        }
        if let sign = rest.first, "eE".utf8.contains(sign) {
            rest = rest.dropFirst()
            if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
            guard takeDigits(&rest) else { return false }
        }
        return rest.isEmpty
    }

    // MARK: Texts

    private mutating func text() -> String? {
        guard takesNext("\"") else { return nil }
        var result: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let character = escaped() else { return nil }
                result += Array(String(character).utf8)
            case 0..<0x20: return nil
            case _: result.append(byte)
            }
        }
        return nil
    }

    private mutating func escaped() -> Unicode.Scalar? {
        guard let byte = next else { return nil }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"): return unicode()
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case _: return nil
        }
    }

    private mutating func unicode() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard first & 0xFC00 == 0xD800 else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = unit(), second & 0xFC00 == 0xDC00 else { return nil }
        return Unicode.Scalar(0x10000 + (first & 0x3FF) << 10 + second & 0x3FF)
    }

    private mutating func unit() -> UInt32? {
        let digits = bytes[position...].prefix(4)
        position += digits.count
        guard digits.count == 4, digits.first != UInt8(ascii: "+") else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
