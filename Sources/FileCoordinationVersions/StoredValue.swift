// SPDX-License-Identifier: Apache-2.0
//
// What the small files of the store say: JSON, as it was from the first version of the store on.
// Foundation's coder would bring 40 MB of tables to programs that need nothing else of it; the
// store needs texts, whole numbers of 64 bits and lists.

/// A value of JSON.
package indirect enum StoredValue: Hashable, Sendable {
    case null
    case truth(Bool)
    /// As it is written: numbers of 64 bits do not fit into a floating-point number.
    case number(String)
    case text(String)
    case list([StoredValue])
    case object([String: StoredValue])

    /// A whole number.
    package static func integer(_ number: some FixedWidthInteger) -> StoredValue {
        .number(String(number))
    }

    /// Bytes, as the list of numbers that they always were.
    package static func bytes(_ bytes: [UInt8]) -> StoredValue { .list(bytes.map { .integer($0) }) }

    /// A text, or nothing.
    package static func optional(_ text: String?) -> StoredValue? { text.map { .text($0) } }

    /// An object of these fields, without those that have no value.
    package static func fields(_ fields: [String: StoredValue?]) -> StoredValue {
        .object(fields.compactMapValues { $0 })
    }

    // MARK: Asking

    /// The value of a field; nil if there is none, or if it is `null`.
    package subscript(field field: String) -> StoredValue? {
        guard case .object(let fields) = self, let value = fields[field], value != .null else {
            return nil
        }
        return value
    }

    /// The text that it is; nil if it is none.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The whole number that it is; nil if it is none, or does not fit.
    package func integer<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
        if case .number(let digits) = self { Number(digits) } else { nil }
    }

    /// The list that it is, of what `element` makes of each; nil if one of them is nothing.
    package func list<Element>(_ element: (StoredValue) -> Element?) -> [Element]? {
        guard case .list(let values) = self else { return nil }
        let elements = values.compactMap(element)
        return elements.count == values.count ? elements : nil
    }

    /// The bytes that it is; nil if it is none.
    package var bytes: [UInt8]? { list { $0.integer() } }

    // MARK: Writing

    /// The value as it is written.
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

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            case _: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// What a small file of the store holds.
package protocol Stored {
    /// What is written.
    var stored: StoredValue { get }
    /// What was written; nil if it makes no sense.
    init?(_ stored: StoredValue)
}
