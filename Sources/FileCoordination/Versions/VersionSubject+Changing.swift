// SPDX-License-Identifier: Apache-2.0
//
// What can be done to a version: to remove it, to mark it, and to put its contents in the place of
// an item. Whatever presenters are to be told of is reported once, after it has happened (Rule
// 10.2).

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
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
            throw VersionFailure(attempt: .removing, url: itemURL).error(.gone)
        }
    }

    /// Removes the version if it is kept; whether it was.
    @discardableResult
    func removeIfKept() throws -> Bool {
        guard case .kept(let id, let item) = choice else { return false }
        let failure = VersionFailure(attempt: .removing, url: itemURL)
        return try failure.explaining { () throws(VersionError) in
            try store.discard(id, of: item, lastKnown: itemPlace)
        }
    }

    /// Where the item was when the version was asked for; nil if its URL leads nowhere.
    private var itemPlace: ItemPath? { try? VersionFailure.place(of: itemURL) }

    // MARK: Marking

    /// Resolves the conflict, if it is not resolved yet (Rule 19.3).
    func resolve() {
        guard case .kept(let id, let item) = choice, stored?.record.origin == .conflict else {
            return
        }
        marking(.resolved) { () throws(SystemError) in
            try store.resolve(id, of: item, lastKnown: itemPlace)
        }
    }

    /// Lets the version be removed when there is no room for another one.
    ///
    /// Stops the program if it is the current one (Rule 19.4).
    func makeDiscardable() {
        switch choice {
        case .current: preconditionFailure("The current version, the item, is never discarded.")
        case .kept(let id, let item):
            marking(.discardable) { () throws(SystemError) in
                _ = try store.mark(id, of: item, .discardable)
            }
        case .lost: break
        }
    }

    /// Sets a mark; the properties that do so have no way to throw.
    private func marking(_ mark: VersionMark, _ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
        } catch {
            Diagnostics.say("A version of \(itemURL.path) cannot be marked as \(mark): \(error).")
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
            throw failure.error(.gone)
        }
        // The item is the current version already.
        guard contents != place else { return url }
        let result = try failure.explaining { () throws(VersionError) in
            try store.replace(place, by: contents, of: keptItem)
        }
        // Another process may have removed it meanwhile, which is what was wanted.
        if isMoving { try removeIfKept() }
        guard result != place else { return url }
        return url.deletingLastPathComponent().appendingPathComponent(
            URL(place: result).lastPathComponent)
    }

    private var keptItem: StoredItemID? {
        if case .kept(_, let item) = choice { item } else { nil }
    }
}
