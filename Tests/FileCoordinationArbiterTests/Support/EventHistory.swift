// SPDX-License-Identifier: Apache-2.0
//
// A history that no arbiter has made, to see what the witness says of it.

import FileCoordinationArbiter

/// A history told by hand: events, effects, and how far each claim is said to have got.
struct EventHistory {
    private var witness = Witness()
    private var stages: [ClaimID: ClaimStage] = [:]
    private(set) var complaint: String?

    mutating func tell(
        _ event: Event, _ effects: [Effect] = [], _ stages: [ClaimID: ClaimStage?] = [:]
    ) {
        for (claim, stage) in stages { self.stages[claim] = stage }
        guard complaint == nil else { return }
        complaint = witness.observe(event, effects) { self.stages[$0] }
    }
}
