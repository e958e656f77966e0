// SPDX-License-Identifier: Apache-2.0
//
// What servers do in the model.

import FileCoordinationLedger

extension ModelWorld {
    /// The server performs its next operation.
    mutating func stepServer(_ server: Int, _ configuration: ModelConfiguration) {
        let process = process(ofServer: server)
        switch servers[server].phase {
        case .listing:
            list(server, configuration)
        case .scanning(let client, let record, let isHello):
            scan(server, client, record, isHello: isHello)
        case .readingBody(let client, let record, let word, let next):
            readBody(server, client, record, word, then: next, configuration)
        case .messaging(let client, let record):
            let known = servers[server].knowledge[client * configuration.records + record]
            memory.store(
                .message(record, of: client), UInt64(known.word.generation), by: process)
            enterGranting(server, client, record, configuration)
        case .checkingLine:
            checkLine(server)
        case .raising, .raisingLedger, .granting, .withdrawing, .reaping, .delegating, .revoking,
            .caring, .renewing, .opening:
            guard let operation = servers[server].pending,
                let observed = perform(operation, on: servers[server].target, by: process)
            else { preconditionFailure("A server's procedure wants something, and never sleeps") }
            if let outcome = servers[server].resume(observing: observed) {
                finish(server, outcome, configuration)
            }
        case .absent, .serving, .deposed:
            preconditionFailure("Not in a procedure")
        }
    }

    /// Reads the directory: the clients that have a name and are alive.
    private mutating func list(_ server: Int, _ configuration: ModelConfiguration) {
        for client in clients.indices where clients[client].isNamed {
            if !isLockFree(ofClient: client, configuration.fault) {
                servers[server].listed |= 1 << client
            }
        }
        raiseNext(server, after: -1, configuration)
    }

    private mutating func raiseNext(
        _ server: Int, after client: Int, _ configuration: ModelConfiguration
    ) {
        let isRaising = configuration.fault != .noEpochRaise
        if isRaising, let next = listed(server, after: client) {
            servers[server].enter(
                .raisingLedger(
                    next,
                    Planted(
                        RaiseLedger(
                            to: servers[server].epoch, capacity: configuration.records),
                        configuration.fault)))
        } else if let first = listed(server, after: -1) {
            servers[server].phase = .scanning(first, record: 0, isHello: false)
        } else {
            servers[server].phase = .serving
        }
    }

    func listed(_ server: Int, after client: Int) -> Int? {
        ((client + 1)..<max(clients.count, client + 1)).first {
            servers[server].listed & 1 << $0 != 0
        }
    }

    /// Looks at one record after a recovery, or after a client's hello.
    private mutating func scan(_ server: Int, _ client: Int, _ record: Int, isHello: Bool) {
        let process = process(ofServer: server)
        let mark = memory.load(.word(.recordMark, of: client), by: process)
        let value = memory.load(.word(.record(record), of: client), by: process)
        let word = record < Int(mark) ? RecordWord(rawValue: value) : RecordWord(rawValue: 0)
        if word.epoch > servers[server].epoch {
            servers[server].phase = .deposed
            return
        }
        note(server, client, record, word, then: .scan(isHello: isHello))
    }

    /// Handles a word, and reads the body if it matters.
    private mutating func note(
        _ server: Int, _ client: Int, _ record: Int, _ word: RecordWord,
        then next: ModelServer.AfterBody
    ) {
        let count = servers[server].knowledge.count / clients.count
        let index = client * count + record
        switch word.state {
        case .filed, .granted:
            // The server does not decide about claims that wait in its ticket queue.
            if word.epoch == servers[server].epoch, !word.isInTicketQueue {
                servers[server].phase = .readingBody(client, record: record, word, next)
                return
            }
        case .released, .cancelled:
            servers[server].knowledge[index].word = word
        case .free, .draft, nil:
            servers[server].knowledge[index] = ModelServer.Knowledge()
        }
        proceed(server, client, record, count, next)
    }

    private mutating func proceed(
        _ server: Int, _ client: Int, _ record: Int, _ count: Int, _ next: ModelServer.AfterBody
    ) {
        switch next {
        case .serve:
            serve(server)
        case .scan(let isHello):
            if record + 1 < count {
                servers[server].phase = .scanning(client, record: record + 1, isHello: isHello)
            } else if !isHello, let following = listed(server, after: client) {
                servers[server].phase = .scanning(following, record: 0, isHello: false)
            } else {
                serve(server)
            }
        case .requestReport(let place):
            requestReport(server, client, place: place, record: record + 1, count)
        }
    }

