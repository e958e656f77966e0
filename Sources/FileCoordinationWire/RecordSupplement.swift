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

/// What a claim's or a presenter's record may say beside its body.
public struct RecordSupplement: Hashable, Sendable {
    /// A short text for people; empty: the client's, or its program's name (Rule 18.15).
    public var label: String
    /// The claims of other processes whose commands wait for this claim (Rule 18.4); outermost
    /// first.
    public var outer: [OuterClaim]

    /// What a record says beside its body.
    public init(label: String = "", outer: [OuterClaim] = []) {
        self.label = label
        self.outer = outer
    }

    /// The encoding, with a label that is cut to what there is room for, and the innermost of more
    /// claims than there is room for; empty if there is nothing to be said.
    public func encode() -> [UInt8] {
        guard !label.isEmpty || !outer.isEmpty else { return [] }
        var rest = self
        rest.label = Label.cut(label)
        while true {
            if rest.label.isEmpty, rest.outer.isEmpty { return [] }
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
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        label = try decoder.text()
        outer = try decoder.list(
            of: OuterClaim.self, .enclosing, limit: WireLimits.outerClaims)
    }
}
