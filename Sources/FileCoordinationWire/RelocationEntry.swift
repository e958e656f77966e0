// SPDX-License-Identifier: Apache-2.0
//
// What the server writes down about records that are not where they say they are: the record is its
// client's, and tells where the item was when it was written; a move since then is in the server's
// relocation log. Each entry says all there is to say about its record, so the last one counts.

public import FileCoordinationArbiter

/// Where the items of one record are by now.
public struct RelocationEntry: Hashable, Sendable {
    /// What the record is about.
    public enum Relocation: Hashable, Sendable {
        /// A presenter; `isTold` if it is to be told of its last move.
        case presenter(ItemPath, isTold: Bool)
        /// A claim that waits, or has waited, with all of its items.
        case claim([AccessItem])
        /// A claim that runs, and how many bytes of its log have been acted on.
        case handled(UInt32)
        /// Not of a record: what clients have added to the package policy.
        case packages([UInt8])
    }

    /// The record's serial number, which no other record has.
    public var serial: UInt64
    /// What there is to say about it.
    public var relocation: Relocation

    /// Where the items of one record are by now.
    public init(serial: UInt64, _ relocation: Relocation) {
        self.serial = serial
        self.relocation = relocation
    }

    /// The encoding of entries that are valid only together, with its length in front, or the error
    /// that a reader would find.
    ///
    /// A reader that finds only a part of it notices, and ignores it.
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

    /// The entries at the front of `bytes`, as far as those that hold together are all there.
    public static func entries(decoding bytes: [UInt8]) -> [RelocationEntry] {
        var entries: [RelocationEntry] = []
        var rest = bytes[...]
        while rest.count >= 4 {
            let length = rest.prefix(4).enumerated().reduce(0) { $0 | Int($1.1) << ($1.0 * 8) }
            guard length <= rest.count - 4, length <= WireLimits.relocationFrameBytes,
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
        case .handled: relocation = .handled(try decoder.integer(UInt32.self))
        case .packages:
            relocation = .packages(
                try decoder.blob(.packagePolicy, limit: WireLimits.packagePolicyBytes))
        }
    }
}
