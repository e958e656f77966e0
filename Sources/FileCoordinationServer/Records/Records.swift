// SPDX-License-Identifier: Apache-2.0
//
// Maps ledger records to claims and presenters and back. Each claim and presenter has a serial
// number, which also defines its position in the queue. The records belong to the clients; the
// relocation log beside them has the changes that the clients did not write.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

/// The records that the arbiter knows, as claims and presenters.
struct Records {
    /// The current paths of items that were moved.
    let relocations: RelocationLog
    /// Who has written items last.
    var writers = LastWriters()
    private let epoch: ServerEpoch
    private var claims: [ClaimID: RecordAddress] = [:]
    private var presenters: [PresenterID: RecordAddress] = [:]
    /// What the arbiter knows of each client's records, by record index.
    private var known: [ClientID: [UInt32: KnownRecord]] = [:]
    /// The claim that is being granted without a serial number in its record.
    private var unnumbered: (claim: ClaimID, address: RecordAddress)?
    private var lastSerial: UInt64
    /// Whether records with serial numbers of former servers may still be found.
    private var isRecovering = true
    /// The serial numbers of former servers that living claims and presenters have.
    private var believed: Set<UInt64> = []

    init(epoch: ServerEpoch, relocations: RelocationLog) {
        self.epoch = epoch
        self.relocations = relocations
        lastSerial = epoch.firstSerial - 1
    }

    // MARK: Lookup

    /// The number of claims.
    var claimCount: Int { claims.count }
    /// The number of presenters.
    var presenterCount: Int { presenters.count }
    /// The serial numbers of all claims and presenters.
    var serials: Set<UInt64> { Set(claims.keys.map(\.rawValue) + presenters.keys.map(\.rawValue)) }
    /// All claims, ordered by serial number.
    var claimIDs: [ClaimID] { claims.keys.sorted() }
    /// All presenters, ordered by serial number.
    var presenterIDs: [PresenterID] { presenters.keys.sorted() }

    /// Returns the record of a claim.
    func address(of claim: ClaimID) -> RecordAddress? { claims[claim] }

    /// Returns the record of a presenter.
    func address(of presenter: PresenterID) -> RecordAddress? { presenters[presenter] }

    /// Returns what is known of the record with an index, of whichever generation.
    func known(at index: UInt32, of client: ClientID) -> KnownRecord? { known[client]?[index] }

    /// Returns the claim or presenter that a record of this generation stands for.
    func identity(of record: RecordReference, of client: ClientID) -> KnownRecord.Identity? {
        guard let known = known[client]?[record.index], known.generation == record.generation
        else { return nil }
        return known.identity
    }

    /// Returns the claim that a record of this generation stands for.
    func claim(_ record: RecordReference, of client: ClientID) -> ClaimID? {
        guard case .claim(let claim) = identity(of: record, of: client) else { return nil }
        return claim
    }

    /// Returns the presenter that a record of this generation stands for.
    func presenter(_ record: RecordReference, of client: ClientID) -> PresenterID? {
        guard case .presenter(let presenter) = identity(of: record, of: client) else { return nil }
        return presenter
    }

    /// Returns the claims that these records of a client stand for, in ascending order.
    func claims(_ records: [RecordReference], of client: ClientID) -> [ClaimID] {
        records.compactMap { claim($0, of: client) }.sorted()
    }

    /// Returns all claims and presenters of a client, ordered by record index.
    func known(of client: ClientID) -> [(record: RecordReference, identity: KnownRecord.Identity)] {
        (known[client] ?? [:]).sorted { $0.key < $1.key }.map { index, known in
            (RecordReference(index: index, generation: known.generation), known.identity)
        }
    }

    /// Whether the client has any known claim or presenter.
    func knowsRecords(of client: ClientID) -> Bool { known[client]?.isEmpty == false }

    // MARK: Adding and removing

