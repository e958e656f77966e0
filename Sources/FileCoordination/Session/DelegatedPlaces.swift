// SPDX-License-Identifier: Apache-2.0
//
// The places that are delegated to this process, or that it would like to have: those it has used
// more than once. Each has a slot of the ledger, whose word the host writes. A claim on such a
// place is granted on the spot if the word says so and nobody in this very process is in its way;
// whatever would have to wait goes to the arbiter, which then takes the place back (Rule 2.14).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// One place with a slot.
final class DelegatedPlace: Sendable {
    let path: ItemPath
    /// What it was when it got its slot.
    let isDirectory: Bool
    let slot: Int
    /// What every claim on it says.
    let template: ClaimTemplate?
    /// The slot's word when it became this place's: what it said was meant of another one.
    private let foreign: SlotWord
    private let state = Lock(State())

    private struct State {
        var readers = 0
        var writer: LocalAccess?
        var writers = 0
        /// Whether the slot is another place's by now.
        var isOver = false
    }

    init(_ item: AccessItem, slot: Int, foreign: SlotWord) {
        path = item.path
        isDirectory = item.isDirectory
        self.slot = slot
        self.foreign = foreign
        template = ClaimTemplate(item)
    }

    /// Makes the place busy, if it is delegated and nobody in this process is in the way; returns
    /// the word that says so.
    func begin(isWriting: Bool, in ledger: LedgerWriter) -> SlotWord? {
        let word = ledger.delegation(inSlot: slot)
        guard word.isDelegated, word != foreign, word.epoch == ledger.ledgerEpoch else {
            return nil
        }
        let isFree = state.withLock { state in
            guard !state.isOver, state.writers == 0, !isWriting || state.readers == 0 else {
                return false
            }
            if isWriting { state.writers = 1 } else { state.readers += 1 }
            return true
        }
        return isFree ? word : nil
    }

    /// Makes it free again.
    func end(isWriting: Bool) {
        state.withLock { state in
            if isWriting {
                state.writers = 0
                state.writer = nil
            } else {
                state.readers -= 1
            }
        }
    }

    /// Notes whose the local write is that makes it busy.
    func setWriter(_ writer: LocalAccess) { state.withLock { $0.writer = writer } }

    /// The local write that makes it busy.
    var writer: LocalAccess? { state.withLock { $0.writer } }

    /// Gives the slot away, if nobody uses the place.
    func giveUpSlot() -> Bool {
        state.withLock { state in
            guard state.readers == 0, state.writers == 0 else { return false }
            state.isOver = true
            return true
        }
    }
}

/// This process's delegated places.
///
/// May be used from any thread.
final class DelegatedPlaces: Sendable {
    let ledger: LedgerWriter
    private let state: Lock<State>

    /// What a claim on a place can do.
    enum Opening {
        /// It is filed, and says nothing of delegation.
        case none
        /// It is filed, and names the slot in which its process would like to have the place.
        case wanted(slot: Int)
        /// It may be granted on the spot; the place is busy until that is over.
        case delegated(DelegatedPlace, SlotWord)
    }

    private struct State {
        /// Places that were used once.
        var candidates: Set<ItemPath> = []
        var places: [ItemPath: DelegatedPlace] = [:]
        /// Whose each slot is.
        var owners: [DelegatedPlace?]
        /// Where to look for a slot next.
        var nextSlot = 0
        let isOn: Bool
    }

    /// How many candidates are remembered.
    private static let candidateLimit = 4096

    /// - Parameter isOn: false for none at all.
    init(_ ledger: LedgerWriter, isOn: Bool) {
        self.ledger = ledger
        state = Lock(
            State(owners: Array(repeating: nil, count: LedgerLayout.slotCount), isOn: isOn))
    }

    /// Sees what a claim on one item can do.
    func begin(_ item: AccessItem) -> Opening {
        guard item.isDelegable, let place = place(for: item) else { return .none }
        if let word = place.begin(isWriting: item.access.isWriting, in: ledger) {
            return .delegated(place, word)
        }
        return .wanted(slot: place.slot)
    }

    /// The place of an item, once that is used for the second time.
    func place(for item: AccessItem) -> DelegatedPlace? {
        state.withLock { state in
            guard state.isOn else { return nil }
            if let place = state.places[item.path] { return place }
            guard state.candidates.remove(item.path) != nil else {
                if state.candidates.count >= Self.candidateLimit { state.candidates = [] }
                state.candidates.insert(item.path)
                return nil
            }
            guard let slot = takeSlot(&state) else { return nil }
            let place = DelegatedPlace(
                item, slot: slot, foreign: ledger.delegation(inSlot: slot))
            state.owners[slot] = place
            state.places[item.path] = place
            return place
        }
    }

    /// The place at a path, if it has a slot.
    func place(at path: ItemPath) -> DelegatedPlace? { state.withLock { $0.places[path] } }

    /// A slot for a place; another one, that is not in use, may lose its own.
    private func takeSlot(_ state: inout State) -> Int? {
        for _ in 0..<16 {
            let slot = state.nextSlot
            state.nextSlot = (slot + 1) % LedgerLayout.slotCount
            if let owner = state.owners[slot] {
                guard owner.giveUpSlot() else { continue }
                state.places[owner.path] = nil
            }
            return slot
        }
        return nil
    }
}

extension DelegatedPlaces.Opening {
    /// The slot that a claim names that is filed.
    var wantedSlot: Int? {
        switch self {
        case .none, .delegated: nil
        case .wanted(let slot): slot
        }
    }
}