    private mutating func readBody(
        _ server: Int, _ client: Int, _ record: Int, _ word: RecordWord,
        then next: ModelServer.AfterBody, _ configuration: ModelConfiguration
    ) {
        let body = memory.load(.body(record, of: client), by: process(ofServer: server))
        servers[server].knowledge[client * configuration.records + record] =
            ModelServer.Knowledge(
                word: word, place: Int(body & ~ModelTask.readingBit) - 1,
                isReading: body & ModelTask.readingBit != 0)
        if word.state == .filed {
            recordNews(server, at: Int(body & ~ModelTask.readingBit) - 1)
        }
        proceed(server, client, record, configuration.records, next)
    }

    mutating func requestReport(
        _ server: Int, _ client: Int, place: Int, record: Int, _ count: Int
    ) {
        if record < count {
            servers[server].enter(
                .caring(
                    client, place: place, record: record,
                    RequestReleaseReport(record: record, epoch: servers[server].epoch)))
        } else if servers[server].ticketQueue?.stage == .ending {
            requestReportsInTicketQueue(server, after: client, count)
        } else if servers[server].delegations[client * ModelMemory.slotCount + place].isDelegated {
            // Only under the fault that scans first.
            enterRevoking(server, client, place)
        } else {
            servers[server].phase = .serving
        }
    }

    mutating func enterRevoking(_ server: Int, _ client: Int, _ place: Int) {
        let delegation = servers[server].delegations[client * ModelMemory.slotCount + place]
        servers[server].enter(
            .revoking(client, place: place, RevokeSlot(slot: place, delegation: delegation)))
    }

    private mutating func enterGranting(
        _ server: Int, _ client: Int, _ record: Int, _ configuration: ModelConfiguration
    ) {
        let known = servers[server].knowledge[client * configuration.records + record]
        servers[server].enter(
            .granting(
                client, record: record,
                Planted(
                    GrantClaim(
                        record: record, generation: known.word.generation,
                        epoch: servers[server].epoch,
                        flags: flags(ofGrantAt: known.place, by: server, configuration)),
                    configuration.fault)))
    }

    private func flags(
        ofGrantAt place: Int, by server: Int, _ configuration: ModelConfiguration
    ) -> RecordFlags {
        if configuration.withdrawals > 0 { return .provisional }
        let waiting = servers[server].knowledge.count { $0.waits && $0.place == place }
        return configuration.isUnreported && waiting == 1 ? .unreported : []
    }

    /// A server acts without having received a message.
    mutating func decide(_ event: ModelEvent, _ configuration: ModelConfiguration) {
        switch event {
        case .takeOver(let server):
            takeOver(server, configuration)
        case .receive(let server, let client):
            servers[server].listed |= 1 << client
            servers[server].phase = .scanning(client, record: 0, isHello: true)
        case .look(let server, let client, let record):
            let value = memory.load(
                .word(.record(record), of: client), by: process(ofServer: server))
            let word = RecordWord(rawValue: value)
            if word.epoch > servers[server].epoch {
                servers[server].phase = .deposed
            } else {
                note(server, client, record, word, then: .serve)
            }
        case .grant(let server, let client, let record):
            if configuration.fault == .grantBeforeWord {
                servers[server].phase = .messaging(client, record: record)
            } else {
                enterGranting(server, client, record, configuration)
            }
            stepServer(server, configuration)
        case .withdraw(let server, let client, let record):
            withdrawals -= 1
            let known = servers[server].knowledge[client * configuration.records + record]
            servers[server].enter(
                .withdrawing(
                    client, record: record,
                    Planted(
                        WithdrawGrant(
                            record: record, generation: known.word.generation,
                            epoch: servers[server].epoch),
                        configuration.fault)))
            stepServer(server, configuration)
        case .reap(let server, let client, let record):
            let known = servers[server].knowledge[client * configuration.records + record]
            servers[server].enter(
                .reaping(
                    client, record: record,
                    Planted(
                        ReapRecord(
                            record: record, generation: known.word.generation,
                            epoch: servers[server].epoch),
                        configuration.fault, generation: known.word.generation)))
            stepServer(server, configuration)
        case .delegate(let server, let client, let place):
            delegations -= 1
            enterDelegating(server, client, place, [], configuration)
        case .share(let server, let client, let place):
            shares -= 1
            enterDelegating(server, client, place, .readsOnly, configuration)
        case .revoke(let server, let client, let place):
            if configuration.fault == .scanBeforeRevoke {
                requestReport(server, client, place: place, record: 0, configuration.records)
            } else {
                enterRevoking(server, client, place)
            }
            stepServer(server, configuration)
        case .requestReport(let server, let client, let record):
            servers[server].enter(
                .caring(
                    client, place: ModelServer.noPlace, record: record,
                    RequestReleaseReport(record: record, epoch: servers[server].epoch)))
            stepServer(server, configuration)
        case .removeClient(let server, let client):
            removeClient(server, client, configuration)
        case .step, .flush, .die, .stop, .resume, .fork, .begin, .expire, .tireOfTicketQueue,
            .believeMessage, .finishAccess, .beginCancelling, .stepCanceller, .beginTicketQueue,
            .openTicketQueue, .endTicketQueue:
            preconditionFailure("Not one of these decisions")
        }
    }

