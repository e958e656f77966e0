// SPDX-License-Identifier: Apache-2.0
//
// Changes of versions, on their way from the store to presenters and back (Rules 10.1 to 10.3).

#if !canImport(Darwin)
import FileCoordinationArbiter
import Foundation

extension Session {
    /// Whether a version may have been kept of anything; a process that uses many places need not
    /// look each time.
    var mayHaveVersions: Bool {
        let store = VersionStore.current
        if places.present?.isAbsent(store.pathBytes, hasLooked: false) == true { return false }
        return store.isThere
    }

    /// Makes a change of a version known that the calling thread has made inside an accessor.
    ///
    /// One that is made outside of any coordinated write is nobody's news (Rule 10.2).
    static func noteVersionChange(_ change: VersionChange) {
        guard let access = AccessorStack.accesses.last(where: \.isWriting),
            let place = try? access.session.place(of: change.itemURL)
        else { return }
        access.announce(.versionChanged(place.path, VersionNews(change.news)))
    }
}

extension VersionNews {
    init(_ message: VersionMessage) {
        let fate: VersionFate =
            switch message.kind {
            case .gained: .gained
            case .lost: .lost
            case .conflictResolved: .resolved
            }
        self.init(fate, identifier: Array(message.persistentIdentifier.utf8))
    }
}

extension VersionMessage {
    init(_ news: VersionNews) {
        let kind: VersionChange.Kind =
            switch news.fate {
            case .gained: .gained
            case .lost: .lost
            case .resolved: .conflictResolved
            }
        self.init(
            kind: kind, persistentIdentifier: String(decoding: news.identifier, as: UTF8.self))
    }
}
#endif
