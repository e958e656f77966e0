// SPDX-License-Identifier: Apache-2.0
//
// What a message to a presenter says, beside its name.

import FileCoordinationArbiter

/// What goes with a message.
struct PresenterNews {
    /// What is printed.
    var fields: PresenterPrinter.Fields = []
    /// The item that the message is about, if not the presented one.
    var subject: NativePath?
    /// What shell commands get to know of it.
    var variables: [String: String] = [:]
}

extension PresenterNews {
    /// News about the item at `path`.
    init(about path: NativePath) {
        self.init(fields: [("url", .path(path.bytes))], subject: path)
    }

    /// Who did it.
    init(isPlain: Bool) {
        let origin = isPlain ? "uncoordinated" : "coordinated"
        self.init(
            fields: [("origin", .text(origin))], variables: ["FILECOORD_ORIGIN": origin])
    }

    /// News that say all that both do; the item is the first one's.
    static func + (one: Self, other: Self) -> Self {
        Self(
            fields: one.fields + other.fields, subject: one.subject ?? other.subject,
            variables: one.variables.merging(other.variables) { $1 })
    }

    /// News of a version of the presented item, or of the item at `path` inside of it.
    init(_ news: VersionNews, at path: NativePath? = nil) {
        let identifier = String(decoding: news.identifier, as: UTF8.self)
        if let path { fields.append(("url", .path(path.bytes))) }
        fields.append(("version", .text(identifier)))
        subject = path
        variables["FILECOORD_VERSION"] = identifier
    }
}
