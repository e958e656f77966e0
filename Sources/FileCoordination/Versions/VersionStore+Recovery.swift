// SPDX-License-Identifier: Apache-2.0
//
// Putting right what dead processes left. It is no occasion of its own: every use of the store
// begins with it, and where nothing was left it costs three listings of empty directories.

import FileCoordinationArbiter
import FileCoordinationSystem

/// What a process is about to do that nobody could make out from its leavings.
enum Intention: Codable, Sendable {
    /// Contents are moved into the store: once they are there, they are nowhere else, so whoever
    /// finds them adds the version.
    case adding(Adding)
    /// A version's contents take the place of an item: once they have, the item's other versions
    /// must follow.
    case replacing(Replacing)

    /// See ``adding(_:)``.
    struct Adding: Codable, Sendable {
        var place: [UInt8]
        var identity: ItemIdentity
        var version: String
    }

    /// See ``replacing(_:)``.
    struct Replacing: Codable, Sendable {
        /// Where the item is, and where it is going to be.
        var place: [UInt8]
        var newPlace: [UInt8]
        /// What the item was before; nil if its versions are not to follow.
        var identity: ItemIdentity?
        /// What it is going to be; nil until that is made.
        var newIdentity: ItemIdentity?
        /// A name in the item's directory that is not to stay.
        var temporary: [UInt8]
    }

    /// The file's name in the workspace.
    static let name = "intention"
}

extension VersionStore {
    /// Puts right what dead processes left.
    ///
    /// Every use of the store does so. To be called, too, when a writer is known to have died: the
    /// sooner its document is looked at, the less can have happened to it.
    package func settle() { _ = openIfThere() }

    /// Finishes or removes what dead processes left; what cannot be done is left for the next time.
    func settle(_ folders: StoreFolders) {
        for workspace in (try? Workspace.seizeAll(in: folders.work)) ?? [] {
            do {
                try finish(workspace, in: folders)
                // It was made for the first version, which did not come (rule 3 of the store).
                try? folders.items.removeSubdirectory(workspace.id)
                try workspace.discard()
            } catch {
                continue
            }
        }
        for name in (try? folders.removed.names()) ?? [] {
            try? ContentsRemoval.remove(name, in: folders.removed)
        }
        settleWrites(folders)
    }

    private func finish(
        _ workspace: Workspace, in folders: StoreFolders
    ) throws(SystemError) {
        // An intention that cannot be read, now or by this program, may be about the only copy of
        // something: then the workspace stays.
        switch try workspace.directory.readIfThere(Intention.self, from: Intention.name) {
        case nil: return
        case .adding(let adding):
            guard let added = try VersionAddition.finish(adding, workspace, self, folders),
                let place = ItemPath(bytes: adding.place)
            else { return }
            VersionChanges.note(VersionChange(.gained, of: place, added))
        case .replacing(let replacing):
            try VersionReplacement.finish(replacing, self, in: folders)
        }
    }

    /// Lets ties go over from one identity to another at a place, as saving does.
    ///
    /// - Parameter items: those that were the item's whatever the identity.
    func retie(
        _ place: ItemPath, from old: ItemIdentity?, items: Set<StoredItemID> = [],
        to new: ItemIdentity, at newPlace: ItemPath? = nil, in folders: StoreFolders
    ) throws(SystemError) {
        for tie in try folders.ties.ties() where tie.identity.compared(with: new) == .different {
            guard items.contains(tie.item) || old.map({ tie.identity == $0 }) ?? false,
                // What was moved away from there is the item elsewhere.
                folders.ties.place(of: tie) == place
            else { continue }
            try folders.ties.replace(tie, by: new, at: newPlace ?? place)
        }
    }
}
