// SPDX-License-Identifier: Apache-2.0
//
// Looks at the places where programs may meet, for diagnosis and for programs that only watch. It
// creates and removes nothing.

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
    /// Opens the directory in which the user's processes meet, if there is one.
    ///
    /// - Returns: the directory; nil if no program uses one, which is not created then.
    /// - Throws: ``RuntimeDirectoryError`` if there is one that this process cannot use, or if
    ///   none could be created where `FILECOORDINATION_RUNTIME_DIR` says.
    package func openExisting() throws(RuntimeDirectoryError) -> RuntimeDirectory? {
        if isChosen {
            guard !Self.isEmpty(paths[0]), !Self.canAppear(paths[0]) else { return nil }
            return try RuntimeDirectory.openExisting(paths[0], of: self)
        }
        return try searching { () throws(RuntimeDirectoryError) in
            let states: [PlaceState] = paths.map {
                Self.isEmpty($0) ? .vacant : PlaceState($0, of: self)
            }
            if let directory = try directoryInUse(states) { return directory }
            // No program would use another place instead of this one.
            for case .unusable(let error) in states {
                if case .openToOthers = error { throw error }
            }
            return nil
        }
    }

    /// Returns the path at which the user's processes meet, or would meet if there were any.
    package func meetingPath() throws(RuntimeDirectoryError) -> String {
        if let directory = try openExisting() { return directory.path }
        return survey().first { $0.use.isUsable }?.path ?? paths[0]
    }

    /// Returns whether nothing exists at `path`, but its parent directory does.
    private static func canAppear(_ path: String) -> Bool {
        guard let (parent, _) = RuntimeDirectory.parentAndName(of: path) else { return false }
        // If the parent cannot be examined, opening the directory reports why.
        return isMissing(path) && (try? FileStatus(path: parent)) != nil
    }

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
        return isMissing(path + "/" + RuntimeDirectory.Name.ledgers)
            && isMissing(path + "/" + RuntimeDirectory.Name.serverLock)
    }

    private static func isMissing(_ path: String) -> Bool {
        do {
            _ = try FileStatus(path: path, followLinks: false)
            return false
        } catch {
            return error.code == ErrorNumber.noSuchFile
        }
    }
}
