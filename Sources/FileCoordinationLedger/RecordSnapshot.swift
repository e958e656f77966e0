// SPDX-License-Identifier: Apache-2.0
//
// A copy of one record, as a server has read it.

public import FileCoordinationArbiter

/// What a record is about.
public enum RecordKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A claim.
    ///
    /// If it is granted, the accessor may run.
    case claim = 1
    /// A presenter.
    ///
    /// If it is granted, the presenter is registered.
    case presenter = 2
}

/// The result of releasing a claim.
public enum ReleaseResult: Hashable, Sendable {
    /// The server must be told to check the record.
    case released
    /// The grant was unreported and no report is requested, so nothing more must be done.
    case freed
    /// The claim was not granted.
    case notGranted
}

/// The result of granting a claim.
public enum GrantResult: Hashable, Sendable {
    /// The claim is granted, and the waiting thread was woken.
    case granted
    /// The claim is granted, and the client must be sent a message.
    case grantedWantsMessage
    /// The claim was cancelled or ended concurrently, or the server has been deposed.
    case refused
}

/// What the server reads from a record besides its body.
///
/// The client has written it, so the values may be wrong.
public struct RecordSnapshot: Hashable, Sendable {
    /// The record and its generation.
    public var reference: RecordReference
    /// The state; never `free` or `draft`.
    public var state: RecordState
    /// The flags.
    public var flags: RecordFlags
    /// The epoch of the word.
    ///
    /// A server acts only on words with its own epoch.
    public var epoch: ServerEpoch
    /// What the record is about.
    public var kind: RecordKind
    /// Whether the client expects a message instead of sleeping on the word.
    public var wantsMessage: Bool
    /// The slot in which the client requests a delegation.
    public var requestedSlot: RequestedSlot?
    /// The serial number; 0 if no server has given one.
    public var serial: UInt64
    /// The filing time, as the client wrote it.
    public var filedAt: Instant
    /// The time of the grant; nil if no server has granted it.
    public var grantedAt: Instant?
    /// Whether the presenter has relinquished to a reader.
    public var hasRelinquishedToReader: Bool
    /// Whether the presenter has relinquished to a writer.
    public var hasRelinquishedToWriter: Bool
}
