// SPDX-License-Identifier: Apache-2.0
//
// The encoding of the entries of a recording: the time, a byte for the kind, and the fields.

import FileCoordinationArbiter

extension TraceEntry: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.moment(time)
        encoder.value(event)
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        self.init(
            time: try decoder.moment(), try decoder.value(TraceEvent.self))
    }
}

extension TracedClaim: WireCoded {
    func write(to encoder: inout MessageEncoder) {
        encoder.integer(claim)
        encoder.integer(client)
        encoder.raw(kind)
        encoder.text(label)
        encoder.list(items, .items, limit: WireLimits.items)
        encoder.numbers(outerClaims.prefix(WireLimits.reportedOuterClaims))
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        claim = try decoder.integer(UInt64.self)
        client = try decoder.integer(UInt32.self)
        kind = try decoder.raw(ClaimKind.self, .claimKind)
        label = try decoder.text()
        items = try decoder.list(of: AccessItem.self, .items, limit: WireLimits.items)
        outerClaims = try decoder.numbers()
    }
}

extension MessageEncoder {
    /// Encodes numbers of claims or presenters.
    mutating func numbers(_ numbers: some Collection<UInt64>) {
        count(numbers.count, .parties)
        for number in numbers { integer(number) }
    }
}

extension MessageDecoder {
    /// Decodes numbers of claims or presenters.
    mutating func numbers() throws(WireError) -> [UInt64] {
        var numbers: [UInt64] = []
        for _ in 0..<(try count(.parties)) { numbers.append(try integer(UInt64.self)) }
        return numbers
    }
}

extension TraceEvent: WireCoded {
    /// The byte for the kind of an event.
    private enum Kind: UInt8 {
        case began = 1
        case client = 2
        case filed = 3
        case found = 4
        case waits = 5
        case granted = 6
        case asked = 7
        case answered = 8
        case questionsRecalled = 9
        case ended = 10
        case endFound = 11
        case cancelled = 12
        case refused = 13
        case inCycle = 14
        case grantWithdrawn = 15
        case claimMoved = 16
        case announced = 17
        case presenterAdded = 18
        case presenterMoved = 19
        case presenterRemoved = 20
        case notified = 21
        case delegated = 22
        case recalled = 23
        case delegationEnded = 24
        case stopped = 25
        case died = 26
        case dropped = 27
        case over = 28
    }

    private var kind: Kind {
        switch self {
        case .began: .began
        case .client: .client
        case .filed: .filed
        case .found: .found
        case .waits: .waits
        case .granted: .granted
        case .asked: .asked
        case .answered: .answered
        case .questionsRecalled: .questionsRecalled
        case .ended: .ended
        case .endFound: .endFound
        case .cancelled: .cancelled
        case .refused: .refused
        case .inCycle: .inCycle
        case .grantWithdrawn: .grantWithdrawn
        case .claimMoved: .claimMoved
        case .announced: .announced
        case .presenterAdded: .presenterAdded
        case .presenterMoved: .presenterMoved
        case .presenterRemoved: .presenterRemoved
        case .notified: .notified
        case .delegated: .delegated
        case .recalled: .recalled
        case .delegationEnded: .delegationEnded
        case .stopped: .stopped
        case .died: .died
        case .dropped: .dropped
        case .over: .over
        }
    }

    func write(to encoder: inout MessageEncoder) {
        encoder.raw(kind)
        switch self {
        case .began, .over: break
        case .questionsRecalled(let number), .endFound(let number), .cancelled(let number),
            .refused(let number), .grantWithdrawn(let number), .presenterRemoved(let number),
            .recalled(let number), .dropped(let number):
            encoder.integer(number)
        case .died(let client): encoder.integer(client)
        case .stopped(let client, let isStopped):
            encoder.integer(client)
            encoder.bool(isStopped)
        case .client(let client, let processID, let name, let label):
            encoder.integer(client)
            encoder.processID(processID)
            encoder.text(name)
            encoder.text(label)
        case .filed(let claim): encoder.value(claim)
        case .found(let claim, let age):
            encoder.value(claim)
            encoder.span(age)
        case .granted(let claim, let isUnreported):
            encoder.integer(claim)
            encoder.bool(isUnreported)
        case .ended(let claim, let outcomes):
            encoder.integer(claim)
            encoder.count(outcomes.count, .outcomes, limit: WireLimits.items)
            for outcome in outcomes { encoder.raw(outcome) }
        case .inCycle(let claim, let others):
            encoder.integer(claim)
            encoder.numbers(others)
        case .delegationEnded(let delegation, let turns):
            encoder.integer(delegation)
            encoder.integer(turns)
        case .waits, .asked, .answered, .claimMoved, .announced, .presenterAdded, .presenterMoved,
            .notified, .delegated:
            writeLonger(to: &encoder)
        }
    }

    private func writeLonger(to encoder: inout MessageEncoder) {
        switch self {
        case .waits(let claim, let claims, let presenters, let count):
            encoder.integer(claim)
            encoder.numbers(claims)
            encoder.numbers(presenters)
            encoder.integer(count)
        case .asked(let presenter, let claim, let message):
            encoder.integer(presenter)
            encoder.integer(claim)
            encoder.text(message)
        case .answered(let presenter, let claim, let isRefusal):
            encoder.integer(presenter)
            encoder.integer(claim)
            encoder.bool(isRefusal)
        case .claimMoved(let claim, let paths), .announced(let claim, let paths):
            encoder.integer(claim)
            encoder.list(paths, .items, limit: 2 * WireLimits.items)
        case .presenterAdded(let presenter, let client, let path, let label):
            encoder.integer(presenter)
            encoder.integer(client)
            encoder.optional(path) { $0.value($1) }
            encoder.text(label)
        case .presenterMoved(let presenter, let path):
            encoder.integer(presenter)
            encoder.optional(path) { $0.value($1) }
        case .notified(let presenter, let notice, let claim, let isPlain):
            encoder.integer(presenter)
            encoder.raw(notice)
            encoder.optional(claim) { $0.integer($1) }
            encoder.bool(isPlain)
        case .delegated(let delegation, let mode, let path, let clients):
            encoder.integer(delegation)
            encoder.raw(mode)
            encoder.value(path)
            encoder.count(clients.count, .parties)
            for client in clients { encoder.integer(client) }
        case .began, .client, .filed, .found, .granted, .questionsRecalled, .ended, .endFound,
            .cancelled, .refused, .inCycle, .grantWithdrawn, .presenterRemoved, .recalled,
            .delegationEnded, .stopped, .died, .dropped, .over:
            break
        }
    }

