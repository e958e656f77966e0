// SPDX-License-Identifier: Apache-2.0
//
// Who made a move, for each of its ends. A claim may move an item, and a plain program may move the
// item before or after that; the watcher sees one move. The claim announces only its own part.

import FileCoordinationArbiter

/// The origins of the two ends of a move.
struct MoveEnds {
    /// Who moved the item away from its former path.
    let from: ChangeOrigin
    /// Who moved the item to its present path, if ``leftAt`` is nil.
    private let arrival: ChangeOrigin
    /// Whether a claim has announced the item at the present path.
    private let isArrivalAnnounced: Bool
    /// Where a claim left the item, if another program has moved it on from there.
    var leftAt: ItemPath?

    /// Who moved the item to its present path.
    var to: ChangeOrigin { leftAt == nil ? arrival : .uncoordinated }

    /// Who moved the item to its present path, if no claim has announced it there.
    var unannouncedArrival: ChangeOrigin? { isArrivalAnnounced ? nil : to }

    /// - Parameters:
    ///   - from: the origins of its absence at the former path.
    ///   - to: the origins of its presence at the present path.
    ///   - isArrivalAnnounced: whether a claim has left the item there. If claims have only removed
    ///     another item, presenters do not know of this one.
    init(from: [ChangeOrigin], to: [ChangeOrigin], isArrivalAnnounced: Bool = false) {
        self.from = Self.origin(of: from, beside: to)
        arrival = Self.origin(of: to, beside: from)
        self.isArrivalAnnounced = isArrivalAnnounced
    }

    /// The origin of one end.
    ///
    /// The end may be due to a claim that does not cover it: a writer may move a temporary file
    /// from elsewhere over its item.
    private static func origin(of end: [ChangeOrigin], beside other: [ChangeOrigin]) -> ChangeOrigin
    {
        if end == [.coordinated] { return .coordinated }
        let isClear = end == [.uncoordinated] && other == [.uncoordinated]
        return isClear ? .uncoordinated : .either
    }
}
