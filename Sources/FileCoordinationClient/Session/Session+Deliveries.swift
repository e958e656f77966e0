// SPDX-License-Identifier: Apache-2.0
//
// Messages from the server to this process's presenters, and the presenters' paths.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
    /// Passes messages that arrived together to the presenters' mailboxes.
    func deliver(_ deliveries: [Delivery]) {
        guard deliveries.count > 1 else { return deliveries.forEach { deliver($0) } }
        let batch = PresenterBatch(
            beforeRun: { [self] in beginAnswers() }, afterRun: { [self] in endAnswers() })
        for delivery in deliveries { deliver(delivery, in: batch) }
        batch.commit()
    }

    /// Passes one message to its presenter's mailbox.
    func deliver(_ delivery: Delivery, in batch: PresenterBatch? = nil) {
        guard let entry = state.withLock({ $0.presentersByRecord[delivery.presenter] }) else {
            return
        }
        switch delivery.message {
        case .ask(let claim, let steps):
            entry.mailbox.ask(claim: claim, steps: steps, in: batch)
        case .withdrawQuestion(let claim): entry.mailbox.withdrawQuestion(claim: claim, in: batch)
        case .reacquire(let kind): entry.mailbox.reacquire(kind, in: batch)
        case .notice(let notice):
            if case .itemDidChange = notice { entry.leaseGuard?.itemMayHaveChanged() }
            guard let notice = spelled(notice, for: entry) else { return }
            entry.mailbox.notify(notice, in: batch)
        case .relocated(let place, let isTold):
            guard setRelocation(of: entry, to: place, isTold: isTold) else { return }
            entry.mailbox.notify(.itemDidMove(to: place), in: batch)
        case .plainNotice(let notice):
            if case .itemDidChange = notice { entry.leaseGuard?.itemMayHaveChanged() }
            guard let notice = spelled(notice, for: entry) else { return }
            entry.mailbox.notify(.plain(notice), in: batch)
        case .followed(let place):
            guard setRelocation(of: entry, to: place, isTold: true) else { return }
            entry.mailbox.notify(.plain(.itemDidMove(to: place)), in: batch)
        case .noticeBy(let author, let notice):
            if case .itemDidChange = notice { entry.leaseGuard?.itemMayHaveChanged() }
            guard let notice = spelled(notice, for: entry) else { return }
            entry.mailbox.notify(.by(author, notice), in: batch)
        case .relocatedBy(let author, let place):
            guard setRelocation(of: entry, to: place, isTold: true) else { return }
            entry.mailbox.notify(.by(author, .itemDidMove(to: place)), in: batch)
        }
    }

    /// Converts a notice for a presenter; returns nil if the presenter is not told.
    private func spelled(_ notice: Notice, for entry: PresenterEntry) -> PresenterNotice? {
        switch notice {
        case .itemDidChange: return .itemDidChange
        case .subitemDidAppear(let place): return .subitemDidAppear(place)
        case .subitemDidChange(let place): return .subitemDidChange(place)
        case .subitemDidMove(let old, let new): return .subitemDidMove(from: old, to: new)
        case .itemVersion(let place, let news): return .itemVersion(news, of: place)
        case .subitemVersion(let place, let news): return .subitemVersion(news, at: place)
        case .ubiquityAttributes(let names):
            // Rule 10.4: only the attributes that the presenter observes; no notice if there are
            // none.
            let observed = entry.registration.registered.withLock { $0.observedAttributes }
            let keys = names.map { String(decoding: $0, as: UTF8.self) }
                .filter { observed.contains($0) }
            return keys.isEmpty ? nil : .itemDidChangeUbiquityAttributes(Set(keys))
        }
    }

    // MARK: Paths of presenters

    /// Records the new path of a presenter's item.
    ///
    /// Returns whether the presenter must be told.
    ///
    /// The server repeats the message after a reconnection, because it cannot know which messages
    /// arrived.
    private func setRelocation(
        of entry: PresenterEntry, to place: ItemPath, isTold: Bool
    ) -> Bool {
        entry.leaseGuard?.itemMayHaveChanged(at: place)
        return entry.registration.registered.withLock { view in
            guard view.place != place else { return false }
            view.place = place
            if !isTold { view.knownPlace = place }
            return isTold
        }
    }

    /// Records that a presenter has been told about a move, and so knows its path.
    func noticeHandled(_ registration: PresenterRegistration, _ notice: PresenterNotice) {
        guard case .itemDidMove(let place) = notice.withoutOrigin else { return }
        registration.registered.withLock { $0.knownPlace = place }
    }

    /// Records that the presenters on whose behalf items were moved know the new paths.
    func presentersMoved(ofPurpose purpose: Purpose, by moves: [ItemMove]) {
        for entry in state.withLock({ $0.presenters }) where entry.registration.purpose == purpose {
            entry.registration.registered.withLock { view in
                guard let place = view.knownPlace else { return }
                view.knownPlace = moves.destination(of: place) ?? place
            }
        }
    }

    /// Returns a registered presenter and the last path that it was told.
    func standpoint(of presenter: ObjectIdentifier) -> WireStandpoint? {
        guard isOurs, let entry = entry(of: presenter) else { return nil }
        return entry.registration.registered.withLock { view in
            guard let record = view.record, let place = view.knownPlace else { return nil }
            return WireStandpoint(presenter: record, place: place)
        }
    }
}
