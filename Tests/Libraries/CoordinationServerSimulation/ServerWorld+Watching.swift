// SPDX-License-Identifier: Apache-2.0
//
// Records the history of a world as an external observer sees it. The clients show which accessors
// run. A claim's serial number shows its position in the queue, and its word shows that it holds
// the position. Both are read after each turn of the server, and also during a turn if clients act
// in between.

import CoordinationCheckers
import CoordinationSimulation
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem

extension ServerWorld {
    /// Writes down what the server has done to claims.
    func watch() {
        for claim in living.flatMap(\.claims) where claim.isRunning && !claim.isFound {
            guard claim.isQuiet,
                claim.client.ledger.word(of: claim.record).flags.contains(.reportsRelease)
            else { continue }
            claim.isFound = true
            coverage.count(.foundRunning)
        }
        var seen: [(serial: UInt64, claim: ModelClaim)] = []
        for client in living {
            for claim in client.claims where claim.isFiled && !claim.isRunning {
                let word = client.ledger.word(of: claim.record)
                guard word.generation == claim.record.generation, word.state != .free else {
                    continue
                }
                let serial = client.ledger.serial(of: claim.record)
                guard serial != 0, !claim.isNoted, !isLate(serial) else { continue }
                seen.append((serial, claim))
            }
        }
        for (_, claim) in seen.sorted(by: { $0.serial < $1.serial }) { recordFiling(claim) }
        // A claim loses its place before another one gets
        // it, though both are seen at the same time.
        for claim in waiting(in: .filed) where claim.holdsPosition {
            claim.holdsPosition = false
            record(.returned(claim.key))
            claim.inLineSince = now + 1
        }
        // If the presenter's client is not connected, it is not told of the question.
        for claim in waiting(in: .filed) {
            let serial = claim.client.ledger.serial(of: claim.record)
            guard server?.view.awaitsPresenters(claim: serial) == true else { continue }
            // The claim has taken its place since the last check.
            if askedFor.insert(claim.key).inserted {
                claim.inLineSince = max(claim.inLineSince, watchedAt)
            }
        }
        defer { watchedAt = now }
        // A claim that was granted without a serial number
        // came before all that are filed from now on.
        for claim in waiting(in: .granted) { recordPlace(claim) }
        for client in living {
            for presenter in client.presenters where !presenter.isNoted {
                let word = client.ledger.word(of: presenter.record)
                if word.generation == presenter.record.generation, word.state == .granted {
                    recordRegistration(presenter)
                }
            }
        }
    }

    /// Whether a former server wrote a serial number after the next server had read the record; the
    /// next server replaces such a number.
    private func isLate(_ serial: UInt64) -> Bool {
        serial < epochs.load().firstSerial && server?.view.knows(claim: serial) == false
    }

    /// The claims that were filed and do not run, with words of that state.
    private func waiting(in state: RecordState) -> [ModelClaim] {
        living.flatMap(\.claims).filter { claim in
            guard claim.isFiled, !claim.isRunning else { return false }
            let word = claim.client.ledger.word(of: claim.record)
            return word.generation == claim.record.generation && word.state == state
        }
    }

    /// Records that the server knows a presenter.
    ///
    /// The registration comes after the claims that were filed in the same turn, because the server
    /// is not told which of them came first.
    func recordRegistration(_ presenter: ModelPresenter) {
        guard !presenter.isNoted else { return }
        presenter.isNoted = true
        presenter.notedAt = now
        let registered = presenter.registered
        var client = Presenter(registered)
        client.key = presenter.key
        client.client = presenter.client.key
        record(.presenterAdded(client))
    }

    /// Records that presenters have to be told of what a claim has written.
    func recordChanges(by claim: ModelClaim, since granted: UInt64) {
        // An item that the claim has moved has changed at another path.
        guard !claim.hasMoved else { return }
        for presenter in living.flatMap(\.presenters)
        where presenter.registered.methods.contains(.itemDidChange) {
            let isConcerned = claim.items.contains { item in
                item.access.isWriting && item.path == presenter.path
            }
            if isConcerned, presenter.isNoted, presenter.notedAt < granted {
                presenter.isOwed = true
            }
        }
    }

    /// Records that a claim has its place in the queue.
    func recordFiling(_ claim: ModelClaim) {
        guard !claim.isNoted else { return }
        claim.notedAt = now
        let serial = claim.client.ledger.serial(of: claim.record)
        if serial != 0 { keysBySerial[serial] = claim.key }
        record(
            .filed(
                Claim(
                    claim.key, of: claim.client.key, purpose: claim.purpose,
                    items: claim.items.map { Item($0) }, order: serial == 0 ? nil : serial)))
        claim.inLineSince = now + 1
    }

    /// Records that a claim was granted, though its accessor may not have begun.
    func recordPlace(_ claim: ModelClaim) {
        recordFiling(claim)
        guard !claim.holdsPosition else { return }
        claim.holdsPosition = true
        // A claim for which presenters were asked had its place before it was granted.
        guard askedFor.contains(claim.key) else { return record(.holding(claim.key)) }
        recordLate(.holding(claim.key), since: claim.inLineSince)
    }

    // MARK: What is accessed

    /// The items of an access.
    func items(_ dice: inout Dice) -> [AccessItem] {
        let isPlain = dice.below(10) < schedule.plain
        let count = isPlain || !dice.one(in: 3) ? 1 : 2
        return dice.shuffled(schedule.places).prefix(count).compactMap { text in
            guard let path = ItemPath(text) else { return nil }
            let access: Access =
                dice.below(10) < schedule.reads
                ? .reading(isPlain || !dice.one(in: 3) ? [] : .includingContents)
                : .writing(isPlain ? .plain : options(&dice))
            return AccessItem(path: path, access: access, isDirectory: text == "/d")
        }
    }

    private func options(_ dice: inout Dice) -> WritingOptions {
        let all: [WritingOptions] = [
            .plain, .deleting, .moving, .moving, [.moving, .replacing], .merging, .replacing,
            .metadataOnly, .includingContents,
        ]
        return dice.one(of: all) ?? .plain
    }
}

extension LedgerWriter {
    /// The word of a record, whatever it is by now.
    func word(of record: RecordReference) -> RecordWord {
        RecordWord(rawValue: memory.word(.record(Int(record.index))).load())
    }
}

extension Item {
    /// The item in words.
    var shown: String { "\(use.rawValue) \(place)" }
}
