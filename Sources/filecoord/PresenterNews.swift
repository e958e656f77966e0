// SPDX-License-Identifier: Apache-2.0
//
// What a message to a presenter says, beside its name.

import FileCoordination
import Foundation

/// What goes with a message.
struct PresenterNews {
    /// What is printed.
    var fields: PresenterPrinter.Fields = []
    /// The item that the message is about, if not the presented one.
    var subject: URL?
    /// What shell commands get to know of it.
    var variables: [String: String] = [:]
}

extension PresenterNews {
    /// News of a version of the presented item, or of the item at `url` inside of it.
    init(_ version: NSFileVersion, at url: URL? = nil) {
        let identifier = version.persistentText
        if let url { fields.append(("url", .path(url.nativePath.bytes))) }
        fields.append(("version", .text(identifier)))
        subject = url
        variables["FILECOORD_VERSION"] = identifier
    }
}

extension NSFileVersion {
    /// The persistent identifier, which is text (Rule 19.8).
    var persistentText: String { "\(persistentIdentifier)" }
}
