// SPDX-License-Identifier: Apache-2.0
//
// A client of the model: works off its tasks with the procedures of the real ledger.

import FileCoordinationLedger

/// A client process.
struct ModelClient: Hashable {
    /// Where it is.
    enum Phase: Hashable {
        case unborn
        /// Between two tasks.
        case ready
        /// About to extend the mark of used records.
        case marking(free: RecordWord)
        /// About to write the body.
        case writing(free: RecordWord)
        case adopting(Planted<AdoptEpoch>)
        case filing(Planted<FileClaim>)
        /// Takes a number where the place is in a ticket queue.
        case joining(DrawTicket, SlotWord, free: RecordWord)
        case claimingLocally(Planted<ClaimLocally>)
        /// Waits in a ticket queue's line.
        case awaitingTurn(Planted<AwaitTurn>)
        case leavingTicketQueue(LeaveTicketQueue)
        case waiting(Planted<AwaitGrant>)
        case cancelling(Planted<CancelClaim>)
        /// Under a fault: about to do, after filing, what should have been done before.
        case catchingUp(then: RecordWord)
        case accessing
        /// Ends a claim that may be a local one, if no report of its release is asked for.
        case releasingLocally(ReleaseLocally)
        case releasing(ReleaseClaim)
        /// Lets the next one in a ticket queue's line have its turn.
        case passing(PassTurn)
        case done
    }

    var phase = Phase.unborn
    /// The operation that the procedure requests next.
    ///
    /// It follows from the phase, and so is not part of the state, except for the value that a
    /// client has seen that sleeps in a ticket queue.
    var pending: PlantedOperation?
    var isAlive = true
    var isStopped = false
    var hasForked = false
    var isAsleep = false
    /// Whether the ledger has its final name.
    var isNamed = false
    /// Whether the deadline of the present claim has passed.
    var hasGivenUp = false
    var task = 0
    var record = 0
    var generation: UInt32 = 0
    /// The ticket of the present claim, until the client passes its turn on or leaves the queue.
    var ticket: QueueTicket?
    /// The procedure of the other thread, which cancels.
    var canceller: Planted<CancelClaim>?
    var cancellerPending: PlantedOperation?
    var cancellerHasStarted = false

    func hash(into hasher: inout Hasher) {
        hasher.combine(phase)
        hasher.combine(
            (isAlive ? 1 : 0) | (isStopped ? 2 : 0) | (hasForked ? 4 : 0) | (isAsleep ? 8 : 0)
                | (isNamed ? 16 : 0) | (cancellerHasStarted ? 32 : 0)
                | (hasGivenUp ? 64 : 0) | task << 8 | record << 16
                | Int(generation) << 24)
        if let ticket { hasher.combine(ticket) }
        if cancellerHasStarted { hasher.combine(canceller) }
    }

    var runs: Bool { isAlive && !isStopped }

    /// Enters a procedure, and gets the first operation that it requests.
    mutating func enter(_ phase: Phase) {
        self.phase = phase
        _ = resume(observing: 0)
    }

    /// Gives the procedure the observed value; returns its outcome if it is finished.
    mutating func resume(observing value: UInt64) -> ClientOutcome? {
        pending = nil
        switch phase {
        case .adopting(var procedure):
            let step = procedure.advance(observing: value)
            phase = .adopting(procedure)
            return settle(step).map { _ in .adopted }
        case .filing(var procedure):
            let step = procedure.advance(observing: value)
            phase = .filing(procedure)
            return settle(step).map { .filed($0) }
        case .claimingLocally(var procedure):
            let step = procedure.advance(observing: value)
            phase = .claimingLocally(procedure)
            return settle(step).map { .claimedLocally($0) }
        case .waiting(var procedure):
            let step = procedure.advance(observing: value)
            phase = .waiting(procedure)
            return settle(step).map { .waited($0) }
        case .cancelling(var procedure):
            let step = procedure.advance(observing: value)
            phase = .cancelling(procedure)
            return settle(step).map { .cancelled($0) }
        case .releasingLocally(var procedure):
            let step = procedure.advance(observing: value)
            phase = .releasingLocally(procedure)
            return settle(step).map { .releasedLocally($0) }
        case .releasing(var procedure):
            let step = procedure.advance(observing: value)
            phase = .releasing(procedure)
            return settle(step).map { .released($0) }
        case .joining, .awaitingTurn, .leavingTicketQueue, .passing:
            return resumeInTicketQueue(observing: value)
        case .unborn, .ready, .marking, .writing, .catchingUp, .accessing, .done:
            return nil
        }
    }

    /// The same for the procedures of ticket queues.
    private mutating func resumeInTicketQueue(observing value: UInt64) -> ClientOutcome? {
        switch phase {
        case .joining(var procedure, let slot, let free):
            let step = procedure.advance(observing: value)
            phase = .joining(procedure, slot, free: free)
            return settle(step).map { .joined($0, slot, free: free) }
        case .awaitingTurn(var procedure):
            let step = procedure.advance(observing: value)
            phase = .awaitingTurn(procedure)
            return settle(step).map { .awaitedTurn($0) }
        case .leavingTicketQueue(var procedure):
            let step = procedure.advance(observing: value)
            phase = .leavingTicketQueue(procedure)
            return settle(step).map { _ in .leftTicketQueue }
        case .passing(var procedure):
            let step = procedure.advance(observing: value)
            phase = .passing(procedure)
            return settle(step).map { _ in .passed }
        case .unborn, .ready, .marking, .writing, .adopting, .filing, .claimingLocally, .waiting,
            .cancelling, .catchingUp, .accessing, .releasingLocally, .releasing, .done:
            return nil
        }
    }

    private mutating func settle<Outcome>(_ step: ProcedureStep<Outcome>) -> Outcome? {
        switch step {
        case .perform(let operation): settle(PlantedStep.perform(.sound(operation)))
        case .finished(let outcome): outcome
        }
    }

    private mutating func settle<Outcome>(_ step: PlantedStep<Outcome>) -> Outcome? {
        switch step {
        case .perform(let operation):
            pending = operation
            return nil
        case .finished(let outcome):
            return outcome
        }
    }

    /// The same for the other thread; true when it is finished.
    mutating func resumeCanceller(observing value: UInt64) -> Bool {
        guard var procedure = canceller else { return true }
        let step = procedure.advance(observing: value)
        canceller = procedure
        switch step {
        case .perform(let operation):
            cancellerPending = operation
            return false
        case .finished:
            canceller = nil
            cancellerPending = nil
            return true
        }
    }
}

/// How a client's procedure ended.
enum ClientOutcome {
    case adopted
    case filed(FileClaim.Outcome)
    case joined(DrawTicket.Outcome, SlotWord, free: RecordWord)
    case claimedLocally(ClaimLocally.Outcome)
    case awaitedTurn(AwaitTurn.Outcome)
    case leftTicketQueue
    case waited(RecordWord)
    case cancelled(Bool)
    case releasedLocally(Bool)
    case released(ReleaseResult)
    case passed
}
