// SPDX-License-Identifier: Apache-2.0
//
// What the server remembers of a record between two looks: which claim or presenter it is to the
// arbiter. With what the record says now that gives the change, by a table and nothing else.

import FileCoordinationArbiter
import FileCoordinationLedger

/// A ledger record that the arbiter has been told about.
///
/// There may be a hundred thousand of these, so it is kept small.
struct KnownRecord {
    /// What it is to the arbiter.
    enum Identity: Hashable {
        case claim(ClaimID)
        case presenter(PresenterID)
    }

    private let number: UInt64
    /// The life of the record that was told; a later one is another claim.
    let generation: UInt32
    private let isClaim: Bool

    init(generation: UInt32, identity: Identity) {
        self.generation = generation
        switch identity {
        case .claim(let claim): (number, isClaim) = (claim.rawValue, true)
        case .presenter(let presenter): (number, isClaim) = (presenter.rawValue, false)
        }
    }

    var identity: Identity {
        isClaim ? .claim(ClaimID(rawValue: number)) : .presenter(PresenterID(rawValue: number))
    }

    /// Whether it is what the record says now.
    func isOf(_ snapshot: RecordSnapshot) -> Bool {
        guard generation == snapshot.reference.generation else { return false }
        return switch identity {
        case .claim: snapshot.kind == .claim
        case .presenter: snapshot.kind == .presenter
        }
    }
}

/// Where to find the record of something that the arbiter names.
struct RecordAddress: Hashable {
    var client: ClientID
    var record: RecordReference
}

/// What a record says that the arbiter does not know yet.
enum RecordChange: Hashable {
    case none
    /// A claim asks for access.
    case claimAsks
    /// A claim runs, and may have announced something; `isKnown` if the arbiter knows that it runs.
    case claimRuns(isKnown: Bool)
    /// A claim is over, and its outcomes are final; `isKnown` if the arbiter knows that it ran.
    case claimIsOver(isKnown: Bool)
    /// A claim was given up; which one, if the arbiter knows it.
    case claimIsCancelled(ClaimID?)
    /// A presenter wants to be registered, or has been by a former server.
    case presenterAppears
    /// A presenter is gone; which one, if the arbiter knows it.
    case presenterIsGone(PresenterID?)

    /// What a record says that is known as `identity`, or not known.
    init(_ snapshot: RecordSnapshot, knownAs identity: KnownRecord.Identity?) {
        switch (snapshot.state, snapshot.kind) {
        case (.draft, _), (.free, _): self = .none
        case (.asked, .claim): self = identity == nil ? .claimAsks : .none
        case (.granted, .claim): self = .claimRuns(isKnown: identity != nil)
        case (.released, .claim): self = .claimIsOver(isKnown: identity != nil)
        case (.cancelled, .claim):
            if case .claim(let claim) = identity {
                self = .claimIsCancelled(claim)
            } else {
                self = .claimIsCancelled(nil)
            }
        case (.asked, .presenter), (.granted, .presenter):
            self = identity == nil ? .presenterAppears : .none
        case (.released, .presenter), (.cancelled, .presenter):
            if case .presenter(let presenter) = identity {
                self = .presenterIsGone(presenter)
            } else {
                self = .presenterIsGone(nil)
            }
        }
    }
}

extension RecordSnapshot {
    /// Whether it is a claim that its client decides of.
    var isOwnBusiness: Bool {
        kind == .claim
            && (state == .asked && flags.contains(.inTicketQueue)
                || state == .granted && flags == .unreported)
    }

    /// The kinds in which a presenter is relinquished.
    var relinquished: Relinquishments {
        var kinds: Relinquishments = []
        if hasRelinquishedToReader { kinds.insert(.reader) }
        if hasRelinquishedToWriter { kinds.insert(.writer) }
        return kinds
    }
}
