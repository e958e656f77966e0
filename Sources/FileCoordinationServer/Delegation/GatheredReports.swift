// SPDX-License-Identifier: Apache-2.0
//
// The reports of delegated writes of which presenters are told. A program that writes a document
// again and again would otherwise wake the server and each presenter for every write. So the server
// acts on a report at once, but returns its record only after a pause. Until then the client sends
// no further message (see `LastReport`). Then the server looks at what has ended meanwhile, and
// acts on writes that follow each other as on one.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationWire

/// The handled reports whose records are not returned yet, and the writes that count as one.
struct GatheredReports {
    /// How long the record of a handled report is kept.
    ///
    /// So long presenters may hear later of writes that follow each other closely.
    var pause: Duration = .milliseconds(1)

    /// A record that is not returned yet.
    struct Kept {
        let client: Client
        let record: RecordReference
        fileprivate let until: Instant
        /// Whether the server has acted on it, so that it can be returned.
        fileprivate(set) var isHandled = false
    }

    /// At most one for each client, in the order of their ends.
    private var kept: [Kept] = []
    /// Writes by the record of their last one.
    private var series: [RecordAddress: WriteSeries] = [:]
    /// Clients that may have ended writes without a message, in any order.
    private var clientsToLookAt: Set<ClientID> = []

    // MARK: Kept records

    /// The time at which the next record is to be returned, or a client looked at; nil if there is
    /// none.
    var nextEnd: Instant? { clientsToLookAt.isEmpty ? kept.first?.until : .distantPast }

    /// Whether a record of a client is kept.
    func keeps(of client: ClientID) -> Bool { kept.contains { $0.client.id == client } }

    /// Keeps a record of a client that has none kept.
    mutating func keep(_ record: RecordReference, of client: Client, at now: Instant) {
        kept.append(Kept(client: client, record: record, until: now + pause))
    }

    /// Records that a record can be returned.
    ///
    /// Returns whether it is kept instead.
    mutating func markHandled(_ record: RecordReference, of client: ClientID) -> Bool {
        guard let index = index(of: record, client) else { return false }
        kept[index].isHandled = true
        return true
    }

    /// Whether the server has acted on a record that is kept.
    func isHandled(_ record: RecordReference, of client: ClientID) -> Bool {
        index(of: record, client).map { kept[$0].isHandled } ?? false
    }

    private func index(of record: RecordReference, _ client: ClientID) -> Int? {
        kept.firstIndex { $0.client.id == client && $0.record == record }
    }

    /// Removes a client's kept record.
    mutating func take(of client: ClientID) -> Kept? {
        kept.firstIndex { $0.client.id == client }.map { kept.remove(at: $0) }
    }

    /// Removes the first record whose pause is over; nil if there is none.
    mutating func takeDue(at now: Instant) -> Kept? {
        guard let first = kept.first, first.until <= now else { return nil }
        return kept.removeFirst()
    }

    // MARK: Clients to look at

    /// Has a client looked at in the next turn.
    ///
    /// Not in this one: a client that writes all the time would hold up all others.
    mutating func lookLater(at client: ClientID) { clientsToLookAt.insert(client) }

    /// Takes out the clients to look at, in their order.
    mutating func takeClientsToLookAt() -> [ClientID] {
        if clientsToLookAt.isEmpty { return [] }
        defer { clientsToLookAt = [] }
        return clientsToLookAt.sorted()
    }

    // MARK: Writes that count as one

    /// Adds a series of writes, which the record of its last one stands for.
    mutating func add(_ writes: WriteSeries, of client: ClientID) {
        series[RecordAddress(client: client, record: writes.last)] = writes
    }

    /// Removes the series that a record stands for.
    mutating func takeSeries(_ address: RecordAddress) -> WriteSeries? {
        series.isEmpty ? nil : series.removeValue(forKey: address)
    }

    /// Discards the series of a client, of which none is left but those that could not be read.
    mutating func removeSeries(of client: ClientID) {
        for address in series.keys where address.client == client { series[address] = nil }
    }

    /// Discards what belongs to a dead client.
    mutating func removeClient(_ client: ClientID) {
        kept.removeAll { $0.client.id == client }
        clientsToLookAt.remove(client)
        removeSeries(of: client)
    }
}

/// Writes of one client to one item, of which each has found what the one before it had left.
struct WriteSeries {
    /// One of the writes.
    struct Write {
        let record: RecordReference
        let body: ClaimBody
        let isChange: Bool
        let before: ItemProperties?
        let after: ItemProperties?
    }

    private(set) var writes: [Write]
    /// The purposes of the presenters that are told of the writes.
    private let purposesOfPresenters: Set<Purpose>

    /// The series that begins with a write.
    init(_ first: Write, purposesOfPresenters: Set<Purpose>) {
        writes = [first]
        self.purposesOfPresenters = purposesOfPresenters
    }

    /// The record of the last one, which stands for all.
    var last: RecordReference { writes[writes.count - 1].record }
    /// The records of the others.
    var others: [RecordReference] { writes.dropLast().map(\.record) }
    /// The outcome of all.
    var outcomes: [ItemOutcome] { [writes.contains(where: \.isChange) ? .changed : .unchanged] }
    /// What the first has found and the last has left.
    var change: ItemChange {
        ItemChange(before: writes[0].before, after: writes[writes.count - 1].after)
    }

    /// Adds a write that follows the last one.
    ///
    /// Returns false if it is no continuation.
    mutating func append(_ next: Write) -> Bool {
        let former = writes[writes.count - 1]
        guard former.after == next.before, former.body.isLike(next.body),
            // A presenter is not told of writes of its own purpose (Rule 7.9).
            former.body.purpose == next.body.purpose
                || !isOfPresenter(former.body) && !isOfPresenter(next.body)
        else { return false }
        writes.append(next)
        return true
    }

    private func isOfPresenter(_ body: ClaimBody) -> Bool {
        purposesOfPresenters.contains(Purpose(bytes: body.purpose))
    }
}

extension WriteSeries.Write {
    /// A write of one item whose accessor has announced nothing; nil for any other claim.
    init?(_ record: RecordReference, in ledger: LedgerReader) {
        let entries = ClaimLogEntry.entries(decoding: ledger.outcome(record) ?? []).map(\.entry)
        guard entries.count == 2, case .outcomes(let outcomes) = entries[0],
            case .itemChanges(let changes) = entries[1], outcomes.count == 1,
            outcomes[0] == .changed || outcomes[0] == .unchanged,
            changes.count == 1, let change = changes[0],
            // A supplement has the label of the access, which presenters may be told.
            ledger.supplement(record) == nil,
            let body = ledger.claimBody(record), body.items.count == 1, body.kind == .access
        else { return nil }
        self.init(
            record: record, body: body, isChange: outcomes[0] == .changed, before: change.before,
            after: change.after)
    }
}

extension ClaimBody {
    /// Whether it differs from another claim in its purpose at most.
    fileprivate func isLike(_ other: ClaimBody) -> Bool {
        var same = other
        same.purpose = purpose
        return self == same
    }
}
