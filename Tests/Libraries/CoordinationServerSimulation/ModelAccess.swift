// SPDX-License-Identifier: Apache-2.0
//
// An access of a client, from the call to its return, by the procedures of the ledger. It follows
// `Session.file`, `Session.claimLocally` and `Session.claimInTurn` line by line.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationClient
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A claim of a client.
final class ModelClaim {
    unowned let client: ModelClient
    let key: ClaimKey
    /// Where they are, as far as a server would tell it.
    var items: [AccessItem]
    let purpose: String
    var record: RecordReference
    /// Whether its record can be seen, so that it can be given up.
    var isFiled = false
    var isRunning = false
    var isOver = false
    /// Whether its accessor has moved its item.
    var hasMoved = false
    /// Whether the history contains the claim.
    var isNoted: Bool { notedAt != nil }
    /// When the claim was recorded in the history; nil if it was not.
    var notedAt: UInt64?
    /// Since when it has been in the queue, for the first time or again.
    var inLineSince: UInt64 = 0
    var holdsPosition = false
    /// When its word was swapped to cancelled; its client may not have noticed yet.
    var cancelledAt: UInt64?
    var grantedAt: UInt64 = 0
    /// The delegation under which its client has granted it, if the end is to be reported.
    var delegation: DelegatedPlace.Grant?
    /// What is at its path when its accessor begins.
    var before: ItemProperties?
    /// Whether it was granted without a report, and whether a server has found it since.
    var isQuiet = false
    var isFound = false

    init(
        _ client: ModelClient, _ key: ClaimKey, _ items: [AccessItem], _ purpose: String,
        _ record: RecordReference
    ) {
        self.client = client
        self.key = key
        self.items = items
        self.purpose = purpose
        self.record = record
    }
}

extension ModelClaim {
    /// Whether its accessor may move its item.
    var mayMove: Bool {
        guard isRunning, !hasMoved, items.count == 1,
            case .writing(let options) = items[0].access
        else { return false }
        return options.contains(.moving)
    }
}

/// Why a claim is given up.
enum GivingUp {
    case wish
    case failure
}

extension ModelClient {
    /// Begins an access; false if there are enough.
    func access(_ dice: inout Dice) -> Bool {
        tidy()
        let isHurried = world.schedule.isContended || world.schedule.isTold
        guard claims.count < (isHurried ? 1 : 5) else { return false }
        let items = world.items(&dice)
        let key = ClaimKey(world.makeKey())
        let isShort = isHurried ? !dice.one(in: 20) : dice.one(in: 2)
        let wantsMessage = dice.one(in: 3)
        world.coverage.count(.claims)
        if items.count > 1 { world.coverage.count(.severalItems) }
        begin("\(name)\(key)") { [unowned self] activity in
            if isShort, items.count == 1, try await accessLocally(key, items, activity) { return }
            try await accessByFiling(key, items, wantsMessage, activity)
        }
        return true
    }

    /// The accessor of a claim makes a move known; false if it runs no more.
    func announce(_ move: ItemMove, by claim: ModelClaim) throws -> Bool {
        let entry = try ClaimLogEntry.announced(.moved([move])).encodeChecked()
        let reserve = ClaimLogEntry.outcomesLength(1)
        guard try ledger.appendOutcome(claim.record, entry, reserving: reserve) else {
            return false
        }
        announce(.announced(claim.record))
        return true
    }

    private func body(_ key: ClaimKey, _ items: [AccessItem]) -> ClaimBody {
        ClaimBody(purpose: Array("\(key)".utf8), items: items)
    }

    private func write(
        _ key: ClaimKey, _ items: [AccessItem], wantsMessage: Bool = false,
        _ slot: RequestedSlot? = nil
    ) throws -> ModelClaim {
        let record = try ledger.write(
            kind: .claim, body: body(key, items).encodeChecked(),
            outcomeCapacity: ClaimLogEntry.outcomesLength(items.count),
            wantsMessage: wantsMessage, requestedSlot: slot)
        let claim = ModelClaim(self, key, items, "\(key)", record)
        claims.append(claim)
        world.note(
            "\(name)\(key): writes record \(record.index) for "
                + items.map { Item($0).shown }.joined(separator: ", ")
                + (slot.map { ", wants slot \($0.number)" } ?? ""))
        return claim
    }

    private func word(_ claim: ModelClaim) -> RecordWord {
        RecordWord(rawValue: ledger.memory.word(.record(Int(claim.record.index))).load())
    }

    // MARK: By the short way

