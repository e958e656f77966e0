// SPDX-License-Identifier: Apache-2.0
//
// What can be done to a version: to remove it, to mark it, and to put its contents in the place of
// an item. Whatever presenters are to hear of is reported once, after it has happened (Rule 10.2).

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import Foundation

extension VersionSubject {
    // MARK: Removing

    /// Removes the version; an error if it is gone already.
    ///
    /// Stops the program if it is the current one (Rule 19.5).
    func remove() throws {
        if case .current = choice {
            preconditionFailure(
                "The current version is the item: remove that with FileManager.removeItem(at:).")
        }
        guard try removeIfKept() else {
            throw gone(VersionFailure(attempt: .removing, url: itemURL))
        }
    }

    /// Removes the version if it is kept; whether it was.
    @discardableResult
    func removeIfKept() throws -> Bool {
        guard case .kept(let id, let item) = choice else { return false }
        // Asked first: with the last version goes all that is known of the item.
        let change = VersionChange(.lost, of: presentItemURL, id)
        let failure = VersionFailure(attempt: .removing, url: itemURL)
        let wasThere = try failure.explaining { () throws(SystemError) in
            try store.remove(id, of: item, at: try? VersionFailure.place(of: itemURL))
        }
        if wasThere { VersionChanges.note(change) }
        return wasThere
    }

    private func gone(_ failure: VersionFailure) -> CocoaError {
        failure.error(.fileNoSuchFile, because: "it is not kept any more")
    }

    /// The item's URL, also if the item was moved since somebody asked for the version.
    private var presentItemURL: URL {
        guard case .kept(_, let item) = choice,
            let last = try? VersionFailure.place(of: itemURL),
            let place = store.place(of: item, lastKnown: last), place != last
        else { return itemURL }
        return URL(place: place)
    }

    // MARK: Marking

    /// Resolves the conflict, if it is one that nobody has resolved (Rule 19.3).
    func resolve() {
        guard case .kept(let id, let item) = choice, stored?.record.origin == .conflict,
            set(.resolved, on: id, of: item)
        else { return }
        VersionChanges.note(VersionChange(.conflictResolved, of: presentItemURL, id))
    }

    /// Lets the version be removed when there is no room for another one.
    ///
    /// Stops the program if it is the current one (Rule 19.4).
    func makeDiscardable() {
        switch choice {
        case .current: preconditionFailure("The current version, the item, is never discarded.")
        case .kept(let id, let item): _ = set(.discardable, on: id, of: item)
        case .lost: break
        }
    }

    /// Sets a mark; whether it was not set before.
    private func set(_ mark: VersionMark, on id: VersionID, of item: StoredItemID) -> Bool {
        do {
            return try store.mark(id, of: item, mark)
        } catch {
            Diagnostics.say("A version of \(itemURL.path) cannot be marked as \(mark): \(error).")
            return false
        }
    }

    // MARK: Replacing

    /// Gives the item at `url` the contents of this version, or makes it (Rule 19.7).
    ///
    /// - Returns: where the item is now.
    func replaceItem(at url: URL, isMoving: Bool) throws -> URL {
        let failure = VersionFailure(attempt: .replacing, url: url)
        let place = try VersionFailure.place(of: url)
        guard let contents = try? VersionFailure.place(of: contentsURL), hasContents else {
            throw gone(failure)
        }
        // The item is the current version already.
        guard contents != place else { return url }
        let result = try failure.explaining { () throws(SystemError) in
            var replacement = try VersionReplacement(
                place, by: contents, of: keptItem, store: store, folders: store.openOrMake())
            try replacement.run()
            return replacement.target
        }
        // Somebody else may have removed it meanwhile, which is what was wanted.
        if isMoving { try removeIfKept() }
        guard result != place else { return url }
        return url.deletingLastPathComponent().appendingPathComponent(
            URL(place: result).lastPathComponent)
    }

    private var keptItem: StoredItemID? {
        if case .kept(_, let item) = choice { item } else { nil }
    }
}
