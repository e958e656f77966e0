// SPDX-License-Identifier: Apache-2.0
//
// One item of an access, from what the caller said to what has become of it.

import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// An item of an access that was filed.
struct AccessedItem: Sendable {
    let request: RequestedItem
    /// Where the item is, as far as the claim knows.
    private(set) var place: ResolvedPlace
    /// Where the accessor finds it, unless that is where the caller said.
    private var moved: GrantedItem?
    /// The copy that the accessor gets instead of the item (Rule 15.1).
    private(set) var snapshot: (any TemporaryCopy)?
    /// What it looked like before the accessor ran, if that may change it.
    private(set) var before: ItemStamp?
    /// The item itself, if it is going to be moved.
    private(set) var anchor: FileAnchor?
    /// The write, as the store of versions sees it.
    private var versions: (any VersionedWrite)?

    /// - Parameter before: what the item looked like before the accessor ran, if that is known.
    init(_ request: RequestedItem, at place: ResolvedPlace, before: ItemStamp? = nil) {
        self.request = request
        self.place = place
        self.before = before
    }

    /// What the accessor gets.
    var granted: GrantedItem {
        if let moved { return moved }
        // A remembered spelling may have no path of its own.
        let path = (try? request.name.path.get()) ?? place.path.bytes
        return GrantedItem(
            path: path, isDirectory: request.name.namesDirectory, isAsRequested: true)
    }

    /// The text by which the place is remembered that the accessor gets.
    var spelling: String? { moved == nil ? request.name.spelling : nil }

    /// What the claim says of it.
    var claimed: AccessItem { place.item(request.access) }

    /// What the write is for; nil for a read.
    var writing: FileCoordinationArbiter.WritingOptions? { request.access.writingOptions }

    /// Whether the write may move the item.
    var mayMove: Bool { writing?.contains(.moving) ?? false }

    /// Whether the write puts another item at the place.
    var replaces: Bool { writing?.contains(.replacing) ?? false }

    /// The options of a read; none for a write.
    var readingOptions: FileCoordinationArbiter.ReadingOptions {
        switch request.access {
        case .reading(let options): options
        case .writing: []
        }
    }

    // MARK: Before the accessor

    /// Records that the item is somewhere else than the caller said.
    ///
    /// - Throws: `invalidName` for a path that the face has no name for: it would name another
    ///   item.
    mutating func relocate(
        to place: ResolvedPlace, _ services: any ClientServices
    ) throws(PlaceError) {
        guard place.path != self.place.path else {
            self.place = place
            return
        }
        let isDirectory =
            place.isDirectory || moved?.isDirectory ?? request.name.namesDirectory
        let path = place.path.bytes
        guard services.canName(path, isDirectory: isDirectory) else { throw .invalidName }
        self.place = place
        moved = GrantedItem(path: path, isDirectory: isDirectory, isAsRequested: false)
    }

    /// Records that the accessor gets a copy.
    mutating func use(_ snapshot: any TemporaryCopy) {
        self.snapshot = snapshot
        moved = GrantedItem(
            path: snapshot.pathBytes, isDirectory: false, isAsRequested: false)
    }

    /// Looks at the item for the last time before the accessor runs.
    ///
    /// - Parameters:
    ///   - store: the store of versions.
    ///   - mayHaveVersions: false if the item is known to have none.
    ///   - reportsRelease: false if no presenter would be told of its outcome; if one registers
    ///     meanwhile, a write counts as a change.
    mutating func begin(
        _ store: any VersionKeeping, mayHaveVersions: Bool, reportsRelease: Bool
    ) {
        guard let writing else { return }
        if reportsRelease { before = ItemStamp.take(of: place.path) }
        // Without a descriptor left for it the move has to be announced.
        if mayMove { anchor = try? FileAnchor(path: place.path.bytes) }
        versions = store.beginWriting(
            at: place.path, for: writing, mayHaveVersions: mayHaveVersions)
    }

    // MARK: After the accessor

    /// Lets the item's versions stay with the document, whatever the accessor put in its place.
    func endVersions() { versions?.end() }

    /// What became of the item, which `moves` have concerned (Rule 7.8), and what was seen of it.
    ///
    /// Of what is inside a directory that was written as a whole it cannot be told (Rule 2.23).
    func ending(after moves: KnownMoves) -> ItemEnding {
        var ending = endingOfItem(after: moves)
        let isTree = writing != nil && request.access.coversContents && place.isDirectory
        if isTree, ending.outcome == .unchanged { ending.outcome = .changed }
        return ending
    }

    private func endingOfItem(after moves: KnownMoves) -> ItemEnding {
        guard let before else { return ItemEnding(writing == nil ? .unchanged : .changed) }
        let now = moves.place(of: place.path)
        if now != place.path {
            let ofMove = before.outcomeOfMove(after: ItemStamp.take(of: now))
            // Rule 2.8b: what was put where the moved item was.
            let isReplaced =
                replaces && !moves.leads(to: place.path)
                && ItemStamp.take(of: place.path).status != nil
            return ItemEnding(isReplaced && ofMove == .unchanged ? .changed : ofMove)
        }
        // What came here by a move is told of as that.
        if moves.leads(to: place.path) { return ItemEnding(.unchanged) }
        return ItemEnding(from: before, to: ItemStamp.take(of: place.path))
    }
}

/// What an access did to one of its items.
struct ItemEnding: Sendable {
    var outcome: ItemOutcome
    /// What was seen before and after, for those who watch the item; nil if that does not say all.
    private(set) var sights: ItemSights?

    init(_ outcome: ItemOutcome) { self.outcome = outcome }

    init(from before: ItemStamp, to after: ItemStamp) {
        outcome = before.outcome(after: after)
        sights = ItemSights(
            before: before.status.map { ItemSight($0) }, after: after.status.map { ItemSight($0) })
    }
}

extension ItemSight {
    fileprivate init(_ status: FileStatus) {
        self.init(
            device: status.device, inode: status.inode, mode: status.mode,
            owner: status.ownerUserID, group: status.ownerGroupID, size: status.size,
            modified: status.modified, changed: status.changed, linkCount: status.linkCount)
    }
}
