// SPDX-License-Identifier: Apache-2.0
//
// Encodes and decodes a presenter's refusal, which the server passes from the presenter's process
// to the claimant's. It is JSON: a list of errors, of which the first is the refusal (Rule 9.2).

import FileCoordinationVersions

/// Why a presenter refused, as the refused process sees it.
struct PresenterRefusal: Error, Hashable {
    /// The error domain.
    let domain: String
    /// The error code.
    let code: Int
    /// The sentence that says why the presenter refused.
    let sentence: String
    /// What the user can do.
    var advice: String?

    /// The error domain of the presenters in this program.
    private static let ownDomain = "filecoord.present"
    /// The error domain of FileCoordination's own failures.
    static let domainOfSystem = "FileCoordinationErrorDomain"

    /// A refusal by a presenter of this program.
    init(code: Int, _ sentence: String) {
        domain = Self.ownDomain
        self.code = code
        self.sentence = sentence
    }

    /// The refusal that `--fail` demands.
    static func asTold(_ message: PresenterMessage) -> PresenterRefusal {
        PresenterRefusal(
            code: 1, "filecoord present was told to refuse \(message.rawValue) (--fail)")
    }

    /// The refusal because a shell command failed.
    static func failedCommand(
        _ command: String, status: Int32, _ message: PresenterMessage
    ) -> PresenterRefusal {
        PresenterRefusal(
            code: Int(status),
            "\"\(command)\", run by filecoord present for \(message.rawValue), ended with status "
                + "\(status)")
    }

    // MARK: Bytes

    /// The greatest length of the text that is sent.
    ///
    /// Longer texts are cut.
    private static let longestText = 8192

    /// The refusal as JSON.
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

    /// Decodes a refusal.
    ///
    /// If the bytes are invalid, the refusal says so.
    init(decoding bytes: [UInt8]) {
        let errors = StoredValue(reading: bytes)?[field: "errors"]?.list { $0 }
        guard let error = errors?.first, let domain = error[field: "domain"]?.text,
            let code: Int = error[field: "code"]?.integer(),
            let sentence = error[field: "description"]?.text
        else {
            // This is CocoaError.coderReadCorrupt, which the Foundation library reports in this
            // case.
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