    /// Grants an access at once or in its turn, without the server; false if it has to be filed.
    private func accessLocally(
        _ key: ClaimKey, _ items: [AccessItem], _ activity: Activity
    ) async throws -> Bool {
        let item = items[0]
        let isWriting = item.access.isWriting
        guard let (place, grant) = delegated.beginLocally(item) else { return false }
        let claim = try write(key, items)
        if grant.isInTicketQueue {
            return try await accessInTurn(claim, place, grant, activity)
        }
        let procedure = ClaimLocally(
            record: Int(claim.record.index), free: word(claim), slot: grant.slot,
            delegation: grant.word, isWriting: isWriting)
        guard case .granted = try await activity.run(procedure) else {
            // The delegation was revoked meanwhile: discard this claim, and file an ordinary one.
            try await abandon(claim, activity)
            place.end(isWriting: isWriting)
            return false
        }
        if grant.reportsWrites { claim.delegation = grant }
        try await runAccessor(claim, activity, isLocal: true)
        try await release(claim, activity)
        place.end(isWriting: isWriting)
        return true
    }

    private func abandon(_ claim: ModelClaim, _ activity: Activity) async throws {
        let (index, generation) = (Int(claim.record.index), claim.record.generation)
        if try await activity.run(CancelClaim(record: index, generation: generation)) {
            ledger.markEnded(claim.record)
        } else {
            try await releaseWithOutcome(claim, nil, activity)
        }
        finish(claim, nil)
        world.recordCancellation(of: claim, since: activity.lastSwap)
        try await say(.ended(claim.record), activity)
    }

    // MARK: In turn

    private func accessInTurn(
        _ claim: ModelClaim, _ place: DelegatedPlace, _ grant: DelegatedPlace.Grant,
        _ activity: Activity
    ) async throws -> Bool {
        let record = Int(claim.record.index)
        guard let number = grant.word.ticketQueue,
            let ticketQueues = ticketQueues(of: grant.word.epoch),
            case .joined(let ticket, let isTurn) = try await activity.run(
                DrawTicket(ticketQueue: number, slot: grant.slot, delegation: grant.word),
                with: ticketQueues)
        else {
            ledger.discard(claim.record)
            finish(claim, nil)
            place.end(isWriting: true)
            return false
        }
        let filing = ClaimLocally(
            record: record, free: word(claim), slot: grant.slot, delegation: grant.word,
            hasTurn: isTurn)
        var hasTurn = false
        if case .granted(let word) = try await activity.run(filing, with: ticketQueues) {
            hasTurn = word.state == .granted
            claim.isFiled = true
            if !hasTurn {
                let wait = AwaitTurn(ticket, record: record, generation: claim.record.generation)
                hasTurn = try await activity.run(wait, with: ticketQueues) == .granted
                if !hasTurn {
                    _ = try await activity.run(
                        LeaveTicketQueue(record: record, generation: claim.record.generation))
                }
            }
        }
        guard hasTurn else {
            world.coverage.count(.filedFromQueues)
            var opening = PlaceOpening.delegated(place, grant)
            opening.becomeFiled(isWriting: true)
            claim.isFiled = true
            try await say(.filed(claim.record), activity)
            try await awaitGrant(claim, wantsMessage: false, &opening, activity)
            return true
        }
        world.coverage.count(.turnsTaken)
        try await runAccessor(claim, activity, isLocal: true)
        if try await release(claim, activity) {
            _ = try await activity.run(PassTurn(ticket), with: ticketQueues)
        }
        place.end(isWriting: true)
        return true
    }

    // MARK: By filing

    private func accessByFiling(
        _ key: ClaimKey, _ items: [AccessItem], _ wantsMessage: Bool, _ activity: Activity
    ) async throws {
        let isWriting = items[0].access.isWriting
        var opening: PlaceOpening =
            items.count == 1 ? delegated.begin(items[0]) : .none
        let claim = try write(key, items, wantsMessage: wantsMessage, opening.requestedSlot)
        if case .delegated(_, let grant) = opening {
            let procedure = ClaimLocally(
                record: Int(claim.record.index), free: word(claim), slot: grant.slot,
                delegation: grant.word, isWriting: isWriting)
            if case .granted = try await activity.run(procedure) {
                if grant.reportsWrites { claim.delegation = grant }
                try await runAccessor(claim, activity, isLocal: true)
                try await release(claim, activity)
                opening.close(isWriting: isWriting)
                return
            }
            opening.becomeFiled(isWriting: isWriting)
        } else {
            if case .none = opening { delegated.trackUnseen(claim.record, of: items) }
            claim.isFiled = true
            _ = try await activity.run(
                FileClaim(record: Int(claim.record.index), free: word(claim)))
        }
        claim.isFiled = true
        try await say(.filed(claim.record), activity)
        try await awaitGrant(claim, wantsMessage: wantsMessage, &opening, activity)
    }

