// SPDX-License-Identifier: Apache-2.0
//
// A survey of the places where programs may meet, for diagnosis. It changes nothing.

import FileCoordinationSystem

/// The state of one of the places where programs may meet.
package struct PlaceFinding: Hashable, Sendable {
    package let path: String
    package let use: PlaceUse

    package init(path: String, use: PlaceUse) {
        self.path = path
        self.use = use
    }
}

/// The ways in which such a place is used.
package enum PlaceUse: Hashable, Sendable {
    /// A server is there.
    case served
    /// Programs use the place, without a server at present.
    case inhabited
    /// The directory exists, but no program uses it.
    case deserted
    /// A stand-in refers to another place.
    case leadsElsewhere(String)
    /// Nothing exists there.
    case vacant
    /// Programs of this user must not use what is there; why, and what to do.
    case unusable(String)

    /// Whether programs could meet there.
    package var isUsable: Bool {
        switch self {
        case .served, .inhabited, .deserted, .vacant: true
        case .leadsElsewhere, .unusable: false
        }
    }
}

extension RuntimePlaces {
    /// Looks at all places, best first.
    ///
    /// Creates and removes nothing (Rule 18.14).
    package func survey() -> [PlaceFinding] {
        paths.map { path in
            if Self.isEmpty(path) { return PlaceFinding(path: path, use: .deserted) }
            let use: PlaceUse =
                switch PlaceState(path, of: self) {
                case .served: .served
                case .inhabited: .inhabited
                case .deserted: .deserted
                case .standIn(let home, isHeld: true): .leadsElsewhere(home.path)
                // The next program that needs the place removes the stand-in.
                case .standIn(_, isHeld: false): .deserted
                case .vacant: .vacant
                case .unusable(let error): .unusable("\(error)")
                }
            return PlaceFinding(path: path, use: use)
        }
    }

    /// Returns whether a private directory of this user exists in which no program has met yet.
    ///
    /// `PlaceState` would turn it into a runtime directory.
    static func isEmpty(_ path: String) -> Bool {
        // If the directory cannot be examined, `PlaceState` reports why.
        guard let status = try? FileStatus(path: path, followLinks: false),
            status.kind == .directory, status.permissions & 0o077 == 0,
            status.ownerUserID == CurrentProcess.effectiveUserID
        else { return false }
        do {
            _ = try FileStatus(
                path: path + "/" + RuntimeDirectory.Name.ledgers, followLinks: false)
            return false
        } catch {
            return error.code == ErrorNumber.noSuchFile
        }
    }
}
