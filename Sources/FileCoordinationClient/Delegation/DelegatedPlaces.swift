// SPDX-License-Identifier: Apache-2.0
//
// The paths that are delegated to this process or that it requests: paths that it has used more
// than once, and directories of which it has used several items. Each has a slot in the ledger,
// whose word the server writes. If the word grants it and no access of this process conflicts, the
// process grants a claim itself. A claim that would have to wait is filed with the server, which
// then recalls the delegation (Rule 2.14).
//
// A slot belongs to one path as long as the process lives, because its word does not contain the
// path. A claim that names the slot may wait for long; the delegation that results must not be
// taken for that of another path.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem

/// The delegated paths of this process.
///
/// May be used from any thread.
package final class DelegatedPlaces: Sendable {
    let ledger: LedgerWriter
    private let state: Lock<State>
    private let unseen: UnseenClaims
    private let purposePrefix = ProcessIdentity.prefix
    /// The last report of a write's end that this process has sent.
    package let lastReport = LastReport()

    private struct State {
        /// The first path that was used.
        ///
        /// A process that makes only one access does not maintain the set, to be quick.
        var firstCandidate: ItemPath?
        /// The other paths that were used once.
        var candidates: Set<ItemPath> = []
        var places: [HashedKey<ItemPath>: DelegatedPlace] = [:]
        /// The number of places at which unused ones are removed.
        var placeLimit = DelegatedPlaces.placeLimit
        /// The number of first uses of paths in a directory without a slot.
        var firstUses: [ItemPath: Int] = [:]
        /// The slots of directories.
        var directories: [ItemPath: Int] = [:]
        /// The directory that was looked up last.
        var recent: (path: ItemPath, slot: Int)?
        var slotsTaken = 0
        let isOn: Bool
    }

    /// The most candidates that are remembered.
    private static let candidateLimit = 4096
    /// The number of places at which unused ones are first removed.
    private static let placeLimit = 16_384
    /// The number of items of a directory that are used before the directory is requested.
    package static let directoryUses = 4
    /// The most slots for directories; the others are left for single paths.
    private static let directoryLimit = LedgerLayout.slotCount / 2
    /// The number of claims on a path that request its directory.
    ///
    /// If the server has not granted it by then, other clients use the directory, and the path
    /// itself is requested.
    private static let directoryFilings = 2

    /// Creates the delegated paths of a process.
    ///
    /// - Parameters:
    ///   - ledger: the process's ledger, whose slots contain the delegations.
    ///   - isOn: false to use no delegation at all.
    package init(_ ledger: LedgerWriter, isOn: Bool) {
        self.ledger = ledger
        unseen = UnseenClaims(ledger)
        state = Lock(State(isOn: isOn))
    }

    /// Determines how a claim on one item can proceed.
    ///
    /// End it with ``PlaceOpening/close(isWriting:)``.
    package func begin(_ item: AccessItem) -> PlaceOpening {
        guard item.isDelegable, let place = place(for: item) else { return .none }
        if let grant = begin(place, isWriting: item.access.isWriting) {
            return .delegated(place, grant)
        }
        let isAlone = place.beginFiled()
        return .wanted(place, requestedSlot(of: place, isAlone: isAlone))
    }

    /// Occupies a path if a claim there can be granted at once.
    ///
    /// Not without a server: the next one may not find this process's ledger before it hears of it
    /// (Rule 18.14).
    private func begin(
        _ place: DelegatedPlace, isWriting: Bool, mayWait: Bool = false,
        by writer: (any DelegatedWriter)? = nil
    ) -> DelegatedPlace.Grant? {
        guard lastReport.hasServer,
            let grant = place.begin(
                isWriting: isWriting, mayWait: mayWait, by: writer, in: ledger)
        else { return nil }
        guard unseen.concern(place.path) else { return grant }
        place.end(isWriting: isWriting)
        return nil
    }

    /// Occupies a path for a local read.
    func beginReading(_ place: DelegatedPlace) -> DelegatedPlace.Grant? {
        begin(place, isWriting: false)
    }

    /// Occupies a path for a local write, which can wait for its turn in a ticket queue.
    func beginWriting(
        _ place: DelegatedPlace, by writer: any DelegatedWriter
    ) -> DelegatedPlace.Grant? {
        begin(place, isWriting: true, mayWait: true, by: writer)
    }

    /// Occupies a path for a simulation, which has accesses of its own.
    package func beginLocally(
        _ item: AccessItem
    ) -> (place: DelegatedPlace, grant: DelegatedPlace.Grant)? {
        let isWriting = item.access.isWriting
        guard item.isDelegable, let (place, _) = delegatedPlace(for: item),
            let grant = begin(place, isWriting: isWriting, mayWait: isWriting)
        else { return nil }
        return (place, grant)
    }

    /// Returns the local writes with a purpose.
    func writers(ofPurpose number: UInt64) -> [any DelegatedWriter] {
        state.withLock { Array($0.places.values) }.compactMap(\.writer)
            .filter { $0.purposeNumber == number }
    }

    /// Records that a claim without a delegated place is about to be filed.
    ///
    /// Until a server has seen it, no conflicting claim of this process may be local (Rule 2.14).
    package func trackUnseen(_ record: RecordReference, of items: [AccessItem]) {
        unseen.insert(record, items)
    }

    /// Returns the place of an item, once the item is used for the second time or its directory has
    /// a slot.
    package func place(for item: AccessItem) -> DelegatedPlace? {
        state.withLock { state in
            guard state.isOn else { return nil }
            if let place = state.places[HashedKey(item.path)] { return place }
            let isFirst = !Self.wasCandidate(item.path, &state)
            let directory = Self.directorySlot(for: item.path, isFirst: isFirst, &state)
            if directory == nil, isFirst {
                Self.addCandidate(item.path, &state)
                return nil
            }
            let slot = directory == nil ? Self.takeSlot(&state) : nil
            guard directory != nil || slot != nil else { return nil }
            return Self.add(
                DelegatedPlace(
                    item, slot: slot, directorySlot: directory, purposePrefix: purposePrefix),
                for: HashedKey(item.path), &state)
        }
    }

    /// Whether a path was used once before.
    ///
    /// It is then no candidate any more.
    private static func wasCandidate(_ path: ItemPath, _ state: inout State) -> Bool {
        if state.firstCandidate == path {
            state.firstCandidate = nil
            return true
        }
        return !state.candidates.isEmpty && state.candidates.remove(path) != nil
    }

    private static func addCandidate(_ path: ItemPath, _ state: inout State) {
        if state.firstCandidate == nil, state.candidates.isEmpty {
            return state.firstCandidate = path
        }
        if state.candidates.count >= candidateLimit { state.candidates = [] }
        state.candidates.insert(path)
    }

    /// Returns the place of a path, if there is one.
    func place(at path: ItemPath) -> DelegatedPlace? {
        state.withLock { $0.places[HashedKey(path)] }
    }

    /// Returns the place of an item.
    ///
    /// Creates it on the first use if the item's directory is delegated.
    func delegatedPlace(for item: AccessItem) -> (place: DelegatedPlace, isNew: Bool)? {
        state.withLock { state in
            let key = HashedKey(item.path)
            if let place = state.places[key] { return (place, false) }
            guard let slot = delegatedSlot(forDirectoryOf: item.path, &state) else { return nil }
            let place = DelegatedPlace(
                item, slot: nil, directorySlot: slot, purposePrefix: purposePrefix)
            return (Self.add(place, for: key, &state), true)
        }
    }

    /// Whether an item is directly inside a delegated directory.
    func mayHoldAll(aroundItemAt path: ItemPath) -> Bool {
        state.withLock { delegatedSlot(forDirectoryOf: path, &$0) != nil }
    }

    private func delegatedSlot(forDirectoryOf path: ItemPath, _ state: inout State) -> Int? {
        let slot = Self.directorySlot(for: path, &state)
        return slot.flatMap { ledger.delegation(inSlot: $0).isDelegated ? $0 : nil }
    }

    // MARK: Slots

    /// Returns the slot that a filed claim names, and takes a free one for a place that has none.
    ///
    /// - Parameters:
    ///   - place: the place of the claim.
    ///   - isAlone: whether no local claim of this process runs at the place.
    /// - Returns: the slot; nil if all are taken.
    private func requestedSlot(of place: DelegatedPlace, isAlone: Bool) -> RequestedSlot? {
        state.withLock { state in
            if place.directorySlot == nil, let slot = Self.directorySlot(for: place.path, &state) {
                place.setDirectorySlot(slot)
            }
            let directory = place.directorySlot.map { RequestedSlot($0, forDirectory: true) }
            if place.filings <= Self.directoryFilings, let directory { return directory }
            if let slot = place.slot {
                return RequestedSlot(slot, excludesLocalClaims: isAlone)
            }
            guard let slot = Self.takeSlot(&state) else { return directory }
            place.setSlot(slot)
            return RequestedSlot(slot, excludesLocalClaims: isAlone)
        }
    }

    private static func takeSlot(_ state: inout State) -> Int? {
        guard state.slotsTaken < LedgerLayout.slotCount else { return nil }
        defer { state.slotsTaken += 1 }
        return state.slotsTaken
    }

    /// Returns the slot of the directory that contains a path, if it has one.
    private static func directorySlot(for path: ItemPath, _ state: inout State) -> Int? {
        if let recent = state.recent, recent.path.isDirectory(of: path) { return recent.slot }
        guard !state.directories.isEmpty else { return nil }
        let directory = path.directory
        guard let slot = state.directories[directory] else { return nil }
        state.recent = (directory, slot)
        return slot
    }

    /// Returns the slot of the directory that contains a path; takes one if enough of the directory
    /// was used.
    private static func directorySlot(
        for path: ItemPath, isFirst: Bool, _ state: inout State
    ) -> Int? {
        if let slot = directorySlot(for: path, &state) { return slot }
        guard path.depth > 1 else { return nil }
        let directory = path.directory
        guard isFirst, state.firstCandidate != nil || !state.candidates.isEmpty,
            state.directories.count < directoryLimit
        else { return nil }
        if state.firstUses.count >= candidateLimit { state.firstUses = [:] }
        let uses = state.firstUses[directory, default: 0] + 1
        state.firstUses[directory] = uses
        guard uses >= directoryUses, let slot = takeSlot(&state) else { return nil }
        state.firstUses[directory] = nil
        state.directories[directory] = slot
        return slot
    }

    private static func add(
        _ place: DelegatedPlace, for key: HashedKey<ItemPath>, _ state: inout State
    ) -> DelegatedPlace {
        if state.places.count >= state.placeLimit { removeUnused(&state) }
        state.places[key] = place
        return place
    }

    /// Removes places that have no slot of their own and are not referenced by an access.
    private static func removeUnused(_ state: inout State) {
        var unused: [HashedKey<ItemPath>] = []
        var index = state.places.values.startIndex
        while index != state.places.values.endIndex {
            if isKnownUniquelyReferenced(&state.places.values[index]),
                state.places.values[index].slot == nil
            {
                unused.append(state.places.keys[index])
            }
            state.places.values.formIndex(after: &index)
        }
        for path in unused { state.places[path] = nil }
        state.placeLimit = max(placeLimit, 2 * state.places.count)
    }
}

extension ItemPath {
    /// The parent path.
    ///
    /// Not for the root.
    fileprivate var directory: ItemPath { prefix(depth: max(0, depth - 1)) }
}
