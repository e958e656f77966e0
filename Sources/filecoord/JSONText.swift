// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON on one line, with the fields of objects in the documented order.

import FileCoordinationWire

/// A JSON value.
enum JSONText: CustomStringConvertible, Sendable {
    case null
    case truth(Bool)
    case integer(Int64)
    /// A duration as a number of seconds, with microseconds, for programs that sort and compare.
    case seconds(nanoseconds: UInt64)
    /// A number with three decimals.
    case decimal(thousandths: UInt64)
    case text(String)
    /// A path, or other bytes that identify something.
    ///
    /// If they are not valid UTF-8, the object gets another field with the exact bytes.
    case path([UInt8])
    case list([JSONText])
    case members([Member])

    /// One field of an object.
    struct Member: Sendable {
        let name: String
        let value: JSONText
    }

    /// An object, with its fields in this order.
    static func object(_ fields: [(name: String, value: JSONText)]) -> JSONText {
        .members(fields.map { Member(name: $0.name, value: $0.value) })
    }

    /// A count or a number that identifies something.
    static func number(_ number: some BinaryInteger) -> JSONText {
        .integer(Int64(clamping: number))
    }

    /// A process ID without the mark of another process namespace.
    static func process(_ number: Int32) -> JSONText { .number(ProcessNumber.plain(number)) }

    private static func repaired(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .integer(let integer): "\(integer)"
        case .seconds(let nanoseconds): "\(Double(nanoseconds / 1000) / 1_000_000)"
        case .decimal(let thousandths):
            "\(thousandths / 1000)." + String("\(1000 + thousandths % 1000)".dropFirst())
        case .text(let text): JSONValue.quoted(text)
        case .path(let path): JSONValue.quoted(Self.repaired(path))
        case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .members(let fields):
            "{\(fields.map { Self.field($0.name, $0.value) }.joined(separator: ","))}"
        }
    }

    private static func field(_ name: String, _ value: JSONText) -> String {
        let field = "\(JSONValue.quoted(name)):\(value)"
        guard case .path(let path) = value, String(validating: path, as: UTF8.self) == nil
        else { return field }
        return "\(field),\(JSONValue.quoted(name + "Bytes")):"
            + JSONValue.quoted(percentEncoded(path))
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
}
