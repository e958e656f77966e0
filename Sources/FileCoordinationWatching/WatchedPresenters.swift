// SPDX-License-Identifier: Apache-2.0
//
// Presenters and the nodes that they use. A presenter's place is the node of its item. When the
// item leaves its path, the name there becomes the presenter's slot, and for a short time it is
// undecided whether the presenter follows its item: if another item takes the path, the presenter
// stays, because many programs save so. After it has followed, it goes back if its item is gone and
// another one is at the former path.

import FileCoordinationArbiter

/// A presenter.
struct Presenter {
    let kind: PresentedKind
    /// The item's path that the presenter knows.
    var path: ItemPath
    /// The node of its item, or of the name at its path if nothing is there.
    var place: WatchNodeID
    /// The name at its path while its item is elsewhere or missing.
    var slot: WatchNodeID?
    /// The time until which another item may take the path.
    var settleAt = Instant.distantPast
    /// When its item left first, if it has left since it was decided where it is.
    var leftAt = Instant.distantPast
    /// When it was told something last.
    var toldAt = Instant.distantPast
    /// The place of the item before its last move, and the time until which it matters.
    var former: (node: WatchNodeID, path: ItemPath, until: Instant)?
    /// Whether something in its item has not been checked for the first time yet.
    ///
    /// The presenter is told nothing until that is done.
    var isStarting = true
    /// What the presenter knew of its item when it was added.
    var since: ObservedFile?
    /// The changes before it was added that it must be told of.
    var missed: MissedChanges?
    /// Changes of its own item to tell.
    var own: [WatchedChange] = []
    /// What it knows to be its item.
    var item: ObservedFile?
    /// Whether it is told of its item in any case: that has changed while it was undecided where it
    /// is, or another one came and went.
    var owesChange = false
    /// Why the presenter must look at everything again; nil if it need not.
    var whole: WatchNews.Reason?
    var trouble: WatchTrouble?
}

/// What a presenter uses a node for.
struct NodeUse {
    enum Role { case place, slot, former }

    let presenter: UInt64
    let role: Role
    let node: WatchNodeID
    /// The names from the node at which uses were looked for.
    var names: [[UInt8]] = []
}

/// The presenters, in the order of their numbers.
struct PresenterIndex {
    private var records: [UInt64: Presenter] = [:]
    private(set) var ids: [UInt64] = []
    /// The presenters that are starting, or whose items are not at their paths.
    var unsettled: Set<UInt64> = []
    /// The presenters that are to be told something of their own item, or everything.
    var owed: Set<UInt64> = []
    /// The presenters whose former place is kept.
    var returning: Set<UInt64> = []
    /// The presenters whose changes are polled or not reported.
    private(set) var troubled: Set<UInt64> = []

    subscript(id: UInt64) -> Presenter {
        // Not a coroutine: see ``WatchNodeTable``.
        get {
            guard let presenter = records[id] else { preconditionFailure("Unknown presenter") }
            return presenter
        }
        _modify {
            guard var presenter = records[id] else { preconditionFailure("Unknown presenter") }
            let hadTrouble = presenter.trouble != nil
            defer {
                records[id] = presenter
                let isTroubled = presenter.trouble != nil
                if hadTrouble != isTroubled { troubled.formSymmetricDifference([id]) }
            }
            yield &presenter
        }
    }

    func contains(_ id: UInt64) -> Bool { records[id] != nil }

    mutating func insert(_ id: UInt64, _ presenter: Presenter) {
        records[id] = presenter
        // Numbers normally increase, so the search is rarely needed.
        let isLast = ids.last.map { $0 < id } ?? true
        ids.insert(id, at: isLast ? ids.endIndex : ids.firstIndex { $0 > id } ?? ids.endIndex)
        unsettled.insert(id)
    }

    mutating func remove(_ id: UInt64) {
        records[id] = nil
        if let place = ids.firstIndex(ofAscending: id) { ids.remove(at: place) }
        troubled.remove(id)
        unsettled.remove(id)
        owed.remove(id)
        returning.remove(id)
    }

    mutating func unsettle(_ id: UInt64) {
        if self[id].slot != nil { unsettled.insert(id) }
    }

    mutating func owe(_ id: UInt64, _ reason: WatchNews.Reason) {
        self[id].whole = max(self[id].whole ?? reason, reason)
        owed.insert(id)
    }
}

extension [UInt64] {
    /// Returns the place of a number in an array in ascending order; nil if it is not there.
    fileprivate func firstIndex(ofAscending number: UInt64) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low] == number ? low : nil
    }
}
