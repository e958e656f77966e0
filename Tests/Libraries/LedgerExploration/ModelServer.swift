// SPDX-License-Identifier: Apache-2.0
//
// A server of the model. It grants a place if no claim that it knows is in the way. All other steps
// are those of the protocol.

import FileCoordinationLedger

/// A server process.
struct ModelServer: Hashable {
    /// What it knows of one record: the word when it last looked, and what the body said.
    struct Knowledge: Hashable {
        var word = RecordWord(rawValue: 0)
        var place = -1
        var isReading = false

        var holds: Bool { word.state == .granted }
        var waits: Bool { word.state == .filed }
        var isOver: Bool { word.state == .released || word.state == .cancelled }
        var isUnreported: Bool { holds && word.flags == .unreported }
    }

    /// A place that it has put into a ticket queue: into the one with the server's own number.
    struct TicketQueue: Hashable {
        enum Stage: Hashable {
            /// Some slots name it by now.
            case forming
            /// The server grants the claims that it knows, as usual.
            case held
            /// The clients take turns, without the server.
            case open
            /// Some slots still name it, or some records have yet to be looked at.
            case ending
        }

        let place: Int
        var stage = Stage.forming
        /// The server's own number.
        var ticket: QueueTicket?
        /// The clients whose slots name the ticket queue, as bits.
        var members = 0
        /// Whether a new claim has been filed for which the queue may have to end.
        var hasNews = false
        /// Whether the queue must end, so that the server decides about the place again.
        var mustEnd = false

        /// A client's bit is set until everything is known of its claims.
        func has(_ client: Int) -> Bool { members & 1 << client != 0 }
    }

    /// What to do when a body has been read.
    enum AfterBody: Hashable {
        case scan(isHello: Bool)
        case serve
        case requestReport(place: Int)
    }

    /// The place of a procedure that asks for the report of one record's release only.
    static let noPlace = -1

    /// Where it is.
    enum Phase: Hashable {
        case absent
        case raising(RaiseGlobalEpoch)
        case listing
        case raisingLedger(Int, Planted<RaiseLedger>)
        case scanning(Int, record: Int, isHello: Bool)
        case readingBody(Int, record: Int, RecordWord, AfterBody)
        case serving
        case messaging(Int, record: Int)
        case granting(Int, record: Int, Planted<GrantClaim>)
        case withdrawing(Int, record: Int, Planted<WithdrawGrant>)
        case reaping(Int, record: Int, Planted<ReapRecord>)
        case delegating(Int, place: Int, Planted<DelegateSlot>)
        case revoking(Int, place: Int, RevokeSlot)
        case caring(Int, place: Int, record: Int, RequestReleaseReport)
        case renewing(RenewTicketQueue)
        case opening(PassTurn)
        /// About to see whether any client has a number in the ticket queue that it holds.
        case checkingLine
        case deposed
    }

    var phase = Phase.absent
    var pending: PlantedOperation?
    var isAlive = true
    var isStopped = false
    var hasForked = false
    var epoch = ServerEpoch.none
    /// The clients whose ledgers it has, as bits.
    var listed = 0
    /// By client and record.
    var knowledge: [Knowledge]
    /// By client and place; not delegated, except for delegations that stand.
    var delegations: [SlotWord]
    /// The ticket queue that it has begun and not ended.
    var ticketQueue: TicketQueue?

    init(clients: Int, records: Int) {
        knowledge = Array(repeating: Knowledge(), count: clients * records)
        delegations = Array(
            repeating: SlotWord(rawValue: 0), count: clients * ModelMemory.slotCount)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(phase)
        hasher.combine(
            (isAlive ? 1 : 0) | (isStopped ? 2 : 0) | (hasForked ? 4 : 0) | listed << 8
                | Int(epoch.rawValue) << 16)
        for known in knowledge {
            hasher.combine(known.word.rawValue)
            hasher.combine(known.place)
            hasher.combine(known.isReading)
        }
        for delegation in delegations { hasher.combine(delegation.rawValue) }
        if let ticketQueue { hasher.combine(ticketQueue) }
    }

    var runs: Bool { isAlive && !isStopped }

