// SPDX-License-Identifier: Apache-2.0
//
// Connects presenters with what happens to their items. Four parts: presenters are registered and
// removed, when their records are found or given back; the watcher learns what to watch and which
// writes are coordinated (`watch`, `watchWrites`); what it has seen of plain programs is told
// (`receiveNews`); and what writers announced is read from their records (`readAnnouncements`).

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching
import FileCoordinationWire

extension Server {
    /// Registers a presenter, after learning what was moved away from its path, and after recalling
    /// the delegations that its path concerns.
    mutating func register(_ snapshot: RecordSnapshot, _ check: RecordCheck, _ client: Client) {
        let isNew = snapshot.state == .filed
        if isNew, isOverLimit(snapshot, client) { return }
        guard let body = client.ledger.presenterBody(snapshot.reference) else {
            return reject(snapshot, client)
        }
        let places = records.places(of: snapshot, body)
        if !check.isPrepared, isNew {
            let writers = places.flatMap { runningWriters(onTheWayTo: $0) }
            if !writers.isEmpty {
                var prepared = check
                prepared.isPrepared = true
                work.replace(by: writers.map { .check($0) } + [.check(prepared)])
                return
            }
        }
        let appearances = places.map { path in
            Event.presenterAdded(
                RegisteredPresenter(
                    id: PresenterID(rawValue: 0), client: client.id,
                    purpose: Purpose(bytes: body.purpose), path: path, methods: body.methods))
        }
        if recall(before: appearances, then: .check(check)) { return }
        let presenter = records.presenter(snapshot, body, of: client)
        decide(.presenterAdded(presenter))
        watch(presenter, check.record, of: client, changedAfter: RealTimeClock.now)
        // A presenter must be told all changes after its registration. If the watcher has to look
        // at its item first, the registration is granted after that.
        guard isNew, !outgoing.watching.awaitListening(of: presenter.id, at: MonotonicClock.now)
        else {
            return
        }
        grantPresenter(presenter.id)
    }

    /// Tells a presenter's client that the presenter is registered.
    mutating func grantPresenter(_ presenter: PresenterID) {
        guard let address = records.address(of: presenter), let client = clients[address.client]
        else { return }
        if client.ledger.grant(address.record, presence.epoch) == .grantedWantsMessage {
            send(.granted(address.record), to: client)
        }
    }

    mutating func remove(_ presenter: PresenterID) {
        outgoing.watching.unpresent(presenter)
        records.discard(presenter)
        decide(.presenterRemoved(presenter))
    }

    /// Returns checks of the records of writers that run, as far as the arbiter knows, at a path or
    /// at a directory that contains it.
    ///
    /// Such a writer may have moved its item, and the message about that may still be unread,
    /// because it came on another connection. If a program has learned of the move in another way
    /// and now presents another item at the old path, its presenter must not follow the move (Rule
    /// 11.1).
    private func runningWriters(onTheWayTo path: ItemPath) -> [RecordCheck] {
        arbiter.runningWriters(onTheWayTo: path).compactMap { claim in
            guard let address = records.address(of: claim) else { return nil }
            return RecordCheck(client: address.client, record: address.record)
        }
    }
}

// Connects the watcher with the other parts of the server (Rules 7.14, 11.9). The server has the
// watcher watch the item of each registered presenter, and forwards what it sees to presenters.
// Changes that coordinated writes have made are not forwarded, because their claims announce them;
// changes that a running write may have made wait for its end. Of what plain programs do, the
// arbiter is told only moves of presented items.
//
// The server is not told when a delegated write begins. So when the watcher sees a change at or
// beside a place that is delegated with reports, the server looks for such a write in that client's
// ledger.

extension Server {
    // MARK: Watched presenters

    /// Starts to watch a presenter's item.
    mutating func watch(
        _ presenter: RegisteredPresenter, _ record: RecordReference, of client: Client,
        changedAfter: Int64
    ) {
        guard let path = presenter.path, !presenter.methods.isEmpty else { return }
        let supplement = client.ledger.supplement(record)
            // A supplement that cannot be decoded is ignored.
            .flatMap { try? RecordSupplement(decoding: $0) }
        startWatching(at: MonotonicClock.now)
        outgoing.watching.present(
            presenter.id,
            WatchedPresenter(
                path: path, methods: presenter.methods, purpose: presenter.purpose,
                item: WatchedPresenter.Item(supplement?.item ?? .unknown),
                wantsAuthors: supplement?.wantsAuthors ?? false),
            changedAfter: changedAfter)
    }

