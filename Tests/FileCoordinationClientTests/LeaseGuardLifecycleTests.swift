// SPDX-License-Identifier: Apache-2.0
//
// The life of a lease guard, fact by fact.

import Testing

@testable import FileCoordinationClient

@Suite struct LeaseGuardLifecycleTests {
    private typealias Event = LeaseGuardLifecycle.GuardEvent
    private typealias Action = LeaseGuardLifecycle.GuardAction

    /// A step of a life: a fact, and what follows from it.
    private struct Step {
        let event: Event
        let actions: [Action]

        init(_ event: Event, _ actions: Action...) {
            self.event = event
            self.actions = actions
        }
    }

    private func check(_ steps: Step...) {
        var life = LeaseGuardLifecycle()
        for (index, step) in steps.enumerated() {
            let actions = life.handle(step.event)
            #expect(actions == step.actions, "step \(index): \(step.event)")
        }
    }

    @Test func `A plain program goes on after the presenter has answered`() {
        check(
            Step(.leaseTaken, .report(.on)),
            Step(.broken(byOwnProcess: false), .ask),
            Step(.answered, .drop, .takeLease),
            Step(.leaseRefused(.isOpenForWriting), .report(.off(.isOpenForWriting))),
            Step(.itemMayHaveChanged, .takeLease),
            Step(.leaseTaken, .report(.on), .giveBack))
    }

    @Test func `A program that gave up is no reason to keep the file from the presenter`() {
        check(
            Step(.leaseTaken, .report(.on)),
            Step(.broken(byOwnProcess: false), .ask),
            Step(.answered, .drop, .takeLease),
            Step(.leaseTaken, .giveBack))
    }

    @Test func `The program's own opening does not wait, asks no presenter, and ends the guard`() {
        check(
            Step(.leaseTaken, .report(.on)),
            Step(.broken(byOwnProcess: true), .drop, .report(.off(.writtenInPlace))),
            Step(.itemMayHaveChanged), Step(.lifted), Step(.restored), Step(.leaseTaken, .drop))
    }

    @Test func `If the thread fails, every lease is dropped, and the next event tries anew`() {
        let off = Action.report(.off(.system(9)))
        check(
            Step(.leaseTaken, .report(.on)), Step(.threadFailed(9), .drop, off),
            Step(.itemMayHaveChanged, .takeLease), Step(.leaseTaken, .report(.on)),
            Step(.broken(byOwnProcess: false), .ask),
            Step(.threadFailed(9), .drop, off, .giveBack), Step(.answered))
        check(
            Step(.leaseTaken, .report(.on)), Step(.lifted, .drop), Step(.threadFailed(9), off),
            Step(.restored, .takeLease))
    }

    @Test func `The lease is dropped before a claim asks, and taken after the last one`() {
        check(
            Step(.leaseTaken, .report(.on)), Step(.lifted, .drop), Step(.lifted), Step(.restored),
            Step(.itemMayHaveChanged), Step(.restored, .takeLease), Step(.leaseTaken))
    }

    @Test func `A lease that the thread took too late is dropped`() {
        check(Step(.lifted), Step(.leaseTaken, .drop), Step(.restored, .takeLease))
    }

    @Test func `A claim that comes while a plain program writes keeps the lease away`() {
        check(
            Step(.leaseTaken, .report(.on)), Step(.broken(byOwnProcess: false), .ask),
            Step(.answered, .drop, .takeLease), Step(.lifted),
            Step(.leaseTaken, .drop, .giveBack), Step(.restored, .takeLease))
    }

    @Test func `A presenter that writes in its file while it saves has no guard from then on`() {
        check(
            Step(.leaseTaken, .report(.on)), Step(.broken(byOwnProcess: false), .ask),
            Step(.saverWaits, .drop, .report(.off(.writtenInPlace))), Step(.saverWaits),
            Step(.answered, .drop, .takeLease), Step(.leaseRefused(.isOpenForWriting)),
            Step(.itemMayHaveChanged, .takeLease), Step(.leaseTaken, .drop, .giveBack),
            Step(.itemMayHaveChanged), Step(.lifted), Step(.restored))
    }

    @Test func `A refused lease is tried again when the item has changed, not before`() {
        check(
            Step(.leaseRefused(.noFile), .report(.off(.noFile))),
            Step(.itemMayHaveChanged, .takeLease),
            Step(.leaseRefused(.noFile)),
            Step(.itemMayHaveChanged, .takeLease),
            Step(.leaseTaken, .report(.on)))
    }

    @Test func `A file that replaces the guarded one is guarded`() {
        check(
            Step(.leaseTaken, .report(.on)), Step(.itemMayHaveChanged, .checkPath),
            Step(.replaced, .drop, .takeLease), Step(.leaseTaken))
    }

    @Test func `If the file is gone in the end, the presenter does not wait for it`() {
        check(
            Step(.leaseTaken, .report(.on)), Step(.broken(byOwnProcess: false), .ask),
            Step(.answered, .drop, .takeLease),
            Step(.leaseRefused(.noFile), .report(.off(.noFile)), .giveBack))
    }

    @Test func `The removal of a presenter lets a program go on`() {
        check(Step(.leaseTaken, .report(.on)), Step(.removed, .drop), Step(.leaseTaken, .drop))
        check(
            Step(.leaseTaken, .report(.on)), Step(.broken(byOwnProcess: false), .ask),
            Step(.removed, .finish), Step(.answered), Step(.itemMayHaveChanged))
    }
}
