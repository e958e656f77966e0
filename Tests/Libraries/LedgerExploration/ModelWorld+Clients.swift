// SPDX-License-Identifier: Apache-2.0
//
// What clients do in the model.

import FileCoordinationLedger

extension ModelWorld {
    /// The client performs its next operation.
    mutating func stepClient(
        _ client: Int, _ configuration: ModelConfiguration
    ) throws(ModelViolation) {
        let fault = configuration.fault
        let record = clients[client].record
        switch clients[client].phase {
        case .unborn:
            // The ledger is locked already. By its new name, servers find it.
            clients[client].isNamed = true
            clients[client].enter(.adopting(Planted(AdoptEpoch(), fault)))
        case .marking(let free):
            memory.store(.word(.recordMark, of: client), UInt64(record + 1), by: client)
            prepare(client, free: free, configuration)
        case .writing(let free):
            writeBody(client, configuration)
            file(client, free: free, configuration)
        case .catchingUp:
            if fault == .wordBeforeBody { writeBody(client, configuration) }
            if fault == .markAfterRecord {
                memory.store(.word(.recordMark, of: client), UInt64(record + 1), by: client)
            }
            wait(client, configuration)
        case .adopting, .filing, .joining, .claimingLocally, .awaitingTurn, .leavingTicketQueue,
            .waiting, .cancelling, .releasingLocally, .releasing, .passing:
            guard let operation = clients[client].pending else {
                preconditionFailure("A procedure wants something")
            }
            guard let observed = perform(operation, on: client, by: client) else {
                clients[client].isAsleep = true
                return
            }
            if let outcome = clients[client].resume(observing: observed) {
                try finish(client, outcome, configuration)
            }
        case .ready, .accessing, .done:
            preconditionFailure("Not in a procedure")
        }
    }

    /// The client begins its next task, in a record that it finds free.
    mutating func beginTask(_ client: Int, _ configuration: ModelConfiguration) {
        guard let record = freeRecord(client, configuration) else {
            preconditionFailure("No record is free")
        }
        let free = memory.load(.word(.record(record), of: client), by: client)
        clients[client].record = record
        clients[client].generation = RecordWord(rawValue: free).generation &+ 1
        let mark = memory.load(.word(.recordMark, of: client), by: client)
        let needsMark = mark <= UInt64(record) && configuration.fault != .markAfterRecord
        let word = RecordWord(rawValue: free)
        if needsMark {
            clients[client].phase = .marking(free: word)
        } else {
            prepare(client, free: word, configuration)
        }
    }

    private mutating func prepare(
        _ client: Int, free: RecordWord, _ configuration: ModelConfiguration
    ) {
        if configuration.fault == .wordBeforeBody {
            file(client, free: free, configuration)
        } else {
            clients[client].phase = .writing(free: free)
        }
    }

    func freeRecord(_ client: Int, _ configuration: ModelConfiguration) -> Int? {
        (0..<configuration.records).first { record in
            let word = memory.load(.word(.record(record), of: client), by: client)
            return RecordWord(rawValue: word).state == .free
        }
    }

    func task(_ client: Int, _ configuration: ModelConfiguration) -> ModelTask? {
        let tasks = configuration.tasks[client]
        return clients[client].task < tasks.count ? tasks[clients[client].task] : nil
    }

    private mutating func writeBody(_ client: Int, _ configuration: ModelConfiguration) {
        guard let task = task(client, configuration) else { return }
        let body = ModelCell.body(clients[client].record, of: client)
        memory.storeBuffered(body, task.body, by: client)
    }

    private mutating func file(
        _ client: Int, free: RecordWord, _ configuration: ModelConfiguration
    ) {
        if let task = task(client, configuration), task.isLocal {
            let place = task.place
            let slot = SlotWord(
                rawValue: memory.load(.word(.slot(place), of: client), by: client))
            if let ticketQueue = slot.ticketQueue, !task.isReading {
                let procedure = DrawTicket(ticketQueue: ticketQueue, slot: place, delegation: slot)
                return clients[client].enter(.joining(procedure, slot, free: free))
            }
            if slot.isDelegated, slot.lets(write: !task.isReading) || isFaulty(configuration) {
                return claimLocally(client, free: free, slot, hasTurn: true, configuration)
            }
        }
        fileWithServer(client, free: free, configuration)
    }

    private func isFaulty(_ configuration: ModelConfiguration) -> Bool {
        configuration.fault == .termsIgnored
    }

    mutating func wait(_ client: Int, _ configuration: ModelConfiguration) {
        let generation = clients[client].generation
        clients[client].enter(
            .waiting(
                Planted(
                    AwaitGrant(record: clients[client].record, generation: generation),
                    configuration.fault)))
    }

