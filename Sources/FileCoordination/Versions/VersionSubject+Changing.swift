// SPDX-License-Identifier: Apache-2.0
//
// The operations on a version: remove it, mark it, and replace an item by its contents. Each change
// is reported to presenters once, after it has happened (Rule 10.2).

import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationSystem
import FileCoordinationVersions
import Foundation
import FoundationCompatibility

extension VersionSubject {
    // MARK: Removing

    /// Removes the version; throws if it was removed before.
    ///
    /// Ends the program if it is the current version (Rule 19.5).
    func remove() throws {
        if case .current = choice {
            preconditionFailure(
                "The current version is the item: remove that with FileManager.removeItem(at:).")
        }
        guard try removeIfKept() else {
            throw VersionFailure(attempt: .removing, url: itemURL).error(.gone)
        }
    }

    /// Removes the version if it still exists.
    ///
    /// Returns whether it did.
    @discardableResult
    func removeIfKept() throws -> Bool {
        guard case .kept(let id, let item) = choice else { return false }
        let failure = VersionFailure(attempt: .removing, url: itemURL)
        return try failure.explaining { () throws(VersionError) in
            try store.discard(id, of: item, lastKnown: itemPlace)
        }
    }

    /// The item's path when the version was requested; nil if its URL cannot be resolved.
    private var itemPlace: ItemPath? { try? VersionFailure.place(of: itemURL) }

    // MARK: Marking

    /// Resolves the conflict, if it is unresolved (Rule 19.3).
    func resolve() {
        guard case .kept(let id, let item) = choice, stored?.record.origin == .conflict else {
            return
        }
        marking(.resolved) { () throws(SystemError) in
            try store.resolve(id, of: item, lastKnown: itemPlace)
        }
    }

    /// Allows the store to remove the version when space is needed for another one.
    ///
    /// Ends the program if it is the current version (Rule 19.4).
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

    /// Sets a mark.
    ///
    /// Errors are printed, because the public properties cannot throw.
    private func marking(_ mark: VersionMark, _ body: () throws(SystemError) -> Void) {
        do throws(SystemError) {
            try body()
        } catch {
            Diagnostics.say("A version of \(itemURL.path) cannot be marked as \(mark): \(error).")
        }
    }

    // MARK: Replacing

    /// Gives the item at `url` the contents of this version; creates the item if it does not exist
    /// (Rule 19.7).
    ///
    /// - Returns: the URL of the item.
    func replaceItem(at url: URL, isMoving: Bool) throws -> URL {
        let failure = VersionFailure(attempt: .replacing, url: url)
        let place = try VersionFailure.place(of: url)
        // Contents without a path are gone.
        guard let contents = try? VersionFailure.place(of: contentsURL), hasContents else {
            throw failure.error(.gone)
        }
        // The item is the current version already.
        guard contents != place else { return url }
        let result = try failure.explaining { () throws(VersionError) in
            if case .kept(let id, let item) = choice {
                return try store.replace(place, by: id, of: item)
            }
            return try store.replace(place, by: contents)
        }
        // Another process may have removed the version meanwhile, which is the desired result.
        if isMoving { try removeIfKept() }
        guard result != place else { return url }
        return url.deletingLastPathComponent().appendingPathComponent(
            URL(place: result).lastPathComponent)
    }
}
