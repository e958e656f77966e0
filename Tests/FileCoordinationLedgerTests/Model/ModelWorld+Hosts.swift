// SPDX-License-Identifier: Apache-2.0
//
// What hosts do in the model.

import FileCoordinationLedger

extension ModelWorld {
    /// The host performs its next operation.
    mutating func stepHost(_ host: Int, _ configuration: ModelConfiguration) {
        let process = process(ofHost: host)
        switch hosts[host].phase {
        case .listing:
            list(host, configuration)
        case .scanning(let client, let record, let isHello):
            scan(host, client, record, isHello: isHello)
        case .readingBody(let client, let record, let word, let next):
            readBody(host, client, record, word, then: next, configuration)
        case .messaging(let client, let record):
            let known = hosts[host].knowledge[client * configuration.records + record]
            memory.store(
                .message(record, of: client), UInt64(known.word.generation), by: process)
            enterGranting(host, client, record, configuration)
        case .checkingLine:
            checkLine(host)
        case .raising, .raisingLedger, .granting, .withdrawing, .reaping, .delegating, .revoking,
            .caring, .renewing, .opening:
            guard let operation = hosts[host].pending,
                let observed = perform(operation, on: hosts[host].target, by: process)
            else { preconditionFailure("A host's procedure wants something, and never sleeps") }
            if let outcome = hosts[host].resume(observing: observed) {
                finish(host, outcome, configuration)
            }
        case .absent, .serving, .deposed:
            preconditionFailure("Not in a procedure")
        }
    }

    /// Reads the directory: the clients that have a name and are alive.
    private mutating func list(_ host: Int, _ configuration: ModelConfiguration) {
        for client in clients.indices where clients[client].isNamed {
            if !isLockFree(ofClient: client, configuration.fault) {
                hosts[host].listed |= 1 << client
            }
        }
        raiseNext(host, after: -1, configuration)
    }

    private mutating func raiseNext(
        _ host: Int, after client: Int, _ configuration: ModelConfiguration
    ) {
        let isRaising = configuration.fault != .noEpochRaise
        if isRaising, let next = listed(host, after: client) {
            hosts[host].enter(
                .raisingLedger(
                    next,
                    RaiseLedger(
                        to: hosts[host].epoch, capacity: configuration.records,
                        fault: configuration.fault)))
        } else if let first = listed(host, after: -1) {
            hosts[host].phase = .scanning(first, record: 0, isHello: false)
        } else {
            hosts[host].phase = .serving
        }
    }

    func listed(_ host: Int, after client: Int) -> Int? {
        ((client + 1)..<max(clients.count, client + 1)).first {
            hosts[host].listed & 1 << $0 != 0
        }
    }

    /// Looks at one record after a recovery, or after a client's hello.
    private mutating func scan(_ host: Int, _ client: Int, _ record: Int, isHello: Bool) {
        let process = process(ofHost: host)
        let mark = memory.load(.word(.recordMark, of: client), by: process)
        let value = memory.load(.word(.record(record), of: client), by: process)
        let word = record < Int(mark) ? RecordWord(rawValue: value) : RecordWord(rawValue: 0)
        if word.epoch > hosts[host].epoch {
            hosts[host].phase = .deposed
            return
        }
        note(host, client, record, word, then: .scan(isHello: isHello))
    }

    /// Takes note of a word, and reads the body if it matters.
    private mutating func note(
        _ host: Int, _ client: Int, _ record: Int, _ word: RecordWord,
        then next: ModelHost.AfterBody
    ) {
        let count = hosts[host].knowledge.count / clients.count
        let index = client * count + record
        switch word.state {
        case .asked, .granted:
            // Of what waits in its relay the host decides nothing.
            if word.epoch == hosts[host].epoch, !word.isInRelay {
                hosts[host].phase = .readingBody(client, record: record, word, next)
                return
            }
        case .released, .cancelled:
            hosts[host].knowledge[index].word = word
        case .free, .draft, nil:
            hosts[host].knowledge[index] = ModelHost.Knowledge()
        }
        proceed(host, client, record, count, next)
    }

    private mutating func proceed(
        _ host: Int, _ client: Int, _ record: Int, _ count: Int, _ next: ModelHost.AfterBody
    ) {
        switch next {
        case .serve:
            serve(host)
        case .scan(let isHello):
            if record + 1 < count {
                hosts[host].phase = .scanning(client, record: record + 1, isHello: isHello)
            } else if !isHello, let following = listed(host, after: client) {
                hosts[host].phase = .scanning(following, record: 0, isHello: false)
            } else {
                serve(host)
            }
        case .care(let place):
            care(host, client, place: place, record: record + 1, count)
        }
    }