    mutating func endTask(_ client: Int, _ configuration: ModelConfiguration) {
        clients[client].task += 1
        clients[client].hasGivenUp = false
        clients[client].pending = nil
        clients[client].phase = task(client, configuration) == nil ? .done : .ready
    }

    /// A claim turned out to be cancelled.
    private mutating func endCancelled(
        _ client: Int, _ word: RecordWord, _ configuration: ModelConfiguration
    ) throws(ModelViolation) {
        let isOwn =
            word.generation == clients[client].generation && word.state == .cancelled
            || word.generation == clients[client].generation && word.state == .free
        guard isOwn else { throw .impossible(client: client, word) }
        let isTheFirst = clients[client].task == 0 && clients[client].cancellerHasStarted
        guard isTheFirst else { throw .cancelledUnasked(client: client) }
        endTask(client, configuration)
    }

    private mutating func finish(
        _ client: Int, _ outcome: ClientOutcome, _ configuration: ModelConfiguration
    ) throws(ModelViolation) {
        switch outcome {
        case .adopted:
            clients[client].phase = .ready
        case .joined, .awaitedTurn, .leftTicketQueue, .passed:
            finishInTicketQueue(client, outcome, configuration)
        case .filed(.filed(let word)), .claimedLocally(.filed(let word)):
            // A ticket is worth nothing if its queue has ended since.
            clients[client].ticket = nil
            let isLate =
                configuration.fault == .wordBeforeBody || configuration.fault == .markAfterRecord
            if isLate {
                clients[client].phase = .catchingUp(then: word)
            } else {
                wait(client, configuration)
            }
        case .claimedLocally(.granted(let word)):
            if word.isInTicketQueue {
                awaitTurn(client, configuration)
            } else {
                access(client, configuration)
            }
        case .filed(.withdrawn(let word)), .claimedLocally(.withdrawn(let word)):
            clients[client].ticket = nil
            try endCancelled(client, word, configuration)
        case .waited(let word):
            try finishWaiting(client, word, configuration)
        case .releasedLocally(true), .released(.freed):
            let isWrite = task(client, configuration)?.isReading == false
            if configuration.reportsWrites, isWrite { throw .unreported(client: client) }
            endClaim(client, configuration)
        case .cancelled(true), .released(.released):
            endClaim(client, configuration)
        case .cancelled(false):
            if configuration.fault == .grantBeforeWord {
                // The client believed the message, its accessor
                // has ended, and only now the word says granted.
                releaseWhatIsHeld(client)
            } else {
                wait(client, configuration)
            }
        case .releasedLocally(false):
            releaseWhatIsHeld(client)
        case .released(.notGranted):
            guard configuration.fault == .grantBeforeWord else {
                throw .impossible(client: client, memory.record(0, of: client))
            }
            giveUp(client, configuration)
        }
    }

    private mutating func finishWaiting(
        _ client: Int, _ word: RecordWord, _ configuration: ModelConfiguration
    ) throws(ModelViolation) {
        guard word.generation == clients[client].generation, word.state == .granted else {
            return try endCancelled(client, word, configuration)
        }
        clients[client].pending = nil
        clients[client].phase = .accessing
    }

    /// The accessor is over.
    mutating func release(_ client: Int, _ configuration: ModelConfiguration) {
        switch task(client, configuration) {
        case .claimLocally, .readLocally: break
        case .claim, .claimWithDeadline, nil:
            guard configuration.isUnreported else { return releaseWhatIsHeld(client) }
        }
        clients[client].enter(
            .releasingLocally(
                ReleaseLocally(
                    record: clients[client].record, generation: clients[client].generation)))
    }

    private mutating func releaseWhatIsHeld(_ client: Int) {
        clients[client].enter(
            .releasing(
                ReleaseClaim(
                    record: clients[client].record, generation: clients[client].generation)))
    }

    /// The deadline passes while the client waits: it gives up.
    mutating func giveUp(_ client: Int, _ configuration: ModelConfiguration) {
        clients[client].isAsleep = false
        clients[client].hasGivenUp = true
        clients[client].enter(
            .cancelling(
                Planted(
                    CancelClaim(
                        record: clients[client].record, generation: clients[client].generation),
                    configuration.fault, generation: clients[client].generation)))
    }

    /// The other thread cancels the first claim, whether or not that is over.
    mutating func beginCancelling(_ client: Int, _ configuration: ModelConfiguration) {
        clients[client].cancellerHasStarted = true
        clients[client].canceller = Planted(
            CancelClaim(record: 0, generation: 1), configuration.fault, generation: 1)
        _ = clients[client].resumeCanceller(observing: 0)
    }

    /// The other thread performs its next operation.
    mutating func stepCanceller(_ client: Int) {
        guard let operation = clients[client].cancellerPending,
            let observed = perform(operation, on: client, by: client)
        else { preconditionFailure("The canceller wants something, and never sleeps") }
        _ = clients[client].resumeCanceller(observing: observed)
    }
}
