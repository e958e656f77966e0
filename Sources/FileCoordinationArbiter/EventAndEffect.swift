// SPDX-License-Identifier: Apache-2.0
//
// The arbiter's inputs (``Event``) and outputs (``Effect``), and the values in them. Events are
// facts, named in the past tense; effects are orders to the server, named as imperatives.

public import MonotonicTime

/// One claim of a cycle.
///
/// It waits for the next one, and the last one for the first.
public struct CycleStep: Hashable, Sendable {
    /// The claim.
    public var claim: FiledClaim
    /// The stage of the claim.
    public var stage: ClaimStage
    /// The presenter whose missing answer makes the claim wait for the next one, if there is one.
    public var presenter: PresenterID?

    /// Creates a step of a cycle.
    public init(claim: FiledClaim, stage: ClaimStage, presenter: PresenterID? = nil) {
        self.claim = claim
        self.stage = stage
        self.presenter = presenter
    }
}

/// A presenter as its client registered it.
public struct RegisteredPresenter: Hashable, Sendable {
    /// The presenter's number.
    public var id: PresenterID
    /// The client process that the presenter is in.
    public var client: ClientID
    /// The purpose that all coordinators made with it share (Rule 4.2).
    public var purpose: Purpose
    /// The presented path, or nil if there is none now (Rule 5.5).
    public var path: ItemPath?
    /// Its former known paths.
    ///
    /// Its coordinators may still use them (Rule 11.7).
    public var formerPlaces: [ItemPath]
    /// The optional methods that it implements (Rule 5.3).
    public var methods: PresenterMethods
    /// How long it may take to answer; nil for no limit (Rule 18.3).
    public var answerTimeout: Duration?
    /// The kinds of access to which it has relinquished its item, as read from its ledger after the
    /// death of a server.
    public var relinquished: Relinquishments

    /// Creates a presenter.
    public init(
        id: PresenterID, client: ClientID, purpose: Purpose, path: ItemPath?,
        formerPlaces: [ItemPath] = [], methods: PresenterMethods, answerTimeout: Duration? = nil,
        relinquished: Relinquishments = []
    ) {
        self.id = id
        self.client = client
        self.purpose = purpose
        self.path = path
        self.formerPlaces = formerPlaces
        self.methods = methods
        self.answerTimeout = answerTimeout
        self.relinquished = relinquished
    }
}

/// A fact that the server tells the arbiter.
public enum Event: Hashable, Sendable {
    /// A client has asked for access.
    case claimFiled(FiledClaim)
    /// A running claim that a former server, or the client itself, has granted was found in its
    /// ledger.
    case claimRecovered(FiledClaim)
    /// A running accessor has announced something.
    case claimAnnounced(ClaimID, Announcement)
    /// A former arbiter has handled this announcement.
    ///
    /// This arbiter needs it to know where the claim's own items are now.
    case claimReminded(ClaimID, Announcement)
    /// An accessor has returned, with one outcome for each item of the claim.
    case claimEnded(ClaimID, outcomes: [ItemOutcome])
    /// A client has cancelled a claim before it was granted (Rule 12.2), or the claim's deadline
    /// has passed.
    case claimCancelled(ClaimID)
    /// A client has registered a presenter.
    case presenterAdded(RegisteredPresenter)
    /// A presenter's process has reported its path, or a new one (Rule 5.5).
    case presenterRelocated(PresenterID, ItemPath?)
    /// A program that does not coordinate has moved a presenter's item (Rule 11.9).
    case presenterMoved(PresenterID, to: ItemPath)
    /// A client has deregistered a presenter (Rule 5.7).
    case presenterRemoved(PresenterID)
    /// A presenter has taken the steps that a claim required, or has failed to.
    case presenterAnswered(PresenterID, for: ClaimID, failure: PresenterFailure?)
    /// A presenter has answered a question that was withdrawn, or was lost with a connection (Rule
    /// 18.3).
    case presenterAnsweredLate(PresenterID)
    /// A presenter cannot answer the question for a claim before this waiting claim of its own
    /// process is granted or over; nil means that it can answer again (Rule 18.4).
    case presenterBlocked(PresenterID, for: ClaimID, by: ClaimID?)
    /// A user does not want claims to wait for this presenter's answer any longer; what follows is
    /// what follows at its deadline (Rule 18.3).
    case presenterDismissed(PresenterID)
    /// A client process is stopped (Rule 18.6).
    case clientStopped(ClientID)
    /// A client process that was stopped is running again.
    case clientContinued(ClientID)
    /// The server has withdrawn a provisional grant, because the claim's process is stopped (Rule
    /// 18.6).
    case grantWithdrawn(ClaimID)
    /// A client process has died; its claims and presenters are gone (Rule 15.8).
    case clientDied(ClientID)
    /// The monotonic time of the following events.
    case clockAdvanced(to: Instant)
    /// The server has told everything that the former arbiter left behind (see
    /// ``Arbiter/init(recovering:policy:)``).
    case recoveryFinished
    /// A delegation has ended, and the server has told each claim that ran under it, or tells them
    /// before any other event.
    ///
    /// The arbiter had recalled it, or the server recalled it on its own or could not grant it.
    case delegationRecalled(DelegationID)
    /// The server has created a ticket queue at a path.
    ///
    /// The queue is not open yet.
    case queueOpened(DelegationID, at: ItemPath, [QueueMember])
    /// The server has ended a ticket queue after so many turns, and has told the claims that ran
    /// and waited there.
    case queueClosed(DelegationID, at: ItemPath, turns: Int)
}

