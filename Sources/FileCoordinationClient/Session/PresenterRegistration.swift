// SPDX-License-Identifier: Apache-2.0
//
// A presenter of this process, as the session knows it.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire

/// A registered presenter of this process.
final class PresenterRegistration: Sendable {
    let presenter: any Presenter
    let purpose: Purpose
    /// Its own label; if empty, the process's label applies.
    let label: String
    /// What the server knows of the presenter.
    let registered = Lock(ServerView())
    /// Held while a thread determines and reports what keeps the presenter from answering.
    let telling = Lock(())
    /// Whether the server has registered the presenter; nil while the first thread that adds it
    /// waits for that.
    private let addition = Monitor<Bool?>(nil)

    struct ServerView {
        /// The names of the attributes that it observes (Rule 10.5).
        var observedAttributes: Set<String> = []
        /// Its record in the ledger, once there is one.
        var record: RecordReference?
        /// The path in that record, or after a move the new one.
        var place: ItemPath?
        /// The path as far as the presenter knows it; outdated while a move waits in its queue.
        var knownPlace: ItemPath?
        /// The calls that keep it from answering, by the question's claim, as the server was told.
        var blockedQuestions: [UInt64: RecordReference] = [:]
    }

    init(_ presenter: any Presenter, label: String) {
        self.presenter = presenter
        self.label = label
        purpose = Purpose(ProcessIdentity.purpose(ofPresenter: presenter.identity))
    }

    /// Records whether the server has registered the presenter.
    func endAddition(_ isRegistered: Bool) {
        addition.withLock { $0 = isRegistered }
        addition.notifyAll()
    }

    /// Waits for the thread that adds the presenter; returns whether the server has registered it.
    func awaitAddition() -> Bool { addition.wait(forValue: { $0 }) ?? false }

    /// What the server is told of the presenter.
    ///
    /// The guard of a file tries again when the file has changed, so it is told that, also if the
    /// presenter is not: its mailbox keeps only what it has methods for.
    func body(at place: ItemPath?, isGuarded: Bool) -> PresenterBody {
        PresenterBody(
            purpose: purpose.bytes, path: place?.bytes,
            methods: isGuarded ? presenter.methods.union(.itemDidChange) : presenter.methods,
            answerTimeout: PresenterAnswerTimeout.duration)
    }
}

/// A registration and its mailbox.
struct PresenterEntry: Sendable {
    let registration: PresenterRegistration
    let mailbox: PresenterMailbox
    /// Holds its file's lease, if the program wants that.
    var leaseGuard: LeaseGuard?

    var identity: ObjectIdentifier { registration.presenter.identity }
}
