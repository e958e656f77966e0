// SPDX-License-Identifier: Apache-2.0
//
// Who made a move, for each of its ends. A claim may move an item, and a program that does not
// coordinate may move it before or after that; the watcher sees one move. The claim tells of its
// own part alone.

import FileCoordinationArbiter

/// The origins of the two ends of a move.
struct MoveEnds {
    /// Who took the item away from its former path.
    let from: ChangeOrigin
    /// Who put it where it is, unless ``leftAt`` says more.
    private let arrival: ChangeOrigin
    /// Where a claim left it, if another program has moved it on from there.
    var leftAt: ItemPath?

    /// Who put it where it is.
    var to: ChangeOrigin { leftAt == nil ? arrival : .uncoordinated }

    /// - Parameters:
    ///   - from: the origins of its absence at the former path.
    ///   - to: the origins of its presence at the present path.
    init(from: [ChangeOrigin], to: [ChangeOrigin]) {
        self.from = Self.origin(of: from, beside: to)
        arrival = Self.origin(of: to, beside: from)
    }

    /// The origin of one end.
    ///
    /// An end that no claim covers may be the claim's all the same: a writer moves a temporary file
    /// over its item.
    private static func origin(of end: [ChangeOrigin], beside other: [ChangeOrigin]) -> ChangeOrigin
    {
        if end == [.coordinated] { return .coordinated }
        let isClear = end == [.uncoordinated] && other == [.uncoordinated]
        return isClear ? .uncoordinated : .either
    }
}