    private mutating func startWatching(at now: Instant) {
        do throws(SystemError) {
            guard let descriptor = try outgoing.watching.start(at: now) else { return }
            try connections.poller.add(
                descriptor, token: Connections.FixedToken.news, .readable)
        } catch {
            outgoing.watching.fail(at: now)
            configuration.log(.watchingFailed(reason: "\(error)"))
        }
    }

    /// Performs the watcher's work that has become due: restarts it after a failure, grants
    /// presenters whose watch did not start in time, and tells presenters that changes may be
    /// missed.
    mutating func workOnWatching(at now: Instant) {
        if outgoing.watching.isDue(at: now) { startWatching(at: now) }
        for presenter in outgoing.watching.takeOverdue(at: now) { grantPresenter(presenter) }
        releaseHeldChanges()
        guard let (outage, endangered) = outgoing.watching.takeEndangered(at: now) else { return }
        if outage == .stuck { configuration.log(.watchingFailed(reason: "it does not go on")) }
        for id in endangered {
            tellEverything(to: id)
        }
    }

    /// Tells the watcher and the presenter's process where the item of a presenter is now.
    mutating func relocate(
        _ presenter: PresenterID, to place: ItemPath, isTold: Bool, by writer: ClaimID? = nil
    ) {
        let isPlain = outgoing.watching[presenter]?.path == place
        outgoing.watching.followMove(of: presenter, to: place, isAnnounced: true)
        guard !isPlain || !isTold else { return deliver(.followed(to: place), to: presenter) }
        deliver(.relocated(to: place, isTold: isTold), to: presenter, by: writer)
    }

    // MARK: Coordinated writes

    /// Records that a coordinated write in a watched place begins or, if `isFound`, that one was
    /// found running.
    ///
    /// `destinations` are the paths to which it moves items.
    mutating func watchWrites(of id: ClaimID, isFound: Bool, movingTo destinations: [ItemPath] = [])
    {
        guard outgoing.watching.isActive, let address = records.address(of: id),
            !outgoing.watching.seen.writes.runs(address), let claim = arbiter.claim(id),
            claim.kind.takesPart, arbiter.stage(of: id) == .granted
        else { return }
        let paths = claim.items.filter(\.access.isWriting).map(\.path)
        guard
            arbiter.isPresented(aroundWritesOf: id)
                || destinations.contains(where: { arbiter.isPresented(around: $0) })
        else { return }
        // The accessor may run as soon as the record says so, which is before this.
        let now = WriteInstant.now
        let age = isFound ? age(of: id) : now.monotonic - min(arbiter.now, now.monotonic)
        outgoing.watching.seen.writes.begin(
            address, at: paths, claim.purpose, now.before(age).asStamped,
            // A move that was announced has given the claim other paths.
            isAsBegun: records.relocations.handledBytes(ofClaim: id.rawValue) == 0)
    }

    /// Records what a finished write has changed; `known` is what the claimant saw, and `together`
    /// what several writes of its item have made, if they count as one.
    mutating func reportWrites(
        of id: ClaimID, _ outcomes: [ItemOutcome], _ known: WrittenItems,
        together: ItemChange? = nil
    ) {
        guard outgoing.watching.isActive else { return }
        // A write may have begun before its item was presented, or by delegation.
        watchWrites(of: id, isFound: true)
        guard let address = records.address(of: id), outgoing.watching.seen.writes.runs(address),
            let claim = arbiter.claim(id)
        else { return }
        let isComplete = outcomes.count == claim.items.count
        var written = known.paths(
            of: claim, asBegun: outgoing.watching.seen.writes.pathsAsBegun(address),
            isComplete ? outcomes : claim.items.map { _ in .changed })
        if let together, let first = written.first {
            written[0] = WrittenPath(
                path: first.path,
                change: (
                    before: together.before.map { ObservedFile($0) },
                    after: together.after.map { ObservedFile($0) }
                ), hasChanged: first.hasChanged)
        }
        let now = WriteInstant.now
        for item in written { outgoing.watching.seen.writes.record(item, by: address, at: now) }
        for arrival in known.arrivals {
            outgoing.watching.seen.writes.record(
                WrittenPath(
                    path: arrival.path, change: (before: nil, after: arrival.after),
                    hasChanged: true), by: address, isArrival: true, at: now)
        }
        outgoing.watching.seen.writes.end(address, at: now)
    }

