// SPDX-License-Identifier: Apache-2.0
//
// Tells the server which presenters of this process cannot answer because one of the process's own
// calls is waiting (Rule 18.4). The server knows claims and answers, but not that a presenter's
// queue is occupied by the call that waits for the presenter. Calls that wait only briefly are not
// reported.

import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

/// A waiting call of this process.
struct WaitingCall: Sendable {
    let record: RecordReference
    let place: CallPlace
}

extension Session {
    /// The first protocol version with this message.
    private static let blockedVersion: UInt16 = 2

    /// Records that a call is waiting at `place`.
    ///
    /// ``endWait(_:)`` must follow.
    func beginWait(_ record: RecordReference, at place: CallPlace) {
        guard isOurs, !place.isNowhere else { return }
        let presenters = state.withLock { state in
            state.waitingCalls.append(WaitingCall(record: record, place: place))
            return state.presenters
        }
        for entry in presenters { tellBlocked(of: entry.registration, entry.mailbox) }
    }

    /// Records that a call no longer waits.
    ///
    /// What the server was told about it does not count any more.
    func endWait(_ record: RecordReference) {
        state.withLock { $0.waitingCalls.removeAll { $0.record == record } }
    }

    /// Tells the server whether a presenter is kept from answering, if that has changed.
    func tellBlocked(of registration: PresenterRegistration, _ mailbox: PresenterMailbox) {
        let version = state.withLock { $0.waitingCalls.isEmpty ? 0 : $0.version }
        // In most cases no call waits. If a reported one is over, the server knows that from the
        // claim.
        guard version >= Self.blockedVersion else { return }
        // One thread at a time, so that a later finding is not sent before an earlier one.
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
