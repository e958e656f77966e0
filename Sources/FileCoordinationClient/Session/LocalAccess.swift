// SPDX-License-Identifier: Apache-2.0
//
// One access that its process grants itself, because the place is delegated to it: no message, no
// look at the item, since no presenter would have to be told of its outcome. A server may ask for a
// report of its release while it lasts; then it is a claim like any other, and its end is
// announced. If its accessor makes something known, an ordinary access is made of it for that.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Synchronization

/// An access that no arbiter knows of, unless it asks.
final class LocalAccess: Sendable {
    /// There for as long as the process is.
    unowned(unsafe) let session: Session
    /// What the item's place is remembered by: the text that the caller named it with.
    private let spelling: String
    let access: Access
    let place: DelegatedPlace
    /// Its record's index and generation.
    private let recordBits = Atomic<UInt64>(0)
    private let purposeBits = Atomic<UInt64>(0)
    private let isShown = Atomic(false)
    private let adopted = LazyReference<CoordinatedAccess>()
    private let versions = LazyReference<KeptVersions>()
    /// What is to be passed on when it is over.
    private let turn = LazyReference<TurnInTicketQueue>()
    /// What the item looked like before, if the end of the write is reported.
    private let before = LazyReference<KeptStamp>()

    var isWriting: Bool { access.isWriting }
    /// As it was asked for: places are delegated that are spelled as they are.
    var request: RequestedItem {
        let slash: [UInt8] = spelling.utf8.last == UInt8(ascii: "/") ? [UInt8(ascii: "/")] : []
        let name = ItemName(path: .success(place.path.bytes + slash), spelling: spelling)
        return RequestedItem(name, access: access)
    }
    /// Where the item is.
    var item: ResolvedPlace {
        // Of a place in a package nothing is delegated.
        ResolvedPlace(path: place.path, isDirectory: place.isDirectory, packageDepths: [])
    }

    init(_ session: Session, _ spelling: String, _ access: Access, at place: DelegatedPlace) {
        self.session = session
        self.spelling = spelling
        self.access = access
        self.place = place
    }

    /// Its claim's record.
    var record: RecordReference {
        let bits = recordBits.load(ordering: .relaxed)
        return RecordReference(
            index: UInt32(truncatingIfNeeded: bits), generation: UInt32(bits >> 32))
    }

    /// The number of its coordinator's purpose.
    var purposeNumber: UInt64 { purposeBits.load(ordering: .relaxed) }

    /// Makes it the access whose claim has this record, before any other thread knows of it.
    func begin(_ record: RecordReference, purposeNumber: UInt64) {
        recordBits.store(
            UInt64(record.generation) << 32 | UInt64(record.index), ordering: .relaxed)
        purposeBits.store(purposeNumber, ordering: .relaxed)
        adopted.reopen()
        versions.reopen()
    }

    /// Records that another thread has got hold of it; under the lock of its place.
    func markShown() { isShown.store(true, ordering: .relaxed) }

    /// Whether the object can serve another access when this one is over: nothing is attached to
    /// it, and no other thread has it.
    var canServeAgain: Bool {
        !isShown.load(ordering: .relaxed) && adopted.load() == nil && versions.load() == nil
            && turn.load() == nil && before.load() == nil
    }

    /// The same access as an ordinary one, for what the accessor makes known; nil if it is over.
    ///
    /// Another thread may ask just when it ends: one of the two comes first.
    var full: CoordinatedAccess? {
        if let known = adopted.load() { return known }
        let fresh = CoordinatedAccess(
            adopting: self, purpose: Purpose(ProcessIdentity.purpose(purposeNumber)))
        // Before anybody can end it.
        session.markRunning(fresh)
        let full = adopted.storeUnlessClosed(fresh)
        if full !== fresh { session.markEnded(fresh) }
        return full
    }

    /// Lets the item's versions stay with it from now on.
    func keepVersions(in store: any VersionKeeping) {
        guard versions.load() == nil, case .writing(let options) = access,
            let write = store.beginWriting(at: item.path, for: options, mayHaveVersions: true)
        else { return }
        let fresh = KeptVersions(write)
        if versions.storeUnlessClosed(fresh) !== fresh { write.end() }
    }

    /// Records that it has got its turn in a ticket queue.
    func setTurn(_ turn: TurnInTicketQueue) { _ = self.turn.storeIfNil(turn) }

    /// Looks at the item before the accessor runs, because its write is going to be reported.
    func takeStampBefore() { _ = before.storeIfNil(KeptStamp(ItemStamp.take(of: item.path))) }

    /// What the item looked like before, if that is known.
    var stamp: ItemStamp? { before.load()?.stamp }

    /// What became of the item (Rule 7.8).
    private var ending: ItemEnding {
        guard isWriting else { return ItemEnding(.unchanged) }
        // If a server asks for a report meanwhile, it reports a change.
        guard let stamp else { return ItemEnding(.changed) }
        return ItemEnding(from: stamp, to: ItemStamp.take(of: item.path))
    }

