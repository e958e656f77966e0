// SPDX-License-Identifier: Apache-2.0
//
// Reads claims and presenters from ledger records and prepares them for the arbiter. Clients write
// these bytes. If the relocation log has newer paths, those replace the ones in the record.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension LedgerReader {
    /// Reads the claim in a record; returns nil if it cannot be decoded.
    func claimBody(_ record: RecordReference) -> ClaimBody? {
        // A client that writes invalid data, or changes it meanwhile, has filed no claim.
        body(record).flatMap { try? ClaimBody(decoding: $0) }
    }

    /// Reads the presenter in a record; returns nil if it cannot be decoded.
    func presenterBody(_ record: RecordReference) -> PresenterBody? {
        // As in `claimBody`.
        body(record).flatMap { try? PresenterBody(decoding: $0) }
    }

    /// Returns the claims of other processes that surround a claim (Rule 18.4), innermost first.
    func outerClaims(_ record: RecordReference) -> [OuterClaim] {
        // A supplement that cannot be decoded names no claims.
        supplement(record).flatMap { try? RecordSupplement(decoding: $0) }?.outer.reversed() ?? []
    }

    /// Returns the path of a claim with exactly one item, else nil.
    func place(ofClaim record: RecordReference) -> ItemPath? {
        guard let body = claimBody(record), body.items.count == 1 else { return nil }
        return body.items[0].path
    }

    /// Whether a record is a running claim of this generation.
    func runs(_ record: RecordReference) -> Bool {
        guard let snapshot = snapshot(ofRecord: record.index) else { return false }
        return snapshot.reference == record && snapshot.state == .granted
    }
}

extension RecordSnapshot {
    /// Whether it is a running claim, or a released one whose client reports the release.
    var hasSomethingToTell: Bool {
        state == .granted || state == .released && flags.contains(.reportsRelease)
    }
}

extension Records {
    /// Adds a claim that a client has filed.
    ///
    /// - Parameters:
    ///   - snapshot: the record of the claim.
    ///   - body: its decoded contents.
    ///   - client: the client.
    ///   - surrounding: the claims of other processes that wait for it.
    /// - Returns: the claim as the arbiter sees it.
    mutating func claim(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, of client: Client, surrounding: [ClaimID]
    ) -> FiledClaim {
        let standpoint = standpoint(of: body, snapshot, client)
        let id = enterClaim(snapshot, of: client)
        var claim = FiledClaim(
            id: id, client: client.id, purpose: Purpose(bytes: body.purpose),
            items: items(of: id, body, snapshot, client),
            enclosing: claims(body.enclosing, of: client.id), surrounding: surrounding,
            kind: body.kind, standpoint: standpoint, blocksCaller: body.blocksCaller)
        if let moved = relocations.movedItems(ofClaim: id.rawValue) { claim.movedItems = moved }
        return claim
    }

    /// Returns where a claim's coordinator believed its own presenter to be, or nil.
    ///
    /// It is nil for a claim that was filed with a former server, because paths may have changed
    /// since.
    func standpoint(
        of body: ClaimBody, _ snapshot: RecordSnapshot, _ client: Client
    ) -> Standpoint? {
        guard snapshot.serial == 0, let told = body.standpoint else { return nil }
        return presenter(told.presenter, of: client.id)
            .map { Standpoint($0, at: told.place) }
    }

    /// Returns a claim's items with their current paths.
    private func items(
        of claim: ClaimID, _ body: ClaimBody, _ snapshot: RecordSnapshot, _ client: Client
    ) -> [AccessItem] {
        guard let moved = relocations.items(ofClaim: claim.rawValue),
            moved.count == body.items.count
        else { return body.items }
        // The former server may have died after it wrote the log and before it marked the record.
        client.ledger.markRelocated(snapshot.reference)
        return moved
    }

    /// Returns the paths at which a presenter that is not added yet may be.
    func places(of snapshot: RecordSnapshot, _ body: PresenterBody) -> [ItemPath] {
        let original = body.path.flatMap { ItemPath(bytes: $0) }
        return [original, relocations.presenter(snapshot.serial)?.place].compactMap { $0 }
    }

    /// Adds a presenter, and returns it as the arbiter sees it.
    mutating func presenter(
        _ snapshot: RecordSnapshot, _ body: PresenterBody, of client: Client
    ) -> RegisteredPresenter {
        let id = enterPresenter(snapshot, of: client)
        let original = body.path.flatMap { ItemPath(bytes: $0) }
        let moved = relocations.presenter(id.rawValue)?.place
        return RegisteredPresenter(
            id: id, client: client.id, purpose: Purpose(bytes: body.purpose),
            path: moved ?? original,
            formerPlaces: moved == nil ? [] : [original].compactMap { $0 }, methods: body.methods,
            answerTimeout: body.answerTimeout, relinquished: snapshot.relinquished)
    }
}

extension ClaimBody {
    /// Whether the claim may be granted without a report of its release, as under a delegation, if
    /// no other client is concerned with its path.
    func mayBeUnreported(_ snapshot: RecordSnapshot) -> Bool {
        snapshot.serial == 0 && kind == .access && items.count == 1 && items[0].isDelegable
            && enclosing.isEmpty && standpoint == nil && !isSigned
    }
}

extension DelegationRequest {
    /// Creates the request of a client that has named a slot.
    init(_ slot: RequestedSlot) {
        self.init(slot: slot.number, forDirectory: slot.isForDirectory)
        excludesLocalClaims = slot.excludesLocalClaims
    }
}
