// SPDX-License-Identifier: Apache-2.0
//
// One value of each kind that has an encoding, so that the fuzzer need not find out by itself what
// messages look like.

import FileCoordinationArbiter
import FileCoordinationWire

enum DecoderSeeds {
    static var all: [[UInt8]] {
        clientMessages.map { input(.clientMessage, $0.encode()) }
            + serverMessages.map { input(.serverMessage, $0.encode()) }
            + deliveries.map { input(.delivery, $0.encode()) }
            + logs.map { input(.log, $0) }
            + [
                input(.claimBody, claim.encode()), input(.presenterBody, presenter.encode()),
                input(.statusReport, report.encode()),
                input(.supplement, supplement.encode()),
                input(.relocations, placeFrames), input(.parts, [1, 7, 1, 2, 0, 8, 9, 15]),
            ]
    }

    private static func input(_ kind: DecoderTarget.Kind, _ bytes: [UInt8]) -> [UInt8] {
        [kind.rawValue] + bytes
    }

    static let record = RecordReference(index: 7, generation: 3)
    static let root = place([])
    static let near = place(["a"])
    static let far = place(["a", "b.rtfd", "c"])

    static func place(_ names: [String]) -> ItemPath {
        guard let path = ItemPath(components: names.map { Array($0.utf8) }) else {
            preconditionFailure("\(names) is no path")
        }
        return path
    }

    static let items = [
        AccessItem(path: near, access: .reading([.withoutChanges, .forUploading])),
        AccessItem(path: far, access: .writing(.moving), isDirectory: true, packageDepths: [1, 2]),
    ]

    static let claim = ClaimBody(
        purpose: [0x70], items: items, enclosing: [record], kind: .preparation,
        standpoint: WireStandpoint(presenter: record, place: near), blocksCaller: true)

    private static let supplement = RecordSupplement(
        label: "l", outer: [OuterClaim(ledgerName: Array("1-a.ledger".utf8), record: record)])

    static let presenter = PresenterBody(
        purpose: [0x70], path: far.bytes, methods: .all, answerTimeout: .milliseconds(1))

    private static let clientMessages: [ClientMessage] = [
        .hello(Hello(ledgerName: Array("1-a.ledger".utf8))),
        .hello(Hello(version: 9, ledgerName: [])),
        .filed(record), .ended(record), .announced(record),
        .answered(presenter: record, claim: 5, failure: nil),
        .answered(presenter: record, claim: 5, failure: [0x7B, 0x7D]), .explain(record),
        .askForWriter(record, far, left: nil),
        .madeWay([PresenterAnswer(presenter: record, claim: 5)]),
        .statusRequest, .record(true), .handOver,
        .dismiss(Dismissal(.claim(3), author: "a", reason: "r")),
        .dismiss(Dismissal(.presenter(3), author: "", reason: "")),
        .packagePolicy(Array("package a\n".utf8)),
    ]

    private static let party = Party(
        claim: 1, presenter: nil, processID: 99, processName: "p", purpose: [1], path: near.bytes,
        role: .holder, since: .nanoseconds(5), message: "m", isStopped: true)

    private static let serverMessages: [ServerMessage] =
        [
            .welcome(Welcome(epoch: 4, processID: 9, kind: .daemon, packagePolicy: [0x23])),
            .refused(Refusal(code: .malformed, text: "no")), .granted(record),
            .failed(record, failure: [0x7B]), .inCycle(record, parties: [party]),
            .explanation(record, stage: .asking, parties: [party, party]),
            .explanation(record, stage: nil, parties: []), .retiring, .writer(record, nil),
            .writer(record, ChangeAuthor(processID: 3, label: "w")),
            .deliveryPart([1, 2, 3], isLast: false), .statusPart([1], isLast: true),
            .packagePolicy([0x23]),
            .trace([1, 2, 3]), .dismissed(record, author: "a", reason: "r"),
            .dismissal(.claim(3), .running), .dismissal(.presenter(3), .passedOver),
        ] + ServerMessage.packing(deliveries)

    private static let news = VersionNews(.resolved, identifier: [1, 2])

    private static let deliveries: [Delivery] =
        [
            .ask(
                claim: 3,
                YieldSteps(
                    relinquish: [.reader, .writer], save: true, accommodateDeletion: true,
                    accommodateSubitemDeletions: [far, near])),
            .withdrawQuestion(claim: 3), .reacquire(.writer), .relocated(to: far, isTold: true),
            .notice(.itemDidChange), .notice(.subitemDidAppear(far)),
            .notice(.subitemDidChange(far)),
            .notice(.subitemDidMove(near, to: far)), .notice(.itemVersion(near, news)),
            .notice(.subitemVersion(far, news)), .notice(.ubiquityAttributes([[1], [2, 3]])),
            .noticeBy(ChangeAuthor(processID: 7, label: "sync"), .subitemDidChange(far)),
            .relocatedBy(ChangeAuthor(processID: 8, label: ""), to: near),
        ].map { Delivery(presenter: record, message: $0) }

    static let announcements: [Announcement] = [
        .moved([ItemMove(from: near, to: far, newPackageDepths: [2])]),
        .moved([
            ItemMove(from: far, oldPackageDepths: [2], to: place(["z"])),
            ItemMove(from: place(["z"]), to: far),
        ]),
        .versionChanged(far, news), .ubiquityAttributesChanged(near, [[1], []]),
    ]

    private static let logs: [[UInt8]] = {
        let entries = announcements.map { ClaimLogEntry.announced($0) }
        let all = entries + [.outcomes([.unchanged, .changed, .created, .deleted])]
        return all.compactMap { try? $0.encodeChecked() }
            + [all.flatMap { (try? $0.encodeChecked()) ?? [] }]
    }()

    private static let report = StatusReport(
        arbiter: ServerStatus(
            processID: 1, kind: .daemon, uptime: .nanoseconds(5), protocolVersion: 1),
        claims: [
            ClaimStatus(
                claim: 5, processID: 8, processName: "p", purpose: [1], stage: .waiting,
                since: .nanoseconds(1), isStopped: false, items: items, waitsFor: [party],
                kind: .preparation, outerClaims: [3, 4])
        ],
        presenters: [
            PresenterStatus(
                presenter: 6, processID: 8, processName: "q", path: near.bytes,
                isUnresponsive: true, isStopped: false, watching: .remote,
                methods: [.save, .itemDidMove], relinquished: [.writer])
        ],
        delegations: [
            DelegationStatus(
                processID: 8, processName: "r", label: "l", path: near.bytes, kind: .queue)
        ])

    static let placeFrames: [UInt8] = {
        let together = [
            RelocationEntry(serial: 1, .presenter(far, isTold: true)),
            RelocationEntry(serial: 2, .claim(items)),
        ]
        let single = [
            RelocationEntry(serial: 2, .handled(17)),
            RelocationEntry(serial: 2, .moved(MovedItems(own: [nil] + items, others: items))),
            RelocationEntry(serial: 0, .packages([0x23, 0x0A])),
        ]
        return ([together] + single.map { [$0] })
            .flatMap { (try? RelocationEntry.encodeChecked($0)) ?? [] }
    }()
}
