// SPDX-License-Identifier: Apache-2.0
//
// Converts records of versions to JSON values and back.

package import FileCoordinationWire

/// The parts of a person's name.
package struct PersonName: Hashable, Sendable {
    package var namePrefix: String?
    package var givenName: String?
    package var middleName: String?
    package var familyName: String?
    package var nameSuffix: String?
    package var nickname: String?

    /// Makes a name without parts.
    package init() {}
}

extension PersonName: Stored {
    package var stored: JSONValue {
        .fields([
            "namePrefix": .optional(namePrefix), "givenName": .optional(givenName),
            "middleName": .optional(middleName), "familyName": .optional(familyName),
            "nameSuffix": .optional(nameSuffix), "nickname": .optional(nickname),
        ])
    }

    package init?(_ stored: JSONValue) {
        guard case .members = stored else { return nil }
        namePrefix = stored[field: "namePrefix"]?.text
        givenName = stored[field: "givenName"]?.text
        middleName = stored[field: "middleName"]?.text
        familyName = stored[field: "familyName"]?.text
        nameSuffix = stored[field: "nameSuffix"]?.text
        nickname = stored[field: "nickname"]?.text
    }
}

extension VersionRecord: Stored {
    package var stored: JSONValue {
        .fields([
            "form": .integer(form), "origin": .text(origin.rawValue), "name": .text(name),
            "added": .integer(added), "modified": .integer(modified),
            "computer": .optional(computer), "originator": originator?.stored,
        ])
    }

    package init?(_ stored: JSONValue) {
        guard let form: Int = stored[field: "form"]?.integer(),
            let origin = stored[field: "origin"]?.text.flatMap({ Origin(rawValue: $0) }),
            let name = stored[field: "name"]?.text,
            let added: Int64 = stored[field: "added"]?.integer(),
            let modified: Int64 = stored[field: "modified"]?.integer()
        else { return nil }
        self.init(
            origin: origin, name: name, modified: modified,
            computer: stored[field: "computer"]?.text,
            originator: stored[field: "originator"].flatMap { PersonName($0) })
        self.form = form
        self.added = added
    }
}
