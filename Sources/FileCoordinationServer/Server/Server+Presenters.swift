// SPDX-License-Identifier: Apache-2.0
//
// Registers presenters, and removes them. The server calls this when it finds a presenter's record
// in a ledger, or finds that the record is given back.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

extension Server {
    /// Registers a presenter, after learning what was moved away from its path, and after recalling
    /// the delegations that its path concerns.
    mutating func register(_ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client) {
        let isNew = snapshot.state == .asked
        if isNew, isOverLimit(snapshot, client) { return }
        guard let body = client.ledger.presenterBody(snapshot.reference) else {
            return reject(snapshot, client)
        }
        let places = records.places(of: snapshot, body)
        if !check.isPrepared, isNew {
            let writers = places.flatMap { runningWriters(onTheWayTo: $0) }
            if !writers.isEmpty {
                var prepared = check
                prepared.isPrepared = true
                work.replace(by: writers.map { .check($0) } + [.check(prepared)])
                return
            }
        }
        let appearances = places.map { path in
            Event.presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: 0), client: client.id,
                    purpose: Purpose(bytes: body.purpose), path: path, methods: body.methods))
        }
        if recall(before: appearances, then: .check(check)) { return }
        let presenter = records.presenter(snapshot, body, of: client)
        decide(.presenterAdded(presenter))
        watch(presenter, check.record, of: client, changedAfter: RealTimeClock.now)
        // A presenter must be told all changes after its registration. If the watcher has to look
        // at its item first, the registration is granted after that.
        guard isNew, !outgoing.watching.awaitListening(of: presenter.id, at: MonotonicClock.now)
        else {
            return
        }
        grantPresenter(presenter.id)
    }

    /// Tells a presenter's client that the presenter is registered.
    mutating func grantPresenter(_ presenter: PresenterID) {
        guard let address = records.address(of: presenter), let client = clients[address.client]
        else { return }
        if client.ledger.grant(address.record, presence.epoch) == .grantedWantsMessage {
            send(.granted(address.record), to: client)
        }
    }

    mutating func remove(_ presenter: PresenterID) {
        outgoing.watching.unpresent(presenter)
        records.discard(presenter)
        decide(.presenterRemoved(presenter))
    }

    /// Returns checks of the records of writers that run, as far as the arbiter knows, at a path or
    /// at a directory that contains it.
    ///
    /// Such a writer may have moved its item, and the message about that may still be unread,
    /// because it came on another connection. If a program has learned of the move in another way
    /// and now presents another item at the old path, its presenter must not follow the move (Rule
    /// 11.1).
    private func runningWriters(onTheWayTo path: ItemPath) -> [RecordCheck] {
        arbiter.runningWriters(onTheWayTo: path).compactMap { claim in
            guard let address = records.address(of: claim) else { return nil }
            return RecordCheck(client: address.client, record: address.record)
        }
    }
}
