// SPDX-License-Identifier: Apache-2.0
//
// What a claim's accessor has to say: announcements while it runs, and in the end what became of
// the items. It is written into the claim's ledger record, entry behind entry, and never changed
// there; a reader that reads it twice knows by the number of entries what is new.

public import FileCoordinationArbiter

/// One entry of a claim's log.
public enum ClaimLogEntry: Hashable, Sendable {
    /// The accessor has made something known.
    case announced(Announcement)
    /// The accessor has returned; one outcome for each item, and the last entry.
    case outcomes([ItemOutcome])

    /// The encoding, or what a server would refuse in it.
    public func encodeChecked() throws(WireError) -> [UInt8] {
        try encoding(.log, limit: WireLimits.bodyBytes)
    }

    /// The length of the encoding of that many outcomes.
    public static func outcomesLength(_ count: Int) -> Int { 1 + 4 + count }

    /// The entries that `bytes` encode, one behind the other, each with how many bytes it takes.
    ///
    /// What cannot be read ends the list: what stands before it is as good as ever.
    public static func entries(
        decoding bytes: [UInt8]
    ) -> [(entry: ClaimLogEntry, length: Int)] {
        guard var decoder = try? MessageDecoder(bytes, .log, limit: WireLimits.bodyBytes) else {
            return []
        }
        var entries: [(entry: ClaimLogEntry, length: Int)] = []
        var left = decoder.left
        while !decoder.isAtEnd, let entry = try? ClaimLogEntry(from: &decoder) {
            entries.append((entry, left - decoder.left))
            left = decoder.left
        }
        return entries
    }
}

// MARK: - Coding

extension ClaimLogEntry: WireCoded {
    /// The first byte of an entry.
    private enum Kind: UInt8 {
        case outcomes = 1
        case moved = 2
        case versionChanged = 3
        case ubiquityAttributesChanged = 4
    }

    func write(to encoder: inout MessageEncoder) {
        switch self {
        case .outcomes(let outcomes):
            encoder.raw(Kind.outcomes)
            encoder.count(outcomes.count, .outcomes, limit: WireLimits.items)
            for outcome in outcomes { encoder.raw(outcome) }
        case .announced(.moved(let moves)):
            encoder.raw(Kind.moved)
            encoder.list(moves, .moves, limit: WireLimits.moves)
        case .announced(.versionChanged(let path, let news)):
            encoder.raw(Kind.versionChanged)
            encoder.value(path)
            encoder.value(news)
        case .announced(.ubiquityAttributesChanged(let path, let attributes)):
            encoder.raw(Kind.ubiquityAttributesChanged)
            encoder.value(path)
            encoder.attributes(attributes)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        switch try decoder.raw(Kind.self, .log) {
        case .outcomes:
            var outcomes: [ItemOutcome] = []
            for _ in 0..<(try decoder.count(.outcomes, limit: WireLimits.items)) {
                // What cannot be read counts as changed: a message too many does no harm.
                outcomes.append(ItemOutcome(rawValue: try decoder.integer(UInt8.self)) ?? .changed)
            }
            self = .outcomes(outcomes)
        case .moved:
            self = .announced(
                .moved(try decoder.list(of: ItemMove.self, .moves, limit: WireLimits.moves)))
        case .versionChanged:
            self = .announced(
                .versionChanged(
                    try decoder.value(ItemPath.self), try decoder.value(VersionNews.self)))
        case .ubiquityAttributesChanged:
            self = .announced(
                .ubiquityAttributesChanged(
                    try decoder.value(ItemPath.self), try decoder.attributes()))
        }
    }
}

extension ItemMove: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.value(old)
        encoder.packageDepths(oldPackageDepths, of: old)
        encoder.value(new)
        encoder.packageDepths(newPackageDepths, of: new)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let old = try decoder.value(ItemPath.self)
        let oldPackageDepths = try decoder.packageDepths(of: old)
        let new = try decoder.value(ItemPath.self)
        self.init(
            from: old, oldPackageDepths: oldPackageDepths, to: new,
            newPackageDepths: try decoder.packageDepths(of: new))
    }
}

extension VersionNews: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.raw(fate)
        encoder.blob(identifier, .identifier, limit: WireLimits.identifierBytes)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        self.init(
            try decoder.raw(VersionFate.self, .versionFate),
            identifier: try decoder.blob(.identifier, limit: WireLimits.identifierBytes))
    }
}

extension MessageEncoder {
    mutating func attributes(_ names: [[UInt8]]) {
        count(names.count, .attributes, limit: WireLimits.attributes)
        for name in names { blob(name, .attributes, limit: WireLimits.identifierBytes) }
    }
}

extension MessageDecoder {
    mutating func attributes() throws(WireError) -> [[UInt8]] {
        var names: [[UInt8]] = []
        for _ in 0..<(try count(.attributes, limit: WireLimits.attributes)) {
            names.append(try blob(.attributes, limit: WireLimits.identifierBytes))
        }
        return names
    }
}
