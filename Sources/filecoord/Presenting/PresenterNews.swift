// SPDX-License-Identifier: Apache-2.0
//
// The contents of a message to a presenter.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationWire

/// The contents of a message to a presenter.
struct PresenterNews {
    /// The fields to print.
    var fields: PresenterPrinter.Fields = []
    /// The item that the message is about, unless it is the presented one.
    var subject: NativePath?
    /// The environment variables about it for shell commands.
    var variables: [String: String] = [:]
}

extension PresenterNews {
    /// A message about the item at `path`.
    init(about path: NativePath) {
        self.init(fields: [("url", .path(path.bytes))], subject: path)
    }

    /// The fields that say whether the writer coordinated the change, and who it was.
    init(originOf notice: PresenterNotice) {
        let origin = notice.isPlain ? "uncoordinated" : "coordinated"
        self.init(
            fields: [("origin", .text(origin))], variables: ["FILECOORD_ORIGIN": origin])
        guard let author = notice.author else { return }
        fields.append(("pid", .process(author.processID)))
        fields.append(("label", .text(author.label)))
    }

    /// The contents of both messages.
    ///
    /// If both have a subject, it is the first one's.
    static func + (one: Self, other: Self) -> Self {
        Self(
            fields: one.fields + other.fields, subject: one.subject ?? other.subject,
            variables: one.variables.merging(other.variables) { $1 })
    }

    /// A message about a version of the presented item, or of the item at `path` inside.
    init(_ news: VersionNews, at path: NativePath? = nil) {
        let identifier = String(decoding: news.identifier, as: UTF8.self)
        if let path { fields.append(("url", .path(path.bytes))) }
        fields.append(("version", .text(identifier)))
        subject = path
        variables["FILECOORD_VERSION"] = identifier
    }
}
