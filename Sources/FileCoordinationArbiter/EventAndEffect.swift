// SPDX-License-Identifier: Apache-2.0
//
// Everything that can happen to the arbiter, and everything that it can want. Events are facts in
// the past tense, effects are imperatives; nothing else goes in or out.

/// What a claim is for.
public enum ClaimKind: UInt8, CaseIterable, Hashable, Sendable {
    /// Access, which excludes others.
    case access = 0
    /// A batch: its presenters are asked beforehand, and no claim is excluded (Rules 14.1, 14.3).
    case preparation = 1

    /// Whether it waits for other claims, and they for it.
    var takesPart: Bool {
        switch self {
        case .access: true
        case .preparation: false
        }
    }
}

/// Where a coordinator believes its presenter to be (Rule 11.7).
public struct Standpoint: Hashable, Sendable {
    /// The coordinator's presenter.
    public var presenter: PresenterID
    /// Its place, as far as the presenter has been told by now.
    public var place: ItemPath

    /// Where a coordinator believes its presenter to be.
    public init(_ presenter: PresenterID, at place: ItemPath) {
        self.presenter = presenter
        self.place = place
    }
}

/// A claim as it is filed: one call, one or more items (Rule 2.13).
public struct FiledClaim: Hashable, Sendable {
    /// Its serial number.
    public var id: ClaimID
    /// Whose it is.
    public var client: ClientID
    /// The coordinator's purpose.
    public var purpose: Purpose
    /// What it wants.
    ///
    /// May be empty (Rule 13.6).
    public var items: [AccessItem]
    /// The claims inside whose accessors, on the same thread or task, the call was made; ascending.
    public var enclosing: [ClaimID]
    /// Claims of other processes that wait for it, because it is made by a command that runs inside
    /// their accessors; ascending.
    public var surrounding: [ClaimID]
    /// What it is for.
    public var kind: ClaimKind
    /// Where its coordinator believes its presenter to be, if it has one that is registered.
    public var standpoint: Standpoint?
    /// Whether the accessors that it was made in wait for it (Rule 18.4).
    public var blocksCaller: Bool
    /// What its client would like to have delegated when it is over.
    public var request: DelegationRequest?
    /// Whether its client can end it without a report, if the arbiter wants none.
    public var mayGoUnreported: Bool
    /// Whether it was filed before the queue at its place had opened, of which its client is a
    /// member.
    public var precedesQueue: Bool

    /// A claim as it is filed.
    public init(
        id: ClaimID, client: ClientID, purpose: Purpose, items: [AccessItem],
        enclosing: [ClaimID] = [], surrounding: [ClaimID] = [], kind: ClaimKind = .access,
        standpoint: Standpoint? = nil, blocksCaller: Bool = false,
        request: DelegationRequest? = nil, mayGoUnreported: Bool = false,
        precedesQueue: Bool = false
    ) {
        self.request = request
        self.mayGoUnreported = mayGoUnreported
        self.precedesQueue = precedesQueue
        self.surrounding = surrounding
        self.id = id
        self.client = client
        self.purpose = purpose
        self.items = items
        self.enclosing = enclosing
        self.kind = kind
        self.standpoint = standpoint
        self.blocksCaller = blocksCaller
    }
}

extension FiledClaim {
    /// Whether it was made inside any accessor, of its process or of another.
    var isNested: Bool { !enclosing.isEmpty || !surrounding.isEmpty }

    /// All claims whose accessors it was made inside, of its process and of others.
    var outerClaims: [ClaimID] { surrounding.isEmpty ? enclosing : enclosing + surrounding }

    /// Whether it was made inside the accessor of this one.
    func isInside(_ claim: ClaimID) -> Bool {
        enclosing.contains(claim) || surrounding.contains(claim)
    }
}

/// One claim of a cycle; it waits for the next one, and the last one for the first.
public struct CycleStep: Hashable, Sendable {
    /// The claim.
    public var claim: FiledClaim
    /// How far it had got.
    public var stage: ClaimStage
    /// The presenter whose answer it waits for, if that is why it waits for the next one.
    public var presenter: PresenterID?

    /// One claim of a cycle.
    public init(claim: FiledClaim, stage: ClaimStage, presenter: PresenterID? = nil) {
        self.claim = claim
        self.stage = stage
        self.presenter = presenter
    }
}

