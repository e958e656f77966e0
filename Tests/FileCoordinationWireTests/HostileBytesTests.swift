// SPDX-License-Identifier: Apache-2.0
//
// Bytes that no correct peer sends: truncated, too long, with wrong lengths, and changed at random.

import FileCoordinationArbiter
import FileCoordinationWire
import Glibc
import Testing

/// No sequence of bytes does harm.
struct HostileBytesTests {
    @Test(arguments: Golden.all)
    func `Every truncation of a golden message is refused`(_ golden: Golden) {
        for length in 0..<golden.bytes.count {
            #expect(throws: WireError.self, "cut to \(length) bytes") {
                try golden.sample.decodingAlike(Array(golden.bytes.prefix(length)))
            }
        }
    }

    @Test(arguments: Golden.all)
    func `A byte too many is refused`(_ golden: Golden) {
        #expect(throws: WireError.trailingBytes) {
            try golden.sample.decodingAlike(golden.bytes + [0])
        }
    }

    @Test func `A kind that nothing has is refused`() {
        for byte in [0, 0x70, 0x7F, 0x80, 0xF0, 0xFF] as [UInt8] {
            #expect(throws: WireError.unknownKind(byte)) { try ClientMessage(decoding: [byte]) }
            #expect(throws: WireError.unknownKind(byte)) { try ServerMessage(decoding: [byte]) }
        }
    }

    @Test(
        arguments: [
            ("a ledger's name that leaves its directory", "01 0b00 0200 2e2e", .ledgerName),
            ("a ledger's name with a slash", "01 0b00 0300 612f62", .ledgerName),
            (
                "a flag that is neither", "04 0000000000000000 0000000000000000 02", .flag
            ),
        ] as [(String, String, WireError.Field)])
    func `An illegal value from a client is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try ClientMessage(decoding: [UInt8](hex: hex))
        }
    }

    @Test(
        arguments: [
            ("a relative path", "01 0100 61", .path),
            ("a path with a dot component", "01 0400 2f612f2e", .path),
            ("a path with a NUL", "01 0200 2f00", .path),
            ("an empty path", "01 0000", .path),
            ("a flag that is neither", "02", .flag),
        ] as [(String, String, WireError.Field)])
    func `An illegal place of a presenter is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try PresenterBody(decoding: [UInt8](hex: "0000 \(hex) 00000000"))
        }
    }

    @Test(
        arguments: [
            ("a code", "82 06 0000", .refusalCode), ("a code", "82 00 0000", .refusalCode),
            ("a text that is not UTF-8", "82 01 0100 ff", .text),
            ("a server", "81 00000000 00000000 02 0000", .serverKind),
            ("a negative process", "81 00000000 ffffffff 00 0000", .processID),
            ("a stage", "87 0000000000000000 01 03 00000000", .stage),
            ("a message", "85 01000000 0000000000000000 0a", .presenterMessage),
            ("a notice", "85 01000000 0000000000000000 04 08", .notice),
            ("a fate", "85 01000000 0000000000000000 04 05 0100 2f 03 0000", .versionFate),
            ("a relative place", "85 01000000 0000000000000000 05 0100 61 00", .path),
            ("whether it is told", "85 01000000 0000000000000000 05 0100 2f 02", .flag),
            ("a relinquishment", "85 01000000 0000000000000000 03 02", .relinquishment),
            ("a step", "85 01000000 0000000000000000 01 0000000000000000 20 00000000", .yieldSteps),
            ("a second spelling", "85 01000000 0000000000000000 04 02 0300 2f612f", .path),
        ] as [(String, String, WireError.Field)])
    func `An illegal value from a server is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try ServerMessage(decoding: [UInt8](hex: hex))
        }
    }

    @Test(
        arguments: [
            ("how it is watched for", "07 00000000 00", .statusReport),
            ("a method", "00 00000800 00", .methods),
            ("a kind of relinquishment", "00 00000000 04", .statusReport),
        ] as [(String, String, WireError.Field)])
    func `An illegal value of a presenter in a report is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        let presenter = "0500000000000000 06000000 0000 00 00 00 0000 \(hex)"
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try StatusReport(
                decoding: [UInt8](
                    hex: "00000000 00 0000000000000000 0500 00000000 01000000 \(presenter)"))
        }
    }

    @Test func `An illegal kind of a delegation in a report is refused`() {
        let front = "00000000 00 0000000000000000 0800 00000000 00000000 01000000"
        #expect(throws: WireError.illegalValue(.statusReport)) {
            try StatusReport(decoding: [UInt8](hex: "\(front) 08000000 0000 0000 0100 2f 04"))
        }
        #expect(throws: WireError.truncated) {
            try StatusReport(decoding: [UInt8](hex: "\(front) 08000000 0000 0000 0100 2f"))
        }
    }

    @Test func `An illegal kind of a claim in a report is refused`() {
        let claim =
            "0500000000000000 06000000 0000 0000 00 0000000000000000 00 00000000 00000000 00000000"
        let front = "00000000 00 0000000000000000 0500 01000000 \(claim) 0000"
        #expect(throws: WireError.illegalValue(.statusReport)) {
            try StatusReport(decoding: [UInt8](hex: "\(front) 03 00000000 00000000 00000000"))
        }
        #expect(throws: WireError.tooLong(.enclosing)) {
            try StatusReport(decoding: [UInt8](hex: "\(front) 00 41000000 00000000 00000000"))
        }
    }

    @Test(
        arguments: [
            ("a kind of access", "0100 2f 02 00 00 00000000", .access),
            ("an option", "0100 2f 00 10 00 00000000", .access),
            ("an option of writing", "0100 2f 01 20 00 00000000", .access),
            ("several options of which one is none", "0100 2f 01 23 00 00000000", .access),
            ("a depth below the item", "0200 2f61 00 00 00 01000000 0200", .packageDepths),
            ("depths that fall", "0200 2f61 00 00 00 02000000 0100 0000", .packageDepths),
        ] as [(String, String, WireError.Field)])
    func `An illegal value in an item is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try ClaimBody(decoding: [UInt8](hex: "0000 01000000 \(hex) 00000000"))
        }
    }

    @Test(
        arguments: [
            ("a kind of claim", "03 00", .claimKind),
            ("a flag that is neither", "00 02", .flag),
            ("a standpoint at no place", "00 01 0000000000000000 0000", .path),
        ] as [(String, String, WireError.Field)])
    func `An illegal value at the end of a claim's body is refused`(
        _ what: String, _ hex: String, _ field: WireError.Field
    ) {
        #expect(throws: WireError.illegalValue(field), "\(what)") {
            try ClaimBody(decoding: [UInt8](hex: "0000 00000000 00000000 \(hex)"))
        }
    }

    // MARK: Lengths that lie

    @Test func `A huge declared length is refused before anything is allocated`() {
        let before = peakMemory()
        let items = "0000 ffffffff"
        #expect(throws: WireError.tooLong(.items)) {
            try ClaimBody(decoding: [UInt8](hex: items))
        }
        #expect(throws: WireError.truncated) {
            try ClaimBody(decoding: [UInt8](hex: "0000 00000100"))
        }
        #expect(throws: WireError.tooLong(.packageDepths)) {
            try ClaimBody(decoding: [UInt8](hex: "0000 01000000 0100 2f 00 00 00 ffffffff"))
        }
        #expect(throws: WireError.tooLong(.enclosing)) {
            try ClaimBody(decoding: [UInt8](hex: "0000 00000000 ffffffff"))
        }
        #expect(throws: WireError.truncated) {
            try ServerMessage(decoding: [UInt8](hex: "85 ffffffff"))
        }
        #expect(throws: WireError.tooLong(.parties)) {
            try ServerMessage(decoding: [UInt8](hex: "87 0000000000000000 00 ffffffff"))
        }
        #expect(throws: WireError.truncated) {
            try StatusReport(decoding: [UInt8](hex: "01000000 00 0000000000000000 0100 ffffffff"))
        }
        #expect(throws: WireError.tooLong(.path)) {
            try PresenterBody(decoding: [UInt8](hex: "0000 01 ffff"))
        }
        #expect(throws: WireError.truncated) {
            try ServerMessage(decoding: [UInt8](hex: "88 00f0"))
        }
        #expect(throws: WireError.tooLong(.part)) {
            try ServerMessage(decoding: [UInt8](hex: "88 01f0"))
        }
        #expect(throws: WireError.tooLong(.packagePolicy)) {
            try ClientMessage(decoding: [UInt8](hex: "09 0140"))
        }
        #expect(throws: WireError.tooLong(.packagePolicy)) {
            try ServerMessage(decoding: [UInt8](hex: "8a 0140"))
        }
        let notice = "0000000000000000 04"
        #expect(throws: WireError.tooLong(.identifier)) {
            try Delivery(decoding: [UInt8](hex: "\(notice) 05 0100 2f 00 0104"))
        }
        for rest in ["ffffffff", "01010000", "01000000 0104"] {
            #expect(throws: WireError.tooLong(.attributes)) {
                try Delivery(decoding: [UInt8](hex: "\(notice) 07 \(rest)"))
            }
        }
        #expect(peakMemory() - before < memoryBound)
    }

    @Test func `More bytes than a message can have are not looked at`() {
        let message = [UInt8](repeating: 0, count: WireLimits.messageBytes + 1)
        #expect(throws: WireError.tooLong(.message)) { try ClientMessage(decoding: message) }
        #expect(throws: WireError.tooLong(.message)) { try ServerMessage(decoding: message) }
        let body = [UInt8](repeating: 0, count: WireLimits.bodyBytes + 1)
        #expect(throws: WireError.tooLong(.body)) { try ClaimBody(decoding: body) }
        #expect(throws: WireError.tooLong(.body)) { try PresenterBody(decoding: body) }
        #expect(throws: WireError.tooLong(.delivery)) { try Delivery(decoding: body) }
    }

    // MARK: At random

    @Test func `Random mutations neither trap nor swell, and what decodes encodes back`() throws {
        let before = peakMemory()
        let seed = environmentSeed() ?? UInt64.random(in: .min ... .max)
        print("mutation seed: \(seed) (FILECOORDINATION_WIRE_SEED repeats it)")
        var mutator = Mutator(seed: seed)
        var accepted = 0
        for round in 0..<200_000 {
            let golden = Golden.all[round % Golden.all.count]
            let bytes = mutator.mutation(of: golden.bytes)
            guard let decoded = try? golden.sample.decodingAlike(bytes) else { continue }
            accepted += 1
            if decoded.isForeignHello { continue }
            let encoded = try decoded.encode()
            if decoded.isOutcomes {
                try #require(encoded.count == bytes.count, "seed \(seed), round \(round)")
                continue
            }
            try #require(
                encoded == bytes,
                "seed \(seed), round \(round): \(bytes.hex) is not the encoding of \(decoded)")
        }
        // Otherwise the mutations are so strong that they only reach the first check.
        #expect(accepted > 20_000, "seed \(seed)")
        #expect(peakMemory() - before < memoryBound, "seed \(seed)")
    }

    /// What all tests that run at the same time may take, in KiB.
    private let memoryBound = 512 << 10

    /// The most memory that the process had until now, in KiB.
    private func peakMemory() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss
    }

    private func environmentSeed() -> UInt64? {
        getenv("FILECOORDINATION_WIRE_SEED").flatMap { UInt64(String(cString: $0)) }
    }
}

/// Makes bytes wrong in the ways in which bytes go wrong, the same way for the same seed.
private struct Mutator {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(state: seed) }

    /// One to four changes to `bytes`.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&result) }
        return result
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        guard let place = bytes.indices.randomElement(using: &generator) else {
            return bytes.append(UInt8.random(in: .min ... .max, using: &generator))
        }
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
        case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
        case 3: bytes.insert(UInt8.random(in: .min ... .max, using: &generator), at: place)
        case 4: bytes.remove(at: place)
        case 5:
            let end = min(bytes.count, place + Int.random(in: 1...8, using: &generator))
            for index in place..<end { bytes[index] = 0xFF }
        case 6:
            let end = min(bytes.count, place + Int.random(in: 1...16, using: &generator))
            bytes.insert(contentsOf: bytes[place..<end], at: place)
        case let other: preconditionFailure("no change has the number \(other)")
        }
    }
}

/// Vigna's generator: a seed, and from it always the same numbers.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
