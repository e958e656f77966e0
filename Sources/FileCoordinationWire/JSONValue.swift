// SPDX-License-Identifier: Apache-2.0
//
// JSON values: the format of presenters' errors, of the version store's small files, and of
// recordings. Foundation's coder would load 40 MB of tables into programs that need Foundation for
// nothing else.

/// A JSON value.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case truth(Bool)
    /// A number in its written form, because a floating-point number cannot represent all 64-bit
    /// integers.
    case number(String)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// An integer.
    package static func integer(_ number: some FixedWidthInteger) -> JSONValue {
        .number(String(number))
    }

    /// Bytes as a list of numbers.
    package static func bytes(_ bytes: [UInt8]) -> JSONValue { .list(bytes.map { .integer($0) }) }

    /// A text, or nil.
    package static func optional(_ text: String?) -> JSONValue? { text.map { .text($0) } }

    /// An object with these fields, without those that are nil.
    package static func fields(_ fields: [String: JSONValue?]) -> JSONValue {
        .object(fields.compactMapValues { $0 })
    }

    // MARK: Asking

    /// The value of a field.
    ///
    /// Returns nil if it is missing or `null`.
    package subscript(field field: String) -> JSONValue? {
        guard case .object(let fields) = self, let value = fields[field], value != .null else {
            return nil
        }
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

    private var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .number(let digits): digits
        case .text(let text): Self.quoted(text)
        case .list(let values): "[" + values.map(\.description).joined(separator: ",") + "]"
        case .object(let fields):
            "{"
                + fields.sorted { $0.key < $1.key }
                .map { Self.quoted($0.key) + ":" + $0.value.description }.joined(separator: ",")
                + "}"
        }
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
