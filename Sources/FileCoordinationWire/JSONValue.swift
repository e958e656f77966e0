// SPDX-License-Identifier: Apache-2.0
//
// JSON values: the format of presenters' errors, of the version store's small files, of recordings
// and of the command line's output. Foundation's coder would load 40 MB of tables into programs
// that need Foundation for nothing else, and would not keep the order of fields.

import MonotonicTime

/// A JSON value.
package enum JSONValue: Hashable, Sendable, CustomStringConvertible {
    case null
    case truth(Bool)
    /// A number in its written form, because a floating-point number cannot represent all 64-bit
    /// integers.
    case number(String)
    case text(String)
    /// A path, or other bytes that identify something.
    ///
    /// If they are not valid UTF-8, the object gets another field with the exact bytes.
    case path([UInt8])
    case list([JSONValue])
    /// An object, with its fields in this order.
    case members([Member])

    /// One field of an object.
    package struct Member: Hashable, Sendable {
        package let name: String
        package let value: JSONValue
    }

    /// An integer.
    package static func integer(_ number: some FixedWidthInteger) -> JSONValue {
        .number(String(number))
    }

    /// A process ID without the mark of another process namespace.
    package static func process(_ number: Int32) -> JSONValue {
        .integer(ProcessNumber.plain(number))
    }

    /// A duration as a number of seconds, with microseconds, for programs that sort and compare.
    package static func seconds(_ span: Duration) -> JSONValue {
        .number("\(Double(span.nanoseconds / 1000) / 1_000_000)")
    }

    /// A number with three decimals.
    package static func decimal(thousandths: UInt64) -> JSONValue {
        .number("\(thousandths / 1000)." + "\(1000 + thousandths % 1000)".dropFirst())
    }

    /// Bytes as a list of numbers.
    package static func bytes(_ bytes: [UInt8]) -> JSONValue { .list(bytes.map { .integer($0) }) }

    /// A text, or nil.
    package static func optional(_ text: String?) -> JSONValue? { text.map { .text($0) } }

    /// An object, with its fields in this order.
    package static func object(_ fields: [(name: String, value: JSONValue)]) -> JSONValue {
        .members(fields.map { Member(name: $0.name, value: $0.value) })
    }

    /// An object, with its fields in the order of their names.
    package static func object(_ fields: [String: JSONValue]) -> JSONValue {
        .object(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    /// An object with these fields, without those that are nil.
    package static func fields(_ fields: [String: JSONValue?]) -> JSONValue {
        .object(fields.compactMapValues { $0 })
    }

    // MARK: Asking

    /// The value of a field.
    ///
    /// Returns nil if it is missing or `null`.
    package subscript(field field: String) -> JSONValue? {
        guard case .members(let fields) = self,
            let value = fields.last(where: { $0.name == field })?.value, value != .null
        else { return nil }
        return value
    }

    /// The text, or nil if the value is none.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The integer, or nil if the value is none or does not fit.
    package func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        if case .number(let digits) = self { Number(digits) } else { nil }
    }

    /// The list with its elements converted by `element`.
    ///
    /// Returns nil if an element cannot be converted.
    package func list<Element>(_ element: (JSONValue) -> Element?) -> [Element]? {
        guard case .list(let values) = self else { return nil }
        let elements = values.compactMap(element)
        return elements.count == values.count ? elements : nil
    }

    /// The bytes, or nil if the value is not a list of bytes.
    package var bytes: [UInt8]? { list { $0.integer() } }

    // MARK: Writing

    /// The value as JSON text.
    package var written: [UInt8] {
        var text: [UInt8] = []
        write(to: &text)
        return text
    }

    package var description: String { String(decoding: written, as: UTF8.self) }

    fileprivate func write(to text: inout [UInt8]) {
        switch self {
        case .null: text += "null".utf8
        case .truth(let truth): text += (truth ? "true" : "false").utf8
        case .number(let digits): text += digits.utf8
        case .text(let content): Self.quote(content.utf8, to: &text)
        case .path(let path): Self.quote(String(decoding: path, as: UTF8.self).utf8, to: &text)
        case .list(let values):
            text.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                value.write(to: &text)
            }
            text.append(UInt8(ascii: "]"))
        case .members(let fields):
            text.append(UInt8(ascii: "{"))
            for (index, field) in fields.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                field.write(to: &text)
            }
            text.append(UInt8(ascii: "}"))
        }
    }

    /// Percent-encodes all bytes that are not ASCII, control characters, spaces and the percent
    /// sign.
    fileprivate static func percentEncoded(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            guard byte <= 0x20 || byte >= 0x7f || byte == UInt8(ascii: "%") else {
                return String(Unicode.Scalar(byte))
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// A text in quotation marks, with escape sequences where JSON demands them.
    package static func quoted(_ text: String) -> String {
        var result: [UInt8] = []
        quote(text.utf8, to: &result)
        return String(decoding: result, as: UTF8.self)
    }

    fileprivate static func quote(_ content: some Sequence<UInt8>, to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for byte in content {
            switch byte {
            case UInt8(ascii: "\""): text += "\\\"".utf8
            case UInt8(ascii: "\\"): text += "\\\\".utf8
            case UInt8(ascii: "\n"): text += "\\n".utf8
            case UInt8(ascii: "\r"): text += "\\r".utf8
            case UInt8(ascii: "\t"): text += "\\t".utf8
            case 0..<0x20, 0x7f:
                text += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            case _: text.append(byte)
            }
        }
        text.append(UInt8(ascii: "\""))
    }
}

extension JSONValue.Member {
    fileprivate func write(to text: inout [UInt8]) {
        JSONValue.quote(name.utf8, to: &text)
        text.append(UInt8(ascii: ":"))
        value.write(to: &text)
        guard case .path(let path) = value, String(validating: path, as: UTF8.self) == nil
        else { return }
        text.append(UInt8(ascii: ","))
        JSONValue.quote((name + "Bytes").utf8, to: &text)
        text.append(UInt8(ascii: ":"))
        JSONValue.quote(JSONValue.percentEncoded(path).utf8, to: &text)
    }
}
