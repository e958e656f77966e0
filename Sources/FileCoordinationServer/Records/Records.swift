// SPDX-License-Identifier: Apache-2.0
//
// Which record is which claim or presenter, both ways, and by which serial number. A record is its
// client's; what the arbiter knows of it stands here, beside the log of what has moved since
// (RelocationLog). The number of a claim or presenter is its serial number: its place in the queue.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

/// The records that the arbiter knows, as claims and presenters.
struct Records {
    /// Where the items of records are by now.
    let relocations: RelocationLog
    private let epoch: ServerEpoch
    private var claims: [ClaimID: RecordAddress] = [:]
    private var presenters: [PresenterID: RecordAddress] = [:]
    /// What the arbiter knows of each client, by record index.
    private var known: [ClientID: [UInt32: KnownRecord]] = [:]
    /// Claims that get no serial number unless they are recalled: on their way to their grants.
    private var unnumbered: [ClaimID: RecordAddress] = [:]
    private var lastSerial: UInt64

    init(epoch: ServerEpoch, relocations: RelocationLog) {
        self.epoch = epoch
        self.relocations = relocations
        lastSerial = epoch.firstSerial - 1
    }

    // MARK: What is known

    /// How many claims there are.
    var claimCount: Int { claims.count }
    /// How many presenters there are.
    var presenterCount: Int { presenters.count }
    /// The serial numbers of all that is known.
    var serials: Set<UInt64> { Set(claims.keys.map(\.rawValue) + presenters.keys.map(\.rawValue)) }
    /// All claims, in their order.
    var claimIDs: [ClaimID] { claims.keys.sorted() }
    /// All presenters, in their order.
    var presenterIDs: [PresenterID] { presenters.keys.sorted() }

    /// Where a claim's record is.
    func address(of claim: ClaimID) -> RecordAddress? { claims[claim] }

    /// Where a presenter's record is.
    func address(of presenter: PresenterID) -> RecordAddress? { presenters[presenter] }

    /// What is known under the index of a record, whichever of its uses that was.
    func known(at index: UInt32, of client: ClientID) -> KnownRecord? { known[client]?[index] }

    /// What this use of a record is known as.
    func identity(of record: RecordReference, of client: ClientID) -> KnownRecord.Identity? {
        guard let known = known[client]?[record.index], known.generation == record.generation
        else { return nil }
        return known.identity
    }

    /// The claim that this use of a record is known as.
    func claim(_ record: RecordReference, of client: ClientID) -> ClaimID? {
        guard case .claim(let claim) = identity(of: record, of: client) else { return nil }
        return claim
    }

    /// The presenter that this use of a record is known as.
    func presenter(_ record: RecordReference, of client: ClientID) -> PresenterID? {
        guard case .presenter(let presenter) = identity(of: record, of: client) else { return nil }
        return presenter
    }

    /// The claims that records of one client are known as; ascending.
    func claims(_ records: [WireRecord], of client: ClientID) -> [ClaimID] {
        records.compactMap { claim(RecordReference($0), of: client) }.sorted()
    }

    /// All that is known of a client, by the index of the record.
    func known(of client: ClientID) -> [(record: RecordReference, identity: KnownRecord.Identity)] {
        (known[client] ?? [:]).sorted { $0.key < $1.key }.map { index, known in
            (RecordReference(index: index, generation: known.generation), known.identity)
        }
    }

    /// Whether anything is known of a client.
    func knowsRecords(of client: ClientID) -> Bool { known[client]?.isEmpty == false }

    // MARK: Entering and leaving

    /// A number that no claim and no presenter has.
    mutating func takeNumber() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    /// Records a claim that needs no serial number: its client need not report its end.
    mutating func enterUnnumbered(_ address: RecordAddress) -> ClaimID {
        let id = ClaimID(rawValue: takeNumber())
        unnumbered[id] = address
        return id
    }

    /// Takes out where such a claim is, for its grant.
    mutating func takeUnnumbered(_ claim: ClaimID) -> RecordAddress? {
        unnumbered.removeValue(forKey: claim)
    }

    /// Records that a record is a claim, and gives it a serial number if it has none.
    mutating func enterClaim(_ snapshot: RecordSnapshot, of client: Client) -> ClaimID {
        let id = ClaimID(rawValue: serial(of: snapshot, client))
        claims[id] = RecordAddress(client: client.id, record: snapshot.reference)
        insert(.claim(id), as: snapshot.reference, of: client.id)
        return id
    }

    /// Records that a record is a presenter, and gives it a serial number if it has none.
    mutating func enterPresenter(_ snapshot: RecordSnapshot, of client: Client) -> PresenterID {
        let id = PresenterID(rawValue: serial(of: snapshot, client))
        presenters[id] = RecordAddress(client: client.id, record: snapshot.reference)
        insert(.presenter(id), as: snapshot.reference, of: client.id)
        return id
    }

    private mutating func insert(
        _ identity: KnownRecord.Identity, as record: RecordReference, of client: ClientID
    ) {
        known[client, default: [:]][record.index] = KnownRecord(
            generation: record.generation, identity: identity)
    }

    /// The serial number that a former server gave the record, or a new one.
    ///
    /// A serial number that no former server can have given is the client's invention.
    private mutating func serial(of snapshot: RecordSnapshot, _ client: Client) -> UInt64 {
        let old = snapshot.serial
        if old > 0, old < epoch.firstSerial, !isTaken(old) { return old }
        lastSerial += 1
        let given = client.ledger.setSerial(snapshot.reference, lastSerial)
        // A server that was deposed a moment ago may have been faster; a client may have lied.
        return given <= lastSerial && !isTaken(given) ? given : lastSerial
    }

    private func isTaken(_ serial: UInt64) -> Bool {
        claims[ClaimID(rawValue: serial)] != nil
            || presenters[PresenterID(rawValue: serial)] != nil
    }

    /// Discards what is known under the index of a record.
    mutating func discard(at index: UInt32, of client: ClientID) {
        known[client]?[index] = nil
        if known[client]?.isEmpty == true { known[client] = nil }
    }

    /// Discards a claim that is over.
    mutating func discard(_ claim: ClaimID) {
        claims[claim] = nil
        relocations.end(claim.rawValue)
    }

    /// Discards a claim that its client files again: where its items are by now still holds.
    mutating func discardRefused(_ claim: ClaimID) { claims[claim] = nil }

    /// Discards a presenter that is gone.
    mutating func discard(_ presenter: PresenterID) {
        presenters[presenter] = nil
        relocations.end(presenter.rawValue)
    }

    /// Discards all that is known of a client that is gone.
    mutating func discardAll(of client: ClientID) {
        for (_, identity) in known(of: client) {
            switch identity {
            case .claim(let claim): discard(claim)
            case .presenter(let presenter): discard(presenter)
            }
        }
        known[client] = nil
    }
}

extension Records {
    /// The first address that leads to no record that is known by it, in words; nil if all do.
    var brokenAddress: String? {
        for claim in claims.keys.sorted() {
            guard let address = claims[claim],
                self.claim(address.record, of: address.client) == claim
            else { return "\(claim) has an address and no record" }
        }
        for presenter in presenters.keys.sorted() {
            guard let address = presenters[presenter],
                self.presenter(address.record, of: address.client) == presenter
            else { return "\(presenter) has an address and no record" }
        }
        return nil
    }
}

extension WireRecord {
    init(_ reference: RecordReference) {
        self.init(index: reference.index, generation: reference.generation)
    }
}

extension RecordReference {
    init(_ record: WireRecord) {
        self.init(index: record.index, generation: record.generation)
    }
}
