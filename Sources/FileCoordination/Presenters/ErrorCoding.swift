// SPDX-License-Identifier: Apache-2.0
//
// A presenter's error on its way to the claimant, who may be in another process (Rule 9.2). Domain,
// code, texts and what people look up in `userInfo` arrive; objects that only their own process can
// understand do not.
//
// The payload is JSON: one list, each error the underlying one of the error before it, so that
// nothing nests deeper for a longer chain.

package import Foundation

/// Errors to bytes and back.
package enum ErrorCoding {
    /// The largest payload that is made or read.
    package static let limit = 32 * 1024
    /// The longest chain of underlying errors; the rest is cut off.
    package static let longestChain = 8

    /// The error as bytes, at most ``limit`` of them.
    ///
    /// An error that is too large loses the ends of its long texts first, then everything but the
    /// beginnings of its domain and description.
    package static func encode(_ error: any Error) -> [UInt8] {
        let whole = CodedChain(error)
        for size in CodedChain.Size.allCases {
            guard let bytes = try? encoder.encode(whole.reduced(to: size)) else { continue }
            if bytes.count <= limit { return Array(bytes) }
        }
        return []
    }

    /// The error that these bytes stand for.
    ///
    /// Bytes that no error was encoded to make an error that says so; the claimant is refused
    /// access all the same.
    package static func decode(_ bytes: [UInt8]) -> NSError {
        guard bytes.count <= limit,
            let chain = try? decoder.decode(CodedChain.self, from: Data(bytes)),
            let error = chain.error
        else {
            return NSError(
                domain: NSCocoaErrorDomain, code: CocoaError.coderReadCorrupt.rawValue,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "A file presenter refused access, for a reason that could not be read."
                ])
        }
        return error
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return decoder
    }
}

/// An error and the errors under it, outermost first.
private struct CodedChain: Codable {
    /// How much of an error is kept, most first.
    enum Size: CaseIterable {
        /// Everything that can be kept at all.
        case whole
        /// The beginnings of texts, and some of `userInfo`.
        case clipped
        /// The outermost error's domain, code and description.
        case outline
    }

    var errors: [CodedError]

    init(_ error: any Error) {
        errors = []
        var next: (any Error)? = error
        while let error = next, errors.count < ErrorCoding.longestChain {
            let error = error as NSError
            let userInfo = error.userInfo
            errors.append(CodedError(error, userInfo: userInfo))
            next = userInfo[NSUnderlyingErrorKey] as? any Error
        }
    }

    func reduced(to size: Size) -> CodedChain {
        var result = self
        switch size {
        case .whole: break
        case .clipped: result.errors = errors.map { $0.clipped() }
        case .outline: result.errors = errors.prefix(1).map { $0.outline() }
        }
        return result
    }

    var error: NSError? {
        errors.reversed().reduce(nil) { underlying, error in error.error(over: underlying) }
    }
}

/// One error, without those under it.
private struct CodedError: Codable {
    var domain: String
    var code: Int
    var description: String
    var userInfo: [String: CodedValue]

    init(_ error: NSError, userInfo: [String: Any]) {
        domain = error.domain
        code = error.code
        description = error.localizedDescription
        self.userInfo = userInfo.compactMapValues { CodedValue($0) }
        self.userInfo[NSUnderlyingErrorKey] = nil
    }

    func clipped() -> CodedError {
        var result = self
        result.domain = domain.clipped(to: 256)
        result.description = description.clipped(to: 1024)
        let entries = userInfo.filter { $0.key.utf8.count <= 128 }.sorted { $0.key < $1.key }
        result.userInfo = [:]
        for (key, value) in entries.prefix(16) { result.userInfo[key] = value.clipped() }
        return result
    }

    func outline() -> CodedError {
        var result = clipped()
        result.userInfo = [:]
        return result
    }

    func error(over underlying: NSError?) -> NSError {
        var userInfo = userInfo.compactMapValues(\.value)
        userInfo[NSUnderlyingErrorKey] = underlying
        let error = NSError(domain: domain, code: code, userInfo: userInfo)
        guard error.localizedDescription != description else { return error }
        // The other process knew a text for this domain that this one does not.
        userInfo[NSLocalizedDescriptionKey] = description
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}

/// What survives of `userInfo`.
private enum CodedValue: Codable {
    case text(String)
    case truth(Bool)
    case integer(Int64)
    case natural(UInt64)
    case real(Double)
    case url(String)

    init?(_ value: Any) {
        switch value {
        case let text as String:
            self = .text(text)
        case let url as URL:
            self = .url(url.absoluteString)
        case let number as NSNumber:
            switch number.objCType.pointee {
            case CChar(bitPattern: UInt8(ascii: "c")), CChar(bitPattern: UInt8(ascii: "B")):
                self = .truth(number.boolValue)
            case CChar(bitPattern: UInt8(ascii: "d")), CChar(bitPattern: UInt8(ascii: "f")):
                self = .real(number.doubleValue)
            case CChar(bitPattern: UInt8(ascii: "Q")):
                self = .natural(number.uint64Value)
            default:
                self = .integer(number.int64Value)
            }
        default:
            return nil
        }
    }

    var value: (any Sendable)? {
        switch self {
        case .text(let text): text
        case .truth(let truth): truth
        case .integer(let integer): Int(exactly: integer) ?? integer
        case .natural(let natural): natural
        case .real(let real): real
        case .url(let url): URL(string: url)
        }
    }

    func clipped() -> CodedValue {
        switch self {
        case .text(let text): .text(text.clipped(to: 256))
        case .url(let url): .url(url.utf8.count <= 4096 ? url : "")
        case .truth, .integer, .natural, .real: self
        }
    }
}

extension String {
    /// The beginning of the text, of about that many bytes.
    fileprivate func clipped(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        return String(decoding: utf8.prefix(bytes), as: UTF8.self) + "…"
    }
}
