// SPDX-License-Identifier: Apache-2.0
//
// The differences between a record and what the arbiter knows of it, for each state, for known and
// unknown records.

import FileCoordinationArbiter
import FileCoordinationLedger
import Testing

@testable import FileCoordinationServer

@Suite struct RecordChangeTests {
    private let claim = ClaimID(rawValue: 7)
    private let presenter = PresenterID(rawValue: 8)

    private func change(
        _ state: RecordState, _ kind: RecordKind, isKnown: Bool
    ) -> RecordChange {
        let identity: KnownRecord.Identity =
            switch kind {
            case .claim: .claim(claim)
            case .presenter: .presenter(presenter)
            }
        return RecordChange(.sample(state, kind), knownAs: isKnown ? identity : nil)
    }

    @Test func `Of a claim`() {
        #expect(change(.filed, .claim, isKnown: false) == .claimAsks)
        #expect(change(.filed, .claim, isKnown: true) == .none)
        for isKnown in [false, true] {
            #expect(change(.granted, .claim, isKnown: isKnown) == .claimRuns(isKnown: isKnown))
            #expect(change(.released, .claim, isKnown: isKnown) == .claimIsOver(isKnown: isKnown))
            #expect(change(.draft, .claim, isKnown: isKnown) == .none)
            #expect(change(.free, .claim, isKnown: isKnown) == .none)
        }
        #expect(change(.cancelled, .claim, isKnown: false) == .claimIsCancelled(nil))
        #expect(change(.cancelled, .claim, isKnown: true) == .claimIsCancelled(claim))
    }

    @Test func `Of a presenter`() {
        for state in [RecordState.filed, .granted] {
            #expect(change(state, .presenter, isKnown: false) == .presenterAppears)
            #expect(change(state, .presenter, isKnown: true) == .none)
        }
        for state in [RecordState.released, .cancelled] {
            #expect(change(state, .presenter, isKnown: false) == .presenterIsGone(nil))
            #expect(change(state, .presenter, isKnown: true) == .presenterIsGone(presenter))
        }
    }

    @Test func `A later use of a record is not what was known`() {
        let known = KnownRecord(generation: 1, identity: .claim(claim))
        #expect(known.isOf(.sample(.filed)))
        #expect(!known.isOf(.sample(.filed, .presenter)))
        var later = RecordSnapshot.sample(.filed)
        later.reference.generation = 2
        #expect(!known.isOf(later))
        #expect(known.identity == .claim(claim))
    }
}
