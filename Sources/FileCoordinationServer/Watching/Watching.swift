// SPDX-License-Identifier: Apache-2.0
//
// The server's side of change watching (Rule 7.14): the presenters that are watched, the
// coordinated writes that the watcher knows, and the changes that wait for the end of a write. The
// watcher is started with the first presenter and runs on its own thread. Nothing here makes a
// system call on a user's path.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching

/// The watcher, and what it was told.
struct Watching: ~Copyable {
    /// A change that is held back until the end of the write that may have made it.
    struct Held {
        let presenter: PresenterID
        let change: WatchedChange
        /// How many commands the watcher had seen when it sent the change.
        let commandsSeen: UInt64
    }

    /// How long a presenter's registration waits for the first check of its item, in nanoseconds.
    private static let patience: UInt64 = 100_000_000
    /// When to try again to start a watcher after a failure, in nanoseconds.
    private static let retryPause: UInt64 = 10_000_000_000

    /// Starts a watcher.
    typealias Maker = @Sendable (Watcher.Configuration) throws(SystemError) -> Watcher

    /// Whether changes are watched at all.
    private let isWanted: Bool
    private let settings: Watcher.Configuration
    private let makeWatcher: Maker
    private var watcher: Watcher?
    private var presenters: [PresenterID: WatchedPresenter] = [:]
    /// Why the changes of a presenter are polled or not reported.
    private var troubles: [PresenterID: WatchTrouble] = [:]
    /// Presenters whose registration waits for the watcher, and until when.
    private var unanswered: [PresenterID: UInt64] = [:]
    private var held: [RecordAddress: [Held]] = [:]
    private(set) var writes = CoordinatedWrites()
    private var moves = AnnouncedMoves()
    private var retryAt: UInt64?
    /// The real time since which there is no watcher although there are presenters.
    private var unwatchedSince: Int64?
    private var claims = ClaimsAwaitingMoves()
    private var supervision = WatchSupervision()

    /// - Parameters:
    ///   - isWanted: whether to watch at all.
    ///   - testDirectory: a directory of this server, in whose file system the watcher finds out
    ///     whether the kernel's notifications arrive.
    ///   - makeWatcher: starts a watcher; a test has one that fails.
    init(
        isWanted: Bool, testDirectory: Descriptor? = nil,
        makeWatcher: @escaping Maker = { (settings) throws(SystemError) in try Watcher(settings) }
    ) {
        self.isWanted = isWanted
        self.makeWatcher = makeWatcher
        var settings = Watcher.Configuration()
        settings.testDirectory = testDirectory
        self.settings = settings
    }

    /// Whether any presenter is watched.
    var isActive: Bool { watcher != nil && !presenters.isEmpty }

    subscript(id: PresenterID) -> WatchedPresenter? { presenters[id] }

    /// Returns why a presenter's changes are polled, or nil.
    func trouble(of id: PresenterID) -> WatchTrouble? { troubles[id] }

    /// Returns why no presenter is told of changes, or nil.
    func outage(at now: UInt64) -> WatchOutage? {
        guard isWanted, !presenters.isEmpty else { return nil }
        guard let watcher else { return .notStarted }
        return WatchSupervision.isStuck(sinceTurnBegan: watcher.turnBegan, at: now) ? .stuck : nil
    }

    /// Returns the presenters to tell that their items may have changed, because of an outage.
    mutating func takeEndangered(at now: UInt64)
        -> (outage: WatchOutage, presenters: [PresenterID])?
    {
        guard !presenters.isEmpty, supervision.takeDue(at: now), let outage = outage(at: now)
        else { return nil }
        return (outage, presenters.keys.filter { unanswered[$0] == nil }.sorted())
    }

    // MARK: The watcher

    /// Starts the watcher if it is needed and not running.
    ///
    /// Returns its descriptor if it was started.
    mutating func start(at now: UInt64) throws(SystemError) -> Descriptor? {
        guard isWanted, watcher == nil, retryAt.map({ $0 <= now }) ?? true else { return nil }
        supervision.begin(at: now)
        do throws(SystemError) {
            let fresh = try makeWatcher(settings)
            watcher = fresh
            retryAt = nil
            for (id, presenter) in presenters {
                fresh.present(
                    id.rawValue, presenter.path, presenter.kind,
                    missed: presenter.changes(
                        after: unwatchedSince ?? RealTimeClock.now - Int64(Self.retryPause)))
            }
            unwatchedSince = nil
            troubles = [:]
            return fresh.mailbox.descriptor
        } catch {
            retryAt = now + Self.retryPause
            beginUnwatched()
            throw error
        }
    }

