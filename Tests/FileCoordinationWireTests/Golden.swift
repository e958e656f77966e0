// SPDX-License-Identifier: Apache-2.0
//
// The bytes of version 11, written by hand from its description: a field or two in a group. A
// change here is a change of the protocol, and needs a new version.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

/// A value, and what it must be encoded to.
struct Golden: Sendable, CustomTestStringConvertible {
    var name: String
    var sample: Sample
    var bytes: [UInt8]

    init(_ name: String, _ sample: Sample, _ hex: String) {
        self.name = name
        self.sample = sample
        self.bytes = [UInt8](hex: hex)
    }

    var testDescription: String { name }

    static let all = clientMessages + serverMessages + wholes + bodies + news + labels

    static let record = RecordReference(index: 7, generation: 0x0102_0304)
    static let holder = Party(
        claim: 3, presenter: nil, processID: 4, processName: "sync", purpose: [UInt8](text: "p"),
        path: [UInt8](text: "/a"), role: .holder, since: .milliseconds(250), message: nil,
        isStopped: true, label: "job")
    private static let presenter = Party(
        claim: nil, presenter: 5, processID: 6, processName: "viewer", purpose: [], path: [],
        role: .presenter, since: .zero, message: "savePresentedItemChanges",
        isStopped: false)
    static let holderHex = """
        01 0300000000000000 00 04000000 0400 73796e63 0100 70 01 0200 2f61
        00 80b2e60e00000000 00 01 0300 6a6f62
        """
    private static let presenterHex = """
        00 01 0500000000000000 06000000 0600 766965776572 0000 00
        02 0000000000000000 01 1800 73617665 50726573656e746564 4974656d 4368616e676573 00 0000
        """

    private static let clientMessages = [
        Golden(
            "hello", .client(.hello(Hello(ledgerName: [UInt8](text: "a.12")))),
            "01 0b00 0400 612e3132"),
        Golden("filed", .client(.filed(record)), "02 07000000 04030201"),
        Golden(
            "ended", .client(.ended(RecordReference(index: .max, generation: .max))),
            "03 ffffffff ffffffff"),
        Golden(
            "answered",
            .client(.answered(presenter: record, claim: 0x0102_0304_0506_0708, failure: nil)),
            "04 07000000 04030201 0807060504030201 00"),
        Golden(
            "answered with a failure",
            .client(.answered(presenter: record, claim: 1, failure: [0xDE, 0xAD])),
            "04 07000000 04030201 0100000000000000 01 0200 dead"),
        Golden(
            "madeWay",
            .client(
                .madeWay([
                    PresenterAnswer(presenter: record, claim: 5),
                    PresenterAnswer(presenter: RecordReference(index: 1, generation: 2), claim: 6),
                ])),
            """
            0b 02000000 07000000 04030201 0500000000000000
            01000000 02000000 0600000000000000
            """),
        Golden("explain", .client(.explain(record)), "05 07000000 04030201"),
        Golden(
            "ask for the writer of nothing",
            .client(.askForWriter(record, .of("/a"), left: nil)),
            "0f 07000000 04030201 0200 2f61 00"),
        Golden("statusRequest", .client(.statusRequest), "06"),
        Golden("record", .client(.record(true)), "0d 01"),
        Golden(
            "dismiss", .client(.dismiss(Dismissal(.claim(5), author: "a", reason: "why"))),
            "0e 01 0500000000000000 0100 61 0300 776879"),
        Golden("handOver", .client(.handOver), "07"),
        Golden("announced", .client(.announced(record)), "08 07000000 04030201"),
        Golden(
            "packagePolicy", .client(.packagePolicy([UInt8](text: "a\n"))), "09 0200 610a"),
        Golden(
            "blocked",
            .client(
                .blocked(
                    presenter: RecordReference(index: 1, generation: 2), claim: 5,
                    by: RecordReference(index: 3, generation: 4))),
            "0a 01000000 02000000 01 03000000 04000000 0500000000000000"),
        Golden(
            "blockedNoMore",
            .client(
                .blocked(presenter: RecordReference(index: 1, generation: 2), claim: 5, by: nil)),
            "0a 01000000 02000000 00 0500000000000000"),
    ]

