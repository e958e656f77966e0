// SPDX-License-Identifier: Apache-2.0
//
// What a version remembers, in the types that people know.

#if !canImport(Darwin)
import FileCoordinationVersions
import Foundation

extension VersionRecord {
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
}

extension PersonName {
    /// The parts of a name.
    init(_ components: PersonNameComponents) {
        self.init()
        (namePrefix, givenName) = (components.namePrefix, components.givenName)
        (middleName, familyName) = (components.middleName, components.familyName)
        (nameSuffix, nickname) = (components.nameSuffix, components.nickname)
    }
}

extension PersonNameComponents {
    /// The parts of a name.
    init(_ name: PersonName) {
        self.init()
        (namePrefix, givenName) = (name.namePrefix, name.givenName)
        (middleName, familyName) = (name.middleName, name.familyName)
        (nameSuffix, nickname) = (name.nameSuffix, name.nickname)
    }
}
#endif