    /// The next number that a claim or presenter gets.
    var nextNumber: UInt64 { lastSerial + 1 }

    /// Returns a number that no claim and no presenter has.
    mutating func takeNumber() -> UInt64 {
        lastSerial += 1
        return lastSerial
    }

    /// Adds a claim whose client need not report its release.
    ///
    /// It gets no serial number in its record.
    mutating func enterUnnumbered(_ address: RecordAddress) -> ClaimID {
        let id = ClaimID(rawValue: takeNumber())
        unnumbered = (id, address)
        return id
    }

    /// Removes and returns the record of such a claim, which is about to be granted.
    mutating func takeUnnumbered(_ claim: ClaimID) -> RecordAddress? {
        guard let taken = unnumbered, taken.claim == claim else { return nil }
        unnumbered = nil
        return taken.address
    }

    /// Adds a record as a claim, and gives it a serial number if it has none.
    mutating func enterClaim(_ snapshot: RecordSnapshot, of client: Client) -> ClaimID {
        let id = ClaimID(rawValue: serial(of: snapshot, client))
        claims[id] = RecordAddress(client: client.id, record: snapshot.reference)
        insert(.claim(id), as: snapshot.reference, of: client.id)
        return id
    }

    /// Adds a record as a presenter, and gives it a serial number if it has none.
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

    /// Returns the serial number that a former server gave to the record, or a new one.
    ///
    /// A number that no former server can have given was written by the client and is ignored.
    ///
    /// After the recovery, a claim has a former server's number only if that server was suspended
    /// just before it wrote the number, and wrote it into the next claim in the record. Such a
    /// number is replaced: with it the claim would go ahead of those that wait.
    private mutating func serial(of snapshot: RecordSnapshot, _ client: Client) -> UInt64 {
        let old = snapshot.serial
        if isFormer(old), isRecovering || believed.contains(old), !isTaken(old) {
            believed.insert(old)
            return old
        }
        lastSerial += 1
        var given = isFormer(old) && !isRecovering ? old : 0
        // A deposed server may write between the look and the swap.
        for _ in 0..<(isRecovering ? 1 : 2) {
            given = client.ledger.setSerial(snapshot.reference, lastSerial, over: given)
            guard isFormer(given) else { break }
        }
        // The number may also come from a faulty client.
        let isBelieved = given > 0 && (isRecovering || !isFormer(given))
        return isBelieved && given <= lastSerial && !isTaken(given) ? given : lastSerial
    }

    /// Whether a serial number is one of a former server.
    private func isFormer(_ serial: UInt64) -> Bool { serial > 0 && serial < epoch.firstSerial }

    /// Ends the recovery: records with numbers of former servers are known from now on.
    mutating func finishRecovery() { isRecovering = false }

    private func isTaken(_ serial: UInt64) -> Bool {
        claims[ClaimID(rawValue: serial)] != nil
            || presenters[PresenterID(rawValue: serial)] != nil
    }

    /// Discards what is known of the record with an index.
    mutating func discard(at index: UInt32, of client: ClientID) {
        known[client]?[index] = nil
        if known[client]?.isEmpty == true { known[client] = nil }
    }

    /// Discards a claim that is over.
    mutating func discard(_ claim: ClaimID) {
        claims[claim] = nil
        if !believed.isEmpty { believed.remove(claim.rawValue) }
        relocations.end(claim.rawValue)
    }

    /// Discards a claim that its client files again.
    ///
    /// Its relocations stay valid.
    mutating func discardRefused(_ claim: ClaimID) { claims[claim] = nil }

    /// Discards a presenter that is gone.
    mutating func discard(_ presenter: PresenterID) {
        presenters[presenter] = nil
        if !believed.isEmpty { believed.remove(presenter.rawValue) }
        relocations.end(presenter.rawValue)
    }

    /// Discards everything of a client that is gone.
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
    /// Describes the first claim or presenter whose record does not stand for it; nil if there is
    /// none.
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
