// SPDX-License-Identifier: Apache-2.0
//
// Encodes a presenter's error for the claimant's process (Rule 9.2). Domain, code, texts and the
// usual contents of `userInfo` are kept; objects that only their own process can use are not.
//
// The encoding is JSON: one list in which each error is the underlying error of the one before it,
// so that a long chain is not nested deeply.

import FileCoordinationClient
package import Foundation

/// Encodes and decodes errors.
package enum ErrorCoding {
    /// The most bytes of an encoded error.
    package static let limit = 32 * 1024
    /// The longest chain of underlying errors; the rest is omitted.
    package static let longestChain = 8

    /// Encodes an error into at most ``limit`` bytes.
    ///
    /// If an error is too large, its long texts are cut first; then only the beginnings of its
    /// domain and description are kept.
    package static func encode(_ error: any Error) -> [UInt8] {
        let whole = CodedChain(error)
        for size in CodedChain.Size.allCases {
            // A value that cannot be encoded is left out in a smaller size.
            guard let bytes = try? encoder.encode(whole.reduced(to: size)) else { continue }
            if bytes.count <= limit { return Array(bytes) }
        }
        return []
    }

    /// Decodes an error.
    ///
    /// Invalid bytes result in an error that says so, because the claim was refused in any case.
    package static func decode(_ bytes: [UInt8]) -> NSError {
        guard bytes.count <= limit,
            // Invalid bytes become the error below.
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

/// An error and its underlying errors, outermost first.
private struct CodedChain: Codable {
    /// How much of an error is kept, largest first.
    enum Size: CaseIterable {
        /// Everything that can be encoded.
        case whole
        /// Cut texts, and a part of `userInfo`.
        case clipped
        /// The domain, code and description of the outermost error.
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
            if let own = userInfo[FileCoordinationError.userInfoKey] as? FileCoordinationError {
                let label = NSFileCoordinator.processLabel
                let name = UserText.line(label ?? ProcessInfo.processInfo.processName)
                errors[errors.count - 1].describe(own.description(by: "\(name) (pid \(getpid()))"))
            }
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

/// One error, without its underlying error.
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

    /// Replaces the texts for people, who read them in another program.
    mutating func describe(_ text: String) {
        description = text
        userInfo[NSLocalizedDescriptionKey] = CodedValue(text)
        // Foundation on Linux prints an error with this text.
        userInfo[NSLocalizedFailureReasonErrorKey] = CodedValue(text)
        userInfo[NSLocalizedRecoverySuggestionErrorKey] = CodedValue(
            "Nothing was read or written. Remove the cause in that program, and try again.")
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
        // The other process had a localized text for this domain that this process does not have.
        userInfo[NSLocalizedDescriptionKey] = description
        return NSError(domain: domain, code: code, userInfo: userInfo)
    }
}

/// A value of `userInfo` that can be encoded.
///
/// One of the fields has the value.
private struct CodedValue: Codable {
    var text: String?
    var truth: Bool?
    var integer: Int64?
    var natural: UInt64?
    var real: Double?
    var url: String?

    init?(_ value: Any) {
        switch value {
        case let value as String: text = value
        case let value as URL: url = value.absoluteString
        case let number as NSNumber:
            switch unsafe number.objCType.pointee {
            case CChar(bitPattern: UInt8(ascii: "c")), CChar(bitPattern: UInt8(ascii: "B")):
                truth = number.boolValue
            case CChar(bitPattern: UInt8(ascii: "d")), CChar(bitPattern: UInt8(ascii: "f")):
                real = number.doubleValue
            case CChar(bitPattern: UInt8(ascii: "Q")): natural = number.uint64Value
            default: integer = number.int64Value
            }
        default: return nil
        }
    }

    var value: (any Sendable)? {
        if let text { return text }
        if let truth { return truth }
        if let integer { return Int(exactly: integer) ?? integer }
        if let natural { return natural }
        if let real { return real }
        return url.flatMap { URL(string: $0) }
    }

    func clipped() -> CodedValue {
        var result = self
        result.text = text?.clipped(to: 256)
        result.url = url.map { $0.utf8.count <= 4096 ? $0 : "" }
        return result
    }
}

extension String {
    /// Returns the beginning of the text, with about this many bytes.
    fileprivate func clipped(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        return String(decoding: utf8.prefix(bytes), as: UTF8.self) + "…"
    }
}