    init(from decoder: inout MessageDecoder) throws(WireError) {
        let byte = try decoder.integer(UInt8.self)
        guard let kind = Kind(rawValue: byte) else { throw .unknownKind(byte) }
        switch kind {
        case .began: self = .began
        case .over: self = .over
        case .questionsRecalled: self = .questionsRecalled(try decoder.integer(UInt64.self))
        case .endFound: self = .endFound(try decoder.integer(UInt64.self))
        case .cancelled: self = .cancelled(try decoder.integer(UInt64.self))
        case .refused: self = .refused(try decoder.integer(UInt64.self))
        case .grantWithdrawn: self = .grantWithdrawn(try decoder.integer(UInt64.self))
        case .presenterRemoved: self = .presenterRemoved(try decoder.integer(UInt64.self))
        case .recalled: self = .recalled(try decoder.integer(UInt64.self))
        case .dropped: self = .dropped(try decoder.integer(UInt64.self))
        case .died: self = .died(try decoder.integer(UInt32.self))
        case .stopped: self = .stopped(try decoder.integer(UInt32.self), try decoder.bool())
        case .client:
            self = .client(
                try decoder.integer(UInt32.self), processID: try decoder.processID(),
                name: try decoder.text(), label: try decoder.text())
        case .filed: self = .filed(try decoder.value(TracedClaim.self))
        case .found:
            self = .found(
                try decoder.value(TracedClaim.self), age: try decoder.span())
        case .granted:
            self = .granted(
                try decoder.integer(UInt64.self), isUnreported: try decoder.bool())
        case .ended:
            let claim = try decoder.integer(UInt64.self)
            var outcomes: [ItemOutcome] = []
            for _ in 0..<(try decoder.count(.outcomes, limit: WireLimits.items)) {
                outcomes.append(try decoder.raw(ItemOutcome.self, .outcomes))
            }
            self = .ended(claim, outcomes: outcomes)
        case .inCycle:
            self = .inCycle(try decoder.integer(UInt64.self), try decoder.numbers())
        case .delegationEnded:
            self = .delegationEnded(
                try decoder.integer(UInt64.self), turns: try decoder.integer(UInt32.self))
        case .waits, .asked, .answered, .claimMoved, .announced, .presenterAdded, .presenterMoved,
            .notified, .delegated:
            self = try Self.longer(kind, &decoder)
        }
    }

    /// Decodes an event of one of the kinds that ``writeLonger(to:)`` encodes.
    private static func longer(
        _ kind: Kind, _ decoder: inout MessageDecoder
    ) throws(WireError) -> TraceEvent {
        let number = try decoder.integer(UInt64.self)
        switch kind {
        case .waits:
            return .waits(
                number, claims: try decoder.numbers(), presenters: try decoder.numbers(),
                count: try decoder.integer(UInt32.self))
        case .asked:
            return .asked(
                presenter: number, claim: try decoder.integer(UInt64.self),
                message: try decoder.text())
        case .answered:
            return .answered(
                presenter: number, claim: try decoder.integer(UInt64.self),
                isRefusal: try decoder.bool())
        case .claimMoved: return .claimMoved(number, try paths(&decoder))
        case .announced: return .announced(number, try paths(&decoder))
        case .presenterAdded:
            return .presenterAdded(
                number, client: try decoder.integer(UInt32.self), path: try path(&decoder),
                label: try decoder.text())
        case .presenterMoved: return .presenterMoved(number, try path(&decoder))
        case .notified:
            return .notified(
                presenter: number, try decoder.raw(TracedNotice.self, .notice),
                claim: try decoder.optional { (decoder) throws(WireError) in
                    try decoder.integer(UInt64.self)
                }, isPlain: try decoder.bool())
        case .delegated:
            return .delegated(
                number, try decoder.raw(TracedDelegation.self, .flag),
                try decoder.value(ItemPath.self), clients: try clients(&decoder))
        case .began, .client, .filed, .found, .granted, .questionsRecalled, .ended, .endFound,
            .cancelled, .refused, .inCycle, .grantWithdrawn, .presenterRemoved, .recalled,
            .delegationEnded, .stopped, .died, .dropped, .over:
            throw .illegalValue(.message)
        }
    }

    private static func paths(_ decoder: inout MessageDecoder) throws(WireError) -> [ItemPath] {
        try decoder.list(of: ItemPath.self, .items, limit: 2 * WireLimits.items)
    }

    private static func clients(_ decoder: inout MessageDecoder) throws(WireError) -> [UInt32] {
        var clients: [UInt32] = []
        for _ in 0..<(try decoder.count(.parties)) {
            clients.append(try decoder.integer(UInt32.self))
        }
        return clients
    }

    private static func path(_ decoder: inout MessageDecoder) throws(WireError) -> ItemPath? {
        try decoder.optional { (decoder) throws(WireError) in
            try decoder.value(ItemPath.self)
        }
    }
}