extension Event {
    /// Whether the event may make claims wait for others that they did not wait for before.
    ///
    /// For the frequent events, the arbiter determines that while it handles them.
    var mayChangeWaits: Bool {
        switch self {
        case .claimFiled, .claimEnded, .clockAdvanced, .presenterAnsweredLate: false
        case .claimRecovered, .claimAnnounced, .claimReminded, .claimCancelled, .presenterAdded,
            .presenterRelocated, .presenterMoved, .presenterRemoved, .presenterAnswered,
            .presenterBlocked, .presenterDismissed, .clientStopped, .clientContinued,
            .grantWithdrawn, .clientDied, .recoveryFinished:
            true
        case .delegationRecalled, .queueOpened, .queueClosed:
            false
        }
    }

    /// Whether the event is part of the answer to a recall and so is not held back by one.
    var answersRecall: Bool {
        switch self {
        case .claimRecovered, .delegationRecalled, .queueClosed, .clockAdvanced:
            true
        case .claimFiled, .claimEnded, .claimAnnounced, .claimReminded,
            .claimCancelled, .presenterAdded, .presenterRelocated, .presenterMoved,
            .presenterRemoved, .presenterAnswered, .presenterAnsweredLate, .presenterBlocked,
            .presenterDismissed, .clientStopped, .clientContinued, .grantWithdrawn, .clientDied,
            .recoveryFinished, .queueOpened:
            false
        }
    }
}

/// An order of the arbiter to the server.
public enum Effect: Hashable, Sendable {
    /// Grant the claim, so that its accessor runs.
    case grant(ClaimID)
    /// Tell the client that a presenter refused.
    ///
    /// The claim is over (Rule 9.1).
    case fail(ClaimID, PresenterFailure)
    /// Tell the client that its claim is in a cycle, which begins with that claim.
    ///
    /// The claim is over (Rule 18.4).
    case failInCycle(ClaimID, [CycleStep])
    /// Withdraw the questions to presenters for the claim, which waits in the queue again (Rule
    /// 18.6).
    case withdrawQuestions(ClaimID)
    /// Ask a presenter to yield to a claim, and to answer.
    case askToYield(PresenterID, for: ClaimID, YieldSteps)
    /// Tell a presenter that it has its item back (Rule 8.2).
    case reacquire(PresenterID, Relinquishment)
    /// Tell a presenter what happened.
    case notify(PresenterID, Notice)
    /// Tell the client the present paths of a waiting claim's items (Rule 11.4).
    ///
    /// This comes before the grant.
    case retarget(ClaimID, [AccessItem])
    /// Tell a presenter's process the present path of its item; the process tells the presenter if
    /// `isTold`.
    case relocate(PresenterID, to: ItemPath, isTold: Bool)
    /// Grant the claim; the client need not report its release.
    ///
    /// The arbiter knows nothing more of the claim unless it recalls the delegation.
    case grantUnreported(ClaimID, DelegationID)
    /// Delegate a path to a client.
    case delegate(Delegation)
    /// Recall a delegation: report each claim that runs under it (``Event/claimRecovered(_:)``),
    /// and then ``Event/delegationRecalled(_:)``.
    case recall(DelegationID)
    /// Create a ticket queue of these clients at a path, if possible, and then report
    /// ``Event/queueOpened(_:at:_:)``.
    case openQueue(at: ItemPath, [QueueMember])
    /// Give the turn to the members of a queue: no claim of the arbiter is left there.
    case startQueue(DelegationID)
}

/// Something that a waiting claim waits for, for reports and for finding cycles (Rules 18.4, 18.5).
public enum Impediment: Hashable, Sendable {
    /// Another claim must end first.
    case claim(ClaimID)
    /// A presenter must answer first.
    case presenter(PresenterID, YieldSteps)
}

/// The stage of a claim, as status reports show it.
public enum ClaimStage: UInt8, CaseIterable, Hashable, Sendable {
    /// Stage 1: the claim waits for other claims.
    case waiting = 0
    /// Stage 2: the claim holds its position, and presenters are being asked.
    case asking = 1
    /// Its accessor may run.
    case granted = 2
}
