// SPDX-License-Identifier: Apache-2.0
//
// Which presenters of this process cannot go on because one of its own calls waits (Rule 18.4). The
// arbiter sees claims and answers, but not that a presenter's queue is occupied by the very call
// that waits for it; so it is told. A call that does not wait for long says nothing.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// A call of this process that waits.
struct WaitingCall: Sendable {
    let record: RecordReference
    let place: CallPlace
}

extension Session {
    /// The version of the protocol from which on this can be said.
    private static let blockedVersion: UInt16 = 2

    /// Records that a call waits at `place`; to be followed by ``endWait(_:)``.
    func beginWait(_ record: RecordReference, at place: CallPlace) {
        guard isOurs, !place.isNowhere else { return }
        let presenters = state.withLock { state in
            state.waitingCalls.append(WaitingCall(record: record, place: place))
            return state.presenters
        }
        for entry in presenters { tellBlocked(of: entry.registration, entry.mailbox) }
    }

    /// Records that a call waits no longer: what the arbiter was told of it does not count any
    /// more.
    func endWait(_ record: RecordReference) {
        state.withLock { $0.waitingCalls.removeAll { $0.record == record } }
    }

    /// Tells the arbiter whether a presenter is kept from going on, if that is news.
    func tellBlocked(of registration: PresenterRegistration, _ mailbox: PresenterMailbox) {
        let version = state.withLock { $0.waitingCalls.isEmpty ? 0 : $0.version }
        // As a rule there is none; and of one that is over the arbiter knows.
        guard version >= Self.blockedVersion else { return }
        // One at a time: what was found out later must not be told earlier.
        registration.telling.withLock { _ in
            let calls = state.withLock { $0.waitingCalls }
            let call = calls.last { mailbox.isBlocked(by: $0.place) }?.record
            let record = registration.tie.withLock { tie -> RecordReference? in
                guard tie.blockedBy != call else { return nil }
                tie.blockedBy = call
                return tie.record
            }
            guard let record else { return }
            let message = ClientMessage.blocked(
                presenter: WireRecord(record), by: call.map { WireRecord($0) })
            if !announce(message) { registration.tie.withLock { $0.blockedBy = nil } }
        }
    }
}
