// SPDX-License-Identifier: Apache-2.0
//
// What both ends must agree on before they can talk: the version, and how long anything may be.
// The encoding, in one paragraph: integers are little-endian and of fixed width; bytes and texts
// have a length of 16 bits in front, lists a count of 32 bits, an optional value a byte that is 0
// or 1; a message begins with a byte that names its kind. There is exactly one encoding of each
// value, so bytes that decode at all (a hello of another version aside, of which the rest is passed
// over) are the bytes that the value encodes to.
//
// Nothing in it says which version it is but the hello; encoder and decoder are told. Three things
// therefore never change, in any version: a hello is the byte 1, then the version in 16 bits; a
// refusal is the byte 0x82, a code byte and a text; and the code of `wrongVersion` is 1. With
// them, any server can turn any client away in words.

/// The version of the protocol, which a client states in its hello.
public enum ProtocolVersion {
    /// The newest version that this source speaks.
    ///
    /// 2 has ``ClientMessage/blocked(presenter:by:)``, ``ServerMessage/skipped(_:)`` and
    /// ``ServerMessage/overLimit(_:text:)``; 3 has ``ClientMessage/madeWay(_:)``; 4 has labels, and
    /// the number of those for whom a claim waits; 5 says which messages are of changes by programs
    /// that do not coordinate, how a presenter is watched for, what it can be asked and in which
    /// kinds it has relinquished its item, what a claim is for and inside which others, and
    /// has ``ClientMessage/metricsRequest``.
    public static let current: UInt16 = 5

    /// The first version in which parties, claims and presenters are reported with their labels.
    static let withLabels: UInt16 = 4

    /// The first version with ``PresenterMessage/plainNotice(_:)`` and
    /// ``PresenterMessage/followed(to:)``.
    public static let withPlainChanges: UInt16 = 5

    /// All that it speaks; the client chooses, in its hello.
    public static let supported: ClosedRange<UInt16> = 1...5
}

/// The bounds of everything that is sent or kept in a ledger.
public enum WireLimits {
    /// A message.
    public static let messageBytes = 64 << 10
    /// A piece of something that is longer than a message: see ``PartAssembler``.
    public static let statusPartBytes = 60 << 10
    /// A message of deliveries, as ``ServerMessage/packing(_:)-([Delivery])`` makes them.
    public static let deliveriesBytes = 60 << 10
    /// One delivery, which may have to come in pieces.
    public static let deliveryBytes = bodyBytes
    /// A status report.
    public static let statusReportBytes = 64 << 20
    /// What a claim's or a presenter's ledger record holds.
    public static let bodyBytes = 8 << 20
    /// A path, as Linux bounds it.
    public static let pathBytes = 4096
    /// A ledger's file name.
    public static let ledgerNameBytes = 255
    /// A purpose identifier.
    public static let purposeBytes = 1024
    /// A presenter's error, as its process encoded it.
    public static let failureBytes = 32 << 10
    /// A text for people, such as a process's name or a refusal; longer ones are cut.
    public static let textBytes = 1024
    /// A package policy.
    public static let packagePolicyBytes = 16 << 10
    /// The persistent identifier of a version, or the name of an attribute.
    public static let identifierBytes = 1024
    /// The ubiquity attributes that are said to have changed at once.
    public static let attributes = 256
    /// The items of a claim.
    public static let items = 65536
    /// The answers of presenters that are given at once.
    public static let answers = 256
    /// The moves that are announced to have happened at once.
    public static let moves = 1024
    /// Entries of the relocation log that hold all together.
    public static let relocations = 1 << 20
    /// The same, in bytes.
    public static let relocationFrameBytes = 64 << 20
    /// The claims inside which a claim is made.
    public static let enclosing = 1024
    /// The claims of other processes inside which a claim is made; the innermost count.
    public static let outerClaims = 6
    /// The claims inside which a reported claim is said to be made; longer lists are cut.
    public static let reportedOuterClaims = 64
    /// What a record says beside its body; as much as a ledger has room for.
    public static let supplementBytes = 400
    /// The parties that one claim is said to wait for; longer lists are cut.
    public static let parties = 256
}
