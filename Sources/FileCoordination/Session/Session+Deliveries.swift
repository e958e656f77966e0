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
    /// Hands one message over to its presenter's mailbox.
    func deliver(_ delivery: Delivery) {
        guard let entry = state.withLock({ $0.presentersByRecord[delivery.presenter] }) else {
            return
        }
        switch delivery.message {
        case .ask(let claim, let steps): entry.mailbox.ask(claim: claim, steps: steps)
        case .cancelAsk(let claim): entry.mailbox.cancelAsk(claim: claim)
        case .reacquire(let kind): entry.mailbox.reacquire(kind)
        case .notice(let notice): deliver(notice, to: entry)
        case .relocated(let place, let isTold): relocate(entry, to: place, isTold: isTold)
        }
    }

    private func deliver(_ notice: Notice, to entry: PresenterEntry) {
        let mailbox = entry.mailbox
        switch notice {
        case .itemDidChange: mailbox.notify(.itemDidChange)
        case .subitemDidAppear(let place): mailbox.notify(.subitemDidAppear(URL(place: place)))
        case .subitemDidChange(let place): mailbox.notify(.subitemDidChange(URL(place: place)))
        case .subitemDidMove(let old, let new):
            mailbox.notify(.subitemDidMove(from: URL(place: old), to: URL(place: new)))
        case .itemVersion(let place, let news):
            mailbox.notify(.itemVersion(VersionMessage(news), of: URL(place: place)))
        case .subitemVersion(let place, let news):
            mailbox.notify(.subitemVersion(VersionMessage(news), at: URL(place: place)))
        case .ubiquityAttributes(let names):
            // Rule 10.4: only what the presenter observes, and nothing if that is nothing.
            let observed = entry.registration.tie.withLock { $0.observedAttributes }
            let keys = names.map { String(decoding: $0, as: UTF8.self) }
                .filter { observed.contains($0) }
            guard !keys.isEmpty else { return }
            mailbox.notify(
                .itemDidChangeUbiquityAttributes(Set(keys.map { URLResourceKey($0) })))
        }
    }

    // MARK: Where presenters are

    /// Notes where a presenter's item is by now; the presenter hears of it if that is news.
    ///
    /// The host says it again after a new connection: it cannot know what was heard on the last.
    private func relocate(_ entry: PresenterEntry, to place: ItemPath, isTold: Bool) {
        let isNews = entry.registration.tie.withLock { tie in
            guard tie.place != place else { return false }
            tie.place = place
            if !isTold { tie.knownPlace = place }
            return true
        }
        if isNews, isTold { entry.mailbox.notify(.itemDidMove(to: URL(place: place))) }
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
