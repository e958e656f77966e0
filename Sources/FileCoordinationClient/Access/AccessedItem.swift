// SPDX-License-Identifier: Apache-2.0
//
// One item of an access, from the caller's request to its outcome.

import FileCoordinationArbiter
import FileCoordinationSystem

/// An item of an access whose claim was filed.
struct AccessedItem: Sendable {
    /// The stored properties, kept behind one reference.
    private struct Content: Sendable {
        let request: RequestedItem
        var place: ResolvedPlace
        /// Where the accessor finds the item, if that differs from the request.
        var moved: GrantedItem?
        var snapshot: (any TemporaryCopy)?
        var before: ItemStamp?
        var anchor: FileAnchor?
        /// What was at the place of a read when it was granted.
        var seen: ItemToken.Sight?
        /// The state at the grant, if the caller wants to know it.
        var token: ItemToken?
        /// The write, as the version store sees it.
        var versions: EndOfVersionedWrite?
    }

    /// An array with exactly one element.
    ///
    /// Each step of an access copies its items, because it examines them without the lock.
    private var content: [Content]

    /// Creates an item of an access.
    ///
    /// - Parameters:
    ///   - request: what the caller asked for.
    ///   - place: the resolved place of the item.
    ///   - before: the state of the item before the accessor ran, if known.
    init(_ request: RequestedItem, at place: ResolvedPlace, before: ItemStamp? = nil) {
        content = [Content(request: request, place: place, before: before)]
    }

    /// What the caller asked for.
    var request: RequestedItem { content[0].request }
    /// The place of the item, as far as the claim knows.
    var place: ResolvedPlace { content[0].place }
    /// The copy that the accessor gets instead of the item (Rule 15.1).
    var snapshot: (any TemporaryCopy)? { content[0].snapshot }
    /// The state of the item before the accessor ran, if the accessor may change it.
    var before: ItemStamp? { content[0].before }
    /// A reference to the item that survives moves, if the accessor may move it.
    var anchor: FileAnchor? { content[0].anchor }
    private var moved: GrantedItem? { content[0].moved }

    /// What was at the place of a read when it was granted, for tokens (Rule 18.16).
    var seen: ItemToken.Sight? { content[0].seen }

    /// The state at the grant, if the caller wants to know it (Rule 18.16).
    var token: ItemToken? {
        get { content[0].token }
        set { content[0].token = newValue }
    }

    /// What the accessor gets.
    var granted: GrantedItem {
        var item = moved ?? asRequested
        item.token = token
        return item
    }

    private var asRequested: GrantedItem {
        // The request may come from the cache and have no path of its own.
        let path = (try? request.name.path.get()) ?? place.path.bytes
        return GrantedItem(
            path: path, isDirectory: request.name.namesDirectory, isAsRequested: true)
    }

    /// The cache key of the place that the accessor gets, or nil.
    var spelling: String? { moved == nil ? request.name.spelling : nil }

    /// The item, as it is in the claim.
    ///
    /// A link that is to be followed is read, whatever happens to what it leads to (Rule 2.25).
    var claimed: AccessItem {
        guard followsLink, place.isLink else { return place.item(request.access.withoutLinks) }
        guard case .reading = request.access else {
            return place.item(.reading([.resolvesSymbolicLink, .withoutChanges]))
        }
        return place.item(request.access)
    }

    /// Whether a link at the place is followed (Rules 1.5, 2.25).
    var followsLink: Bool { request.access != request.access.withoutLinks }

    /// The options of a write; nil for a read.
    var writing: FileCoordinationArbiter.WritingOptions? {
        request.access.withoutLinks.writingOptions
    }

    /// Whether the write may move the item.
    var mayMove: Bool { writing?.contains(.moving) ?? false }

    /// Whether the write puts another item at the path.
    var replaces: Bool { writing?.contains(.replacing) ?? false }

    /// The options of a read; none for a write.
    var readingOptions: FileCoordinationArbiter.ReadingOptions {
        switch request.access {
        case .reading(let options): options
        case .writing: []
        }
    }

    // MARK: Before the accessor

    /// Records that the item is at another place than the caller named.
    ///
    /// - Throws: `invalidName` for a path that the face cannot express, because its name would
    ///   denote another item.
    mutating func relocate(
        to place: ResolvedPlace, _ services: any ClientServices
    ) throws(PlaceError) {
        guard place.path != self.place.path else {
            content[0].place = place
            return
        }
        let isDirectory =
            place.isDirectory || moved?.isDirectory ?? request.name.namesDirectory
        let path = place.path.bytes
        guard services.canName(path, isDirectory: isDirectory) else { throw .invalidName }
        content[0].place = place
        content[0].moved = GrantedItem(path: path, isDirectory: isDirectory, isAsRequested: false)
    }

    /// Records that the accessor gets a copy.
    mutating func use(_ snapshot: any TemporaryCopy) {
        content[0].snapshot = snapshot
        content[0].moved = GrantedItem(
            path: snapshot.pathBytes, isDirectory: false, isAsRequested: false)
    }

    /// Keeps hold of an item that the accessor may move without an announcement.
    ///
    /// - Throws: if resources are missing for that, and such a move would be lost.
    mutating func holdOn() throws(SystemError) {
        guard mayMove else { return }
        do throws(SystemError) {
            content[0].anchor = try FileAnchor(path: place.path.bytes)
        } catch {
            // An item that does not exist, or cannot be opened, is not followed.
            if ErrorNumber.wants.contains(error.code) { throw error }
        }
    }

    /// Examines the item before the accessor runs.
    ///
    /// - Parameters:
    ///   - store: the version store.
    ///   - mayHaveVersions: false if the item is known to have none.
    ///   - isUpkeep: whether a provider brings the contents or gives them up: the versions stay.
    ///   - reportsRelease: false if no presenter would be told the outcome. If one registers
    ///     meanwhile, a write counts as a change.
    mutating func begin(
        _ store: any VersionKeeping, mayHaveVersions: Bool, isUpkeep: Bool, reportsRelease: Bool
    ) {
        guard let writing else {
            content[0].seen = ItemToken.Sight(at: place.path.bytes)
            return
        }
        if reportsRelease { content[0].before = ItemStamp.take(of: place.path) }
        content[0].versions = store.beginWriting(
            at: place.path, for: isUpkeep ? .plain : writing, mayHaveVersions: mayHaveVersions)
    }

    // MARK: After the accessor

    /// Attaches the item's versions to what the accessor left at the path.
    func endVersions() { content[0].versions?() }
}

extension Access {
    /// The access to an item at which no link is followed, or none any more.
    var withoutLinks: Access {
        switch self {
        case .reading(let options): .reading(options.subtracting(.resolvesSymbolicLink))
        case .writing(let options): .writing(options.subtracting(.resolvesSymbolicLink))
        }
    }
}
