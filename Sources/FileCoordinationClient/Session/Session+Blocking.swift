// SPDX-License-Identifier: Apache-2.0
//
// Tells the server which presenters of this process cannot answer because one of the process's own
// calls is waiting (Rule 18.4). The server knows claims and answers, but not that a presenter's
// queue is occupied by the call that waits for the presenter. Calls that wait only briefly are not
// reported.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationServer
import FileCoordinationSystem
import FileCoordinationWire

extension Session {
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
    /// The server discards what it was told about the call.
    func endWait(_ record: RecordReference) {
        state.withLock { $0.waitingCalls.removeAll { $0.record == record } }
    }

    /// Tells the server which questions a presenter cannot answer now, if that has changed.
    func tellBlocked(of registration: PresenterRegistration, _ mailbox: PresenterMailbox) {
        // In most cases no call waits. If a reported one is over, the server knows that from the
        // claim.
        guard state.withLock({ !$0.waitingCalls.isEmpty }) else { return }
        // The lock orders the messages of several threads: the last one has the latest finding.
        registration.telling.withLock { _ in
            let calls = state.withLock { $0.waitingCalls }
            let found = mailbox.questionsBlocked(by: calls)
            let (record, former) = registration.registered.withLock { view in
                defer { view.blockedQuestions = found.compactMapValues { $0 } }
                return (view.record, view.blockedQuestions)
            }
            guard let record else { return }
            for (claim, call) in found where former[claim] != call {
                let message = ClientMessage.blocked(
                    presenter: record, claim: claim, by: call)
                if !tell(message) {
                    registration.registered.withLock { $0.blockedQuestions[claim] = nil }
                }
            }
        }
    }
}