/// A presenter as it is registered.
public struct RegisteredPresenter: Hashable, Sendable {
    /// Its identity.
    public var id: PresenterID
    /// The process that it lives in.
    public var client: ClientID
    /// The purpose that all coordinators made with it share (Rule 4.2).
    public var purpose: Purpose
    /// The place it presents, or nil while it presents none (Rule 5.5).
    public var path: ItemPath?
    /// Where it was before, as far as that is known: its coordinators may still mean that (Rule
    /// 11.7).
    public var formerPlaces: [ItemPath]
    /// The optional methods it implements (Rule 5.3).
    public var methods: PresenterMethods
    /// How long it may take to answer, in nanoseconds; nil: as long as it likes (Rule 18.3).
    public var patience: UInt64?
    /// Kinds in which it is relinquished already: known from its ledger after a server's death.
    public var relinquished: Relinquishments

    /// A presenter as it is registered.
    public init(
        id: PresenterID, client: ClientID, purpose: Purpose, path: ItemPath?,
        formerPlaces: [ItemPath] = [], methods: PresenterMethods, patience: UInt64? = nil,
        relinquished: Relinquishments = []
    ) {
        self.id = id
        self.client = client
        self.purpose = purpose
        self.path = path
        self.formerPlaces = formerPlaces
        self.methods = methods
        self.patience = patience
        self.relinquished = relinquished
    }
}

/// A fact that the arbiter learns.
public enum Event: Hashable, Sendable {
    /// A client asks for access.
    case claimFiled(FiledClaim)
    /// A claim that was granted by a former arbiter is found in its ledger, still running.
    case claimRecovered(FiledClaim)
    /// An accessor that runs has made something known.
    case claimAnnounced(ClaimID, Announcement)
    /// What an accessor made known to a former arbiter, which acted on it: where its own items are
    /// by now.
    case claimReminded(ClaimID, Announcement)
    /// An accessor returned; one outcome for each item of the claim.
    case claimEnded(ClaimID, outcomes: [ItemOutcome])
    /// A client gave a claim up before it was granted (Rule 12.2), or its deadline passed.
    case claimCancelled(ClaimID)
    /// A presenter was registered.
    case presenterAdded(RegisteredPresenter)
    /// A presenter's place became known, or changed by its own word (Rule 5.5).
    case presenterRelocated(PresenterID, ItemPath?)
    /// A program that does not coordinate has moved a presenter's item (Rule 11.9).
    case presenterMoved(PresenterID, to: ItemPath)
    /// A presenter was removed (Rule 5.7).
    case presenterRemoved(PresenterID)
    /// A presenter has done what a claim asked of it, or failed to.
    case presenterAnswered(PresenterID, for: ClaimID, failure: PresenterFailure?)
    /// A presenter can do nothing that it is asked before this waiting claim of its process is
    /// over, or granted; nil: it can again (Rule 18.4).
    case presenterBlocked(PresenterID, by: ClaimID?)
    /// A client process was seen to be stopped (Rule 18.6).
    case clientStopped(ClientID)
    /// A client process that was stopped runs again.
    case clientContinued(ClientID)
    /// A grant that the claim's process had not taken up was taken back, because the process is
    /// stopped (Rule 18.6).
    case grantWithdrawn(ClaimID)
    /// A client process died: all that was its is gone (Rule 15.8).
    case clientDied(ClientID)
    /// The monotonic time, in nanoseconds, of the events that follow.
    case clockAdvanced(to: UInt64)
    /// Everything that a former arbiter left behind has been told (see
    /// ``Arbiter/init(recovering:policy:)``).
    case recoveryFinished
    /// A delegation is gone, and each claim that ran under it has been told. Either the arbiter
    /// recalled it, or the server has taken it back by itself or could not give it.
    case delegationRecalled(DelegationID)
    /// A client wants what others have delegated, which the server is about to take back for it.
    case delegationsContested([DelegationID], by: ClientID)
    /// A claim that was granted without a report is seen to be over.
    case unreportedClaimEnded(ClaimID)
    /// The server has put a place into a ticket queue, which is not open yet.
    case queueOpened(DelegationID, at: ItemPath, [QueueMember])
    /// The server has closed a queue, in which there were so many turns; what ran and waited there
    /// has been told.
    case queueClosed(DelegationID, at: ItemPath, turns: Int)
}

