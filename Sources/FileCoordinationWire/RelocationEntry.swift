// SPDX-License-Identifier: Apache-2.0
//
// The entries of the server's relocation log. A record contains the paths at the time when its
// client wrote it; the log contains later moves. Each entry contains everything about its record,
// so only the last one for a record is valid.

public import FileCoordinationArbiter

/// An entry about the present paths of one record.
public struct RelocationEntry: Hashable, Sendable {
    /// The contents of an entry.
    public enum Relocation: Hashable, Sendable {
        /// The path of a presenter; `isTold` if the presenter is told about its last move.
        case presenter(ItemPath, isTold: Bool)
        /// All items of a claim that waits or has waited.
        case claim([AccessItem])
        /// Where the items of a running claim are that a claim inside it has moved.
        ///
        /// It includes what the claim itself has moved.
        case moved(MovedItems)
        /// A running claim, and how many bytes of its log the server has handled.
        case handled(UInt32)
        /// Not about a record: what clients have added to the package policy.
        case packages([UInt8])
    }

    /// The unique serial number of the record.
    public var serial: UInt64
    /// The contents of the entry.
    public var relocation: Relocation

    /// Creates an entry.
    public init(serial: UInt64, _ relocation: Relocation) {
        self.serial = serial
        self.relocation = relocation
    }

    /// Encodes entries that are valid only together, with a length prefix; throws if a reader would
    /// reject them.
    ///
    /// A reader recognizes and ignores an incomplete group.
    public static func encodeChecked(_ entries: [RelocationEntry]) throws(WireError) -> [UInt8] {
        var body = MessageEncoder()
        body.list(entries, .relocationEntry, limit: WireLimits.relocations)
        if let fault = body.fault { throw fault }
        guard body.bytes.count <= WireLimits.relocationFrameBytes else {
            throw .tooLong(.relocationEntry)
        }
        var framed = MessageEncoder()
        framed.integer(UInt32(body.bytes.count))
        return framed.bytes + body.bytes
    }

    /// Decodes the groups of entries at the beginning of `bytes`, as far as they are complete.
    public static func entries(decoding bytes: [UInt8]) -> [RelocationEntry] {
        var entries: [RelocationEntry] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).enumerated().reduce(0) { $0 | Int($1.1) << ($1.0 * 8) }
            guard length <= rest.count - 4, length <= WireLimits.relocationFrameBytes,
                // The complete entries end before the first one that cannot be decoded.
                var decoder = try? MessageDecoder(
                    Array(rest.dropFirst(4).prefix(length)), .relocationEntry,
                    limit: WireLimits.relocationFrameBytes),
                let together = try? decoder.list(
                    of: RelocationEntry.self, .relocationEntry, limit: WireLimits.relocations),
                decoder.isAtEnd
            else { break }
            entries += together
            rest = rest.dropFirst(4 + length)
        }
        return entries
    }
}

// MARK: - Coding

extension RelocationEntry: WireCoded {
    private enum Kind: UInt8 {
        case presenter = 1
        case claim = 2
        case handled = 3
        case packages = 4
        case moved = 5
    }

    func write(to encoder: inout MessageEncoder) {
        encoder.integer(serial)
        switch relocation {
        case .presenter(let path, let isTold):
            encoder.raw(Kind.presenter)
            encoder.value(path)
            encoder.bool(isTold)
        case .claim(let items):
            encoder.raw(Kind.claim)
            encoder.list(items, .items, limit: WireLimits.items)
        case .moved(let items):
            encoder.raw(Kind.moved)
            encoder.count(items.own.count, .items, limit: WireLimits.items)
            for item in items.own { encoder.optional(item) { $0.value($1) } }
            encoder.list(items.others, .items)
        case .handled(let count):
            encoder.raw(Kind.handled)
            encoder.integer(count)
        case .packages(let lines):
            encoder.raw(Kind.packages)
            encoder.blob(lines, .packagePolicy, limit: WireLimits.packagePolicyBytes)
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        serial = try decoder.integer(UInt64.self)
        switch try decoder.raw(Kind.self, .relocationEntry) {
        case .presenter:
            relocation = .presenter(
                try decoder.value(ItemPath.self), isTold: try decoder.bool())
        case .claim:
            relocation = .claim(
                try decoder.list(of: AccessItem.self, .items, limit: WireLimits.items))
        case .moved:
            var own: [AccessItem?] = []
            for _ in 0..<(try decoder.count(.items, limit: WireLimits.items)) {
                own.append(
                    try decoder.optional { (decoder) throws(WireError) in
                        try decoder.value(AccessItem.self)
                    })
            }
            let others = try decoder.list(of: AccessItem.self, .items)
            relocation = .moved(MovedItems(own: own, others: others))
        case .handled: relocation = .handled(try decoder.integer(UInt32.self))
        case .packages:
            relocation = .packages(
                try decoder.blob(.packagePolicy, limit: WireLimits.packagePolicyBytes))
        }
    }
}
