// SPDX-License-Identifier: Apache-2.0
//
// The places that are delegated to this process, or that it would like to have: those it has used
// more than once. Each has a slot of the ledger, whose word the host writes. A claim on such a
// place is granted on the spot if the word says so and nobody in this very process is in its way;
// whatever would have to wait goes to the arbiter, which then takes the place back (Rule 2.14).
//
// A slot stays its place's for as long as the process lives. The word does not say which place it
// means; a claim that names the slot may be under way for long, and what the host makes of it in
// the end must not be taken for another place's delegation.

package import FileCoordinationArbiter
package import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// One place with a slot.
package final class DelegatedPlace: Sendable {
    let path: ItemPath
    /// What it was when it got its slot.
    let isDirectory: Bool
    package let slot: Int
    /// What every claim on it says.
    let template: ClaimTemplate?
    private let state = Lock(State())

    private struct State {
        var readers = 0
        var isWritten = false
        /// Claims of this process that were filed and may run: the host may have delegated the
        /// place while one of them does.
        var filed = 0
        /// Whose local write that is, if it is one.
        var writer: LocalAccess?
    }

    init(_ item: AccessItem, slot: Int) {
        path = item.path
        isDirectory = item.isDirectory
        self.slot = slot
        template = ClaimTemplate(item)
    }

    /// Makes the place busy, if it is delegated and nobody in this process is in the way; returns
    /// the word that says so.
    func begin(isWriting: Bool, in ledger: LedgerWriter) -> SlotWord? {
        let word = ledger.delegation(inSlot: slot)
        guard word.isDelegated, word.epoch == ledger.ledgerEpoch else { return nil }
        let isFree = state.withLock { state in
            let isFree =
                !state.isWritten && state.filed == 0 && (!isWriting || state.readers == 0)
            guard isFree else { return false }
            if isWriting { state.isWritten = true } else { state.readers += 1 }
            return true
        }
        return isFree ? word : nil
    }

    /// Makes it free again.
    func end(isWriting: Bool) {
        state.withLock { state in
            if isWriting {
                state.isWritten = false
                state.writer = nil
            } else {
                state.readers -= 1
            }
        }
    }

    /// Notes that a claim is going to be filed: until it is over none is local.
    func beginFiled() { state.withLock { $0.filed += 1 } }

    /// Notes that one is over.
    func endFiled() { state.withLock { $0.filed -= 1 } }

    /// Notes whose the local write is that makes it busy.
    func setWriter(_ writer: LocalAccess) { state.withLock { $0.writer = writer } }

    /// The local write that makes it busy.
    var writer: LocalAccess? { state.withLock { $0.writer } }
}

/// This process's delegated places.
///
/// May be used from any thread.
package final class DelegatedPlaces: Sendable {
    let ledger: LedgerWriter
    private let state: Lock<State>

    /// What a claim on a place can do.
    package enum Opening {
        /// It is filed, and says nothing of delegation.
        case none
        /// It is filed, and names the slot in which its process would like to have the place.
        case wanted(DelegatedPlace)
        /// It may be granted on the spot; the place is busy until that is over.
        case delegated(DelegatedPlace, SlotWord)
    }

    private struct State {
        /// Places that were used once.
        var candidates: Set<ItemPath> = []
        var places: [ItemPath: DelegatedPlace] = [:]
        let isOn: Bool
    }

    /// How many candidates are remembered.
    private static let candidateLimit = 4096

    /// - Parameter isOn: false for none at all.
    package init(_ ledger: LedgerWriter, isOn: Bool) {
        self.ledger = ledger
        state = Lock(State(isOn: isOn))
    }

    /// Sees what a claim on one item can do; see ``Opening/close(isWriting:)``.
    package func begin(_ item: AccessItem) -> Opening {
        guard item.isDelegable, let place = place(for: item) else { return .none }
        if let word = place.begin(isWriting: item.access.isWriting, in: ledger) {
            return .delegated(place, word)
        }
        place.beginFiled()
        return .wanted(place)
    }

    /// The place of an item, once that is used for the second time; nil if there is no slot left.
    package func place(for item: AccessItem) -> DelegatedPlace? {
        state.withLock { state in
            guard state.isOn else { return nil }
            if let place = state.places[item.path] { return place }
            guard state.places.count < LedgerLayout.slotCount else { return nil }
            guard state.candidates.remove(item.path) != nil else {
                if state.candidates.count >= Self.candidateLimit { state.candidates = [] }
                state.candidates.insert(item.path)
                return nil
            }
            let place = DelegatedPlace(item, slot: state.places.count)
            state.places[item.path] = place
            return place
        }
    }

    /// The place at a path, if it has a slot.
    func place(at path: ItemPath) -> DelegatedPlace? { state.withLock { $0.places[path] } }
}

extension DelegatedPlaces.Opening {
    /// The slot that a claim names that is filed.
    var wantedSlot: Int? {
        switch self {
        case .none, .delegated: nil
        case .wanted(let place): place.slot
        }
    }

    /// Notes that what was to be local was filed.
    package mutating func becomeFiled(isWriting: Bool) {
        guard case .delegated(let place, _) = self else { return }
        // In this order: nobody is to come in between.
        place.beginFiled()
        place.end(isWriting: isWriting)
        self = .wanted(place)
    }

    /// Ends what was begun, when its claim is over.
    package func close(isWriting: Bool) {
        switch self {
        case .none: break
        case .wanted(let place): place.endFiled()
        case .delegated(let place, _): place.end(isWriting: isWriting)
        }
    }
}
