// SPDX-License-Identifier: Apache-2.0
//
// Encodes a presenter's error for another process (Rule 9.2), for faces without Foundation: its
// domain, code and description. The other fields in these bytes belong to NSError and are ignored
// here; FileCoordination's ErrorCoding handles all of them.
//
//     {"errors":[{"code":7,"description":"…","domain":"Notes","userInfo":{}}, …]}

/// The error with which a presenter refused a claim.
package struct PresenterRefusal: Error, Hashable, Sendable {
    /// The domain of the code.
    package var domain: String
    /// The error code.
    package var code: Int
    /// A description for people.
    package var description: String

    /// Creates an error.
    package init(domain: String, code: Int, description: String) {
        self.domain = domain
        self.code = code
        self.description = description
    }

    /// The most bytes of an encoded error.
    package static let limit = 32 * 1024
    /// The most bytes of a text that are encoded.
    private static let textLimit = 1024

    /// Decodes the outermost of the encoded errors; returns nil if the bytes are invalid.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let whole = JSONValue(bytes),
            case .list(let errors)? = whole["errors"], let first = errors.first,
            case .text(let domain)? = first["domain"],
            case .number(let text)? = first["code"], let code = Int(text),
            case .text(let description)? = first["description"]
        else { return nil }
        self.init(domain: domain, code: code, description: description)
    }

    /// Encodes the error into at most ``limit`` bytes; long texts are cut.
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
