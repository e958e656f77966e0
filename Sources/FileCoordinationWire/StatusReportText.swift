// SPDX-License-Identifier: Apache-2.0
//
// A status report that is encoded bit by bit: a server that knows of thousands of claims has others
// to serve meanwhile, also when all of it is there and is to be sent.

/// The encoding of a ``StatusReport``, as far as it has come: first claims, then presenters.
public struct StatusReportText: Sendable {
    /// All of it, when nothing is added any more.
    private var bytes: [UInt8]
    /// Where the number of what is being added is, and how great it is.
    private var count: (offset: Int, value: UInt32)
    /// The version of the protocol in which it is written.
    private let version: UInt16
    /// How much was taken.
    private var taken = 0

    /// The beginning of a report for a connection that speaks `version`.
    public init(arbiter: ArbiterStatus, version: UInt16 = ProtocolVersion.current) {
        self.version = version
        var encoder = MessageEncoder(version: version)
        encoder.value(arbiter)
        bytes = encoder.bytes
        count = (0, 0)
        beginList()
    }

    private mutating func beginList() {
        count = (bytes.count, 0)
        bytes += [0, 0, 0, 0]
    }

    /// Adds the next claim; nothing if no client would accept it.
    public mutating func add(_ claim: ClaimStatus) { append(claim) }

    /// There are no more claims.
    public mutating func beginPresenters() { beginList() }

    /// Adds the next presenter; nothing if no client would accept it.
    public mutating func add(_ presenter: PresenterStatus) { append(presenter) }

    private mutating func append(_ value: some WireCoded) {
        var encoder = MessageEncoder(version: version)
        encoder.value(value)
        guard encoder.fault == nil else { return }
        bytes += encoder.bytes
        count.value += 1
        for index in 0..<4 {
            bytes[count.offset + index] = UInt8(truncatingIfNeeded: count.value >> (8 * index))
        }
    }

    /// The next message that carries some of it, once all is there; nil if that was the last.
    public mutating func nextPart() -> ServerMessage? {
        guard taken < bytes.count else { return nil }
        let end = min(taken + WireLimits.statusPartBytes, bytes.count)
        defer { taken = end }
        return .statusPart(Array(bytes[taken..<end]), isLast: end == bytes.count)
    }
}
