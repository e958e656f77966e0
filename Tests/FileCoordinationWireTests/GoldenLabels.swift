// SPDX-License-Identifier: Apache-2.0
//
// The bytes of reports, and of what records say beside their bodies.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

extension Golden {
    static let labels = [
        Golden(
            "a status report",
            .report(
                StatusReport(
                    arbiter: ServerStatus(
                        processID: 1, kind: .daemon, uptime: .milliseconds(1500),
                        protocolVersion: 4),
                    claims: [
                        FileCoordinationWire.ClaimStatus(
                            claim: 7, processID: 2, processName: "editor",
                            purpose: [UInt8](text: "p"), stage: .waiting, since: .nanoseconds(1),
                            isStopped: false,
                            items: [AccessItem(path: .of("/a"), access: .writing(.deleting))],
                            waitsFor: [holder], waitsForCount: 9,
                            label: "ed", kind: .preparation, outerClaims: [5, 6])
                    ],
                    presenters: [
                        FileCoordinationWire.PresenterStatus(
                            presenter: 5, processID: 6, processName: "viewer", path: nil,
                            isUnresponsive: true, isStopped: false, label: "v",
                            watching: .forbidden, methods: [.save, .itemDidMove],
                            relinquished: [.reader, .writer])
                    ],
                    delegations: [
                        DelegationStatus(
                            processID: 8, processName: "sync", label: "s",
                            path: [UInt8](text: "/d"), kind: .directory)
                    ])),
            """
            01000000 00 002f685900000000 0400
            01000000 0700000000000000 02000000 0600 656469746f72 0100 70 00 0100000000000000 00
              01000000 0200 2f61 01 01 00 00000000 01000000 \(holderHex) 09000000 0200 6564
              01 02000000 0500000000000000 0600000000000000
            01000000 0500000000000000 06000000 0600 766965776572 00 01 00 0100 76 02
              44000000 03
            01000000 08000000 0400 73796e63 0100 73 0200 2f64 02
            """),
        Golden("trace", .server(.trace([1, 2, 3])), "8f 0300 010203"),
        Golden(
            "a supplement",
            .supplement(
                RecordSupplement(
                    label: "job",
                    outer: [OuterClaim(ledgerName: [UInt8](text: "a.12"), record: record)])),
            "0300 6a6f62 01000000 0400 612e3132 07000000 04030201 00 00"),
        Golden(
            "a supplement of a presenter that wants authors",
            .supplement(RecordSupplement(wantsAuthors: true)), "0000 00000000 00 01"),
    ]
}

/// What records say beside their bodies.
struct RecordSupplementTests {
    @Test func `Nothing to say is no bytes`() {
        #expect(RecordSupplement().encode().isEmpty)
    }

    @Test func `A label is cut between characters`() throws {
        let flags = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 40)
        let cut = Label.cut(flags)
        #expect(cut.utf8.count == Label.byteLimit)
        #expect(flags.hasPrefix(cut))
        #expect(Label.cut("x" + flags).utf8.count == 1 + 14 * 8)
        // One character that is longer than all labels.
        #expect(Label.cut("e" + String(repeating: "\u{301}", count: 100)) == "")
        let supplement = RecordSupplement(label: "x" + flags)
        #expect(try RecordSupplement(decoding: supplement.encode()).label == Label.cut("x" + flags))
    }

    @Test func `Of more claims around it than there is room for the innermost are said`() throws {
        let outer = (0..<20).map {
            OuterClaim(
                ledgerName: [UInt8](text: "4194304-0123456789abcdef.ledger"),
                record: RecordReference(index: $0, generation: 1))
        }
        let label = String(repeating: "x", count: 200)
        let bytes = RecordSupplement(label: label, outer: outer).encode()
        #expect(bytes.count <= WireLimits.supplementBytes)
        let decoded = try RecordSupplement(decoding: bytes)
        #expect(decoded.outer == Array(outer.suffix(WireLimits.outerClaims)))
        #expect(decoded.label.count == Label.byteLimit)
    }
}