    /// Records that the writes of a dead client are over.
    ///
    /// They may have changed anything.
    mutating func reportAbandonedWrites(
        of client: Client, _ known: [(record: RecordReference, identity: KnownRecord.Identity)]
    ) {
        for case (let record, .claim(let claim)) in known {
            reportWrites(of: claim, [], client.ledger.writtenItems(record))
        }
    }

    /// Records that a claim is over; what it has done was recorded before.
    mutating func endWrites(of claim: ClaimID) {
        guard !outgoing.watching.seen.writes.isEmpty, let address = records.address(of: claim)
        else { return }
        outgoing.watching.seen.writes.end(address, at: .now)
    }

    /// Records that a writer has moved items.
    mutating func markMoves(_ moves: [ItemMove], by id: ClaimID) {
        guard outgoing.watching.isActive, let address = records.address(of: id) else { return }
        watchWrites(of: id, isFound: true, movingTo: moves.map(\.new))
        let now = WriteInstant.now
        for move in moves {
            outgoing.watching.seen.writes.record(move, at: now)
            for (path, isArrival) in [(move.old, false), (move.new, true)] {
                outgoing.watching.seen.writes.record(
                    WrittenPath(path: path, change: nil, hasChanged: true), by: address,
                    isArrival: isArrival, at: now)
            }
        }
    }

    // MARK: Seen changes

    /// Handles the messages of the watcher, and tells presenters about the changes that it saw.
    mutating func receiveNews() {
        let (mail, lastAnswered) = outgoing.watching.takeMail()
        findLocalWrites(concerning: mail)
        for news in mail {
            let id = PresenterID(rawValue: news.presenter)
            guard let presenter = outgoing.watching[id] else { continue }
            switch news.body {
            case .listening:
                outgoing.watching.toldEverything(id, at: .now)
                if outgoing.watching.markListening(id) { grantPresenter(id) }
            case .healed: outgoing.watching.setTrouble(nil, of: id)
            case .degraded(let trouble):
                outgoing.watching.setTrouble(trouble, of: id)
                if presenter.isListening { tellEverything(to: id) }
            case .wholeMayHaveChanged: tellEverything(to: id)
            case .changes(let changes):
                for case let change? in changes.map(\.withoutTemporaries) {
                    let told = outgoing.watching.consider(change, id, at: .now)
                    for change in told { tell(change, to: id) }
                }
            }
        }
        releaseHeldChanges(answered: lastAnswered)
    }

    /// Tells the changes that wait no longer, unless claims have told them.
    mutating func releaseHeldChanges(answered: UInt64 = 0) {
        let due = outgoing.watching.release(answered: answered, at: .now)
        for (id, change) in due { tell(change, to: id) }
    }

    private mutating func tell(_ change: WatchedChange, to id: PresenterID) {
        // One change may move the presenter's item.
        guard let presenter = outgoing.watching[id] else { return }
        tell(presenter.messages(of: change), to: id)
    }

    /// Has a presenter look at its whole item.
    private mutating func tellEverything(to id: PresenterID) {
        guard let presenter = outgoing.watching[id] else { return }
        outgoing.watching.toldEverything(id, at: .now)
        tell(presenter.messagesOfAll, to: id)
    }