    private mutating func takeOver(_ server: Int, _ configuration: ModelConfiguration) {
        let present = memory.load(
            .word(.globalEpoch, of: 0), by: process(ofServer: server))
        guard configuration.fault == .noEpochRaise, present != 0 else {
            return servers[server].enter(.raising(RaiseGlobalEpoch()))
        }
        servers[server].epoch = ServerEpoch(truncating: present)
        servers[server].phase = .listing
    }

    private mutating func enterDelegating(
        _ server: Int, _ client: Int, _ place: Int, _ terms: SlotTerms,
        _ configuration: ModelConfiguration
    ) {
        let terms = configuration.reportsWrites ? terms.union(.reportsWrites) : terms
        let procedure = Planted(
            DelegateSlot(slot: place, terms: terms, epoch: servers[server].epoch),
            configuration.fault)
        servers[server].enter(.delegating(client, place: place, procedure))
        stepServer(server, configuration)
    }

    private mutating func removeClient(
        _ server: Int, _ client: Int, _ configuration: ModelConfiguration
    ) {
        servers[server].listed &= ~(1 << client)
        for record in 0..<configuration.records {
            servers[server].knowledge[client * configuration.records + record] =
                ModelServer.Knowledge()
        }
        for place in 0..<ModelMemory.slotCount {
            servers[server].delegations[client * ModelMemory.slotCount + place] =
                SlotWord(rawValue: 0)
        }
        removeClientInTicketQueue(server, client)
    }

    private mutating func finish(
        _ server: Int, _ outcome: ServerOutcome, _ configuration: ModelConfiguration
    ) {
        switch outcome {
        case .raised(let epoch):
            servers[server].epoch = epoch ?? .none
            servers[server].phase = .listing
        case .raisedLedger(let client, .raised):
            raiseNext(server, after: client, configuration)
        case .raisedLedger(_, .deposed), .delegated(_, _, nil):
            servers[server].phase = .deposed
        case .granted(let client, let record, .granted):
            let index = client * configuration.records + record
            let known = servers[server].knowledge[index]
            let flags = flags(ofGrantAt: known.place, by: server, configuration)
            servers[server].knowledge[index].word = known.word.with(
                .granted, flags, known.word.epoch)
            servers[server].phase = .serving
        case .withdrawn(let client, let record, let isWithdrawn):
            let index = client * configuration.records + record
            let word = servers[server].knowledge[index].word
            if isWithdrawn {
                servers[server].knowledge[index].word = word.with(.filed, [], word.epoch)
            }
            servers[server].phase = .serving
        case .granted(let client, let record, .refused(let word)):
            servers[server].knowledge[client * configuration.records + record] =
                ModelServer.Knowledge()
            servers[server].phase = word.epoch > servers[server].epoch ? .deposed : .serving
        case .reaped(let client, let record):
            servers[server].knowledge[client * configuration.records + record] =
                ModelServer.Knowledge()
            servers[server].phase = .serving
        case .delegated(let client, let place, .some(let word)):
            servers[server].delegations[client * ModelMemory.slotCount + place] = word
            servers[server].phase = .serving
            if servers[server].ticketQueue?.stage == .forming {
                delegateInTicketQueue(server, after: client)
            }
        case .revoked(let client, let place):
            servers[server].delegations[client * ModelMemory.slotCount + place] =
                SlotWord(rawValue: 0)
            if servers[server].ticketQueue?.stage == .ending {
                revokeInTicketQueue(server, after: client)
            } else if configuration.fault == .scanBeforeRevoke {
                servers[server].phase = .serving
            } else {
                requestReport(server, client, place: place, record: 0, configuration.records)
            }
        case .renewed(let ticket):
            finishRenewing(server, ticket, configuration)
        case .opened:
            servers[server].ticketQueue?.stage = .open
            servers[server].phase = .serving
        case .reportsRelease(let client, ModelServer.noPlace, let record, let word):
            let index = client * configuration.records + record
            let known = servers[server].knowledge[index].word
            let isRunning =
                word.state == .granted && word.flags.contains(.unreported)
                && word.generation == known.generation
            if isRunning {
                servers[server].knowledge[index].word = word
            } else {
                servers[server].knowledge[index] = ModelServer.Knowledge()
            }
            servers[server].phase = word.epoch > servers[server].epoch ? .deposed : .serving
        case .reportsRelease(let client, let place, let record, let word):
            if word.epoch > servers[server].epoch {
                servers[server].phase = .deposed
            } else if word.state == .granted && word.flags.contains(.unreported)
                || waitedInTicketQueue(server, word)
            {
                servers[server].phase = .readingBody(
                    client, record: record, word, .requestReport(place: place))
            } else {
                requestReport(
                    server, client, place: place, record: record + 1, configuration.records)
            }
        }
    }
}
