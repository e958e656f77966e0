// SPDX-License-Identifier: Apache-2.0
//
// Whether a claim is filed, may request a delegation, or can be granted under one; and the slot or
// grant that it occupies until it is over.

package import FileCoordinationLedger

/// How a claim on an item can proceed.
package enum PlaceOpening {
    /// It is filed without a delegation request.
    case none
    /// It is filed, and may request a delegation in this slot.
    case wanted(DelegatedPlace, RequestedSlot?)
    /// It can be granted at once.
    ///
    /// The path is occupied until the claim is over.
    case delegated(DelegatedPlace, DelegatedPlace.Grant)

    /// The slot that a filed claim names.
    package var requestedSlot: RequestedSlot? {
        switch self {
        case .none, .delegated: nil
        case .wanted(_, let slot): slot
        }
    }

    /// Records that a claim that was to be local has been filed.
    package mutating func becomeFiled(isWriting: Bool) {
        guard case .delegated(let place, _) = self else { return }
        // The order prevents another local claim in between.
        place.beginFiled()
        place.end(isWriting: isWriting)
        self = .wanted(place, nil)
    }

    /// Frees the path when the claim is over.
    package func close(isWriting: Bool) {
        switch self {
        case .none: break
        case .wanted(let place, _): place.endFiled()
        case .delegated(let place, _): place.end(isWriting: isWriting)
        }
    }
}
