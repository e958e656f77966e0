// SPDX-License-Identifier: Apache-2.0
//
// An access that its process grants itself under a delegation. It sends no message, and its item is
// not examined, unless the delegation asks for reports of writes because a presenter is told of
// them: then the item is compared, and the end is reported. If a server requests a report
// of its release while it lasts, it becomes an ordinary claim whose end is announced. If its
// accessor announces something, an ordinary access is made of it.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// An access that the server does not know unless it asks.
final class LocalAccess: DelegatedWriter {
    /// Not retained, because it lives as long as the process.
    unowned(unsafe) let session: Session
    /// The cache key of the item's place: the text with which the caller named it.
    private let spelling: String
    let access: Access
    let place: DelegatedPlace
    /// The index and generation of the record.
    private let recordBits = Atomic<UInt64>(0)
    private let purposeBits = Atomic<UInt64>(0)
    private let isShown = Atomic(false)
    private let adopted = LazyReference<CoordinatedAccess>()
    private let versions = LazyReference<VersionedEnd>()
    /// The turn in a ticket queue that must be passed on at the end.
    private let turn = LazyReference<TurnInTicketQueue>()
    /// What is needed to report the end of the write, if that is asked for.
    private let reported = LazyReference<ReportedWrite>()

    var isWriting: Bool { access.isWriting }
    /// The request.
    ///
    /// Delegated paths are always spelled canonically.
    var request: RequestedItem {
        let slash: [UInt8] = spelling.utf8.last == UInt8(ascii: "/") ? [UInt8(ascii: "/")] : []
        let name = ItemName(path: .success(place.path.bytes + slash), spelling: spelling)
        return RequestedItem(name, access: access)
    }
    /// The place of the item.
    var item: ResolvedPlace {
        // Nothing inside a package is delegated.
        ResolvedPlace(path: place.path, isDirectory: place.isDirectory, packageDepths: [])
    }

    init(_ session: Session, _ spelling: String, _ access: Access, at place: DelegatedPlace) {
        unsafe self.session = session
        self.spelling = spelling
        self.access = access
        self.place = place
    }

    /// The claim's record.
    var record: RecordReference {
        let bits = recordBits.load(ordering: .relaxed)
        return RecordReference(
            index: UInt32(truncatingIfNeeded: bits), generation: UInt32(bits >> 32))
    }

    var purposeNumber: UInt64 { purposeBits.load(ordering: .relaxed) }

    /// Assigns the claim's record, before any other thread knows of the access.
    func begin(_ record: RecordReference, purposeNumber: UInt64) {
        recordBits.store(
            UInt64(record.generation) << 32 | UInt64(record.index), ordering: .relaxed)
        purposeBits.store(purposeNumber, ordering: .relaxed)
        adopted.reopen()
        versions.reopen()
    }

    func markShown() { isShown.store(true, ordering: .relaxed) }

    /// Whether the object can be reused for another access: nothing is attached to it, and no other
    /// thread has a reference.
    var canServeAgain: Bool {
        !isShown.load(ordering: .relaxed) && adopted.load() == nil && versions.load() == nil
            && turn.load() == nil && reported.load() == nil
    }

    /// The access as an ordinary one, for announcements; nil if it is over.
    ///
    /// Another thread may ask at the moment when the access ends. The lazy reference decides which
    /// of the two comes first.
    var full: CoordinatedAccess? {
        if let known = adopted.load() { return known }
        let fresh = CoordinatedAccess(
            adopting: self, purpose: Purpose(bytes: ProcessIdentity.purpose(purposeNumber)))
        // Recorded as running before another thread can end it.
        unsafe session.markRunning(fresh)
        let full = adopted.storeUnlessClosed(fresh)
        if full !== fresh { unsafe session.markEnded(fresh) }
        return full
    }

    func keepVersions(in store: any VersionKeeping) {
        guard versions.load() == nil, case .writing(let options) = access,
            let end = store.beginWriting(at: item.path, for: options, mayHaveVersions: true)
        else { return }
        let fresh = VersionedEnd(end)
        if versions.storeUnlessClosed(fresh) !== fresh { end() }
    }

    /// Stores the turn that it has got in a ticket queue.
    func setTurn(_ turn: TurnInTicketQueue) { _ = self.turn.storeIfNil(turn) }

    /// Examines the item before the accessor runs, because this delegation asks for a report of the
    /// write.
    func takeStampBefore(_ grant: DelegatedPlace.Grant) {
        _ = reported.storeIfNil(ReportedWrite(ItemStamp.take(of: item.path), grant))
    }

    /// The state of the item before the access, if known.
    var stamp: ItemStamp? { reported.load()?.stamp }

    /// The outcome for the item (Rule 7.8).
    private var ending: ItemEnding {
        guard isWriting else { return ItemEnding(.unchanged) }
        // The item was not examined before. If a server requests a report meanwhile, it is a
        // change.
        guard let stamp else { return ItemEnding(.changed) }
        return ItemEnding(from: stamp, to: ItemStamp.take(of: item.path), at: item.path)
    }

    /// Ends the access, on the thread and in the process in which its accessor has run.
    ///
    /// - Parameter hasRun: false if the accessor did not run, because the call was cancelled.
    func end(hasRun: Bool) {
        let isUnreported = release(hasRun: hasRun)
        // The turn is passed on after the release, because the next access must find this one
        // ended. If there is something to report, the turn is not passed on: the server then ends
        // the ticket queue, and claims follow moved items (Rule 11.4).
        if isUnreported { turn.load()?.pass() }
        place.end(isWriting: isWriting)
    }

