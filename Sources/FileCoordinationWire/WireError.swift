// SPDX-License-Identifier: Apache-2.0
//
// Why bytes cannot be decoded. The fault is the sender's: it loses its connection, or its record is
// rejected.

/// Why bytes cannot be decoded, or a value cannot be encoded.
public enum WireError: Error, Hashable, Sendable {
    /// The bytes end before the value.
    case truncated
    /// The value ends before the bytes.
    case trailingBytes
    /// No message of this direction has this kind.
    case unknownKind(UInt8)
    /// The field has an invalid value.
    case illegalValue(Field)
    /// The field exceeds a limit of ``WireLimits``.
    case tooLong(Field)

    /// The invalid part of a message.
    public enum Field: String, CaseIterable, Hashable, Sendable {
        /// The message itself.
        case message
        /// The body of a ledger record.
        case body
        /// The supplement of a ledger record.
        case supplement
        /// A status report, or its parts together.
        case statusReport
        /// A delivery, or its parts together.
        case delivery
        /// A part of a long value.
        case part
        /// A boolean, or the presence of an optional value.
        case flag
        /// A ledger's file name.
        case ledgerName
        /// A path.
        case path
        /// A purpose identifier.
        case purpose
        /// An encoded error.
        case failure
        /// A package policy.
        case packagePolicy
        /// A text for people.
        case text
        /// A process ID.
        case processID
        /// The kind of a server.
        case serverKind
        /// The code of a refusal.
        case refusalCode
        /// The kind of a message for a presenter.
        case presenterMessage
        /// The steps that a presenter must take.
        case yieldSteps
        /// The kind of a relinquishment.
        case relinquishment
        /// The kind of a notice.
        case notice
        /// The optional methods of a presenter.
        case methods
        /// The stage of a claim.
        case stage
        /// The role of a party.
        case role
        /// The items of a claim.
        case items
        /// The access to an item.
        case access
        /// The depths of an item's packages.
        case packageDepths
        /// The claims around a claim.
        case enclosing
        /// The parties that a claim waits for.
        case parties
        /// The kind of a claim.
        case claimKind
        /// A claim's log or an entry of it.
        case log
        /// The moves of an announcement.
        case moves
        /// The answers of presenters.
        case answers
        /// The outcomes for a claim's items.
        case outcomes
        /// What happened to a version.
        case versionFate
        /// The identifier of a version.
        case identifier
        /// The names of attributes.
        case attributes
        /// An entry of the relocation log.
        case relocationEntry
        /// A ``DismissedParty`` or a ``DismissalOutcome``.
        case dismissal
    }
}

extension WireError: CustomStringConvertible {
    /// The fault, as the end of the sentence "could not be read: …".
    public var description: String {
        switch self {
        case .truncated: "it ends too early"
        case .trailingBytes: "it goes on after its end"
        case .unknownKind(let kind): "nothing has the kind \(kind)"
        case .illegalValue(let field): "it has an illegal value for \(field.rawValue)"
        case .tooLong(let field): "its \(field.rawValue) is over the limit"
        }
    }
}