    /// Whether the watcher must be started now.
    func isDue(at now: UInt64) -> Bool {
        isWanted && watcher == nil && !presenters.isEmpty && retryAt.map { $0 <= now } ?? true
    }

    /// Stops the watcher.
    mutating func stop() {
        if watcher != nil { beginUnwatched() }
        watcher?.stop()
        watcher = nil
        moves = AnnouncedMoves()
    }

    /// Stops the watcher of a server that gives up its role.
    ///
    /// The watcher is released with the server. The last reference closes the inotify instance,
    /// for which the kernel takes 15 ms, and the next server must not wait for that.
    func leave() { watcher?.stop() }

    /// Stops a watcher that cannot be used; another one is started after a pause.
    mutating func fail(at now: UInt64) {
        stop()
        retryAt = now + Self.retryPause
    }

    /// From about now on, presenters are told of no changes.
    private mutating func beginUnwatched() {
        unwatchedSince = unwatchedSince ?? RealTimeClock.now - Int64(Self.retryPause)
    }

    /// Readable while the watcher has messages; nil if it is not running.
    var descriptor: Descriptor? { watcher?.mailbox.descriptor }

    /// Removes and returns the messages of the watcher, and the number of the last question that it
    /// has answered.
    func takeMail() -> (mail: [WatchMessage], lastAnswered: UInt64) {
        watcher?.mailbox.takeAll() ?? ([], 0)
    }

    // MARK: Presenters

    /// Watches a presenter's item.
    ///
    /// - Parameters:
    ///   - id: the number of the presenter.
    ///   - presenter: its item, and what it is to be told.
    ///   - changedAfter: the presenter is told if the item changed after this time, in real time.
    mutating func present(
        _ id: PresenterID, _ presenter: WatchedPresenter, changedAfter: Int64
    ) {
        guard isWanted, presenters.updateValue(presenter, forKey: id) == nil else { return }
        guard let watcher else { return }
        watcher.present(
            id.rawValue, presenter.path, presenter.kind,
            missed: presenter.changes(after: changedAfter))
    }

    /// Lets a presenter's registration wait for the watcher.
    ///
    /// Returns false if it need not wait.
    mutating func awaitListening(of id: PresenterID, at now: UInt64) -> Bool {
        guard watcher != nil, presenters[id] != nil else { return false }
        unanswered[id] = now + Self.patience
        return true
    }

    /// Records that changes of a presenter are now reported.
    ///
    /// Returns whether its registration waited.
    mutating func markListening(_ id: PresenterID) -> Bool {
        presenters[id]?.isListening = true
        return unanswered.removeValue(forKey: id) != nil
    }

    /// Removes and returns the presenters whose registration has waited long enough.
    mutating func takeOverdue(at now: UInt64) -> [PresenterID] {
        if unanswered.isEmpty { return [] }
        let overdue = unanswered.filter { $0.value <= now }.keys.sorted()
        for id in overdue { unanswered[id] = nil }
        return overdue
    }

    /// The next time at which watching has something to do, or nil.
    var nextDeadline: UInt64? {
        var next = MonotonicClock.earlier(unanswered.values.min(), claims.nextDeadline)
        guard !presenters.isEmpty else { return next }
        next = MonotonicClock.earlier(next, supervision.next)
        return isWanted && watcher == nil ? MonotonicClock.earlier(next, retryAt ?? 0) : next
    }

    /// Stops watching for a presenter that is gone.
    mutating func unpresent(_ id: PresenterID) {
        unanswered[id] = nil
        troubles[id] = nil
        guard presenters.removeValue(forKey: id) != nil else { return }
        watcher?.unpresent(id.rawValue)
    }

    /// Records a new path of a presenter's item.
    ///
    /// An announced move is passed on to the watcher.
    mutating func followMove(of id: PresenterID, to path: ItemPath, isAnnounced: Bool) {
        guard let former = presenters[id]?.path, former != path else { return }
        presenters[id]?.path = path
        if isAnnounced { watcher?.move(id.rawValue, to: path) }
    }

