// SPDX-License-Identifier: Apache-2.0
//
// Why bytes are not a message. The sender is at fault, never the reader; it costs the sender its
// connection, or the record its claim.

/// Why bytes could not be decoded, or a value not be encoded.
public enum WireError: Error, Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// The value ends before the bytes do.
    case trailingBytes
    /// No message begins with this byte, or none in this direction.
    case unknownKind(UInt8)
    /// The field holds what it must not.
    case illegalValue(Field)
    /// The field is longer, or has more elements, than ``WireLimits`` allows.
    case tooLong(Field)

    /// The part of a message that is at fault.
    public enum Field: String, CaseIterable, Hashable, Sendable {
        /// The whole of a message.
        case message
        /// The whole of a ledger record's body.
        case body
        /// What a ledger record holds beside its body.
        case supplement
        /// The whole of a status report, or its pieces together.
        case statusReport
        /// One delivery, or its pieces together.
        case delivery
        /// A piece of something longer than a message.
        case part
        /// A byte that says yes or no, or whether an optional value is there.
        case flag
        /// A ledger's file name.
        case ledgerName
        /// A place in the file tree.
        case path
        /// A purpose identifier.
        case purpose
        /// An encoded error.
        case failure
        /// A package policy.
        case packagePolicy
        /// A text for people.
        case text
        /// A process's number.
        case processID
        /// Which kind of server it is.
        case serverKind
        /// Why a connection is refused.
        case refusalCode
        /// Which message for a presenter it is.
        case presenterMessage
        /// What a presenter is asked to do.
        case yieldSteps
        /// To whom an item was relinquished.
        case relinquishment
        /// Which notice it is.
        case notice
        /// The optional methods of a presenter.
        case methods
        /// Where a claim is in its life.
        case stage
        /// What a party does.
        case role
        /// A claim's items.
        case items
        /// What is wanted with an item.
        case access
        /// The depths at which an item's packages are.
        case packageDepths
        /// The claims around a claim.
        case enclosing
        /// Those that a claim waits for.
        case parties
        /// What a claim is for.
        case claimKind
        /// A claim's log, or an entry of it.
        case log
        /// The moves of an announcement.
        case moves
        /// What presenters answer together.
        case answers
        /// What became of a claim's items.
        case outcomes
        /// What happened to a version.
        case versionFate
        /// Which version it is.
        case identifier
        /// The names of attributes.
        case attributes
        /// An entry of the relocation log.
        case relocationEntry
    }
}

extension WireError: CustomStringConvertible {
    /// What is wrong, to be put after "could not be read:".
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
