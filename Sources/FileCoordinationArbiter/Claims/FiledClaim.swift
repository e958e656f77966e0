// SPDX-License-Identifier: Apache-2.0
//
// A claim as the arbiter is told of it. The arbiter and the server copy a claim dozens of times for
// each access, so a copy must cost no more than a reference. Properties that the server assigns
// have a setter, because `_modify` from another module allocates a coroutine frame.

/// The kind of a claim.
public enum ClaimKind: UInt8, CaseIterable, Hashable, Sendable {
    /// An access, which excludes conflicting ones.
    case access = 0
    /// A batch: its presenters are asked in advance, and it excludes no claim (Rules 14.1, 14.3).
    case preparation = 1
    /// A provider brings contents or gives them up, with a write for deleting: an access that is no
    /// edit, of which presenters are not told (Rules 15.5, 15.6).
    case upkeep = 2

    /// Whether the claim waits for others and others wait for it.
    public var takesPart: Bool {
        switch self {
        case .access, .upkeep: true
        case .preparation: false
        }
    }
}

/// A coordinator's presenter, and the last path that this presenter was told (Rule 11.7).
public struct Standpoint: Hashable, Sendable {
    /// The coordinator's presenter.
    public var presenter: PresenterID
    /// The presenter's path, as far as the presenter has been told.
    public var place: ItemPath

    /// Creates a standpoint.
    public init(_ presenter: PresenterID, at place: ItemPath) {
        self.presenter = presenter
        self.place = place
    }
}

/// The items that a running claim holds besides its own, because they were moved.
public struct MovedItems: Hashable, Sendable {
    /// The claim's items where they are now, in its order; nil for those that were not moved.
    public var own: [AccessItem?]
    /// Items that were moved out of directories that the claim covers (Rule 2.23).
    public var others: [AccessItem]

    /// Creates the list.
    public init(own: [AccessItem?] = [], others: [AccessItem] = []) {
        self.own = own
        self.others = others
    }

    /// Whether nothing was moved.
    var isEmpty: Bool { others.isEmpty && own.allSatisfy { $0 == nil } }
}

/// A claim as its client filed it: one call with one or more items (Rule 2.13).
public struct FiledClaim: Hashable, Sendable {
    /// The stored properties, kept behind one reference.
    private struct Content: Hashable, Sendable {
        var id: ClaimID
        var client: ClientID
        var purpose: Purpose
        var items: [AccessItem]
        var enclosing: [ClaimID]
        var surrounding: [ClaimID]
        var kind: ClaimKind
        var standpoint: Standpoint?
        var blocksCaller: Bool
        var request: DelegationRequest?
        var mayGoUnreported: Bool
        var precedesQueue: Bool
        var former: DelegationID?
        var movedItems: MovedItems = MovedItems()
    }

    /// An array with exactly one element.
    ///
    /// Copies of the claim share it until one of them changes.
    private var content: [Content]

    /// Creates a claim.
    public init(
        id: ClaimID, client: ClientID, purpose: Purpose, items: [AccessItem],
        enclosing: [ClaimID] = [], surrounding: [ClaimID] = [], kind: ClaimKind = .access,
        standpoint: Standpoint? = nil, blocksCaller: Bool = false,
        request: DelegationRequest? = nil, mayGoUnreported: Bool = false,
        precedesQueue: Bool = false
    ) {
        content = [
            Content(
                id: id, client: client, purpose: purpose, items: items, enclosing: enclosing,
                surrounding: surrounding, kind: kind, standpoint: standpoint,
                blocksCaller: blocksCaller, request: request, mayGoUnreported: mayGoUnreported,
                precedesQueue: precedesQueue)
        ]
    }

    /// The serial number.
    public var id: ClaimID {
        get { content[0].id }
        set { content[0].id = newValue }
    }
    /// The client that filed the claim.
    public var client: ClientID {
        get { content[0].client }
        _modify { yield &content[0].client }
    }
    /// The coordinator's purpose.
    public var purpose: Purpose {
        get { content[0].purpose }
        _modify { yield &content[0].purpose }
    }
    /// The items and the access to each.
    ///
    /// May be empty (Rule 13.6).
    public var items: [AccessItem] {
        get { content[0].items }
        _modify { yield &content[0].items }
    }
    /// The claims whose accessors made the call, on the same thread or task; sorted.
    public var enclosing: [ClaimID] {
        get { content[0].enclosing }
        _modify { yield &content[0].enclosing }
    }
    /// Claims of other processes that wait for this one, because a command that runs inside their
    /// accessors has filed it; ascending.
    public var surrounding: [ClaimID] {
        get { content[0].surrounding }
        _modify { yield &content[0].surrounding }
    }
    /// The kind of the claim.
    public var kind: ClaimKind {
        get { content[0].kind }
        _modify { yield &content[0].kind }
    }
    /// The coordinator's presenter and the last path that it was told (Rule 11.7).
    ///
    /// Nil if the coordinator has no registered presenter.
    public var standpoint: Standpoint? {
        get { content[0].standpoint }
        set { content[0].standpoint = newValue }
    }
    /// Whether the accessors that surround the claim wait for it (Rule 18.4).
    public var blocksCaller: Bool {
        get { content[0].blocksCaller }
        _modify { yield &content[0].blocksCaller }
    }
    /// The delegation that the client requests for the time after the claim.
    public var request: DelegationRequest? {
        get { content[0].request }
        set { content[0].request = newValue }
    }
    /// Whether the client can end the claim without a report, if the arbiter needs none.
    public var mayGoUnreported: Bool {
        get { content[0].mayGoUnreported }
        _modify { yield &content[0].mayGoUnreported }
    }
    /// Whether the claim was filed before the ticket queue at its path opened, of which its client
    /// is a member.
    public var precedesQueue: Bool {
        get { content[0].precedesQueue }
        set { content[0].precedesQueue = newValue }
    }
    /// The entry of the unreported claim whose record this claim uses now: that one is over.
    public var former: DelegationID? {
        get { content[0].former }
        set { content[0].former = newValue }
    }
    /// In a claim that a former server granted, where its items are, if a claim inside it has moved
    /// them (Rule 2.20).
    public var movedItems: MovedItems {
        get { content[0].movedItems }
        set { content[0].movedItems = newValue }
    }
}

extension FiledClaim {
    /// Whether the claim was made inside an accessor of its own or another process.
    var isNested: Bool { !enclosing.isEmpty || !surrounding.isEmpty }

    /// All claims inside whose accessors it was made, of its own and other processes.
    var outerClaims: [ClaimID] { surrounding.isEmpty ? enclosing : enclosing + surrounding }

    /// Whether the claim was made inside the accessor of `claim`.
    func isInside(_ claim: ClaimID) -> Bool {
        enclosing.contains(claim) || surrounding.contains(claim)
    }
}