    /// Records why a presenter's changes are polled or not reported, or that they are reported
    /// again.
    mutating func setTrouble(_ trouble: WatchTrouble?, of id: PresenterID) {
        if presenters[id] != nil { troubles[id] = trouble }
    }

    // MARK: Coordinated writes

    /// Records that a claim is about to write in a watched place or, if `isFound`, is writing
    /// already.
    ///
    /// `isAsBegun` says whether the paths are those that the items had when the accessor began.
    mutating func begin(
        _ claim: ClaimID, at paths: [ItemPath], _ purpose: Purpose, isFound: Bool, isAsBegun: Bool
    ) {
        guard let watcher, writes.begin(claim, at: paths, purpose, isAsBegun: isAsBegun) else {
            return
        }
        if isFound {
            watcher.coordinatedWriteFound(claim.rawValue, at: paths)
        } else {
            watcher.coordinatedWriteBegan(claim.rawValue, at: paths)
        }
    }

    /// Tells the watcher that a known claim moves its items.
    func extend(_ claim: ClaimID, by moves: [ItemMove]) {
        guard !moves.isEmpty, writes.runs(claim) else { return }
        watcher?.coordinatedWriteExtended(claim.rawValue, by: moves)
    }

    /// Tells the watcher that a known claim is over, and what it did to each item.
    mutating func end(_ claim: ClaimID, _ changes: [ClaimedChange]) {
        let isKnown = writes.end(claim)
        guard let watcher else { return }
        if isKnown { watcher.coordinatedWriteEnded(claim.rawValue, changes) }
        moves.end(claim, knownFrom: watcher.commandCount, at: MonotonicClock.now)
    }

    /// Records a move when its writer announces it.
    mutating func announce(_ move: ItemMove, by claim: ClaimID) {
        if watcher != nil { moves.add(move, by: claim) }
    }

    /// Returns what to tell a presenter of a change that the watcher saw, with the paths that the
    /// presenter knows.
    func following(
        _ change: WatchedChange, commandsSeen: UInt64, for id: PresenterID
    ) -> [WatchedChange] {
        let changes = moves.follow(change, commandsSeen: commandsSeen)
        guard changes.count > 1, let path = presenters[id]?.path else { return changes }
        // Of a file that has moved, its presenter knows only the new path.
        let known = changes.filter { $0.path == path || path.contains($0.path) }
        return known.isEmpty ? [change] : known
    }

    /// Records the result of a write for a path, after the watcher was told.
    mutating func record(
        _ path: ItemPath, by purpose: Purpose, after: ObservedFile??, hasChanged: Bool,
        isArrival: Bool = false, at now: CoordinatedWrites.Instant
    ) {
        guard let watcher else { return }
        writes.record(
            path, by: purpose, after: after, hasChanged: hasChanged, isArrival: isArrival,
            knownFrom: watcher.commandCount, at: now)
    }

    // MARK: Claims that await moves

    /// Whether a plain program may have moved a presenter's item without the arbiter knowing.
    var mayMissMoves: Bool {
        guard let watcher, !presenters.isEmpty, !claims.isOverdue else { return false }
        return !watcher.hasToldAllMoves
    }

    /// Asks the watcher for the moves that a claim at these paths has to wait for.
    mutating func awaitMoves(before claim: ClaimID, at paths: [ItemPath], at now: UInt64) {
        guard let watcher else { return }
        claims.add(claim, question: watcher.askForMoves(at: paths), at: now)
    }

    /// Removes and returns the claims for which all moves have been told.
    mutating func takeClaims(answeredUpTo question: UInt64) -> [ClaimID] {
        claims.take(answeredUpTo: question)
    }

    /// Removes and returns the claims that have waited long enough.
    mutating func takeOverdueClaims(at now: UInt64) -> [ClaimID] { claims.takeOverdue(at: now) }

    // MARK: Held changes

    /// Keeps a change until the write in a record is over.
    mutating func hold(_ change: Held, until write: RecordAddress) {
        held[write, default: []].append(change)
    }

    /// Removes and returns the changes that waited for the write in a record.
    mutating func takeHeld(_ write: RecordAddress) -> [Held] {
        held.isEmpty ? [] : held.removeValue(forKey: write) ?? []
    }

    /// The records of the writes for which changes wait, in order.
    var awaitedWrites: [RecordAddress] {
        held.keys.sorted {
            ($0.client, $0.record.index, $0.record.generation)
                < ($1.client, $1.record.index, $1.record.generation)
        }
    }
}