    private mutating func readBody(
        _ host: Int, _ client: Int, _ record: Int, _ word: RecordWord,
        then next: ModelHost.AfterBody, _ configuration: ModelConfiguration
    ) {
        let body = memory.load(.body(record, of: client), by: process(ofHost: host))
        hosts[host].knowledge[client * configuration.records + record] =
            ModelHost.Knowledge(
                word: word, place: Int(body & ~ModelTask.readingBit) - 1,
                isReading: body & ModelTask.readingBit != 0)
        if word.state == .asked {
            noteNews(host, at: Int(body & ~ModelTask.readingBit) - 1)
        }
        proceed(host, client, record, configuration.records, next)
    }

    mutating func care(
        _ host: Int, _ client: Int, place: Int, record: Int, _ count: Int
    ) {
        if record < count {
            hosts[host].enter(
                .caring(
                    client, place: place, record: record,
                    CareForRecord(record: record, epoch: hosts[host].epoch)))
        } else if hosts[host].relay?.stage == .ending {
            careInRelay(host, after: client, count)
        } else if hosts[host].delegations[client * ModelMemory.slotCount + place].isDelegated {
            // Only under the fault that scans first.
            enterRevoking(host, client, place)
        } else {
            hosts[host].phase = .serving
        }
    }

    mutating func enterRevoking(_ host: Int, _ client: Int, _ place: Int) {
        let delegation = hosts[host].delegations[client * ModelMemory.slotCount + place]
        hosts[host].enter(
            .revoking(client, place: place, RevokeSlot(slot: place, delegation: delegation)))
    }

    private mutating func enterGranting(
        _ host: Int, _ client: Int, _ record: Int, _ configuration: ModelConfiguration
    ) {
        let known = hosts[host].knowledge[client * configuration.records + record]
        hosts[host].enter(
            .granting(
                client, record: record,
                GrantClaim(
                    record: record, generation: known.word.generation, epoch: hosts[host].epoch,
                    flags: flags(ofGrantAt: known.place, by: host, configuration),
                    fault: configuration.fault)))
    }

    private func flags(
        ofGrantAt place: Int, by host: Int, _ configuration: ModelConfiguration
    ) -> RecordFlags {
        if configuration.withdrawals > 0 { return .offered }
        let waiting = hosts[host].knowledge.count { $0.waits && $0.place == place }
        return configuration.isQuiet && waiting == 1 ? .local : []
    }

    /// A host that serves does something of its own accord.
    mutating func decide(_ event: ModelEvent, _ configuration: ModelConfiguration) {
        switch event {
        case .takeOver(let host):
            hosts[host].enter(.raising(RaiseGlobalEpoch(fault: configuration.fault)))
        case .hear(let host, let client):
            hosts[host].listed |= 1 << client
            hosts[host].phase = .scanning(client, record: 0, isHello: true)
        case .look(let host, let client, let record):
            let value = memory.load(
                .word(.record(record), of: client), by: process(ofHost: host))
            let word = RecordWord(rawValue: value)
            if word.epoch > hosts[host].epoch {
                hosts[host].phase = .deposed
            } else {
                note(host, client, record, word, then: .serve)
            }
        case .grant(let host, let client, let record):
            if configuration.fault == .grantBeforeWord {
                hosts[host].phase = .messaging(client, record: record)
            } else {
                enterGranting(host, client, record, configuration)
            }
            stepHost(host, configuration)
        case .withdraw(let host, let client, let record):
            withdrawals -= 1
            let known = hosts[host].knowledge[client * configuration.records + record]
            hosts[host].enter(
                .withdrawing(
                    client, record: record,
                    WithdrawGrant(
                        record: record, generation: known.word.generation,
                        epoch: hosts[host].epoch, fault: configuration.fault)))
            stepHost(host, configuration)
        case .reap(let host, let client, let record):
            let known = hosts[host].knowledge[client * configuration.records + record]
            hosts[host].enter(
                .reaping(
                    client, record: record,
                    ReapRecord(
                        record: record, generation: known.word.generation,
                        epoch: hosts[host].epoch, fault: configuration.fault)))
            stepHost(host, configuration)
        case .delegate(let host, let client, let place):
            delegations -= 1
            enterDelegating(host, client, place, [], configuration)
        case .share(let host, let client, let place):
            shares -= 1
            enterDelegating(host, client, place, .readsOnly, configuration)
        case .revoke(let host, let client, let place):
            if configuration.fault == .scanBeforeRevoke {
                care(host, client, place: place, record: 0, configuration.records)
            } else {
                enterRevoking(host, client, place)
            }
            stepHost(host, configuration)
        case .care(let host, let client, let record):
            hosts[host].enter(
                .caring(
                    client, place: ModelHost.noPlace, record: record,
                    CareForRecord(record: record, epoch: hosts[host].epoch)))
            stepHost(host, configuration)
        case .bury(let host, let client):
            bury(host, client, configuration)
        case .step, .flush, .die, .stop, .resume, .fork, .begin, .expire, .tireOfRelay,
            .believeMessage, .finishAccess, .beginCancelling, .stepCanceller, .beginRelay,
            .openRelay, .endRelay:
            preconditionFailure("Not one of these decisions")
        }
    }