    private static let serverMessages = [
        Golden(
            "welcome",
            .server(
                .welcome(
                    Welcome(
                        epoch: 9, processID: 4242, kind: .embedded, packagePolicy: [1, 2, 3]))),
            "81 09000000 92100000 01 0300 010203"),
        Golden(
            "refused", .server(.refused(Refusal(code: .wrongVersion, text: "no"))),
            "82 01 0200 6e6f"),
        Golden("granted", .server(.granted(record)), "83 07000000 04030201"),
        Golden(
            "failed", .server(.failed(record, failure: [0xBE, 0xEF])),
            "84 07000000 04030201 0200 beef"),
        Golden(
            "overLimit", .server(.overLimit(record, text: "no")), "8d 07000000 04030201 0200 6e6f"),
        Golden(
            "dismissed", .server(.dismissed(record, author: "a", reason: "why")),
            "90 07000000 04030201 0100 61 0300 776879"),
        Golden(
            "dismissal", .server(.dismissal(.presenter(6), .passedOver)),
            "91 02 0600000000000000 01"),
        Golden(
            "deliveries", .server(.deliveries(deliveries)),
            """
            85 06000000
            07000000 04030201 01 0500000000000000 1f
                02000000 0200 2f61 0400 2f612f62 01000000 0200 2f62
            07000000 04030201 02 0500000000000000
            07000000 04030201 03 01
            07000000 04030201 04 01
            07000000 04030201 04 02 0200 2f61
            07000000 04030201 04 03 0100 2f
            """),
        Golden("deliveryPart", .server(.deliveryPart([1, 2], isLast: true)), "86 0200 0102 01"),
        Golden(
            "explanation",
            .server(.explanation(record, stage: .asking, parties: [holder, presenter])),
            "87 07000000 04030201 01 01 02000000 \(holderHex) \(presenterHex)"),
        Golden(
            "explanation of the unknown", .server(.explanation(record, stage: nil, parties: [])),
            "87 07000000 04030201 00 00000000"),
        Golden("unknown writer", .server(.writer(record, nil)), "92 07000000 04030201 00"),
        Golden(
            "writer", .server(.writer(record, ChangeAuthor(processID: 4, label: "job"))),
            "92 07000000 04030201 01 04000000 0300 6a6f62"),
        Golden("statusPart", .server(.statusPart([], isLast: false)), "88 0000 00"),
        Golden("retiring", .server(.retiring), "89"),
        Golden(
            "packagePolicy", .server(.packagePolicy([UInt8](text: "b\n"))), "8a 0200 620a"),
        Golden(
            "skipped", .server(.skipped(RecordReference(index: 1, generation: 2))),
            "8c 01000000 02000000"),
    ]

    private static let deliveries = [
        Delivery(
            presenter: record,
            message: .ask(
                claim: 5,
                YieldSteps(
                    relinquish: [.reader, .writer], save: true, accommodateDeletion: true,
                    accommodateSubitemDeletions: [.of("/a"), .of("/a/b")],
                    accommodateEviction: true, provideContents: [.of("/b")]))),
        Delivery(presenter: record, message: .withdrawQuestion(claim: 5)),
        Delivery(presenter: record, message: .reacquire(.writer)),
        Delivery(presenter: record, message: .notice(.itemDidChange)),
        Delivery(presenter: record, message: .notice(.subitemDidAppear(.of("/a")))),
        Delivery(presenter: record, message: .notice(.subitemDidChange(.of("/")))),
    ]

    private static let wholes = [
        Golden(
            "a delivery", .delivery(deliveries[2]), "07000000 04030201 03 01")
    ]

    private static let bodies = [
        Golden(
            "a claim's body",
            .claimBody(
                ClaimBody(
                    purpose: [UInt8](text: "p"),
                    items: [
                        AccessItem(
                            path: .of("/a/b/c"),
                            access: .reading([.withoutChanges, .forUploading]), isDirectory: true,
                            packageDepths: [2, 3]),
                        AccessItem(path: .of("/"), access: .writing(.metadataOnly)),
                    ],
                    enclosing: [record])),
            """
            0100 70
            02000000 0600 2f612f622f63 00 09 01 02000000 0200 0300
              0100 2f 01 10 00 00000000
            01000000 07000000 04030201
            00 00 00
            """),
        Golden(
            "the body of a claim from a standpoint",
            .claimBody(
                ClaimBody(
                    purpose: [], items: [], kind: .preparation,
                    standpoint: WireStandpoint(presenter: record, place: .of("/a")),
                    blocksCaller: true)),
            "0000 00000000 00000000 01 01 07000000 04030201 0200 2f61 01"),
        Golden(
            "a presenter's body",
            .presenterBody(
                PresenterBody(
                    purpose: [UInt8](text: "p"), path: [UInt8](text: "/a"), methods: .all)),
            "0100 70 01 0200 2f61 ffff0300 00"),
        Golden(
            "the body of a presenter of nothing",
            .presenterBody(PresenterBody(purpose: [], path: nil, methods: [])),
            "0000 00 00000000 00"),
        Golden(
            "the body of a presenter that is passed over after a second",
            .presenterBody(
                PresenterBody(purpose: [], path: nil, methods: [], answerTimeout: .seconds(1))),
            "0000 00 00000000 01 00ca9a3b00000000"),
    ]
}

/// The encoding is what it was.
struct GoldenBytesTests {
    @Test(arguments: Golden.all)
    func `Every value is encoded to its golden bytes`(_ golden: Golden) throws {
        #expect(try golden.sample.encode().hex == golden.bytes.hex)
    }

    @Test(arguments: Golden.all)
    func `Golden bytes are decoded to their value`(_ golden: Golden) throws {
        #expect(try golden.sample.decodingAlike(golden.bytes) == golden.sample)
    }

    @Test func `A hello of another version is decoded as far as its version`() throws {
        for rest in ["", "00", "ffffffff", "0400 612e"] {
            let hello = try ClientMessage(decoding: [UInt8](hex: "01 3412 \(rest)"))
            #expect(hello == .hello(Hello(version: 0x1234, ledgerName: [])))
        }
        #expect(throws: WireError.truncated) {
            try ClientMessage(decoding: [UInt8](hex: "01 34"))
        }
    }

    @Test func `No message of one direction is one of the other`() {
        for golden in Golden.all {
            switch golden.sample {
            case .client:
                #expect(throws: WireError.unknownKind(golden.bytes[0])) {
                    try ServerMessage(decoding: golden.bytes)
                }
            case .server:
                #expect(throws: WireError.unknownKind(golden.bytes[0])) {
                    try ClientMessage(decoding: golden.bytes)
                }
            case .delivery, .report, .claimBody, .presenterBody, .logEntry, .relocationEntry,
                .supplement:
                break
            }
        }
    }
}
