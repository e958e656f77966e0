// SPDX-License-Identifier: Apache-2.0
//
// Connects the watcher with the other parts of the server (Rules 7.14, 11.9). The server has the
// watcher watch the item of each registered presenter, tells it which coordinated writes run, and
// forwards the changes that it sees to presenters. A change that a coordinated write explains is
// not forwarded, because the claim itself announces it. Of what plain programs do, the arbiter is
// told only moves of presented items.
//
// The server is not told when a delegated write begins; it is told of its end only if the client
// reports it. So when the watcher sees a change that no known writer explains, the server reads the
// ledgers of the clients that report such ends. If one of their running writes may have made the
// change, the change waits until that write ends or its process dies.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching
import FileCoordinationWire

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

    private mutating func startWatching(at now: UInt64) {
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
    mutating func workOnWatching(at now: UInt64) {
        if outgoing.watching.isDue(at: now) { startWatching(at: now) }
        for presenter in outgoing.watching.takeOverdue(at: now) { grantPresenter(presenter) }
        for claim in outgoing.watching.takeOverdueClaims(at: now) {
            decide(.movesTold(before: claim))
        }
        guard let (outage, endangered) = outgoing.watching.takeEndangered(at: now) else { return }
        if outage == .stuck { configuration.log(.watchingFailed(reason: "it does not go on")) }
        for id in endangered {
            if let presenter = outgoing.watching[id] { tell(presenter.messagesOfAll, to: id) }
        }
    }

    /// Whether a claim that was filed by now must wait until the watcher has told the moves before
    /// it (Rule 1.15).
    ///
    /// That concerns presenters of other purposes, wherever they are: one of their items may have
    /// been moved to the claim's path.
    func mustAwaitMoves(_ claim: FiledClaim) -> Bool {
        arbiter.mayAskPresenters(besides: claim.purpose) && outgoing.watching.mayMissMoves
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

    /// Tells the watcher that a coordinated write begins or, if `isFound`, that one was found
    /// running.
    ///
    /// `destinations` are the paths to which it moves items.
    mutating func watchWrites(of id: ClaimID, isFound: Bool, movingTo destinations: [ItemPath] = [])
    {
        guard outgoing.watching.isActive, !outgoing.watching.writes.runs(id),
            let claim = arbiter.claim(id),
            claim.kind == .access, arbiter.stage(of: id) == .granted
        else { return }
        let paths = claim.items.filter(\.access.isWriting).map(\.path)
        guard (paths + destinations).contains(where: { arbiter.isPresented(around: $0) })
        else { return }
        // A move that was announced has given the claim other paths.
        let isAsBegun = records.relocations.handledBytes(ofClaim: id.rawValue) == 0
        outgoing.watching.begin(
            id, at: paths, claim.purpose, isFound: isFound, isAsBegun: isAsBegun)
    }

    /// Tells the watcher which changes a finished write has made; `known` is what the claimant saw,
    /// and `each` what several writes of its item have made, if they count as one.
    mutating func reportWrites(
        of id: ClaimID, _ outcomes: [ItemOutcome], _ known: WrittenItems,
        each: [ItemChange]? = nil
    ) {
        guard outgoing.watching.isActive else { return }
        // The watcher does not know a write that began before its item was presented, or by
        // delegation.
        watchWrites(of: id, isFound: true)
        guard outgoing.watching.writes.runs(id), let claim = arbiter.claim(id) else { return }
        let isComplete = outcomes.count == claim.items.count
        let written = known.paths(
            of: claim, asBegun: outgoing.watching.writes.pathsAsBegun(id),
            isComplete ? outcomes : claim.items.map { _ in .changed })
        var changes = written.compactMap { item in
            item.change.map { ClaimedChange(path: item.path, before: $0.before, after: $0.after) }
        }
        if let each, let path = written.first?.path {
            changes = each.map { ClaimedChange($0, at: path) }
        }
        let arrivals = known.arrivals.map { ClaimedChange(arrivalAt: $0.path, of: $0.after) }
        outgoing.watching.end(id, changes + arrivals)
        let now = CoordinatedWrites.Instant.now
        for arrival in known.arrivals {
            outgoing.watching.record(
                arrival.path, by: claim.purpose, after: .some(arrival.after), hasChanged: true,
                isArrival: true, at: now)
        }
        for item in written {
            outgoing.watching.record(
                item.path, by: claim.purpose, after: item.change.map { $0.after },
                hasChanged: item.hasChanged, at: now)
        }
    }

    /// Tells the watcher that the writes of a dead client are over.
    ///
    /// They may have changed anything.
    mutating func reportAbandonedWrites(
        of client: Client, _ known: [(record: RecordReference, identity: KnownRecord.Identity)]
    ) {
        for case (let record, .claim(let claim)) in known {
            reportWrites(of: claim, [], client.ledger.writtenItems(record))
        }
    }

    /// Records that a writer has moved items, so that its claim explains these changes.
    mutating func markMoves(_ moves: [ItemMove], by id: ClaimID) {
        guard outgoing.watching.isActive, let claim = arbiter.claim(id) else { return }
        let purpose = claim.purpose
        let now = CoordinatedWrites.Instant.now
        // The claim's log will say where its own items are.
        let known = arbiter.movedItems(of: id)?.own ?? []
        let places = claim.items.enumerated().map { index, item in
            (index < known.count ? known[index] : nil)?.path ?? item.path
        }
        let own = moves.filter { places.contains($0.old) }
        watchWrites(of: id, isFound: true, movingTo: own.map(\.new))
        outgoing.watching.extend(id, by: own)
        for move in moves {
            outgoing.watching.announce(move, by: id)
            outgoing.watching.record(move.old, by: purpose, after: nil, hasChanged: true, at: now)
            outgoing.watching.record(
                move.new, by: purpose, after: nil, hasChanged: true, isArrival: true, at: now)
        }
    }

    // MARK: Seen changes

    /// Handles the messages of the watcher, and tells presenters about the changes that it saw.
    mutating func receiveNews() {
        releaseAbandonedChanges()
        var writers: [LocalWriter]?
        let (mail, lastAnswered) = outgoing.watching.takeMail()
        for mail in mail {
            let id = PresenterID(rawValue: mail.news.presenter)
            guard let presenter = outgoing.watching[id] else { continue }
            switch mail.news.body {
            case .listening: if outgoing.watching.markListening(id) { grantPresenter(id) }
            case .arrived(let path):
                guard path.isTellable else { break }
                // A client with a delegation there would not ask the presenter.
                recall(before: [.presenterMoved(id, to: path)], then: nil)
            case .healed: outgoing.watching.setTrouble(nil, of: id)
            case .degraded(let trouble):
                outgoing.watching.setTrouble(trouble, of: id)
                if presenter.isListening { tell(presenter.messagesOfAll, to: id) }
            case .wholeMayHaveChanged(.rewritten): break
            case .wholeMayHaveChanged: tell(presenter.messagesOfAll, to: id)
            case .changes(let changes):
                for change in changes { handle(change, id, mail.commandsSeen, &writers) }
            }
        }
        // Behind the moves, which may have to wait for recalls.
        for claim in outgoing.watching.takeClaims(answeredUpTo: lastAnswered) {
            work.append(.decide(.movesTold(before: claim)))
        }
    }

    private mutating func handle(
        _ change: WatchedChange, _ id: PresenterID, _ commandsSeen: UInt64,
        _ writers: inout [LocalWriter]?
    ) {
        guard let change = change.withoutTemporaries else { return }
        if change.origin != .coordinated, !delegations.reporters.isEmpty {
            let known = writers ?? localWriters()
            writers = known
            if let writer = known.first(where: { $0.mayHaveMade(change) }), makeKnown(writer) {
                let held = Watching.Held(presenter: id, change: change, commandsSeen: commandsSeen)
                return outgoing.watching.hold(held, until: writer.address)
            }
        }
        tellUnexplained(change, id, commandsSeen)
    }

    /// Tells a presenter about a change, unless a coordinated write explains the change.
    ///
    /// `commandsSeen` is how much the watcher knew when it sent the change; `isHeld` says whether
    /// the change has waited for the end of a write, which the watcher does not know.
    private mutating func tellUnexplained(
        _ change: WatchedChange, _ id: PresenterID, _ commandsSeen: UInt64, isHeld: Bool = false
    ) {
        guard let presenter = outgoing.watching[id] else { return }
        let now = CoordinatedWrites.Instant.now
        let known = isHeld ? 0 : commandsSeen
        let isExplained = outgoing.watching.writes.explains(
            change, commandsSeen: known, to: presenter.purpose, at: now)
        guard isExplained else { return tell(change, commandsSeen, to: id) }
        // The watcher and the arbiter must agree on where the presenter's item is, so a move of the
        // item itself is always told.
        if case .moved(let former) = change.what, former == presenter.path {
            return tell([.moved(to: change.path)], to: id)
        }
        let remainder = change.remainder {
            outgoing.watching.writes.announceEnd(of: change, at: $0, commandsSeen: known, now: now)
        }
        guard let rest = remainder else { return }
        // The watcher does not know everything in a directory that appeared.
        if rest.what == .appeared, rest.observed?.isDirectory == true {
            return tell(presenter.messagesOfAll, to: id)
        }
        tell(rest, commandsSeen, to: id)
    }

    /// Tells a presenter about a change, with the paths that the presenter knows by now.
    private mutating func tell(_ change: WatchedChange, _ commandsSeen: UInt64, to id: PresenterID)
    {
        for change in outgoing.watching.following(change, commandsSeen: commandsSeen, for: id) {
            // One change may move the presenter's item.
            if let presenter = outgoing.watching[id] {
                tell(presenter.messages(of: change), to: id)
            }
        }
    }

    /// Tells a presenter about changes made by programs that do not coordinate.
    private mutating func tell(_ messages: [WatchedPresenter.Message], to id: PresenterID) {
        for message in messages {
            guard message.isTellable else {
                // A directory was moved deep into another one, or a program works in one by a short
                // relative path. The presenter is told to look, and goes nowhere.
                if let presenter = outgoing.watching[id] { tell(presenter.messagesOfAll, to: id) }
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

    /// Returns the writes that clients have granted themselves and of which the arbiter has not
    /// been told.
    ///
    /// Only clients that report the ends of such writes are included.
    private func localWriters() -> [LocalWriter] {
        delegations.reporters.sorted().compactMap { clients[$0] }.flatMap { client in
            client.ledger.scan().compactMap { snapshot in
                guard snapshot.kind == .claim, snapshot.hasSomethingToTell,
                    snapshot.flags.contains(.unreported),
                    records.identity(of: snapshot.reference, of: client.id) == nil,
                    // The end of that write has been handled: nothing more follows from it.
                    !isActedOn(snapshot.reference, of: client.id),
                    let body = client.ledger.claimBody(snapshot.reference)
                else { return nil }
                let paths = body.items.filter(\.access.isWriting).map(\.path)
                return LocalWriter(
                    address: RecordAddress(client: client.id, record: snapshot.reference),
                    isOver: snapshot.state == .released, paths: paths)
            }
        }
    }

    /// Has the server tell the arbiter and the watcher about a delegated write, and asks the client
    /// to report its end.
    ///
    /// Returns whether the end of the write will be handled.
    private mutating func makeKnown(_ writer: LocalWriter) -> Bool {
        guard let client = clients[writer.address.client] else { return false }
        if writer.isOver { return true }
        let record = writer.address.record
        if requestReport(of: record, client) {
            work.append(
                .makeKnown(RecordCheck(client: client.id, record: record, isPrepared: true)))
            return true
        }
        // It has ended since the scan. Its client reports that if it was to from the beginning.
        let snapshot = client.ledger.snapshot(ofRecord: record.index)
        return snapshot?.reference == record && snapshot?.hasSomethingToTell == true
    }

    /// Tells the changes that waited for a write which is over, unless its claim has announced
    /// them.
    mutating func releaseHeldChanges(
        of write: RecordAddress, claim: ClaimID? = nil, _ outcomes: [ItemOutcome] = []
    ) {
        let hasChanged = claim != nil && outcomes != [.unchanged]
        for held in outgoing.watching.takeHeld(write) {
            guard hasChanged else {
                tell(held.change, held.commandsSeen, to: held.presenter)
                continue
            }
            var change = held.change
            change.origin = .either
            tellUnexplained(change, held.presenter, held.commandsSeen, isHeld: true)
        }
    }

    /// Tells the changes that wait for a write whose record has been reused for another claim.
    mutating func releaseAbandonedChanges() {
        for write in outgoing.watching.awaitedWrites {
            let snapshot = clients[write.client]?.ledger.snapshot(ofRecord: write.record.index)
            guard snapshot?.reference != write.record || snapshot?.hasSomethingToTell != true
            else { continue }
            releaseHeldChanges(of: write)
        }
    }
}

/// A write that a client granted itself.
private struct LocalWriter {
    let address: RecordAddress
    let isOver: Bool
    let paths: [ItemPath]

    /// Returns whether the change is at an item of this write or inside one.
    func mayHaveMade(_ change: WatchedChange) -> Bool {
        paths.contains { $0 == change.path || $0.contains(change.path) }
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