    /// Tells a presenter about changes made by programs that do not coordinate.
    private mutating func tell(_ messages: [WatchedPresenter.Message], to id: PresenterID) {
        for message in messages {
            guard message.isTellable else {
                // A directory was moved deep into another one, or a program works in one by a short
                // relative path. The presenter is told to look, and goes nowhere.
                tellEverything(to: id)
                continue
            }
            switch message {
            case .notice(let notice): deliver(.plainNotice(notice), to: id)
            case .moved(let path):
                outgoing.watching.followMove(of: id, to: path, isAnnounced: false)
                let event = Event.presenterMoved(id, to: path)
                // An earlier move may have to wait for claims that a recall has found.
                guard work.isEmpty else {
                    work.append(.decide(event))
                    continue
                }
                if !recall(before: [event], then: .decide(event)) { decide(event) }
            }
        }
    }

    // MARK: Delegated writers

    /// Looks for writes that clients have granted themselves and that may have made changes, and
    /// has the arbiter told of them and their ends reported.
    private mutating func findLocalWrites(concerning mail: [WatchNews]) {
        guard !delegations.reporters.isEmpty else { return }
        var paths: Set<ItemPath> = []
        for case .changes(let changes) in mail.map(\.body) {
            paths.formUnion(changes.flatMap(\.paths))
        }
        let places = delegations.reportedPlaces(concerning: paths)
        for id in Set(places.values).sorted() {
            guard let client = clients[id] else { continue }
            for snapshot in client.ledger.localClaims() + client.ledger.endedClaims()
            where snapshot.hasSomethingToTell && snapshot.flags.contains(.unreported) {
                let address = RecordAddress(client: id, record: snapshot.reference)
                guard !outgoing.watching.seen.writes.runs(address),
                    records.identity(of: snapshot.reference, of: id) == nil,
                    // The end of that write has been handled: nothing more follows from it.
                    !isActedOn(snapshot.reference, of: id),
                    let body = client.ledger.claimBody(snapshot.reference), body.items.count == 1,
                    places[body.items[0].path] == id, makeKnown(snapshot, client)
                else { continue }
                outgoing.watching.seen.writes.begin(
                    address, at: [body.items[0].path], Purpose(bytes: body.purpose),
                    WriteInstant.now.before(snapshot.age).asStamped, isAsBegun: true)
            }
        }
    }

    /// Returns whether the end of a delegated write will be handled.
    private mutating func makeKnown(_ write: RecordSnapshot, _ client: Client) -> Bool {
        if write.state == .released { return true }
        let record = write.reference
        if requestReport(of: record, client) {
            work.append(
                .makeKnown(RecordCheck(client: client.id, record: record, isPrepared: true)))
            return true
        }
        // It has ended since. Its client reports that if it was to from the beginning.
        let snapshot = client.ledger.snapshot(ofRecord: record.index)
        return snapshot?.reference == record && snapshot?.hasSomethingToTell == true
    }
}

extension ItemPath {
    /// Whether a message, a record or a report may have the path: the kernel takes no longer one.
    fileprivate var isTellable: Bool { bytes.count < WireLimits.pathBytes }
}

extension WatchedPresenter.Message {
    /// Whether all its paths can be told.
    fileprivate var isTellable: Bool {
        switch self {
        case .moved(let path): path.isTellable
        case .notice(.subitemDidAppear(let path)), .notice(.subitemDidChange(let path)),
            .notice(.itemVersion(let path, _)), .notice(.subitemVersion(let path, _)):
            path.isTellable
        case .notice(.subitemDidMove(let old, let new)): old.isTellable && new.isTellable
        case .notice(.itemDidChange), .notice(.ubiquityAttributes): true
        }
    }
}

extension WatchedPresenter.Item {
    fileprivate init(_ item: PresentedItem) {
        switch item {
        case .unknown: self = .unknown
        case .file: self = .file
        case .directory: self = .directory
        case .package: self = .package
        }
    }
}

// Announcements of accessors, such as moves of items (sections 10 and 11). A client writes them
// into the log of its claim's record while the accessor runs. The server acts on the entries that
// it has not handled yet. It stores in the relocation log how many bytes it has handled, so that
// the next server neither misses nor repeats an entry.

