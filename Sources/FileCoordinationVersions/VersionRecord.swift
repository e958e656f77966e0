// SPDX-License-Identifier: Apache-2.0
//
// What is known of a version besides its contents: written once, into the version's own directory,
// before anybody can see it. What changes later are marks, which are only ever set.

import Glibc

/// What a version remembers.
package struct VersionRecord: Hashable, Sendable {
    /// Why a version exists.
    package enum Origin: String, Hashable, Sendable {
        /// A program wanted it kept.
        case kept
        /// Two computers wrote the item at once, and this one lost (Rule 19.3).
        case conflict
    }

    /// The form of this record; a store never overwrites one that is newer than it knows.
    package var form = 1
    /// Why it exists.
    package var origin: Origin = .kept
    /// The item's name when the version was added.
    package var name: String
    /// When it was added: nanoseconds since 1970; set when it is.
    package var added: Int64 = 0
    /// When its contents were modified: nanoseconds since 1970; 0 while that is not known.
    package var modified: Int64 = 0
    /// The computer on which it was saved.
    package var computer: String?
    /// Who saved it.
    package var originator: PersonName?

    /// The record of a version that is to be added.
    package init(
        origin: Origin = .kept, name: String, modified: Int64 = 0, computer: String? = nil,
        originator: PersonName? = nil
    ) {
        self.origin = origin
        self.name = name
        self.modified = modified
        self.computer = computer
        self.originator = originator
    }

    /// The name of this computer.
    package static var thisComputer: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}

/// A mark on a version: once set, it stays (Rules 19.3, 19.4).
package enum VersionMark: String, CaseIterable, Sendable {
    /// Its conflict is resolved.
    case resolved
    /// It may be removed when room is needed.
    case discardable
}

/// A version as it was found in the store.
package struct StoredVersion: Hashable, Sendable {
    /// The item that it is a version of.
    package let item: StoredItemID
    /// Which one it is.
    package let id: VersionID
    /// What it remembers.
    package let record: VersionRecord
    /// Its marks.
    package let marks: Set<VersionMark>
    /// Where its contents are, as the kernel wants it.
    package let contents: [UInt8]
    /// Whether they are a directory.
    package let isDirectory: Bool

    /// Whether its conflict is not resolved yet.
    package var isUnresolved: Bool { record.origin == .conflict && !marks.contains(.resolved) }
}
