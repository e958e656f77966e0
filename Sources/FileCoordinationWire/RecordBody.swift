// SPDX-License-Identifier: Apache-2.0
//
// The contents of ledger records: everything that the server must know of a claim or presenter,
// complete before the server is told to look.

public import FileCoordinationArbiter

/// A coordinator's presenter, and the last path that this presenter was told (Rule 11.7).
public struct WireStandpoint: Hashable, Sendable {
    /// The presenter's record in the same ledger.
    public var presenter: RecordReference
    /// The presenter's path, as far as the presenter has been told.
    public var place: ItemPath

    /// Creates a standpoint.
    public init(presenter: RecordReference, place: ItemPath) {
        self.presenter = presenter
        self.place = place
    }
}

/// The body of a claim's record.
public struct ClaimBody: Hashable, Sendable {
    /// The coordinator's purpose.
    public var purpose: [UInt8]
    /// The items and the access to each; may be empty (Rule 13.6).
    public var items: [AccessItem]
    /// The claims of the same ledger inside whose accessors the call was made.
    public var enclosing: [RecordReference]
    /// The kind of the claim.
    public var kind: ClaimKind
    /// The coordinator's presenter and the last path that it was told (Rule 11.7).
    ///
    /// Nil if the coordinator has no registered presenter.
    public var standpoint: WireStandpoint?
    /// Whether the accessors around the claim wait for it (Rule 18.4).
    public var blocksCaller: Bool
    /// Whether its end is reported in any case, so that the server can say who has written last
    /// (Rule 18.16).
    public var isSigned: Bool

    /// Creates a body.
    public init(
        purpose: [UInt8], items: [AccessItem], enclosing: [RecordReference] = [],
        kind: ClaimKind = .access, standpoint: WireStandpoint? = nil, blocksCaller: Bool = false,
        isSigned: Bool = false
    ) {
        self.isSigned = isSigned
        self.purpose = purpose
        self.items = items
        self.enclosing = enclosing
        self.kind = kind
        self.standpoint = standpoint
        self.blocksCaller = blocksCaller
    }

    /// Encodes the body.
    ///
    /// A body that exceeds ``WireLimits`` is a programming error and ends the process. Purpose and
    /// paths come from users, so use ``encodeChecked()``.
    public func encode() -> [UInt8] { trustedEncoding(.body, limit: WireLimits.bodyBytes) }

    /// Encodes the body; throws if a server would reject it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.body, limit: WireLimits.bodyBytes)
    }

    /// Decodes a body.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .body, limit: WireLimits.bodyBytes)
    }
}

/// The body of a presenter's record.
public struct PresenterBody: Hashable, Sendable {
    /// The purpose that all coordinators made with it share (Rule 4.2).
    public var purpose: [UInt8]
    /// The presented path, or nil if there is none now (Rule 5.5).
    public var path: [UInt8]?
    /// The optional methods it implements (Rule 5.3).
    public var methods: PresenterMethods
    /// How long it may take to answer; nil for no limit (Rule 18.3).
    public var answerTimeout: Duration?

    /// Creates a body.
    public init(
        purpose: [UInt8], path: [UInt8]?, methods: PresenterMethods, answerTimeout: Duration? = nil
    ) {
        self.purpose = purpose
        self.path = path
        self.methods = methods
        self.answerTimeout = answerTimeout
    }

    /// Encodes the body.
    ///
    /// A body that exceeds ``WireLimits`` is a programming error and ends the process. Purpose and
    /// path come from users, so use ``encodeChecked()``.
    public func encode() -> [UInt8] { trustedEncoding(.body, limit: WireLimits.bodyBytes) }

    /// Encodes the body; throws if a server would reject it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.body, limit: WireLimits.bodyBytes)
    }

    /// Decodes a body.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .body, limit: WireLimits.bodyBytes)
    }
}

// MARK: - Coding

extension ClaimBody: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.purpose(purpose)
        encoder.list(items, .items, limit: WireLimits.items)
        encoder.list(enclosing, .enclosing, limit: WireLimits.enclosing)
        encoder.raw(kind)
        encoder.optional(standpoint) {
            $0.value($1.presenter)
            $0.value($1.place)
        }
        encoder.integer((blocksCaller ? 1 : 0) | (isSigned ? Self.signed : 0))
    }

    private static let signed: UInt8 = 2

    init(from decoder: inout MessageDecoder) throws(WireError) {
        purpose = try decoder.purpose()
        items = try decoder.list(of: AccessItem.self, .items, limit: WireLimits.items)
        enclosing = try decoder.list(
            of: RecordReference.self, .enclosing, limit: WireLimits.enclosing)
        kind = try decoder.raw(ClaimKind.self, .claimKind)
        standpoint = try decoder.optional { (decoder) throws(WireError) in
            WireStandpoint(
                presenter: try decoder.value(RecordReference.self),
                place: try decoder.value(ItemPath.self))
        }
        let flags = try decoder.integer(UInt8.self)
        guard flags <= Self.signed | 1 else { throw .illegalValue(.flag) }
        (blocksCaller, isSigned) = (flags & 1 != 0, flags & Self.signed != 0)
    }
}

extension PresenterBody: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.purpose(purpose)
        encoder.optional(path) { $0.path($1) }
        if !methods.isSubset(of: .known) { encoder.fail(.illegalValue(.methods)) }
        encoder.raw(methods)
        encoder.optional(answerTimeout) { $0.span($1) }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        purpose = try decoder.purpose()
        path = try decoder.optional { (decoder) throws(WireError) in try decoder.path() }
        methods = try decoder.raw(PresenterMethods.self, .methods)
        guard methods.isSubset(of: .known) else { throw .illegalValue(.methods) }
        answerTimeout = try decoder.optional { (decoder) throws(WireError) in try decoder.span() }
    }
}
