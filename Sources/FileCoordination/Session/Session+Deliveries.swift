// SPDX-License-Identifier: Apache-2.0
//
// What the host has to say to this process's presenters, and where they are by now.

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

extension Session {
    /// Hands messages that came together over to their presenters' mailboxes.
    func deliver(_ deliveries: [Delivery]) {
        guard deliveries.count > 1 else { return deliveries.forEach { deliver($0) } }
        let batch = PresenterBatch(
            beforeRun: { [self] in beginAnswers() }, afterRun: { [self] in endAnswers() })
        for delivery in deliveries { deliver(delivery, in: batch) }
        batch.commit()
    }

    /// Hands one message over to its presenter's mailbox.
    func deliver(_ delivery: Delivery, in batch: PresenterBatch? = nil) {
        guard let entry = state.withLock({ $0.presentersByRecord[delivery.presenter] }) else {
            return
        }
        switch delivery.message {
        case .ask(let claim, let steps):
            entry.mailbox.ask(claim: claim, steps: steps, in: batch)
        case .cancelAsk(let claim): entry.mailbox.cancelAsk(claim: claim, in: batch)
        case .reacquire(let kind): entry.mailbox.reacquire(kind, in: batch)
        case .notice(let notice):
            guard let notice = spelled(notice, for: entry) else { return }
            entry.mailbox.notify(notice, in: batch)
        case .relocated(let place, let isTold):
            guard noteRelocation(of: entry, to: place, isTold: isTold) else { return }
            entry.mailbox.notify(.itemDidMove(to: URL(place: place)), in: batch)
        }
    }

    /// A notice with the URLs that the presenter is to see; nil if it is not to hear of it.
    private func spelled(_ notice: Notice, for entry: PresenterEntry) -> PresenterNotice? {
        switch notice {
        case .itemDidChange: return .itemDidChange
        case .subitemDidAppear(let place): return .subitemDidAppear(URL(place: place))
        case .subitemDidChange(let place): return .subitemDidChange(URL(place: place))
        case .subitemDidMove(let old, let new):
            return .subitemDidMove(from: URL(place: old), to: URL(place: new))
        case .itemVersion(let place, let news):
            return .itemVersion(VersionMessage(news), of: URL(place: place))
        case .subitemVersion(let place, let news):
            return .subitemVersion(VersionMessage(news), at: URL(place: place))
        case .ubiquityAttributes(let names):
            // Rule 10.4: only what the presenter observes, and nothing if that is nothing.
            let observed = entry.registration.tie.withLock { $0.observedAttributes }
            let keys = names.map { String(decoding: $0, as: UTF8.self) }
                .filter { observed.contains($0) }
            guard !keys.isEmpty else { return nil }
            return .itemDidChangeUbiquityAttributes(Set(keys.map { URLResourceKey($0) }))
        }
    }

    // MARK: Where presenters are

    /// Notes where a presenter's item is by now; returns whether the presenter is to hear of it.
    ///
    /// The host says it again after a new connection: it cannot know what was heard on the last.
    private func noteRelocation(
        of entry: PresenterEntry, to place: ItemPath, isTold: Bool
    ) -> Bool {
        entry.registration.tie.withLock { tie in
            guard tie.place != place else { return false }
            tie.place = place
            if !isTold { tie.knownPlace = place }
            return isTold
        }
    }

    /// Notes that a presenter has been told of a move, and knows where it is now.
    func presenterHeard(_ registration: PresenterRegistration, _ notice: PresenterNotice) {
        guard case .itemDidMove(let url) = notice,
            let bytes = try? PlaceResolver.pathBytes(of: url), let place = ItemPath(bytes: bytes)
        else { return }
        registration.tie.withLock { $0.knownPlace = place }
    }

    /// Notes that presenters on whose behalf items were moved know of it.
    func presentersMoved(ofPurpose purpose: Purpose, by moves: [ItemMove]) {
        for entry in state.withLock({ $0.presenters }) where entry.registration.purpose == purpose {
            entry.registration.tie.withLock { tie in
                guard let place = tie.knownPlace else { return }
                tie.knownPlace = moves.destination(of: place) ?? place
            }
        }
    }

    /// Where a registered presenter believes to be.
    func standpoint(of presenter: PresenterReference) -> WireStandpoint? {
        guard isOurs, let entry = entry(of: presenter.identity) else { return nil }
        return entry.registration.tie.withLock { tie in
            guard let record = tie.record, let place = tie.knownPlace else { return nil }
            return WireStandpoint(presenter: WireRecord(record), place: place)
        }
    }
}
#endif
