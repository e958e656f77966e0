// SPDX-License-Identifier: Apache-2.0
//
// Coordinated writers of scripted worlds, and what presenters are told beside their claims.

import Testing
import WatchingSimulation

extension ScriptedWorld {
    /// A coordinated writer does one thing under a claim; a move is claimed at both ends.
    func coordinate(_ action: Action, _ path: String) {
        let claim: UInt64
        if case .move(let to) = action {
            claim = beginClaim(path, to)
        } else {
            claim = beginClaim(path)
        }
        #expect(act(action, path))
        endClaim(claim)
    }
}

/// What presenters are told that no claim announces.
func plain(_ told: [String]) -> [String] {
    told.filter { !$0.hasSuffix("(coordinated)") }
}
