// SPDX-License-Identifier: Apache-2.0
//
// Which leases a write of a presenter's own purpose lifts, and which it restores.

import FileCoordinationArbiter
import FileCoordinationSystem
import Testing

@testable import FileCoordinationClient

@Suite struct LiftedLeaseTests {
    //  write of the presenter's purpose    presenter
    //  begins: nothing to lift
    //                                      registered, with a guard
    //  ends: nothing to restore
    //  another one lifts the lease
    //  and restores it
    //
    @Test func `A guard that is made during a write of its purpose survives the next one`() throws {
        let server = try SimulatedServer()
        let connection = try server.welcome()
        defer { connection.shutDown() }
        let session = server.session
        let presenter = IdlePresenter()
        let registration = PresenterRegistration(presenter, label: "")
        // A thread for guards exists, as after any former registration.
        let leaseGuard = try session.makeLeaseGuard(of: presenter)
        let access = try server.file("f", purpose: registration.purpose)
        session.markRunning(access)
        let mailbox = PresenterMailbox(
            guardedBy: leaseGuard, presenter: presenter, answer: { _, _ in },
            relinquishmentChanged: { _, _ in }, handled: { _ in }, changed: { _ in })
        session.state.withLock { state in
            _ = state.presenters.add(
                PresenterEntry(
                    registration: registration, mailbox: mailbox, leaseGuard: leaseGuard))
        }
        session.markEnded(access)
        session.markRunning(access)
        session.markEnded(access)
        // Only a guard that is lifted has nothing to do then.
        var life = leaseGuard.state.withLock { $0.life }
        #expect(life.handle(.itemMayHaveChanged) != [])
    }
}

/// A presenter that is never called.
final class IdlePresenter: Presenter {
    private final class Queue: PresenterQueue {
        var isSerial: Bool { true }
        var isSuspended: Bool { false }
        var isMain: Bool { false }
        func add(_ step: @escaping @Sendable () -> Void) {}
        func addFirst(_ step: @escaping @Sendable () -> Void) {}
    }

    var identity: ObjectIdentifier { ObjectIdentifier(self) }
    var methods: PresenterMethods { [] }
    let queue: any PresenterQueue = Queue()
    var presentedItem: ItemName? { nil }
    var observedAttributes: Set<String> { [] }
    func relinquish(_ kind: Relinquishment, _ block: @escaping @Sendable (Reacquirer?) -> Void) {}
    func perform(
        _ request: PresenterRequest, in scope: PresenterCallScope,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {}
    func receive(_ notice: PresenterNotice) -> Bool { true }
}
