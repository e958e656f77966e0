// SPDX-License-Identifier: Apache-2.0
//
// What the server remembers about a record between two looks: which claim or presenter the record
// is. From this and the record's present contents, ``RecordChange`` derives what has changed.

package import FileCoordinationArbiter
import FileCoordinationLedger

/// A ledger record that the arbiter has been told about.
///
/// There may be a hundred thousand of these, so the type is small.
struct KnownRecord {
    /// The claim or presenter that the record stands for.
    enum Identity: Hashable {
        case claim(ClaimID)
        case presenter(PresenterID)
    }

    private let number: UInt64
    /// The generation of the record at that time.
    ///
    /// A record with another generation has been reused.
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

    /// Whether the record still stands for the same claim or presenter.
    func isOf(_ snapshot: RecordSnapshot) -> Bool {
        guard generation == snapshot.reference.generation else { return false }
        return switch identity {
        case .claim: snapshot.kind == .claim
        case .presenter: snapshot.kind == .presenter
        }
    }
}

/// The record of a claim or presenter of the arbiter.
package struct RecordAddress: Hashable {
    var client: ClientID
    var record: RecordReference

    /// Creates an address.
    package init(client: ClientID, record: RecordReference) {
        self.client = client
        self.record = record
    }
}

/// The difference between a record and what the arbiter knows of it.
enum RecordChange: Hashable {
    case none
    /// A claim asks for access.
    case claimAsks
    /// A claim is running and may have announced something; `isKnown` if the arbiter knows it.
    case claimRuns(isKnown: Bool)
    /// A claim is over and its outcomes are final; `isKnown` if the arbiter knows it.
    case claimIsOver(isKnown: Bool)
    /// A claim was cancelled; the number is that of the claim, if the arbiter knows it.
    case claimIsCancelled(ClaimID?)
    /// A presenter wants to be registered, or has been by a former server.
    case presenterAppears
    /// A presenter was deregistered; the number is that of the presenter, if the arbiter knows it.
    case presenterIsGone(PresenterID?)

    /// Compares a record with what it was known as.
    init(_ snapshot: RecordSnapshot, knownAs identity: KnownRecord.Identity?) {
        switch (snapshot.state, snapshot.kind) {
        case (.draft, _), (.free, _): self = .none
        case (.filed, .claim): self = identity == nil ? .claimAsks : .none
        case (.granted, .claim): self = .claimRuns(isKnown: identity != nil)
        case (.released, .claim): self = .claimIsOver(isKnown: identity != nil)
        case (.cancelled, .claim):
            if case .claim(let claim) = identity {
                self = .claimIsCancelled(claim)
            } else {
                self = .claimIsCancelled(nil)
            }
        case (.filed, .presenter), (.granted, .presenter):
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
    /// Whether it is a claim that its client decides about without the server.
    var isOwnBusiness: Bool {
        kind == .claim
            && (state == .filed && flags.contains(.inTicketQueue)
                || state == .granted && flags == .unreported)
    }

    /// The kinds of access to which a presenter has relinquished its item.
    var relinquished: Relinquishments {
        var kinds: Relinquishments = []
        if hasRelinquishedToReader { kinds.insert(.reader) }
        if hasRelinquishedToWriter { kinds.insert(.writer) }
        return kinds
    }
}