    /// Waits until a claim that is filed is granted, and runs its accessor; or until it is given
    /// up.
    private func awaitGrant(
        _ claim: ModelClaim, wantsMessage: Bool, _ opening: inout PlaceOpening,
        _ activity: Activity
    ) async throws {
        let isWriting = claim.items[0].access.isWriting
        let (index, generation) = (Int(claim.record.index), claim.record.generation)
        var word: RecordWord
        repeat {
            word = try await activity.run(
                AwaitGrant(record: index, generation: generation, sleeps: !wantsMessage))
            if word.isPending, word.generation == generation, wantsMessage {
                try await activity.pause(.news)
            }
        } while word.isPending && word.generation == generation
        if word.state == .granted, word.generation == generation {
            try await runAccessor(claim, activity, isLocal: word.flags.contains(.unreported))
            try await release(claim, activity)
        }
        opening.close(isWriting: isWriting)
    }

    /// Cancels a waiting claim; the activity that waits notices that by itself.
    func cancel(_ claim: ModelClaim, because reason: GivingUp = .wish) {
        begin("\(name)\(claim.key)×") { [unowned self] activity in
            let (index, generation) = (Int(claim.record.index), claim.record.generation)
            guard try await activity.run(CancelClaim(record: index, generation: generation)) else {
                return
            }
            world.coverage.count(.cancelled)
            finish(claim, nil)
            switch reason {
            case .wish: world.recordCancellation(of: claim, since: activity.lastSwap)
            case .failure: world.recordFailure(of: claim)
            }
            ledger.markEnded(claim.record)
            for activity in activities { activity.receiveNews() }
            try await say(.ended(claim.record), activity)
        }
    }

    // MARK: Running

    private func runAccessor(
        _ claim: ModelClaim, _ activity: Activity, isLocal: Bool
    ) async throws {
        world.coverage.count(.grants)
        if isLocal { world.coverage.count(.localGrants) }
        if isLocal, !claim.items[0].access.isWriting { world.coverage.count(.localReads) }
        world.recordPlace(claim)
        world.record(.granted(claim.key, items: nil))
        if world.refusals[claim.key] != nil { world.filedAgain.insert(claim.key) }
        claim.isFiled = true
        claim.isRunning = true
        claim.grantedAt = world.now
        claim.isQuiet = word(claim).flags == .unreported
        claim.before = world.properties(of: claim.items[0].path)
        try await activity.pause(.accessor)
    }

    /// Releases a claim; returns whether the release need not be reported to a server.
    @discardableResult
    private func release(_ claim: ModelClaim, _ activity: Activity) async throws -> Bool {
        claim.isRunning = false
        finish(claim, .ended(claim.key))
        world.recordChanges(by: claim, since: claim.grantedAt)
        let procedure = ReleaseLocally(
            record: Int(claim.record.index), generation: claim.record.generation)
        if word(claim).flags == .unreported, try await activity.run(procedure) {
            ledger.discard(claim.record)
            return true
        }
        let outcomes = claim.items.map { item -> ItemOutcome in
            item.access.isWriting ? .changed : .unchanged
        }
        let isQuiet = try await releaseWithOutcome(claim, outcomes, activity)
        if let delegation = claim.delegation {
            try await activity.pause(.message("perhaps no end of record \(claim.record.index)"))
            let isInForce =
                ledger.delegation(inSlot: delegation.slot) == delegation.word
                && ledger.ledgerEpoch == delegation.word.epoch
            guard !isInForce || delegated.lastReport.mustSend(claim.record, in: ledger) else {
                world.coverage.count(.endsWithoutMessage)
                return isQuiet
            }
        }
        try await say(.ended(claim.record), activity)
        return isQuiet
    }

    @discardableResult
    private func releaseWithOutcome(
        _ claim: ModelClaim, _ outcomes: [ItemOutcome]?, _ activity: Activity
    ) async throws -> Bool {
        let index = Int(claim.record.index)
        if let outcomes {
            var log = try ClaimLogEntry.outcomes(outcomes).encodeChecked()
            if outcomes.count == 1, outcomes[0] == .changed {
                let after = world.change(claim.items[0].path)
                log += try ClaimLogEntry.itemChanges([
                    ItemChange(before: claim.before, after: after)
                ]).encodeChecked()
            }
            try ledger.appendOutcome(log, index: index, reserve: 0)
        }
        let result = try await activity.run(
            ReleaseClaim(record: index, generation: claim.record.generation))
        switch result {
        case .released: ledger.markEnded(claim.record)
        case .freed: ledger.discard(claim.record)
        case .notGranted: break
        }
        return result == .freed
    }

    private func finish(_ claim: ModelClaim, _ fact: Fact?) {
        claim.isOver = true
        claims.removeAll { $0 === claim }
        if let fact { world.record(fact) }
    }
}
