// SPDX-License-Identifier: Apache-2.0
//
// JSON with its fields in the order in which they are documented, on one line.

import FileCoordinationWire

/// A JSON value.
enum JSONText: CustomStringConvertible, Sendable {
    case null
    case truth(Bool)
    case integer(Int64)
    /// A number of seconds, to the microsecond.
    case seconds(nanoseconds: UInt64)
    case text(String)
    /// A path; where it is not UTF-8, an object has a further field with its bytes.
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

    /// A process's number, in its own namespace.
    static func process(_ number: Int32) -> JSONText { .number(ProcessNumber.plain(number)) }

    /// Bytes as text; what is not UTF-8 becomes replacement characters.
    static func bytes(_ bytes: [UInt8]) -> JSONText { .text(repaired(bytes)) }

    private static func repaired(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .integer(let integer): "\(integer)"
        case .seconds(let nanoseconds): "\(Double(nanoseconds / 1000) / 1_000_000)"
        case .text(let text): Self.quoted(text)
        case .path(let path): Self.quoted(Self.repaired(path))
        case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .members(let fields):
            "{\(fields.map { Self.field($0.name, $0.value) }.joined(separator: ","))}"
        }
    }

    private static func field(_ name: String, _ value: JSONText) -> String {
        let field = "\(quoted(name)):\(value)"
        guard case .path(let path) = value, String(validating: path, as: UTF8.self) == nil
        else { return field }
        return "\(field),\(quoted(name + "Bytes")):\(quoted(percentEncoded(path)))"
    }

    /// All bytes that are not ASCII, controls and the percent sign as "%" and two digits.
    private static func percentEncoded(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            guard byte <= 0x20 || byte >= 0x7f || byte == UInt8(ascii: "%") else {
                return String(Unicode.Scalar(byte))
            }
            return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func quoted(_ text: String) -> String {
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
