// SPDX-License-Identifier: Apache-2.0
//
// A presenter's refusal, on its way from `present` to the claimant's process and from any
// presenter's to ours: JSON, a list of errors of which the first is the refusal (Rule 9.2).

import FileCoordinationVersions

/// Why a presenter refused, as the party that was refused gets to see it.
struct PresenterRefusal: Error, Hashable {
    /// What kind of error it is.
    let domain: String
    /// Its number.
    let code: Int
    /// What happened.
    let sentence: String
    /// What to do next.
    var advice: String?

    /// The domain of this program's presenters.
    private static let ownDomain = "filecoord.present"
    /// The domain of the system's own failures.
    static let domainOfSystem = "FileCoordinationErrorDomain"

    /// A refusal of this program's.
    init(code: Int, _ sentence: String) {
        domain = Self.ownDomain
        self.code = code
        self.sentence = sentence
    }

    /// It was told to.
    static func asTold(_ message: PresenterMessage) -> PresenterRefusal {
        PresenterRefusal(
            code: 1, "filecoord present was told to refuse \(message.rawValue) (--fail)")
    }

    /// A command failed.
    static func failedCommand(
        _ command: String, status: Int32, _ message: PresenterMessage
    ) -> PresenterRefusal {
        PresenterRefusal(
            code: Int(status),
            "\"\(command)\", run by filecoord present for \(message.rawValue), ended with status "
                + "\(status)")
    }

    // MARK: Bytes

    /// The longest text that is sent; what is longer loses its end.
    private static let longestText = 8192

    /// The refusal as bytes.
    var encoded: [UInt8] {
        let text =
            sentence.utf8.count > Self.longestText
            ? String(decoding: sentence.utf8.prefix(Self.longestText), as: UTF8.self) + "…"
            : sentence
        let error = StoredValue.object([
            "domain": .text(domain), "code": .integer(code), "description": .text(text),
            "userInfo": .object([
                "NSLocalizedDescription": .object(["text": .object(["_0": .text(text)])])
            ]),
        ])
        return StoredValue.object(["errors": .list([error])]).written
    }

    /// The refusal that these bytes are; one that says so if they are none.
    init(decoding bytes: [UInt8]) {
        let errors = StoredValue(reading: bytes)?[field: "errors"]?.list { $0 }
        guard let error = errors?.first, let domain = error[field: "domain"]?.text,
            let code: Int = error[field: "code"]?.integer(),
            let sentence = error[field: "description"]?.text
        else {
            // CocoaError.coderReadCorrupt, as other claimants get it.
            domain = "NSCocoaErrorDomain"
            code = 4864
            sentence = "A file presenter refused access, for a reason that could not be read."
            return
        }
        (self.domain, self.code, self.sentence) = (domain, code, sentence)
        let information = error[field: "userInfo"]?[field: "NSLocalizedRecoverySuggestion"]
        advice = information?[field: "text"]?[field: "_0"]?.text
    }
}
