// SPDX-License-Identifier: Apache-2.0
//
// A value of any type that has an encoding, so that one test can run over all of them.

import FileCoordinationArbiter
import FileCoordinationWire

/// Something that can be encoded.
enum Sample: Hashable, Sendable {
    case client(ClientMessage)
    case server(ServerMessage)
    case delivery(Delivery)
    case report(StatusReport)
    case claimBody(ClaimBody)
    case presenterBody(PresenterBody)
    case logEntry(ClaimLogEntry)
    case relocationEntry(RelocationEntry)
    case supplement(RecordSupplement)

    func encode() throws(WireError) -> [UInt8] {
        switch self {
        case .client(let value): value.encode()
        case .server(let value): value.encode()
        case .delivery(let value): value.encode()
        case .report(let value): value.encode()
        case .claimBody(let value): value.encode()
        case .presenterBody(let value): value.encode()
        case .logEntry(let value): try value.encodeChecked()
        case .relocationEntry(let value): try value.encodeChecked()
        case .supplement(let value): value.encode()
        }
    }

    /// Decodes `bytes` as a value of this sample's type.
    func decodingAlike(_ bytes: [UInt8]) throws(WireError) -> Sample {
        switch self {
        case .client: .client(try ClientMessage(decoding: bytes))
        case .server: .server(try ServerMessage(decoding: bytes))
        case .delivery: .delivery(try Delivery(decoding: bytes))
        case .report: .report(try StatusReport(decoding: bytes))
        case .claimBody: .claimBody(try ClaimBody(decoding: bytes))
        case .presenterBody: .presenterBody(try PresenterBody(decoding: bytes))
        case .logEntry: .logEntry(try Self.onlyLogEntry(bytes))
        case .relocationEntry: .relocationEntry(try Self.onlyPlaceEntry(bytes))
        case .supplement: .supplement(try RecordSupplement(decoding: bytes))
        }
    }

    /// A log is read as far as possible; here the bytes must be one whole entry, and nothing else.
    private static func onlyLogEntry(_ bytes: [UInt8]) throws(WireError) -> ClaimLogEntry {
        let read = ClaimLogEntry.entries(decoding: bytes)
        guard let entry = read.entries.first else { throw .truncated }
        guard read.count == 1, read.length == bytes.count else { throw .trailingBytes }
        return entry
    }

    /// The same for a relocation log, whose decoder does not say how far it has read.
    private static func onlyPlaceEntry(_ bytes: [UInt8]) throws(WireError) -> RelocationEntry {
        let entries = RelocationEntry.entries(decoding: bytes)
        guard let entry = entries.first else { throw .truncated }
        let length = try entry.encodeChecked().count
        guard entries.count == 1, length == bytes.count else { throw .trailingBytes }
        return entry
    }

    /// Whether it is a hello of which only the version was decoded.
    var isForeignHello: Bool {
        guard case .client(.hello(let hello)) = self else { return false }
        return hello.version != ProtocolVersion.current
    }

    /// Whether it is a list of outcomes, in which every byte is valid.
    var isOutcomes: Bool {
        guard case .logEntry(.outcomes) = self else { return false }
        return true
    }
}

extension ItemPath {
    /// The path of which a test knows that it is one.
    static func of(_ text: String) -> ItemPath {
        guard let path = ItemPath(text) else { preconditionFailure("\(text) is not a path") }
        return path
    }

    /// A path of `count` bytes.
    static func long(_ count: Int) -> ItemPath {
        .of("/" + String(repeating: "x", count: count - 1))
    }
}

extension [UInt8] {
    /// The bytes of a text.
    init(text: String) { self.init(text.utf8) }

    /// The bytes that hexadecimal digits stand for; white space is for the reader.
    init(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "half a byte in \(hex)")
        self = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }

    /// The bytes as hexadecimal digits.
    var hex: String {
        let digits = [Character]("0123456789abcdef")
        return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

extension [(entry: ClaimLogEntry, length: Int)] {
    /// The entries, without how long each is.
    var entries: [ClaimLogEntry] { map { $0.entry } }

    /// How many bytes all of them take.
    var length: Int { reduce(0) { $0 + $1.length } }
}

extension RelocationEntry {
    /// The frame of this entry alone.
    func encodeChecked() throws(WireError) -> [UInt8] { try RelocationEntry.encodeChecked([self]) }
}
