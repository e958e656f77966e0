// SPDX-License-Identifier: Apache-2.0
//
// What goes in comes out: at the edges of every field, and just inside every limit.

import FileCoordinationArbiter
import FileCoordinationWire
import Testing

/// Values survive being encoded.
struct RoundTripTests {
    private let record = RecordReference(index: 0, generation: .max)

    private func survives(_ sample: Sample) throws -> Bool {
        try sample.decodingAlike(sample.encode()) == sample
    }

    @Test func `Client messages survive at their limits`() throws {
        let longest = [UInt8](repeating: 0xFF, count: WireLimits.failureBytes)
        var messages: [ClientMessage] = [
            .hello(Hello(ledgerName: [])),
            .hello(Hello(ledgerName: [UInt8](repeating: 0xFE, count: WireLimits.ledgerNameBytes))),
            .filed(RecordReference(index: .max, generation: 0)),
            .answered(presenter: record, claim: .max, failure: longest),
            .answered(presenter: record, claim: 0, failure: []),
            .madeWay([]),
            .madeWay(
                [PresenterAnswer](
                    repeating: PresenterAnswer(presenter: record, claim: .max),
                    count: WireLimits.answers)),
            .announced(RecordReference(index: .max, generation: .max)),
            .packagePolicy([]),
            .packagePolicy([UInt8](repeating: 0, count: WireLimits.packagePolicyBytes)),
        ]
        messages += [DismissedParty.claim(.max), .presenter(0)].map {
            .dismiss(Dismissal($0, author: "", reason: "Grüße"))
        }
        let path = try #require(ItemPath("/a"))
        let left = ItemProperties(
            device: .max, inode: 1, mode: 0o100644, owner: 1, group: 2, size: .max,
            modified: .min, changed: .max, linkCount: 1)
        messages += [
            .askForWriter(record, path, left: nil), .askForWriter(record, path, left: left),
        ]
        for message in messages { #expect(try survives(.client(message))) }
    }

    @Test func `Server messages survive at their limits`() throws {
        let part = [UInt8](repeating: 0, count: WireLimits.statusPartBytes)
        var messages: [ServerMessage] = [
            .failed(record, failure: [UInt8](repeating: 1, count: WireLimits.failureBytes)),
            .deliveries([]), .statusPart(part, isLast: true), .deliveryPart(part, isLast: false),
            .welcome(
                Welcome(
                    epoch: .max, processID: .max, kind: .daemon,
                    packagePolicy: [UInt8](repeating: 2, count: WireLimits.packagePolicyBytes))),
            .packagePolicy([]),
            .packagePolicy([UInt8](repeating: 3, count: WireLimits.packagePolicyBytes)),
            .refused(Refusal(code: .malformed, text: "")), .overLimit(record, text: "Grüße"),
            .refused(
                Refusal(
                    code: .malformed, text: String(repeating: "ß", count: WireLimits.textBytes / 2))
            ),
        ]
        messages += Refusal.Code.allCases.map { .refused(Refusal(code: $0, text: "Grüße")) }
        messages.append(.dismissed(record, author: "Grüße", reason: ""))
        messages.append(.writer(record, nil))
        messages.append(.writer(record, ChangeAuthor(processID: 7, label: "Grüße")))
        messages += DismissalOutcome.allCases.map { .dismissal(.claim(.max), $0) }
        messages += ClaimStage.allCases.map { .explanation(record, stage: $0, parties: []) }
        for message in messages { #expect(try survives(.server(message))) }
    }

    @Test func `Every combination of steps survives`() throws {
        for relinquish in [[], [.reader], [.writer], [.reader, .writer]] as [Relinquishments] {
            for save in [false, true] {
                for accommodate in [false, true] {
                    let steps = YieldSteps(
                        relinquish: relinquish, save: save, accommodateDeletion: accommodate,
                        accommodateEviction: save != accommodate,
                        provideContents: accommodate ? [.of("/a")] : [])
                    let delivery = Delivery(
                        presenter: record, message: .ask(claim: .max, steps))
                    #expect(try survives(.delivery(delivery)))
                }
            }
        }
        for kind in Relinquishment.allCases {
            #expect(
                try survives(.delivery(Delivery(presenter: record, message: .reacquire(kind)))))
        }
    }

    @Test func `Every access survives`() throws {
        let reads = (0..<16).flatMap { bits in
            [bits, bits | 64].map { Access.reading(ReadingOptions(rawValue: $0)) }
        }
        let writes = (UInt8(0)..<32).flatMap { bits in
            [bits, bits | 64].map { Access.writing(WritingOptions(rawValue: $0)) }
        }
        let body = ClaimBody(
            purpose: [UInt8](repeating: 0xF0, count: WireLimits.purposeBytes),
            items: (reads + writes).map {
                AccessItem(
                    path: .of("/a/b"), access: $0, isDirectory: $0.isWriting,
                    packageDepths: [0, 1, 2], lacksContents: !$0.isWriting)
            },
            enclosing: [RecordReference](repeating: record, count: WireLimits.enclosing))
        #expect(try survives(.claimBody(body)))
    }

    @Test func `Every kind of claim survives, with a standpoint and without`() throws {
        let farthest = WireStandpoint(
            presenter: RecordReference(index: .max, generation: 0),
            place: .long(WireLimits.pathBytes))
        for kind in ClaimKind.allCases {
            for standpoint in [nil, farthest, WireStandpoint(presenter: record, place: .of("/"))] {
                let body = ClaimBody(
                    purpose: [], items: [], kind: kind, standpoint: standpoint,
                    isSigned: kind == .preparation)
                #expect(try survives(.claimBody(body)))
            }
        }
    }

    @Test func `All that presenters hear survives at its limits`() throws {
        let name = [UInt8](repeating: 0xFF, count: WireLimits.identifierBytes)
        let longest = ItemPath.long(WireLimits.pathBytes)
        var messages: [PresenterMessage] = [
            .relocated(to: longest, isTold: true), .relocated(to: longest, isTold: false),
            .notice(.subitemDidMove(longest, to: longest)), .notice(.ubiquityAttributes([])),
            .noticeBy(
                ChangeAuthor(processID: .max, label: String(repeating: "x", count: 1024)),
                .subitemDidMove(longest, to: longest)),
            .notice(
                .ubiquityAttributes([[UInt8]](repeating: name, count: WireLimits.attributes))),
        ]
        for fate in VersionFate.allCases {
            let news = VersionNews(fate, identifier: name)
            messages += [.notice(.itemVersion(longest, news))]
            messages += [.notice(.subitemVersion(longest, news))]
        }
        for message in messages {
            #expect(try survives(.delivery(Delivery(presenter: record, message: message))))
        }
    }

    @Test func `A claim of as many items as there may be survives`() throws {
        let item = AccessItem(path: .of("/a"), access: .writing(.plain))
        var body = ClaimBody(
            purpose: [], items: [AccessItem](repeating: item, count: WireLimits.items))
        #expect(try survives(.claimBody(body)))
        body.items.append(item)
        #expect(throws: WireError.tooLong(.items)) { try body.encodeChecked() }
    }

    @Test func `Each method of a presenter survives`() throws {
        for bit in 0..<18 {
            let body = PresenterBody(
                purpose: [], path: nil, methods: PresenterMethods(rawValue: 1 << bit))
            #expect(try survives(.presenterBody(body)))
        }
    }

    @Test func `Path bytes that are not UTF-8 survive`() throws {
        let name: [UInt8] = [0xFF, 0x80, 0x0A, 0xC3, 0x28, 0xED, 0xA0, 0x80]
        let path = try #require(ItemPath(components: [[UInt8](text: "a"), name]))
        let item = AccessItem(path: path, access: .reading([]))
        let samples: [Sample] = [
            .claimBody(ClaimBody(purpose: name, items: [item])),
            .presenterBody(PresenterBody(purpose: name, path: path.bytes, methods: [])),
            .delivery(Delivery(presenter: record, message: .notice(.subitemDidChange(path)))),
        ]
        for sample in samples { #expect(try survives(sample)) }
    }

    @Test func `Two spellings of one character stay two paths`() throws {
        let composed = ItemPath.of("/\u{E9}")
        let decomposed = ItemPath.of("/e\u{301}")
        let body = ClaimBody(
            purpose: [],
            items: [composed, decomposed].map { AccessItem(path: $0, access: .reading([])) })
        let decoded = try ClaimBody(decoding: body.encode())
        #expect(decoded.items[0].path == composed)
        #expect(decoded.items[0].path != decoded.items[1].path)
    }

    // MARK: Beyond the limits

    @Test func `A text that is too long is cut between two characters`() throws {
        let text = "x" + String(repeating: "ß", count: WireLimits.textBytes)
        let message = ServerMessage.refused(Refusal(code: .badLedger, text: text))
        guard case .refused(let refusal) = try ServerMessage(decoding: message.encode()) else {
            return #expect(Bool(false), "it is a refusal")
        }
        #expect(refusal.text.utf8.count == WireLimits.textBytes - 1)
        #expect(text.hasPrefix(refusal.text))
    }

    @Test func `An explanation carries as many parties as fit`() throws {
        let party = Party(
            claim: 1, presenter: nil, processID: 1, processName: "hog", purpose: [],
            path: ItemPath.long(WireLimits.pathBytes).bytes, role: .waiter, since: .nanoseconds(1),
            message: nil, isStopped: false)
        let message = ServerMessage.explanation(
            record, stage: .waiting, parties: [Party](repeating: party, count: 1000))
        let bytes = message.encode()
        guard case .explanation(_, _, let parties) = try ServerMessage(decoding: bytes) else {
            return #expect(Bool(false), "it is an explanation")
        }
        #expect(parties.count == 15)
        #expect(bytes.count <= WireLimits.messageBytes)
    }

    @Test func `A report that is encoded bit by bit is the same`() throws {
        let arbiter = ServerStatus(
            processID: 1, kind: .embedded, uptime: .nanoseconds(2), protocolVersion: 3)
        let claims = (1...300).map { number in
            FileCoordinationWire.ClaimStatus(
                claim: number, processID: 2, processName: "editor", purpose: [1, 2],
                stage: .waiting, since: .nanoseconds(number), isStopped: false,
                items: [AccessItem(path: .of("/a"), access: .writing(.plain))], waitsFor: [])
        }
        let presenters = (1...3).map { number in
            FileCoordinationWire.PresenterStatus(
                presenter: number, processID: 4, processName: "viewer", path: nil,
                isUnresponsive: false, isStopped: true)
        }
        let delegations = DelegationKind.allCases.map { kind in
            DelegationStatus(
                processID: 5, processName: "sync", label: "l", path: [UInt8](text: "/a"),
                kind: kind)
        }
        for (claims, presenters, delegations) in [
            (claims, presenters, delegations), ([], presenters, []), (claims, [], delegations),
            ([], [], []),
        ] {
            let report = StatusReport(
                arbiter: arbiter, claims: claims, presenters: presenters, delegations: delegations)
            var text = StatusReportText(arbiter: arbiter)
            for claim in claims { text.add(claim) }
            text.beginPresenters()
            for presenter in presenters { text.add(presenter) }
            text.beginDelegations()
            for delegation in delegations { text.add(delegation) }
            var parts: [ServerMessage] = []
            while let part = text.nextPart() { parts.append(part) }
            #expect(parts == ServerMessage.packing(report))
        }
    }

    @Test func `A process number that cannot be one becomes unknown`() throws {
        let report = StatusReport(
            arbiter: ServerStatus(
                processID: -1, kind: .daemon, uptime: .zero, protocolVersion: 1),
            claims: [], presenters: [])
        #expect(try StatusReport(decoding: report.encode()).arbiter.processID == 0)
    }

    @Test func `What no decoder accepts is not encoded`() {
        let tooLong = [UInt8](repeating: 0x61, count: 65536)
        func body(_ item: AccessItem) -> ClaimBody { ClaimBody(purpose: [], items: [item]) }
        #expect(throws: WireError.tooLong(.purpose)) {
            try ClaimBody(purpose: tooLong, items: []).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.answers)) {
            let answer = PresenterAnswer(presenter: record, claim: 1)
            let tooMany = [PresenterAnswer](repeating: answer, count: WireLimits.answers + 1)
            return try ClientMessage.madeWay(tooMany).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.failure)) {
            try ClientMessage.answered(presenter: record, claim: 1, failure: tooLong)
                .encodeChecked()
        }
        #expect(throws: WireError.illegalValue(.path)) {
            try PresenterBody(purpose: [1], path: [UInt8](text: "a/b"), methods: []).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.path)) {
            try body(AccessItem(path: .long(4097), access: .reading([]))).encodeChecked()
        }
        for depths in [[2], [1, 1], [1, 0], [-1], [1, 2, 3]] {
            #expect(throws: WireError.illegalValue(.packageDepths)) {
                try body(
                    AccessItem(path: .of("/a"), access: .reading([]), packageDepths: depths)
                ).encodeChecked()
            }
        }
        #expect(throws: WireError.illegalValue(.access)) {
            try body(AccessItem(path: .of("/a"), access: .reading(ReadingOptions(rawValue: 16))))
                .encodeChecked()
        }
        #expect(throws: WireError.illegalValue(.methods)) {
            try PresenterBody(purpose: [], path: nil, methods: PresenterMethods(rawValue: 1 << 19))
                .encodeChecked()
        }
        let policy = [UInt8](repeating: 0, count: WireLimits.packagePolicyBytes + 1)
        #expect(throws: WireError.tooLong(.packagePolicy)) {
            try ServerMessage.packagePolicy(policy).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.packagePolicy)) {
            try ClientMessage.packagePolicy(policy).encodeChecked()
        }
        #expect(throws: WireError.tooLong(.path)) {
            try ClaimBody(
                purpose: [], items: [],
                standpoint: WireStandpoint(presenter: record, place: .long(4097))
            ).encodeChecked()
        }
        let items = [AccessItem](
            repeating: AccessItem(path: .long(4096), access: .reading([])), count: 2048)
        #expect(throws: WireError.tooLong(.body)) {
            try ClaimBody(purpose: [], items: items).encodeChecked()
        }
    }

    @Test func `To encode what no decoder accepts, unchecked, ends the process`() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientMessage.hello(Hello(ledgerName: [0x2F])).encode()
        }
    }
}
