// SPDX-License-Identifier: Apache-2.0
//
// What is known of a version besides its contents: written once, into the version's own directory,
// before anybody can see it. What changes later are marks, which are only ever set.

import Foundation
import Glibc

/// What a version remembers.
struct VersionRecord: Codable, Hashable, Sendable {
    /// Why a version exists.
    enum Origin: String, Codable, Hashable, Sendable {
        /// Somebody wanted it kept.
        case kept
        /// Two computers wrote the item at once, and this one lost (Rule 19.3).
        case conflict
    }

    /// The form of this record; a store never overwrites one that is newer than it knows.
    var form = 1
    /// Why it exists.
    var origin = Origin.kept
    /// The item's name when the version was added.
    var name: String
    /// When it was added: nanoseconds since 1970; set when it is.
    var added: Int64 = 0
    /// When its contents were modified: nanoseconds since 1970; 0 while that is not known.
    var modified: Int64 = 0
    /// The computer on which it was saved.
    var computer: String?
    /// Who saved it.
    var originator: PersonNameComponents?

    /// The modification date, for people.
    var modificationDate: Date { Self.date(modified) }

    /// The date of an instant that is given in nanoseconds since 1970.
    static func date(_ nanoseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(nanoseconds) / 1_000_000_000)
    }

    /// The instant of a date, in nanoseconds since 1970; the nearest possible one.
    static func nanoseconds(_ date: Date) -> Int64 {
        let exact = (date.timeIntervalSince1970 * 1_000_000_000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }

    /// The name of this computer.
    static var thisComputer: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }
}

/// A mark on a version: once set, it stays (Rules 19.3, 19.4).
enum VersionMark: String, CaseIterable, Sendable {
    /// Its conflict is resolved.
    case resolved
    /// It may be removed when room is needed.
    case discardable
}

/// A version as it was found in the store.
struct StoredVersion: Hashable, Sendable {
    /// The item that it is a version of.
    let item: StoredItemID
    /// Which one it is.
    let id: VersionID
    /// What it remembers.
    let record: VersionRecord
    /// Its marks.
    let marks: Set<VersionMark>
    /// Where its contents are, as the kernel wants it.
    let contents: [UInt8]
    /// Whether they are a directory.
    let isDirectory: Bool

    /// Whether it waits for somebody to resolve the conflict.
    var isUnresolved: Bool { record.origin == .conflict && !marks.contains(.resolved) }
}
