// SPDX-License-Identifier: Apache-2.0
//
// Converts the contents of version records to Foundation's types.

#if !canImport(Darwin)
import FileCoordinationVersions
import Foundation

extension VersionRecord {
    /// The modification date.
    var modificationDate: Date { Self.date(modified) }

    /// Returns the date of an instant in nanoseconds since 1970.
    static func date(_ nanoseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(nanoseconds) / 1_000_000_000)
    }

    /// Returns the instant of a date in nanoseconds since 1970, limited to the possible range.
    static func nanoseconds(_ date: Date) -> Int64 {
        let exact = (date.timeIntervalSince1970 * 1_000_000_000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }
}

extension PersonName {
    /// Copies the components of a name.
    init(_ components: PersonNameComponents) {
        self.init()
        (namePrefix, givenName) = (components.namePrefix, components.givenName)
        (middleName, familyName) = (components.middleName, components.familyName)
        (nameSuffix, nickname) = (components.nameSuffix, components.nickname)
    }
}

extension PersonNameComponents {
    /// Copies the components of a name.
    init(_ name: PersonName) {
        self.init()
        (namePrefix, givenName) = (name.namePrefix, name.givenName)
        (middleName, familyName) = (name.middleName, name.familyName)
        (nameSuffix, nickname) = (name.nameSuffix, name.nickname)
    }
}
#endif
