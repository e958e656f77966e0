// SPDX-License-Identifier: Apache-2.0
//
// The supplement of a ledger record, with additional information. A server ignores one that it
// cannot decode, so nothing that is necessary for correct decisions belongs here.

public import FileCoordinationArbiter

/// A claim of another process around this claim, which a command of that process has made.
public struct OuterClaim: Hashable, Sendable {
    /// The name of the other process's ledger.
    public var ledgerName: [UInt8]
    /// The claim's record there.
    public var record: RecordReference

    /// Creates a reference to a claim of another process.
    public init(ledgerName: [UInt8], record: RecordReference) {
        self.ledgerName = ledgerName
        self.record = record
    }
}

/// The kind of a presenter's item at its registration.
public enum PresentedItem: UInt8, CaseIterable, Hashable, Sendable {
    /// The item did not exist, or the client does not tell.
    case unknown = 0
    /// A file, or another item without contents.
    case file = 1
    /// A plain directory.
    case directory = 2
    /// A package (Rule 1.11).
    case package = 3
}

/// The supplement of a claim's or presenter's record.
public struct RecordSupplement: Hashable, Sendable {
    /// A short text for people; if empty, the client's label or its program's name is used (Rule
    /// 18.15).
    public var label: String
    /// The claims of other processes whose commands wait for this claim (Rule 18.4), outermost
    /// first.
    public var outer: [OuterClaim]
    /// The kind of the presenter's item.
    public var item: PresentedItem
    /// Whether the presenter is to be told who made a change, by messages with a ``ChangeAuthor``.
    public var wantsAuthors: Bool

    /// Creates a supplement.
    public init(
        label: String = "", outer: [OuterClaim] = [], item: PresentedItem = .unknown,
        wantsAuthors: Bool = false
    ) {
        self.wantsAuthors = wantsAuthors
        self.label = label
        self.outer = outer
        self.item = item
    }

    private var isEmpty: Bool {
        label.isEmpty && outer.isEmpty && item == .unknown && !wantsAuthors
    }

    /// Encodes the supplement; the result is empty if there is nothing to encode.
    ///
    /// A long label is cut, and of too many claims the innermost ones are kept.
    public func encode() -> [UInt8] {
        if isEmpty { return [] }
        var rest = self
        rest.label = Label.cut(label)
        while true {
            if rest.isEmpty { return [] }
            let isFitting = rest.outer.count <= WireLimits.outerClaims
            if isFitting,
                // If it does not fit, one entry fewer is tried.
                let bytes = try? rest.encoding(.supplement, limit: WireLimits.supplementBytes)
            {
                return bytes
            }
            guard !rest.outer.isEmpty else { return [] }
            rest.outer.removeFirst()
        }
    }

    /// Decodes a supplement.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        self = try Self.decoding(bytes, .supplement, limit: WireLimits.supplementBytes)
    }
}

/// A short text for people that names a claim or presenter (Rule 18.15).
public enum Label {
    /// The most bytes of a label, in UTF-8.
    public static let byteLimit = 120

    /// Returns the longest prefix of whole characters within the limit.
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
        record = try decoder.value(RecordReference.self)
    }
}

extension RecordSupplement: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.text(label)
        encoder.list(outer, .enclosing, limit: WireLimits.outerClaims)
        encoder.raw(item)
        encoder.bool(wantsAuthors)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        label = try decoder.text()
        outer = try decoder.list(
            of: OuterClaim.self, .enclosing, limit: WireLimits.outerClaims)
        item = try decoder.raw(PresentedItem.self, .supplement)
        wantsAuthors = try decoder.bool()
        // A record without additional information has no supplement.
        guard !isEmpty else { throw .illegalValue(.supplement) }
    }
}
