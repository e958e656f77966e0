// SPDX-License-Identifier: Apache-2.0
//
// Announcements of ubiquity attributes. The program that changes attributes of an item announces
// it, and presenters that observe them are told (Rules 10.4 to 10.6).

import FileCoordinationArbiter

extension Coordinator {
    /// Announces a change of attributes, inside an accessor or outside.
    ///
    /// Does nothing if no server can be reached.
    ///
    /// - Parameters:
    ///   - names: the names of the attributes; only presenters interpret them.
    ///   - item: the item whose attributes have changed.
    ///   - session: returns this process's session.
    package func announceAttributes(
        _ names: [[UInt8]], of item: ItemName, in session: () throws(AccessFailure) -> Session
    ) {
        // Without a session or a resolvable path, there is no presenter to tell.
        guard !names.isEmpty, let opened = try? session(),
            let place = try? opened.place(of: item)
        else { return }
        let announcement = Announcement.ubiquityAttributesChanged(
            place.path, names.sorted { $0.lexicographicallyPrecedes($1) })
        if let access = writingAccess(for: place.path) { return access.announce(announcement) }
        // Outside an accessor, a claim without items carries the announcement; it is granted at
        // once. The call has no way to report an error.
        guard let carrier = try? begin([], in: session) else { return }
        defer { endWaiting(carrier) }
        guard case .granted = carrier.wait() else { return }
        carrier.announce(announcement)
        carrier.abandon()
    }
}
