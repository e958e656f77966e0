// SPDX-License-Identifier: Apache-2.0
//
// From what is written in a record to what the arbiter is told. The bytes are the client's; what
// has moved since they were written is in the relocation log, and counts.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

extension LedgerReader {
    /// What a claim's record says; nil if it cannot be read.
    func claimBody(_ record: RecordReference) -> ClaimBody? {
        // A client that writes nonsense, or something else meanwhile, has written no claim.
        body(record).flatMap { try? ClaimBody(decoding: $0) }
    }

    /// What a presenter's record says; nil if it cannot be read.
    func presenterBody(_ record: RecordReference) -> PresenterBody? {
        // As with a claim.
        body(record).flatMap { try? PresenterBody(decoding: $0) }
    }

    /// The claims of other processes that a claim was made in (Rule 18.4); innermost first.
    func outerClaims(_ record: RecordReference) -> [OuterClaim] {
        // A supplement that cannot be read names no claims: it may be a newer client's.
        supplement(record).flatMap { try? RecordSupplement(decoding: $0) }?.outer.reversed() ?? []
    }

    /// What the claim in a record is about, if that is one item.
    func place(ofClaim record: RecordReference) -> ItemPath? {
        guard let body = claimBody(record), body.items.count == 1 else { return nil }
        return body.items[0].path
    }

    /// Whether this use of a record is a claim that runs.
    func runs(_ record: RecordReference) -> Bool {
        guard let snapshot = snapshot(ofRecord: record.index) else { return false }
        return snapshot.reference == record && snapshot.state == .granted
    }
}

extension RecordSnapshot {
    /// Whether it is a claim that runs, or that is over and whose end its client reports.
    var hasSomethingToTell: Bool {
        state == .granted || state == .released && flags.contains(.reportsRelease)
    }
}

extension Records {
    /// Enters a claim; returns what the arbiter is to know of it.
    ///
    /// - Parameter surrounding: the claims of other processes that wait for it.
    mutating func claim(
        _ snapshot: RecordSnapshot, _ body: ClaimBody, of client: Client, surrounding: [ClaimID]
    ) -> FiledClaim {
        let standpoint = standpoint(of: body, snapshot, client)
        let id = enterClaim(snapshot, of: client)
        return FiledClaim(
            id: id, client: client.id, purpose: Purpose(bytes: body.purpose),
            items: items(of: id, body, snapshot, client),
            enclosing: claims(body.enclosing, of: client.id), surrounding: surrounding,
            kind: body.kind, standpoint: standpoint, blocksCaller: body.blocksCaller)
    }

    /// Where a claim's coordinator believes its presenter to be.
    ///
    /// A claim that waited when the server changed was filed with what held then.
    func standpoint(
        of body: ClaimBody, _ snapshot: RecordSnapshot, _ client: Client
    ) -> Standpoint? {
        guard snapshot.serial == 0, let told = body.standpoint else { return nil }
        return presenter(RecordReference(told.presenter), of: client.id)
            .map { Standpoint($0, at: told.place) }
    }

    /// The items, where they are by now.
    private func items(
        of claim: ClaimID, _ body: ClaimBody, _ snapshot: RecordSnapshot, _ client: Client
    ) -> [AccessItem] {
        guard let moved = relocations.items(ofClaim: claim.rawValue),
            moved.count == body.items.count
        else { return body.items }
        // The former server may have died between the log and the mark.
        client.ledger.markRelocated(snapshot.reference)
        return moved
    }

    /// The paths at which a presenter may be, before it is entered.
    func places(of snapshot: RecordSnapshot, _ body: PresenterBody) -> [ItemPath] {
        let original = body.path.flatMap { ItemPath(bytes: $0) }
        return [original, relocations.presenter(snapshot.serial)?.place].compactMap { $0 }
    }

    /// Enters a presenter; returns what the arbiter is to know of it.
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
            patience: body.patience, relinquished: snapshot.relinquished)
    }
}

extension ClaimBody {
    /// Whether a claim may be granted without a report of its end, as if it were a delegated one,
    /// if its place concerns no other client.
    func mayBeUnreported(_ snapshot: RecordSnapshot) -> Bool {
        snapshot.serial == 0 && kind == .access && items.count == 1 && items[0].isDelegable
            && enclosing.isEmpty && standpoint == nil
    }
}

extension DelegationRequest {
    /// What the client of a ledger asks for by naming a slot.
    init(_ slot: RequestedSlot, _ ledger: LedgerReader) {
        var abilities: Abilities = []
        if ledger.knowsModes { abilities.insert(.modes) }
        if ledger.waitsInTicketQueues { abilities.insert(.queues) }
        self.init(slot: slot.number, forDirectory: slot.isForDirectory, abilities)
        excludesLocalClaims = slot.excludesLocalClaims
    }
}
