// SPDX-License-Identifier: Apache-2.0
//
// The request of a call, which is the same for all of its claims: the first one and those for the
// targets of links (Rule 1.5).

import FileCoordinationArbiter
import FileCoordinationLedger

/// The request of one call.
struct AccessPlan: Sendable {
    /// The requested items, in the caller's order.
    let requests: [RequestedItem]
    let purpose: Purpose
    var kind = ClaimKind.access
    /// The claims inside whose accessors the call was made.
    var enclosing: [RecordReference] = []
    /// Whether those accessors wait for it (Rule 18.4).
    var blocksCaller = true
    /// Whether the end is reported in any case, so that others can be told who has written last.
    var isSigned = false
    /// The encoded supplement of the claim's record.
    var supplement: [UInt8] = []
    /// For callers that do not block: called once for each claim, on any thread, when it was
    /// granted or given up.
    var onEnding: (@Sendable (AccessEnding) -> Void)?

    /// Whether an accessor may move one of the items.
    var mayMove: Bool {
        requests.contains { $0.access.writingOptions?.contains(.moving) ?? false }
    }

    /// Whether the call demands a state of an item, or wants to know one.
    var usesTokens: Bool { kind == .access && requests.contains { $0.terms != nil } }

    /// Whether the grant is followed by the accessor at once, if the items are where they were: no
    /// link is followed, nothing is copied or compared, and nothing may move.
    var isPlain: Bool {
        requests.allSatisfy { request in
            guard request.terms == nil else { return false }
            return switch request.access {
            case .reading(let options):
                options.isDisjoint(with: [.resolvesSymbolicLink, .forUploading])
            case .writing(let options):
                options.isDisjoint(with: [.resolvesSymbolicLink, .moving])
            }
        }
    }
}
