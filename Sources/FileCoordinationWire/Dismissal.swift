// SPDX-License-Identifier: Apache-2.0
//
// What `filecoord release` asks of the server: a claim that waits is to end, or a presenter's
// answer is to be waited for no longer. A claim that runs cannot be dismissed, because the server
// cannot stop an accessor.

/// The party that a user dismisses, by its number in a ``StatusReport``.
public enum DismissedParty: Hashable, Sendable {
    /// A claim, which is to wait no longer.
    case claim(UInt64)
    /// A presenter, whose answers no claim is to wait for any longer.
    case presenter(UInt64)
}

/// A user's order to dismiss a party.
public struct Dismissal: Hashable, Sendable {
    /// The party.
    public var party: DismissedParty
    /// The process that gives the order, for people.
    public var author: String
    /// Why, for people.
    public var reason: String

    /// Creates an order; texts longer than ``WireLimits/textBytes`` are cut.
    public init(_ party: DismissedParty, author: String, reason: String) {
        self.party = party
        self.author = author
        self.reason = reason
    }
}

/// The result of a ``Dismissal``.
public enum DismissalOutcome: UInt8, CaseIterable, Hashable, Sendable {
    /// The claim waited, and is over.
    case ended = 0
    /// Claims waited for the presenter, and continue without its answer (Rule 18.3).
    case passedOver = 1
    /// The claim is granted, so it was left alone.
    case running = 2
    /// No claim waits for the presenter's answer.
    case notAsked = 3
    /// There is no such claim or presenter any more.
    case gone = 4
    /// The claim's process is not connected just now and cannot be told, so nothing was done.
    case unreachable = 5
}

// MARK: - Coding

extension DismissedParty: WireCoded {
    private enum Kind: UInt8, CaseIterable {
        case claim = 1
        case presenter = 2
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .claim(let number):
            encoder.raw(Kind.claim)
            encoder.integer(number)
        case .presenter(let number):
            encoder.raw(Kind.presenter)
            encoder.integer(number)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .dismissal) {
        case .claim: self = .claim(try decoder.integer(UInt64.self))
        case .presenter: self = .presenter(try decoder.integer(UInt64.self))
        }
    }
}

extension Dismissal: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(party)
        encoder.text(author)
        encoder.text(reason)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        party = try decoder.value(DismissedParty.self)
        author = try decoder.text()
        reason = try decoder.text()
    }
}
