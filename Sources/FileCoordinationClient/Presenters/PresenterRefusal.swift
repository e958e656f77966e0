// SPDX-License-Identifier: Apache-2.0
//
// Encodes a presenter's error for another process (Rule 9.2), for faces without Foundation: its
// domain, code, description, and what the user can do. The other fields in these bytes belong to
// NSError and are ignored here; FileCoordination's ErrorCoding handles all of them.
//
//     {"errors":[{"code":7,"description":"…","domain":"Notes","userInfo":{}}, …]}

import FileCoordinationArbiter
import FileCoordinationWire

/// The error with which a presenter refused a claim.
package struct PresenterRefusal: Error, Hashable, Sendable {
    /// The domain of the code.
    package var domain: String
    /// The error code.
    package var code: Int
    /// A description for people.
    package var description: String
    /// What the user can do.
    package var advice: String?

    /// Creates an error.
    package init(domain: String, code: Int, description: String, advice: String? = nil) {
        self.domain = domain
        self.code = code
        self.description = description
        self.advice = advice
    }

    /// The domain of the errors with which the system itself refuses.
    package static let domainOfSystem = "FileCoordinationErrorDomain"

    /// What a refusal is whose bytes cannot be decoded.
    ///
    /// It has the domain and the code of `CocoaError.coderReadCorrupt`, which programs with
    /// Foundation get then.
    package static let unreadable = PresenterRefusal(
        domain: "NSCocoaErrorDomain", code: 4864,
        description: "A file presenter refused access, for a reason that could not be read.")

    /// The failure of a call that needs a presenter's answer and gets none (Rule 18.16).
    package static let noAnswer = PresenterRefusal(
        domain: domainOfSystem, code: 9,
        description: "A file presenter has not answered, so it is not known whether it has unsaved "
            + "changes.",
        advice: "Save there, or end the program that does not answer, and try again.")

    /// The failure of a call that needs contents which are not here, while no provider brings them
    /// (Rule 15.4); programs with Foundation know it as
    /// `CocoaError.ubiquitousFileUbiquityServerNotAvailable`.
    package static let noProvider = PresenterRefusal(
        domain: "NSCocoaErrorDomain", code: 4355,
        description: "The contents are not here, and the program that brings them does not run.",
        advice: "Start it, and try again.")

    /// The codes of errors about contents that are elsewhere (Rule 17.4).
    package static let codesOfProviders = 4352...4607

    /// The failure of an eviction because of a presenter that cannot be asked (Rule 15.6).
    package static let presented = PresenterRefusal(
        domain: "NSCocoaErrorDomain", code: 255,
        description: "A program presents the item, and cannot be asked to do without its contents.",
        advice: "Close it there, and try again.")

    /// Returns the failure of the system that these bytes stand for, or nil.
    package static func ofSystem(_ bytes: [UInt8]) -> PresenterRefusal? {
        switch bytes {
        case PresenterFailure.noAnswer.payload: noAnswer
        case PresenterFailure.noProvider.payload: noProvider
        case PresenterFailure.presented.payload: presented
        case _: nil
        }
    }

    /// The most bytes of an encoded error.
    package static let limit = 32 * 1024
    /// The most bytes of a text that are encoded; an escape sequence takes six bytes for one.
    private static let textLimit = 1536

    /// The field in which an NSError has what the user can do.
    private static let adviceField = "NSLocalizedRecoverySuggestion"

    /// Decodes the outermost of the encoded errors; returns nil if the bytes are invalid.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.limit,
            let error = JSONValue(reading: bytes)?[field: "errors"]?.list({ $0 })?.first,
            let domain = error[field: "domain"]?.text,
            let code: Int = error[field: "code"]?.integer(),
            let description = error[field: "description"]?.text
        else { return nil }
        let advice = error[field: "userInfo"]?[field: Self.adviceField]?[field: "text"]
        self.init(
            domain: domain, code: code, description: description,
            advice: advice?.text)
    }

    /// Encodes the error into at most ``limit`` bytes; long texts are cut.
    package func encode() -> [UInt8] {
        let advice = advice.map { JSONValue.object(["text": Self.cut($0)]) }
        let error = JSONValue.object([
            "domain": Self.cut(domain), "code": .integer(code),
            "description": Self.cut(description), "userInfo": .fields([Self.adviceField: advice]),
        ])
        return JSONValue.object(["errors": .list([error])]).written
    }

    /// A text, or as much of its beginning as may be encoded, in whole characters.
    private static func cut(_ text: String) -> JSONValue {
        guard text.utf8.count > textLimit else { return .text(text) }
        var length = 0
        let rest = text.unicodeScalars.drop { scalar in
            length += UTF8.width(scalar)
            return length <= textLimit
        }
        return .text(String(text[..<rest.startIndex]) + "…")
    }
}
