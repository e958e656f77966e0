// SPDX-License-Identifier: Apache-2.0
//
// The information about a version besides its contents. It is written once, into the version's own
// directory, before other processes can see the version. Later changes are marks, which are only
// ever set.

import Glibc

/// The information that is stored with a version.
package struct VersionRecord: Hashable, Sendable {
    /// Why a version exists.
    package enum Origin: String, Hashable, Sendable {
        /// A program asked for it.
        case kept
        /// Two computers changed the item at the same time, and this version lost (Rule 19.3).
        case conflict
    }

    /// The format of this record.
    ///
    /// A store never overwrites a record with a newer format.
    package var form = 1
    /// Why the version exists.
    package var origin: Origin = .kept
    /// The item's name when the version was added.
    package var name: String
    /// When the version was added, in nanoseconds since 1970.
    ///
    /// It is set at that time.
    package var added: Int64 = 0
    /// When its contents were modified, in nanoseconds since 1970, or 0 if that is unknown.
    package var modified: Int64 = 0
    /// The computer on which it was saved.
    package var computer: String?
    /// The person who saved it.
    package var originator: PersonName?

    /// Makes the record of a version that will be added.
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
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}

/// A mark on a version.
///
/// Once set, it is never removed (Rules 19.3, 19.4).
package enum VersionMark: String, CaseIterable, Sendable {
    /// Its conflict was resolved.
    case resolved
    /// It may be removed when space is needed.
    case discardable
}

/// A version that was found in the store.
package struct StoredVersion: Hashable, Sendable {
    /// The stored item to which it belongs.
    package let item: StoredItemID
    /// Its ID.
    package let id: VersionID
    /// Its record.
    package let record: VersionRecord
    /// Its marks.
    package let marks: Set<VersionMark>
    /// The path of its contents.
    package let contents: [UInt8]
    /// Whether the contents are a directory.
    package let isDirectory: Bool

    /// Whether it has a conflict that was not resolved.
    package var isUnresolved: Bool { record.origin == .conflict && !marks.contains(.resolved) }
}
