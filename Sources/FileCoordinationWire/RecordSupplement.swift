// SPDX-License-Identifier: Apache-2.0
//
// What a record says beside its body. Servers that know nothing of supplements pass over the whole,
// and servers that know less than the client pass over the rest: so new fields come last, and what
// must be understood for claims to be right does not belong here.

/// A claim of another process, inside whose command a claim is made.
public struct OuterClaim: Hashable, Sendable {
    /// The name of the other process's ledger.
    public var ledgerName: [UInt8]
    /// The claim's record there.
    public var record: WireRecord

    /// A claim of another process.
    public init(ledgerName: [UInt8], record: WireRecord) {
        self.ledgerName = ledgerName
        self.record = record
    }
}

/// What a presenter's item is when it is registered.
public enum PresentedItem: UInt8, CaseIterable, Hashable, Sendable {
    /// Nothing was there, or the client does not say.
    case unknown = 0
    /// A file, or anything else that contains nothing.
    case file = 1
    /// A plain directory.
    case directory = 2
    /// A package (Rule 1.11).
    case package = 3
}

/// What a claim's or a presenter's record may say beside its body.
public struct RecordSupplement: Hashable, Sendable {
    /// A short text for people; empty: the client's, or its program's name (Rule 18.15).
    public var label: String
    /// The claims of other processes whose commands wait for this claim (Rule 18.4); outermost
    /// first.
    public var outer: [OuterClaim]
    /// What the presenter's item is.
    public var item: PresentedItem

    /// What a record says beside its body.
    public init(
        label: String = "", outer: [OuterClaim] = [], item: PresentedItem = .unknown
    ) {
        self.label = label
        self.outer = outer
        self.item = item
    }

    private var isEmpty: Bool { label.isEmpty && outer.isEmpty && item == .unknown }

    /// The encoding, with a label that is cut to what there is room for, and the innermost of more
    /// claims than there is room for; empty if there is nothing to be said.
    public func encode() -> [UInt8] {
        if isEmpty { return [] }
        var rest = self
        rest.label = Label.cut(label)
        while true {
            if rest.isEmpty { return [] }
            let isFitting = rest.outer.count <= WireLimits.outerClaims
            if isFitting,
                let bytes = try? rest.encoding(.supplement, limit: WireLimits.supplementBytes)
            {
                return bytes
            }
            guard !rest.outer.isEmpty else { return [] }
            rest.outer.removeFirst()
        }
    }

    /// The supplement that `bytes` encode; what a newer client wrote behind it is passed over.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var decoder = try MessageDecoder(bytes, .supplement, limit: WireLimits.supplementBytes)
        self = try Self(from: &decoder)
    }
}

/// A short text for people, by which a claim or a presenter is named (Rule 18.15).
public enum Label {
    /// The longest, in bytes of UTF-8.
    public static let byteLimit = 120

    /// The longest beginning of whole characters that is short enough.
    public static func cut(_ text: String) -> String {
        var end = text.startIndex
        var count = 0
        while end < text.endIndex {
            let next = text.index(after: end)
            count += text[end..<next].utf8.count
            guard count <= byteLimit else { break }
            end = next
        }
        return String(text[..<end])
    }
}

extension OuterClaim: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.blob(ledgerName, .ledgerName, limit: WireLimits.ledgerNameBytes)
        encoder.value(record)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        ledgerName = try decoder.blob(.ledgerName, limit: WireLimits.ledgerNameBytes)
        record = try decoder.value(WireRecord.self)
    }
}

extension RecordSupplement: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.text(label)
        encoder.list(outer, .enclosing, limit: WireLimits.outerClaims)
        if item != .unknown { encoder.raw(item) }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        label = try decoder.text()
        outer = try decoder.list(
            of: OuterClaim.self, .enclosing, limit: WireLimits.outerClaims)
        // A client of an earlier version says no more; what a later one says is passed over.
        item =
            decoder.isAtEnd
            ? .unknown
            : PresentedItem(rawValue: try decoder.integer(UInt8.self)) ?? .unknown
    }
}
