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
    package var written: [UInt8] { Array(description.utf8) }

    package var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): Self.quoted(text)
        case .path(let path): Self.quoted(String(decoding: path, as: UTF8.self))
        case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .members(let fields):
            "{\(fields.map { Self.field($0.name, $0.value) }.joined(separator: ","))}"
        }
    }

    private static func field(_ name: String, _ value: JSONValue) -> String {
        let field = "\(quoted(name)):\(value)"
        guard case .path(let path) = value, String(validating: path, as: UTF8.self) == nil
        else { return field }
        return "\(field),\(quoted(name + "Bytes")):\(quoted(percentEncoded(path)))"
    }

    /// Percent-encodes all bytes that are not ASCII, control characters, spaces and the percent
    /// sign.
    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            guard byte <= 0x20 || byte >= 0x7f || byte == UInt8(ascii: "%") else {
                return String(Unicode.Scalar(byte))
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    /// A text in quotation marks, with escape sequences where JSON demands them.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ", "\u{7f}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
