// SPDX-License-Identifier: Apache-2.0
//
// The claims of a process by record. The first claim is stored separately: creating a dictionary
// for the first time takes a tenth of a first access, and most processes never have two claims at
// once.

import FileCoordinationLedger

/// Claims from filing until their records are returned.
struct PendingClaims {
    private var only: PendingClaim?
    private var others: [RecordReference: PendingClaim] = [:]

    var isEmpty: Bool { only == nil && others.isEmpty }

    var all: [PendingClaim] { (only.map { [$0] } ?? []) + others.values }

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