extension Event {
    /// Whether claims may wait for others because of it for which they did not wait before.
    ///
    /// Of the events that are frequent, the arbiter finds out while it handles them.
    var mayChangeWaits: Bool {
        switch self {
        case .claimFiled, .claimEnded, .clockAdvanced: false
        case .claimRecovered, .claimAnnounced, .claimReminded, .claimCancelled, .presenterAdded,
            .presenterRelocated, .presenterMoved, .presenterRemoved, .presenterAnswered,
            .presenterBlocked, .clientStopped, .clientContinued, .grantWithdrawn, .clientDied,
            .recoveryFinished:
            true
        case .delegationRecalled, .delegationsContested, .unreportedClaimEnded, .queueOpened,
            .queueClosed:
            false
        }
    }

    /// Whether it is a part of the answer to a recall, and so waits for none.
    var answersRecall: Bool {
        switch self {
        case .claimRecovered, .delegationRecalled, .delegationsContested, .unreportedClaimEnded,
            .queueClosed, .clockAdvanced:
            true
        case .claimFiled, .claimEnded, .claimAnnounced, .claimReminded,
            .claimCancelled, .presenterAdded, .presenterRelocated, .presenterMoved,
            .presenterRemoved, .presenterAnswered, .presenterBlocked, .clientStopped,
            .clientContinued,
            .grantWithdrawn, .clientDied, .recoveryFinished, .queueOpened:
            false
        }
    }
}

/// Something that the arbiter wants done.
public enum Effect: Hashable, Sendable {
    /// Let the claim's accessor run.
    case grant(ClaimID)
    /// Tell the claimant that a presenter refused; the claim is over (Rule 9.1).
    case fail(ClaimID, PresenterFailure)
    /// Tell the claimant that it waits for itself, by way of others, beginning with itself; the
    /// claim is over (Rule 18.4).
    case failInCycle(ClaimID, [CycleStep])
    /// Take back what presenters are asked for the claim, which waits in the queue again (Rule
    /// 18.6).
    case recallQuestions(ClaimID)
    /// Ask a presenter to make way for a claim, and to answer.
    case askToYield(PresenterID, for: ClaimID, YieldSteps)
    /// Tell a presenter that it may have its item back (Rule 8.2).
    case reacquire(PresenterID, Relinquishment)
    /// Tell a presenter what happened.
    case notify(PresenterID, Notice)
    /// Tell the claimant where the items of its waiting claim are by now (Rule 11.4).
    ///
    /// Before the claim is granted.
    case retarget(ClaimID, [AccessItem])
    /// Tell a presenter's process where its item is by now, and the presenter if `isTold`.
    case relocate(PresenterID, to: ItemPath, isTold: Bool)
    /// Let the claim's accessor run; its client need not report the end.
    ///
    /// The arbiter knows nothing more of the claim, unless it recalls its delegation.
    case grantUnreported(ClaimID, DelegationID)
    /// Delegate a place to a client.
    case delegate(Delegation)
    /// Take a delegation back: tell of each claim that runs under it
    /// (``Event/claimRecovered(_:)``), and then ``Event/delegationRecalled(_:)``.
    case recall(DelegationID)
    /// Put a place into a ticket queue of these clients, if that can be done; then tell
    /// ``Event/queueOpened(_:at:_:)``.
    case openQueue(at: ItemPath, [QueueMember])
    /// Let the members of a queue have their turns: no claim of the arbiter's own is left there.
    case startQueue(DelegationID)
}

/// What one waiting claim waits for, for people and for cycle finding (Rules 18.4, 18.5).
public enum Impediment: Hashable, Sendable {
    /// Another claim must end first.
    case claim(ClaimID)
    /// A presenter must answer first.
    case presenter(PresenterID, YieldSteps)
}

/// Where a claim is in its life, as status shows it.
public enum ClaimStage: UInt8, CaseIterable, Hashable, Sendable {
    /// Stage 1: waits for other claims.
    case waiting = 0
    /// Stage 2: holds its place, presenters are being asked.
    case asking = 1
    /// Its accessor may run.
    case granted = 2
}
