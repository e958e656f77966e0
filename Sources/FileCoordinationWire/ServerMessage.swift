// SPDX-License-Identifier: Apache-2.0
//
// The messages from server to client. A grant itself is a compare-and-swap in the client's ledger;
// a message reports it only if the client has asked for that.

public import FileCoordinationArbiter

/// Where the server runs.
public enum ServerKind: UInt8, CaseIterable, Hashable, Sendable {
    /// In a separate process.
    case daemon = 0
    /// On a thread of a client.
    case embedded = 1
}

/// The server's answer to an accepted hello.
public struct Welcome: Hashable, Sendable {
    /// The server's epoch.
    public var epoch: UInt32
    /// The server's process.
    public var processID: Int32
    /// Where the server runs.
    public var kind: ServerKind
    /// The package policy, at most 16 KiB; not interpreted here.
    public var packagePolicy: [UInt8]

    /// Creates a welcome.
    public init(
        epoch: UInt32, processID: Int32, kind: ServerKind, packagePolicy: [UInt8] = []
    ) {
        self.epoch = epoch
        self.processID = processID
        self.kind = kind
        self.packagePolicy = packagePolicy
    }
}

/// Why the server closes a connection.
public struct Refusal: Hashable, Sendable {
    /// The reasons, for programs.
    public enum Code: UInt8, CaseIterable, Hashable, Sendable {
        /// The hello has another version than the server's.
        ///
        /// This raw value never changes.
        case wrongVersion = 1
        /// The ledger that the hello names cannot be used.
        case badLedger = 2
        /// The client belongs to another user.
        case notAllowed = 3
        /// A limit of the server was reached.
        case limitReached = 4
        /// A message or record is invalid.
        case malformed = 5
    }

    /// The reason, for programs.
    public var code: Code
    /// The reason, for people.
    public var text: String

    /// Creates a refusal.
    public init(code: Code, text: String) {
        self.code = code
        self.text = text
    }
}

/// A message from the server to a client.
public enum ServerMessage: Hashable, Sendable {
    /// The hello was accepted.
    case welcome(Welcome)
    /// The server closes the connection.
    ///
    /// The encoding of this message never changes.
    case refused(Refusal)
    /// The record was granted.
    ///
    /// Sent only for records that request a message.
    case granted(RecordReference)
    /// A presenter refused with an encoded error; the claim is over (Rule 9.1).
    case failed(RecordReference, failure: [UInt8])
    /// The claim is in a cycle of waits with these parties, and is over (Rule 18.4).
    ///
    /// As many as fit.
    case inCycle(RecordReference, parties: [Party])
    /// The record exceeds a limit of the server and was not filed; the text says what to do.
    case overLimit(RecordReference, text: String)
    /// A user has ended the wait of the claim by hand; the texts say which process, and why.
    case dismissed(RecordReference, author: String, reason: String)
    /// The result of a ``Dismissal`` that this client has sent.
    case dismissal(DismissedParty, DismissalOutcome)
    /// Messages for presenters of the client, in order.
    ///
    /// See ``packing(_:)-([Delivery])``.
    case deliveries([Delivery])
    /// A part of an encoded ``Delivery`` that is too long for one message.
    case deliveryPart([UInt8], isLast: Bool)
    /// What the claim waits for; the stage is nil if the server does not know the claim.
    ///
    /// As many parties as fit.
    case explanation(RecordReference, stage: ClaimStage?, parties: [Party])
    /// Who has written the item last that this claim's client asked for; nil if that is not known.
    case writer(RecordReference, ChangeAuthor?)
    /// The claim still waits; others have passed it while its process was stopped (Rule 18.6).
    case skipped(RecordReference)
    /// A part of an encoded ``StatusReport``.
    case statusPart([UInt8], isLast: Bool)
    /// Encoded entries of a recording; see ``TraceEntry/entries(decoding:)``.
    case trace([UInt8])
    /// The server gives up its role; the client must reconnect.
    case retiring
    /// The new package policy, which is not interpreted here.
    case packagePolicy([UInt8])

    /// Encodes the message.
    ///
    /// Texts and lists of parties that are too long are cut. Anything else that exceeds
    /// ``WireLimits`` is a programming error and ends the process.
    public func encode() -> [UInt8] {
        trustedEncoding(.message, limit: WireLimits.messageBytes)
    }

    /// Encodes the message; throws if a client would reject it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.message, limit: WireLimits.messageBytes)
    }

    /// Decodes a message.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .message, limit: WireLimits.messageBytes)
    }
}
