// SPDX-License-Identifier: Apache-2.0
//
// JSON with its fields in the order in which they are documented, on one line.

/// A JSON value.
indirect enum JSONText: CustomStringConvertible {
    case null
    case truth(Bool)
    case integer(Int64)
    /// A number of seconds, to the microsecond.
    case seconds(nanoseconds: UInt64)
    case text(String)
    case list([JSONText])
    case object([(name: String, value: JSONText)])

    /// A count or a number that identifies something.
    static func number(_ number: some BinaryInteger) -> JSONText {
        .integer(Int64(clamping: number))
    }

    /// Bytes as text; what is not UTF-8 becomes replacement characters.
    static func bytes(_ bytes: [UInt8]) -> JSONText { .text(PeopleText.text(bytes)) }

    var description: String {
        switch self {
        case .null: "null"
        case .truth(let truth): truth ? "true" : "false"
        case .integer(let integer): "\(integer)"
        case .seconds(let nanoseconds): "\(Double(nanoseconds / 1000) / 1_000_000)"
        case .text(let text): Self.quoted(text)
        case .list(let values): "[\(values.map(\.description).joined(separator: ","))]"
        case .object(let fields):
            "{\(fields.map { "\(Self.quoted($0.name)):\($0.value)" }.joined(separator: ","))}"
        }
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