    private mutating func enterDelegating(
        _ host: Int, _ client: Int, _ place: Int, _ terms: SlotTerms,
        _ configuration: ModelConfiguration
    ) {
        let terms = configuration.reportsWrites ? terms.union(.reportsWrites) : terms
        let procedure = DelegateSlot(
            slot: place, terms: terms, epoch: hosts[host].epoch, fault: configuration.fault)
        hosts[host].enter(.delegating(client, place: place, procedure))
        stepHost(host, configuration)
    }

    private mutating func bury(_ host: Int, _ client: Int, _ configuration: ModelConfiguration) {
        hosts[host].listed &= ~(1 << client)
        for record in 0..<configuration.records {
            hosts[host].knowledge[client * configuration.records + record] =
                ModelHost.Knowledge()
        }
        for place in 0..<ModelMemory.slotCount {
            hosts[host].delegations[client * ModelMemory.slotCount + place] =
                SlotWord(rawValue: 0)
        }
        buryInRelay(host, client)
    }

    private mutating func finish(
        _ host: Int, _ outcome: HostOutcome, _ configuration: ModelConfiguration
    ) {
        switch outcome {
        case .raised(let epoch):
            hosts[host].epoch = epoch ?? .none
            hosts[host].phase = .listing
        case .raisedLedger(let client, .raised):
            raiseNext(host, after: client, configuration)
        case .raisedLedger(_, .deposed), .delegated(_, _, nil):
            hosts[host].phase = .deposed
        case .granted(let client, let record, .granted):
            let index = client * configuration.records + record
            let known = hosts[host].knowledge[index]
            let flags = flags(ofGrantAt: known.place, by: host, configuration)
            hosts[host].knowledge[index].word = known.word.with(.granted, flags, known.word.epoch)
            hosts[host].phase = .serving
        case .withdrawn(let client, let record, let isWithdrawn):
            let index = client * configuration.records + record
            let word = hosts[host].knowledge[index].word
            if isWithdrawn {
                hosts[host].knowledge[index].word = word.with(.asked, [], word.epoch)
            }
            hosts[host].phase = .serving
        case .granted(let client, let record, .refused(let word)):
            hosts[host].knowledge[client * configuration.records + record] =
                ModelHost.Knowledge()
            hosts[host].phase = word.epoch > hosts[host].epoch ? .deposed : .serving
        case .reaped(let client, let record):
            hosts[host].knowledge[client * configuration.records + record] =
                ModelHost.Knowledge()
            hosts[host].phase = .serving
        case .delegated(let client, let place, .some(let word)):
            hosts[host].delegations[client * ModelMemory.slotCount + place] = word
            hosts[host].phase = .serving
            if hosts[host].relay?.stage == .forming { delegateInRelay(host, after: client) }
        case .revoked(let client, let place):
            hosts[host].delegations[client * ModelMemory.slotCount + place] =
                SlotWord(rawValue: 0)
            if hosts[host].relay?.stage == .ending {
                revokeInRelay(host, after: client)
            } else if configuration.fault == .scanBeforeRevoke {
                hosts[host].phase = .serving
            } else {
                care(host, client, place: place, record: 0, configuration.records)
            }
        case .renewed(let ticket):
            finishRenewing(host, ticket, configuration)
        case .opened:
            hosts[host].relay?.stage = .open
            hosts[host].phase = .serving
        case .cared(let client, ModelHost.noPlace, let record, let word):
            let index = client * configuration.records + record
            let known = hosts[host].knowledge[index].word
            let isRunning =
                word.state == .granted && word.flags.contains(.local)
                && word.generation == known.generation
            if isRunning {
                hosts[host].knowledge[index].word = word
            } else {
                hosts[host].knowledge[index] = ModelHost.Knowledge()
            }
            hosts[host].phase = word.epoch > hosts[host].epoch ? .deposed : .serving
        case .cared(let client, let place, let record, let word):
            if word.epoch > hosts[host].epoch {
                hosts[host].phase = .deposed
            } else if word.state == .granted && word.flags.contains(.local)
                || waitedInRelay(host, word)
            {
                hosts[host].phase = .readingBody(
                    client, record: record, word, .care(place: place))
            } else {
                care(host, client, place: place, record: record + 1, configuration.records)
            }
        }
    }
}
