// SPDX-License-Identifier: Apache-2.0
//
// What is in the places where programs may meet, for those who want to know and change nothing.

import FileCoordinationSystem

/// What is in one of the places where programs may meet.
package struct PlaceFinding: Hashable, Sendable {
    package let path: String
    package let use: PlaceUse

    package init(path: String, use: PlaceUse) {
        self.path = path
        self.use = use
    }
}

/// What a place where programs may meet is good for.
package enum PlaceUse: Hashable, Sendable {
    /// A server is there.
    case served
    /// Programs live there, without a server.
    case inhabited
    /// No program uses what is there.
    case deserted
    /// A file there leads to another place.
    case leadsElsewhere(String)
    /// Nothing is there.
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
    /// Looks at all places, best first; makes and removes nothing (Rule 18.14).
    package func survey() -> [PlaceFinding] {
        paths.map { path in
            if Self.isEmpty(path) { return PlaceFinding(path: path, use: .deserted) }
            let use: PlaceUse =
                switch PlaceLook(path, of: self) {
                case .served: .served
                case .inhabited: .inhabited
                case .deserted: .deserted
                case .standIn(let home, isHeld: true): .leadsElsewhere(home.path)
                // The next program that needs the place removes it.
                case .standIn(_, isHeld: false): .deserted
                case .vacant: .vacant
                case .unusable(let error): .unusable("\(error)")
                }
            return PlaceFinding(path: path, use: use)
        }
    }

    /// Whether a directory of this user's alone is there in which no program ever met: a closer
    /// look would make it a runtime directory.
    private static func isEmpty(_ path: String) -> Bool {
        // What cannot be looked at is looked at closely, which says why.
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
