// SPDX-License-Identifier: Apache-2.0
//
// A presenter's error in the bytes in which processes tell each other of it (Rule 9.2), for faces
// without Foundation: its domain, its number and its description. Everything else in those bytes
// belongs to NSError, and is passed over here (FileCoordination's ErrorCoding has all of it).
//
//     {"errors":[{"code":7,"description":"…","domain":"Notes","userInfo":{}}, …]}

/// Why a presenter refused.
package struct PresenterRefusal: Error, Hashable, Sendable {
    /// Whose number it is.
    package var domain: String
    /// The number.
    package var code: Int
    /// What happened, for people.
    package var description: String

    /// A refusal in these words.
    package init(domain: String, code: Int, description: String) {
        self.domain = domain
        self.code = code
        self.description = description
    }

    /// The most bytes of a refusal that are made or read.
    package static let limit = 32 * 1024
    /// So many bytes of a text are kept.
    private static let textLimit = 1024

    /// The refusal that these bytes stand for, the outermost of its errors; nil for other bytes.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let whole = JSONValue(bytes),
            case .list(let errors)? = whole["errors"], let first = errors.first,
            case .text(let domain)? = first["domain"],
            case .number(let text)? = first["code"], let code = Int(text),
            case .text(let description)? = first["description"]
        else { return nil }
        self.init(domain: domain, code: code, description: description)
    }

    /// The refusal as bytes, at most ``limit`` of them: long texts lose their ends.
    package func encode() -> [UInt8] {
        let domain = JSONValue.quoted(domain, limit: Self.textLimit)
        let description = JSONValue.quoted(description, limit: Self.textLimit)
        return Array(
            """
            {"errors":[{"code":\(code),"description":\(description),"domain":\(domain),\
            "userInfo":{}}]}
            """.utf8)
    }
}
