// SPDX-License-Identifier: Apache-2.0
//
// The protocol version and the limits, on which both ends must agree. The encoding: integers are
// little-endian and have a fixed width. Bytes and texts have a 16-bit length prefix, lists a 32-bit
// count. An optional value has a prefix byte of 0 or 1. The first byte of a message is its kind.
// Each value has exactly one encoding, so bytes that can be decoded are the encoding of the value.
// (The exception is a hello of another version, of which only the version is decoded.)
//
// Only the hello contains the version. Three things therefore never change: a hello is the byte 1
// followed by the version in 16 bits; a refusal is the byte 0x82, a code byte and a text; and the
// code of `wrongVersion` is 1. So every server can refuse every client with a readable reason.

/// The protocol version, which a client names in its hello.
public enum ProtocolVersion {
    /// The only version that this source code speaks.
    public static let current: UInt16 = 11
}

/// The limits of everything that is sent or stored in a ledger.
public enum WireLimits {
    /// Bytes of a message.
    public static let messageBytes = 64 << 10
    /// Bytes of a part of a long value; see ``PartAssembler``.
    public static let statusPartBytes = 60 << 10
    /// Bytes of a message with entries of a recording.
    public static let traceBytes = 60 << 10
    /// Bytes of a message with deliveries, as ``ServerMessage/packing(_:)-([Delivery])`` creates
    /// them.
    public static let deliveriesBytes = 60 << 10
    /// Bytes of one delivery, which may be sent in parts.
    public static let deliveryBytes = bodyBytes
    /// Bytes of a status report.
    public static let statusReportBytes = 64 << 20
    /// Bytes of the body of a claim's or presenter's record.
    public static let bodyBytes = 8 << 20
    /// Bytes of a path; the limit of Linux.
    public static let pathBytes = 4096
    /// Bytes of a ledger's file name.
    public static let ledgerNameBytes = 255
    /// Bytes of a purpose identifier.
    public static let purposeBytes = 1024
    /// Bytes of a presenter's encoded error.
    public static let failureBytes = 32 << 10
    /// Bytes of a text for people, such as a program name or a refusal; longer ones are cut.
    public static let textBytes = 1024
    /// Bytes of a package policy.
    public static let packagePolicyBytes = 16 << 10
    /// Bytes of a version's persistent identifier or an attribute's name.
    public static let identifierBytes = 1024
    /// Ubiquity attributes in one announcement.
    public static let attributes = 256
    /// Items of a claim.
    public static let items = 65536
    /// Answers of presenters in one message.
    public static let answers = 256
    /// Simultaneous moves in one announcement.
    public static let moves = 1024
    /// Entries of the relocation log that are written together.
    public static let relocations = 1 << 20
    /// Bytes of such entries.
    public static let relocationFrameBytes = 64 << 20
    /// Claims inside which a claim is made.
    public static let enclosing = 1024
    /// Claims of other processes inside which a claim is made; the innermost ones are kept.
    public static let outerClaims = 6
    /// Surrounding claims that are reported of one claim; longer lists are cut.
    public static let reportedOuterClaims = 64
    /// Bytes of a record's supplement; the room that a ledger has for it.
    public static let supplementBytes = 400
    /// The most parties that one claim is reported to wait for; longer lists are cut.
    public static let parties = 256
}
