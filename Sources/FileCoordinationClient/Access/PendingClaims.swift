// SPDX-License-Identifier: Apache-2.0
//
// The claims of a process by record. The first claim is stored separately: creating a dictionary
// for the first time takes a tenth of a first access, and most processes never have two claims at
// once.

import FileCoordinationArbiter

/// Claims from filing until their records are returned.
struct PendingClaims {
    private var only: PendingClaim?
    private var others: [RecordReference: PendingClaim] = [:]
    /// How claims have ended that were not known yet.
    ///
    /// When a ticket queue ends, the server decides about a member's claim before the member's
    /// thread, which sleeps, has made the claim an ordinary one.
    private var early: [RecordReference: AccessEnding] = [:]

    var isEmpty: Bool { only == nil && others.isEmpty }

    var all: [PendingClaim] { (only.map { [$0] } ?? []) + others.values }

    /// Keeps how a claim has ended that is not known yet.
    ///
    /// `isWaiting` says which of the earlier ones still wait.
    mutating func keep(
        _ ending: AccessEnding, of record: RecordReference, isWaiting: (RecordReference) -> Bool
    ) {
        early = early.filter { isWaiting($0.key) }
        early[record] = ending
    }

    /// Removes and returns how a claim has ended that was not known then.
    mutating func takeEarlyEnding(of record: RecordReference) -> AccessEnding? {
        early.isEmpty ? nil : early.removeValue(forKey: record)
    }

    subscript(_ record: RecordReference) -> PendingClaim? {
        get {
            if let only, only.record == record { return only }
            return others.isEmpty ? nil : others[record]
        }
        set {
            if let only, only.record == record {
                self.only = newValue
            } else if let newValue, isEmpty {
                only = newValue
            } else {
                others[record] = newValue
            }
        }
    }
}
