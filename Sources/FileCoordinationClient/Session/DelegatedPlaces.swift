// SPDX-License-Identifier: Apache-2.0
//
// The places that are delegated to this process, or that it would like to have: those it has used
// more than once, and directories of which it has used several items. Each has a slot of the
// ledger, whose word the server writes. A claim on such a place is granted on the spot if the word
// says so and no access of this very process is in its way; whatever would have to wait goes to the
// arbiter, which then takes the place back (Rule 2.14).
//
// A slot stays its place's for as long as the process lives. The word does not say which place it
// means; a claim that names the slot may be under way for long, and what the server makes of it in
// the end must not be taken for another place's delegation.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem

/// This process's delegated places.
///
/// May be used from any thread.
package final class DelegatedPlaces: Sendable {
    let ledger: LedgerWriter
    private let state: Lock<State>
    private let unseen: UnseenClaims
    private let purposePrefix = ProcessIdentity.prefix

    /// What a claim on a place can do.
    package enum Opening {
        /// It is filed, and says nothing of delegation.
        case none
        /// It is filed, and may name the slot in which its process would like to have something.
        case wanted(DelegatedPlace, RequestedSlot?)
        /// It may be granted on the spot; the place is busy until that is over.
        case delegated(DelegatedPlace, DelegatedPlace.Grant)
    }

    private struct State {
        /// The place that was used first: of a process that makes one access nothing is counted,
        /// for it is to be quick.
        var firstCandidate: ItemPath?
        /// The others that were used once.
        var candidates: Set<ItemPath> = []
        var places: [HashedKey<ItemPath>: DelegatedPlace] = [:]
        /// How many of those there may be before it is looked which are of no use any more.
        var placeLimit = DelegatedPlaces.placeLimit
        /// How many places were used for the first time in a directory without a slot.
        var firstUses: [ItemPath: Int] = [:]
        /// The slots of directories.
        var directories: [ItemPath: Int] = [:]
        /// The one of them that was asked for last.
        var recent: (path: ItemPath, slot: Int)?
        var slotsTaken = 0
        let isOn: Bool
    }

    /// How many candidates are remembered.
    private static let candidateLimit = 4096
    /// How many places are kept without need.
    private static let placeLimit = 16_384
    /// How many items of a directory are used before it is asked for as a whole.
    package static let directoryUses = 4
    /// So many slots are left for single places.
    private static let directoryLimit = LedgerLayout.slotCount / 2
    /// How many of a place's claims ask for its directory: who gets nothing by that has company
    /// there, and asks for the place itself.
    private static let directoryFilings = 2

    /// - Parameter isOn: false for none at all.
    package init(_ ledger: LedgerWriter, isOn: Bool) {
        self.ledger = ledger
        unseen = UnseenClaims(ledger)
        state = Lock(State(isOn: isOn))
    }

    /// Sees what a claim on one item can do; see ``Opening/close(isWriting:)``.
    package func begin(_ item: AccessItem) -> Opening {
        guard item.isDelegable, let place = place(for: item) else { return .none }
        if let grant = begin(place, isWriting: item.access.isWriting) {
            return .delegated(place, grant)
        }
        let isAlone = place.beginFiled()
        return .wanted(place, requestedSlot(of: place, isAlone: isAlone))
    }

    /// Makes a place busy, if a claim there can be granted on the spot.
    private func begin(
        _ place: DelegatedPlace, isWriting: Bool, mayWait: Bool = false,
        by writer: Unmanaged<LocalAccess>? = nil
    ) -> DelegatedPlace.Grant? {
        guard
            let grant = place.begin(
                isWriting: isWriting, mayWait: mayWait, by: writer, in: ledger)
        else { return nil }
        guard unseen.concern(place.path) else { return grant }
        place.end(isWriting: isWriting)
        return nil
    }

    /// The same for an access of which only this process is going to know.
    func begin(_ place: DelegatedPlace, for access: LocalAccess) -> DelegatedPlace.Grant? {
        let isWriting = access.isWriting
        return begin(
            place, isWriting: isWriting, mayWait: isWriting,
            by: isWriting ? .passUnretained(access) : nil)
    }

    /// The same for a simulation, which has accesses of its own.
    package func beginLocally(
        _ item: AccessItem
    ) -> (place: DelegatedPlace, grant: DelegatedPlace.Grant)? {
        let isWriting = item.access.isWriting
        guard item.isDelegable, let (place, _) = delegatedPlace(for: item),
            let grant = begin(place, isWriting: isWriting, mayWait: isWriting)
        else { return nil }
        return (place, grant)
    }

    /// The local accesses of a purpose that write.
    func writers(ofPurpose number: UInt64) -> [LocalAccess] {
        state.withLock { Array($0.places.values) }.compactMap(\.writer)
            .filter { $0.purposeNumber == number }
    }

    /// Records that a claim is going to be filed of which no place knows: until a server has seen
    /// it, none that it may conflict with is local (Rule 2.14).
    package func trackUnseen(_ record: RecordReference, of items: [AccessItem]) {
        unseen.insert(record, items)
    }

    /// The place of an item: once that is used for the second time, or its directory has a slot.
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

    /// Whether a place was used once; then it is no candidate any more.
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

    /// The place at a path, if there is one.
    func place(at path: ItemPath) -> DelegatedPlace? {
        state.withLock { $0.places[HashedKey(path)] }
    }

    /// The place of an item, also of one that is used for the first time in a directory that is
    /// delegated.
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

    /// Whether an item is directly inside a directory that is delegated.
    func mayHoldAll(aroundItemAt path: ItemPath) -> Bool {
        state.withLock { delegatedSlot(forDirectoryOf: path, &$0) != nil }
    }

    private func delegatedSlot(forDirectoryOf path: ItemPath, _ state: inout State) -> Int? {
        let slot = Self.directorySlot(for: path, &state)
        return slot.flatMap { ledger.delegation(inSlot: $0).isDelegated ? $0 : nil }
    }

    // MARK: Slots

    /// The slot that a claim names which has to be filed.
    ///
    /// - Parameter isAlone: whether no local claim of this process runs at the place.
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

    /// The slot of the directory that a place is in, if it has one.
    private static func directorySlot(for path: ItemPath, _ state: inout State) -> Int? {
        if let recent = state.recent, recent.path.isDirectory(of: path) { return recent.slot }
        guard !state.directories.isEmpty else { return nil }
        let directory = path.directory
        guard let slot = state.directories[directory] else { return nil }
        state.recent = (directory, slot)
        return slot
    }

    /// The same, once enough of that was used.
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
        state.firstUses[directory, default: 0] += 1
        guard state.firstUses[directory, default: 0] >= directoryUses,
            let slot = takeSlot(&state)
        else { return nil }
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

    /// Discards places without a slot of their own that no access holds: so no access uses them.
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

extension DelegatedPlaces.Opening {
    /// The slot that a claim names that is filed.
    package var requestedSlot: RequestedSlot? {
        switch self {
        case .none, .delegated: nil
        case .wanted(_, let slot): slot
        }
    }

    /// Records that what was to be local was filed.
    package mutating func becomeFiled(isWriting: Bool) {
        guard case .delegated(let place, _) = self else { return }
        // In this order, so that no other claim comes in between.
        place.beginFiled()
        place.end(isWriting: isWriting)
        self = .wanted(place, nil)
    }

    /// Ends what was begun, when its claim is over.
    package func close(isWriting: Bool) {
        switch self {
        case .none: break
        case .wanted(let place, _): place.endFiled()
        case .delegated(let place, _): place.end(isWriting: isWriting)
        }
    }
}

extension ItemPath {
    /// Where the item is; not of the root.
    fileprivate var directory: ItemPath { prefix(depth: max(0, depth - 1)) }
}
