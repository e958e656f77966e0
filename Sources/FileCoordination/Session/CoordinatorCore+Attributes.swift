// SPDX-License-Identifier: Apache-2.0
//
// Attributes that a cloud gives to items: whoever changes them says so, and presenters that observe
// them hear of it (Rules 10.4 to 10.6).

#if !canImport(Darwin)
import FileCoordinationArbiter
import Foundation

extension CoordinatorCore {
    /// Makes a change of attributes known, inside an accessor or not.
    func announceAttributes(_ keys: Set<URLResourceKey>, of url: URL) {
        let names = keys.filter(\.isUbiquityAttribute).map { Array($0.rawValue.utf8) }
        guard !names.isEmpty, let session = try? Session.current(),
            let place = try? session.place(of: url)
        else { return }
        let announcement = Announcement.ubiquityAttributesChanged(
            place.path, names.sorted { $0.lexicographicallyPrecedes($1) })
        if let access = writingAccess(for: place.path) { return access.announce(announcement) }
        // A claim of nothing, which is granted at once, to carry it.
        guard let carrier = try? begin([]) else { return }
        defer { endWaiting(carrier) }
        guard case .granted = carrier.wait() else { return }
        carrier.announce(announcement)
        carrier.abandon()
    }
}

extension URLResourceKey {
    /// Whether it names an attribute that a cloud gives to items (Rule 10.5).
    var isUbiquityAttribute: Bool {
        self == .isUbiquitousItemKey || rawValue.hasPrefix("NSURLUbiquitousItem")
            || rawValue.hasPrefix("NSURLUbiquitousSharedItem")
    }
}
#endif
