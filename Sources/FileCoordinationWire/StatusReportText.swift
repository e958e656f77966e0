// SPDX-License-Identifier: Apache-2.0
//
// A status report that is encoded step by step, because a server with thousands of claims must
// serve other clients meanwhile. It is also sent part by part.

/// The encoding of a ``StatusReport`` so far: first the claims, then the presenters and the
/// delegations.
public struct StatusReportText: Sendable {
    /// The bytes; complete after the last delegation was added.
    private var bytes: [UInt8]
    /// The offset and value of the count of the present list.
    private var count: (offset: Int, value: UInt32)
    /// The number of bytes that were taken for messages.
    private var taken = 0

    /// Begins a report.
    public init(arbiter: ServerStatus) {
        var encoder = MessageEncoder()
        encoder.value(arbiter)
        bytes = encoder.bytes
        count = (0, 0)
        beginList()
    }

    private mutating func beginList() {
        count = (bytes.count, 0)
        bytes += [0, 0, 0, 0]
    }

    /// Adds a claim; ignored if no client would accept it.
    ///
    /// In a report that is large already, a claim is said to wait for the first party only.
    public mutating func add(_ claim: ClaimStatus) {
        var claim = claim
        if bytes.count > WireLimits.statusReportBytes / 2 {
            claim.waitsFor.removeSubrange(min(1, claim.waitsFor.count)...)
        }
        append(claim)
    }

    /// Ends the list of claims and begins that of presenters.
    public mutating func beginPresenters() { beginList() }

    /// Adds a presenter; ignored if no client would accept it.
    public mutating func add(_ presenter: PresenterStatus) { append(presenter) }

    /// Ends the list of presenters and begins that of delegations.
    public mutating func beginDelegations() { beginList() }

    /// Adds a delegation; ignored if no client would accept it.
    public mutating func add(_ delegation: DelegationStatus) { append(delegation) }

    private mutating func append(_ value: some WireCoded) {
        var encoder = MessageEncoder()
        encoder.value(value)
        guard encoder.fault == nil,
            // Besides this, there are the counts of the lists.
            bytes.count + encoder.bytes.count + 64 <= WireLimits.statusReportBytes
        else { return }
        bytes += encoder.bytes
        count.value += 1
        for index in 0..<4 {
            bytes[count.offset + index] = UInt8(truncatingIfNeeded: count.value >> (8 * index))
        }
    }

    /// The number of bytes so far.
    public var byteCount: Int { bytes.count }

    /// Returns the next message with a part of the complete report; nil after the last one.
    public mutating func nextPart() -> ServerMessage? {
        guard taken < bytes.count else { return nil }
        let end = min(taken + WireLimits.statusPartBytes, bytes.count)
        defer { taken = end }
        return .statusPart(Array(bytes[taken..<end]), isLast: end == bytes.count)
    }
}