    /// Whether it has recovered.
    ///
    /// From then on, the checkers demand that it knows all claims.
    var hasRecovered: Bool {
        switch phase {
        case .absent, .raising, .listing, .raisingLedger, .deposed: false
        case .scanning(_, _, let isHello): isHello
        case .readingBody(_, _, _, .scan(let isHello)): isHello
        case .readingBody, .serving, .messaging, .granting, .withdrawing, .reaping, .delegating,
            .revoking, .caring, .renewing, .opening, .checkingLine:
            true
        }
    }

    /// The client on whose ledger the procedure works.
    var target: Int {
        switch phase {
        case .raisingLedger(let client, _), .granting(let client, _, _),
            .withdrawing(let client, _, _), .reaping(let client, _, _),
            .delegating(let client, _, _),
            .revoking(let client, _, _), .caring(let client, _, _, _),
            .scanning(let client, _, _), .readingBody(let client, _, _, _),
            .messaging(let client, _):
            client
        // The phases that work on no client's ledger.
        case .absent, .raising, .listing, .serving, .renewing, .opening, .checkingLine, .deposed: 0
        }
    }

    /// Enters a procedure, and gets the first operation that it requests.
    mutating func enter(_ phase: Phase) {
        self.phase = phase
        _ = resume(observing: 0)
    }

    /// Gives the procedure the observed value; returns its outcome if it is finished.
    mutating func resume(observing value: UInt64) -> ServerOutcome? {
        pending = nil
        switch phase {
        case .raising(var procedure):
            let step = procedure.advance(observing: value)
            phase = .raising(procedure)
            return settle(step).map { .raised($0) }
        case .raisingLedger(let client, var procedure):
            let step = procedure.advance(observing: value)
            phase = .raisingLedger(client, procedure)
            return settle(step).map { .raisedLedger(client, $0) }
        case .granting(let client, let record, var procedure):
            let step = procedure.advance(observing: value)
            phase = .granting(client, record: record, procedure)
            return settle(step).map { .granted(client, record: record, $0) }
        case .withdrawing(let client, let record, var procedure):
            let step = procedure.advance(observing: value)
            phase = .withdrawing(client, record: record, procedure)
            return settle(step).map { .withdrawn(client, record: record, $0) }
        case .reaping(let client, let record, var procedure):
            let step = procedure.advance(observing: value)
            phase = .reaping(client, record: record, procedure)
            return settle(step).map { _ in .reaped(client, record: record) }
        case .delegating(let client, let place, var procedure):
            let step = procedure.advance(observing: value)
            phase = .delegating(client, place: place, procedure)
            return settle(step).map { .delegated(client, place: place, $0) }
        case .revoking(let client, let place, var procedure):
            let step = procedure.advance(observing: value)
            phase = .revoking(client, place: place, procedure)
            return settle(step).map { _ in .revoked(client, place: place) }
        case .caring(let client, let place, let record, var procedure):
            let step = procedure.advance(observing: value)
            phase = .caring(client, place: place, record: record, procedure)
            return settle(step).map { .reportsRelease(client, place: place, record: record, $0) }
        case .renewing(var procedure):
            let step = procedure.advance(observing: value)
            phase = .renewing(procedure)
            return settle(step).map { .renewed($0.ticket) }
        case .opening(var procedure):
            let step = procedure.advance(observing: value)
            phase = .opening(procedure)
            return settle(step).map { _ in .opened }
        case .absent, .listing, .scanning, .readingBody, .serving, .messaging, .checkingLine,
            .deposed:
            return nil
        }
    }

    private mutating func settle<Outcome>(_ step: ProcedureStep<Outcome>) -> Outcome? {
        switch step {
        case .perform(let operation): settle(PlantedStep.perform(.sound(operation)))
        case .finished(let outcome): outcome
        }
    }

    private mutating func settle<Outcome>(_ step: PlantedStep<Outcome>) -> Outcome? {
        switch step {
        case .perform(let operation):
            pending = operation
            return nil
        case .finished(let outcome):
            return outcome
        }
    }
}

/// How a server's procedure ended.
enum ServerOutcome {
    case raised(ServerEpoch?)
    case raisedLedger(Int, RaiseLedger.Outcome)
    case granted(Int, record: Int, GrantClaim.Outcome)
    case withdrawn(Int, record: Int, Bool)
    case reaped(Int, record: Int)
    case delegated(Int, place: Int, SlotWord?)
    case revoked(Int, place: Int)
    case reportsRelease(Int, place: Int, record: Int, RecordWord)
    case renewed(QueueTicket)
    case opened
}