extension Server {
    /// Acts on the entries of a claim's log that have not been handled yet.
    ///
    /// Returns what the client wrote behind its announcements, which is nothing until its accessor
    /// has returned. Returns nil if the server must first tell the arbiter about other claims; this
    /// item of work is then queued again, as `again`, behind those or behind the answers to
    /// recalls.
    mutating func readAnnouncements(
        _ check: RecordCheck, _ client: Client, again: (RecordCheck) -> Work
    ) -> ClaimReport? {
        guard let claim = records.claim(check.record, of: client.id) else { return ClaimReport() }
        // While recalls are pending, the arbiter postpones events, but the relocation log would
        // count this event as handled. The answers to the recalls are queued in front of this
        // check, so it is repeated after all of them.
        guard !arbiter.awaitsRecalls else {
            work.append(again(check))
            return nil
        }
        // Before the announcements, which give the claim other paths.
        watchWrites(of: claim, isFound: true)
        var handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        let bytes = client.ledger.outcome(check.record, from: handled) ?? []
        let entries = ClaimLogEntry.entries(decoding: bytes)
        for (entry, length) in entries {
            switch entry {
            case .announced(let announcement):
                let event = Event.claimAnnounced(claim, announcement)
                if recall(before: [event], bound: check.bound, then: again(check)) { return nil }
                handled += length
                if case .moved(let moves) = announcement { markMoves(moves, by: claim) }
                decide(event, handled: (claim, handled))
            // The client may have written the outcomes just before it releases the claim. They are
            // handled together with the release.
            case .outcomes(let outcomes):
                return ClaimReport(outcomes: outcomes, written: WrittenItems(entries))
            case .itemChanges, .pathChanges, .arrivals: break
            }
        }
        return ClaimReport(written: WrittenItems(entries))
    }

    /// Repeats to the arbiter the announcements of a running claim that a former server has
    /// handled.
    ///
    /// The arbiter needs them to know where the claim's own items are now, unless the relocation
    /// log says that.
    mutating func remind(_ record: RecordReference, of client: Client, _ claim: ClaimID) {
        guard records.relocations.movedItems(ofClaim: claim.rawValue) == nil else { return }
        let handled = records.relocations.handledBytes(ofClaim: claim.rawValue)
        guard handled > 0, let bytes = client.ledger.outcome(record) else { return }
        for (entry, _) in ClaimLogEntry.entries(decoding: Array(bytes.prefix(handled))) {
            if case .announced(let announcement) = entry {
                decide(.claimReminded(claim, announcement))
            }
        }
    }
}

// Tells presenters that want to know it who made a change. The arbiter does not decide by it, so it
// is not told: the server knows which claim's end or announcement led to a message.

extension Server {
    /// Queues a message about a change that a claim has made, if one is known.
    mutating func deliver(
        _ message: PresenterMessage, to presenter: PresenterID, by writer: ClaimID?
    ) {
        guard let writer, outgoing.watching[presenter]?.wantsAuthors == true,
            let known = author(of: writer, for: presenter)
        else { return deliver(message, to: presenter) }
        deliver(message.signed(by: known), to: presenter)
    }

    /// Returns who made the changes of a claim, as the presenter's process sees it.
    private func author(of claim: ClaimID, for presenter: PresenterID) -> ChangeAuthor? {
        guard let address = records.address(of: claim), let writer = clients[address.client],
            let reader = records.address(of: presenter).flatMap({ clients[$0.client] })
        else { return nil }
        let text = label(of: address, writer)
        return ChangeAuthor(
            processID: processes.number(of: writer, for: reader.ledger.processNamespace),
            label: text.isEmpty ? writer.ledger.programName : text)
    }
}

extension Event {
    /// The claim whose writer made the changes that follow from the event; nil if they have another
    /// reason.
    var writer: ClaimID? {
        switch self {
        case .claimAnnounced(let claim, _), .claimEnded(let claim, _): claim
        case .claimFiled, .claimRecovered, .claimReminded, .claimCancelled, .grantWithdrawn,
            .presenterAdded, .presenterRelocated, .presenterMoved, .presenterRemoved,
            .presenterAnswered, .presenterAnsweredLate, .presenterBlocked, .presenterDismissed,
            .clientStopped, .clientContinued, .clientDied, .clockAdvanced, .recoveryFinished,
            .delegationRecalled, .queueOpened, .queueClosed:
            nil
        }
    }
}
