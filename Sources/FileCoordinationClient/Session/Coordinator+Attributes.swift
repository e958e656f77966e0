// SPDX-License-Identifier: Apache-2.0
//
// Attributes that a cloud gives to items: the program that changes them announces it, and
// presenters that observe them are told (Rules 10.4 to 10.6).

import FileCoordinationArbiter

extension Coordinator {
    /// Makes a change of attributes known, inside an accessor or not; without an arbiter, nothing.
    ///
    /// - Parameter names: the attributes' names, which only presenters understand.
    package func announceAttributes(
        _ names: [[UInt8]], of item: ItemName, in session: () throws(AccessFailure) -> Session
    ) {
        // Without an arbiter, or without a place, there is no presenter to tell.
        guard !names.isEmpty, let opened = try? session(),
            let place = try? opened.place(of: item)
        else { return }
        let announcement = Announcement.ubiquityAttributesChanged(
            place.path, names.sorted { $0.lexicographicallyPrecedes($1) })
        if let access = writingAccess(for: place.path) { return access.announce(announcement) }
        // A claim of nothing, which is granted at once, to carry it.
        // Nor without a claim; the call has no error to give.
        guard let carrier = try? begin([], in: session) else { return }
        defer { endWaiting(carrier) }
        guard case .granted = carrier.wait() else { return }
        carrier.announce(announcement)
        carrier.abandon()
    }
}