    /// Ends it, on the thread on which its accessor has run, and in the process in which it has.
    func end() {
        let isUnreported = release()
        // Only now: the next access must find it ended. No next one is called if there is something
        // to report: a server ends the ticket queue then, and what was moved is followed (Rule
        // 11.4).
        if isUnreported { turn.load()?.pass() }
        place.end(isWriting: isWriting)
    }

    /// Ends its claim; returns whether no server is told of that.
    private func release() -> Bool {
        // Of one that reads no other thread knows.
        (isWriting ? versions.close() : versions.load())?.write.end()
        if let known = isWriting ? adopted.close() : adopted.load() { return known.endAdopted() }
        // If a report was asked for meanwhile, it says what has become of the item.
        if session.ledger.releaseWrittenLocally(record) { return true }
        return session.release(record, [ending])
    }

    /// Forgets it before it was granted; its record may be another claim's afterwards.
    func abandon() {
        versions.close()?.write.end()
        adopted.close()?.abandonAdopted()
    }
}

/// The versions that stay with the item of a local write.
private final class KeptVersions: Sendable {
    let write: any VersionedWrite
    init(_ write: any VersionedWrite) { self.write = write }
}

/// What an item looked like before a local write.
private final class KeptStamp: Sendable {
    let stamp: ItemStamp
    init(_ stamp: ItemStamp) { self.stamp = stamp }
}

/// How an access that takes no arbiter may begin.
enum LocalBeginning {
    /// Its accessor may run; perhaps it had to wait for its turn.
    case granted(LocalAccess, hasWaited: Bool)
    /// It took one after all: the claim is filed, and waits.
    case filed(CoordinatedAccess)
}

extension Session {
    /// Grants a claim on the spot, or in its turn; nil if that takes an arbiter.
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
        guard let grant = delegated.begin(local.place, for: local) else {
            local.abandon()
            ledger.discard(record)
            return nil
        }
        if grant.isInTicketQueue {
            let known = (place: thread.memory.pointee.recent.known, isVersionless: isVersionless)
            return claimInTurn(local, at: local.place, grant, known, at: now)
        }
        let state = ledger.claimLocally(
            record, slot: grant.slot, delegation: grant.word, isWriting: access.isWriting)
        guard state == .granted else {
            // The delegation was revoked concurrently. Discard this record and file an ordinary
            // claim. A server may have granted it at once.
            local.abandon()
            // One that is over already needs no end.
            if !ledger.cancel(record) { _ = try? ledger.release(record) }
            announce(.ended(WireRecord(record)))
            local.place.end(isWriting: access.isWriting)
            return nil
        }
        if access.isWriting, grant.reportsWrites { local.takeStampBefore() }
        if access.isWriting, !isVersionless {
            keepVersions(of: local, thread.memory.pointee.recent.known, in: services.versions)
        }
        return .granted(local, hasWaited: false)
    }

    /// Lets the item's versions stay with it, if it has any: looks under the claim.
    func keepVersions(
        of local: LocalAccess, _ known: KnownPlace?, in store: any VersionKeeping
    ) {
        if mayHaveVersions(at: local.item.path, known, in: store) { local.keepVersions(in: store) }
    }

    /// An access to the place that a name of this spelling leads to, if that may be delegated; and
    /// whether it is known that the item has no versions.
    private func localAccess(
        _ spelling: String, _ access: Access, on thread: CallingThread, now: UInt64
    ) -> (LocalAccess, isVersionless: Bool)? {
        places.withPresent { cache -> (LocalAccess, isVersionless: Bool)? in
            guard let cache else { return nil }
            let local = thread.memory.pointee.recent.makeAccess(
                spelling, access, in: self, cache, now: now)
            if let local { return (local, access.isWriting) }
            return findPlace(spelling, access, by: cache, on: thread, now: now)
        }
    }

    /// The same for a place that is not the one which the thread has used last.
    private func findPlace(
        _ spelling: String, _ access: Access, by cache: PlaceCache, on thread: CallingThread,
        now: UInt64
    ) -> (LocalAccess, isVersionless: Bool)? {
        thread.memory.pointee.recent.clear()
        let store = access.isWriting ? services.versionsPath : nil
        let finding = cache.known(spelling, withoutVersionsIn: store, now: now)
        if let known = finding.place {
            guard let place = known.delegated(in: delegated) else { return nil }
            thread.memory.pointee.recent.remember(place, spelling, finding, store: store)
            return (LocalAccess(self, spelling, access, at: place), finding.isVersionless)
        }
        // One of many in a directory that may be delegated, used for the first time: of it only the
        // item is looked at. The second time it is remembered, on the usual way.
        guard let path = PlaceCache.plainPath(ofSpelling: spelling),
            delegated.mayHoldAll(aroundItemAt: path),
            let item = cache.look(at: path, policy: packagePolicy, now: now),
            item.packageDepths.isEmpty,
            let (place, isNew) = delegated.delegatedPlace(for: item.item(access)), isNew
        else { return nil }
        return (LocalAccess(self, spelling, access, at: place), finding.isVersionless)
    }
}