    /// Releases the claim.
    ///
    /// Returns whether the server need not be told.
    private func release(hasRun: Bool) -> Bool {
        // No other thread can know a reading access.
        (isWriting ? versions.close() : versions.load())?.end()
        if let known = isWriting ? adopted.close() : adopted.load() { return known.endAdopted() }
        // If a report was requested meanwhile, it contains the outcome.
        if unsafe session.ledger.releaseWrittenLocally(record) { return true }
        let ending = hasRun ? ending : ItemEnding(.unchanged)
        return unsafe session.release(record, [ending], under: reported.load()?.grant)
    }

    /// Discards the access before it was granted.
    ///
    /// Its record may be used for another claim afterwards.
    func abandon() {
        versions.close()?.end()
        adopted.close()?.abandonAdopted()
    }
}

/// The versions of the item of a local write.
private final class VersionedEnd: Sendable {
    let end: EndOfVersionedWrite
    init(_ end: @escaping EndOfVersionedWrite) { self.end = end }
}

/// The state of an item before a local write, and the delegation that asks for a report.
private final class ReportedWrite: Sendable {
    let stamp: ItemStamp
    let grant: DelegatedPlace.Grant

    init(_ stamp: ItemStamp, _ grant: DelegatedPlace.Grant) {
        self.stamp = stamp
        self.grant = grant
    }
}

/// How an access without the server may begin.
enum LocalBeginning {
    /// The accessor may run, perhaps after waiting for its turn.
    case granted(LocalAccess, hasWaited: Bool)
    /// The server was needed: the claim is filed and waits.
    case filed(CoordinatedAccess)
}

extension Session {
    /// Grants a claim at once or in its turn; returns nil if the server is needed.
    func claimLocally(
        _ spelling: String, _ access: Access, purposeNumber: UInt64, on thread: CallingThread
    ) -> LocalBeginning? {
        let now = MonotonicClock.now
        guard access.isDelegable,
            let (local, isVersionless) = localAccess(spelling, access, on: thread, now: now),
            let record = local.place.writeRecord(
                access, purposeNumber: purposeNumber, at: now, in: ledger)
        else { return nil }
        local.begin(record, purposeNumber: purposeNumber)
        let found =
            local.isWriting
            ? delegated.beginWriting(local.place, by: local) : delegated.beginReading(local.place)
        guard let grant = found else {
            local.abandon()
            ledger.discard(record)
            return nil
        }
        if grant.isInTicketQueue {
            let known = unsafe (
                place: thread.memory.pointee.recent.known, isVersionless: isVersionless
            )
            return claimInTurn(local, at: local.place, grant, known, at: now)
        }
        if access.isWriting, grant.reportsWrites {
            // The server acts on ends in this order. Another thread may have written meanwhile.
            ledger.setBeginning(of: record, at: MonotonicClock.now)
        }
        let state = ledger.claimLocally(
            record, slot: grant.slot, delegation: grant.word, isWriting: access.isWriting)
        guard state == .granted else {
            // The delegation was revoked concurrently. Discard this record and file an ordinary
            // claim. A server may have granted it at once.
            local.abandon()
            // The claim may be over already.
            if !ledger.cancel(record) { _ = try? ledger.release(record) }
            tell(.ended(record))
            local.place.end(isWriting: access.isWriting)
            return nil
        }
        vouchForLocalGrant()
        if access.isWriting, grant.reportsWrites { local.takeStampBefore(grant) }
        if access.isWriting, !isVersionless {
            unsafe keepVersions(
                of: local, thread.memory.pointee.recent.known, in: services.versions)
        }
        return .granted(local, hasWaited: false)
    }

    /// Attaches the item's versions to the write, if there are any.
    ///
    /// They are looked up under the claim.
    func keepVersions(
        of local: LocalAccess, _ known: KnownPlace?, in store: any VersionKeeping
    ) {
        if mayHaveVersions(at: local.item.path, known, in: store) { local.keepVersions(in: store) }
    }

    /// Returns an access to the place that a spelling leads to, if it may be delegated, and whether
    /// the item is known to have no versions.
    private func localAccess(
        _ spelling: String, _ access: Access, on thread: CallingThread, now: Instant
    ) -> (LocalAccess, isVersionless: Bool)? {
        places.withPresent { cache -> (LocalAccess, isVersionless: Bool)? in
            guard let cache else { return nil }
            let local = unsafe thread.memory.pointee.recent.makeAccess(
                spelling, access, in: self, cache, now: now)
            if let local { return (local, access.isWriting) }
            return findPlace(spelling, access, by: cache, on: thread, now: now)
        }
    }

    /// Returns an access to a place that is not the one that the thread used last.
    private func findPlace(
        _ spelling: String, _ access: Access, by cache: PlaceCache, on thread: CallingThread,
        now: Instant
    ) -> (LocalAccess, isVersionless: Bool)? {
        unsafe thread.memory.pointee.recent.clear()
        let store = access.isWriting ? services.versionsPath : nil
        let finding = cache.known(spelling, withoutVersionsIn: store, now: now)
        if let known = finding.place {
            guard let place = known.delegated(in: delegated) else { return nil }
            unsafe thread.memory.pointee.recent.remember(place, spelling, finding, store: store)
            return (LocalAccess(self, spelling, access, at: place), finding.isVersionless)
        }
        // One of many items in a directory that may be delegated, used for the first time: only the
        // item is examined. On its second use it is cached in the general way.
        guard let path = PlaceCache.plainPath(ofSpelling: spelling),
            delegated.mayHoldAll(aroundItemAt: path),
            let item = cache.lookUp(path, policy: packagePolicy, now: now),
            item.packageDepths.isEmpty,
            let (place, isNew) = delegated.delegatedPlace(for: item.item(access)), isNew
        else { return nil }
        return (LocalAccess(self, spelling, access, at: place), finding.isVersionless)
    }
}
