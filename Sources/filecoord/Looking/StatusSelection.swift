// SPDX-License-Identifier: Apache-2.0
//
// Selects the part of a status report that is about given paths.

import FileCoordinationArbiter
import FileCoordinationWire

/// The paths that the user asked about.
///
/// If there are none, the whole report is selected.
struct StatusSelection {
    private let places: [[UInt8]]

    /// Resolves the paths as the user typed them.
    init(_ paths: [String]) throws(Failure) {
        var places: [[UInt8]] = []
        for path in paths {
            // The canonical path, by which the arbiter knows the item: links on the way are
            // followed (Rule 1.3).
            places.append(try UserPath.item(path).place().bytes)
        }
        self.places = places
    }

    /// The part of the report that is about the paths, or about items inside them.
    func part(_ report: StatusReport) -> StatusReport {
        guard !places.isEmpty else { return report }
        var part = report
        part.claims = report.claims.filter { claim in
            claim.items.contains { isWithin($0.path.bytes) }
        }
        part.presenters = report.presenters.filter { $0.path.map(isWithin) ?? false }
        part.delegations = report.delegations.filter { delegation in
            isWithin(delegation.path) || delegation.kind == .directory && isInside(delegation.path)
        }
        return part
    }

    /// Whether one of the paths is directly inside a directory.
    private func isInside(_ directory: [UInt8]) -> Bool {
        places.contains { ItemPath(bytes: $0)?.parent.bytes == directory }
    }

    private func isWithin(_ path: [UInt8]) -> Bool {
        places.contains { place in
            path.starts(with: place)
                && (path.count == place.count || place.count == 1
                    || path[place.count] == UInt8(ascii: "/"))
        }
    }
}
