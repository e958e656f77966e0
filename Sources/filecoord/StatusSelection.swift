// SPDX-License-Identifier: Apache-2.0
//
// Selects the part of a status report that is about given paths, and looks up the other names of
// its items.

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
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

    /// Whether all that is asked about.
    var isAll: Bool { places.isEmpty }

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

/// Remarks about other names of the items in a report (Rule 2.24).
struct NameRemarks {
    private let remarks: [[UInt8]: String]

    /// The limit for looking at all items, as one of them may be on a file system that does not
    /// respond.
    private static let patience = Duration.milliseconds(200)

    /// Looks at the items.
    ///
    /// Those that take longer than the limit get no remark.
    init(of report: StatusReport?) {
        let paths = Set((report?.claims ?? []).flatMap { $0.items.map(\.path.bytes) })
        let found = Monitor((remarks: [[UInt8]: String](), isDone: false))
        // Without a thread, the remarks are left out.
        let isStarted: Void? = try? DetachedThread.start(name: "other names") {
            let mounted = OtherPlaces.current
            for path in paths {
                guard let remark = Self.remark(on: path, mounted) else { continue }
                found.withLock { $0.remarks[path] = remark }
            }
            found.withLock { $0.isDone = true }
            found.notifyAll()
        }
        if isStarted != nil, !paths.isEmpty {
            _ = found.wait(until: MonotonicClock.after(Self.patience)) { $0.isDone }
        }
        remarks = found.withLock { $0.remarks }
    }

    private static func remark(on path: [UInt8], _ mounted: OtherPlaces) -> String? {
        var remarks: [String] = []
        // Without a status, there is nothing to remark.
        if let status = try? FileStatus(path: path, followLinks: false), status.kind == .regular,
            status.linkCount > 1
        {
            remarks.append("one of \(status.linkCount) names, which do not exclude each other")
        }
        if let other = mounted.places(of: path).first {
            remarks.append("also at \(PeopleText.text(other)), which is not excluded")
        }
        return remarks.isEmpty ? nil : "(\(remarks.joined(separator: "; ")))"
    }

    /// The remark about a path, if there is one.
    subscript(path: [UInt8]) -> String? { remarks[path] }
}
