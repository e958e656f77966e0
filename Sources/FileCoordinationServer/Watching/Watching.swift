// SPDX-License-Identifier: Apache-2.0
//
// The server's side of change watching (Rule 7.14): the presenters that are watched, the
// coordinated writes beside the watcher, and the changes that wait for the end of a write. The
// watcher is started with the first presenter and runs on its own thread. Nothing here makes a
// system call on a user's path.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching

/// The watcher, and what it was told.
struct Watching: ~Copyable {
    /// How long a presenter's registration waits for the first check of its item.
    private static let patience: Duration = .milliseconds(100)
    /// When to try again to start a watcher after a failure.
    private static let retryPause: Duration = .seconds(10)

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
    private var unanswered: [PresenterID: Instant] = [:]
    var seen = SeenChanges()
    private var retryAt: Instant?
    /// The real time since which there is no watcher although there are presenters.
    private var unwatchedSince: Int64?
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
    func outage(at now: Instant) -> WatchOutage? {
        guard isWanted, !presenters.isEmpty else { return nil }
        guard let watcher else { return .notStarted }
        return WatchSupervision.isStuck(sinceTurnBegan: watcher.turnBegan, at: now) ? .stuck : nil
    }

    /// Returns the presenters to tell that their items may have changed, because of an outage.
    mutating func takeEndangered(at now: Instant)
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
    mutating func start(at now: Instant) throws(SystemError) -> Descriptor? {
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
                        after: unwatchedSince
                            ?? RealTimeClock.now - Int64(Self.retryPause.nanoseconds)))
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
    func isDue(at now: Instant) -> Bool {
        isWanted && watcher == nil && !presenters.isEmpty && retryAt.map { $0 <= now } ?? true
    }

    /// Stops the watcher.
    mutating func stop() {
        if watcher != nil { beginUnwatched() }
        watcher?.stop()
        watcher = nil
    }

    /// Stops the watcher of a server that gives up its role.
    ///
    /// The watcher is released with the server. The last reference closes the inotify instance,
    /// for which the kernel takes 15 ms, and the next server must not wait for that.
    func leave() { watcher?.stop() }

    /// Stops a watcher that cannot be used; another one is started after a pause.
    mutating func fail(at now: Instant) {
        stop()
        retryAt = now + Self.retryPause
    }

    /// From about now on, presenters are told of no changes.
    private mutating func beginUnwatched() {
        unwatchedSince = unwatchedSince ?? RealTimeClock.now - Int64(Self.retryPause.nanoseconds)
    }

    /// Readable while the watcher has messages; nil if it is not running.
    var descriptor: Descriptor? { watcher?.mailbox.descriptor }

    /// Removes and returns the messages of the watcher, and the number of the last question that it
    /// has answered.
    func takeMail() -> (mail: [WatchNews], lastAnswered: UInt64) {
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
    mutating func awaitListening(of id: PresenterID, at now: Instant) -> Bool {
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
    mutating func takeOverdue(at now: Instant) -> [PresenterID] {
        if unanswered.isEmpty { return [] }
        let overdue = unanswered.filter { $0.value <= now }.keys.sorted()
        for id in overdue { unanswered[id] = nil }
        return overdue
    }

    /// The next time at which watching has something to do, or nil.
    var nextDeadline: Instant? {
        var next = seen.nextDeadline
        if !unanswered.isEmpty { next = .earlier(next, unanswered.values.min()) }
        guard !presenters.isEmpty else { return next }
        next = .earlier(next, supervision.next)
        return isWanted && watcher == nil ? .earlier(next, retryAt ?? .distantPast) : next
    }

    /// Stops watching for a presenter that is gone.
    mutating func unpresent(_ id: PresenterID) {
        unanswered[id] = nil
        troubles[id] = nil
        seen.discard(id)
        guard presenters.removeValue(forKey: id) != nil else { return }
        watcher?.unpresent(id.rawValue)
    }

    /// Records a new path of a presenter's item.
    ///
    /// An announced move is passed on to the watcher.
    mutating func followMove(of id: PresenterID, to path: ItemPath, isAnnounced: Bool) {
        guard let former = presenters[id]?.path, former != path else { return }
        presenters[id]?.path = path
        seen.follow(id, from: former, to: path)
        if isAnnounced { watcher?.move(id.rawValue, to: path) }
    }

    /// Records why a presenter's changes are polled or not reported, or that they are reported
    /// again.
    mutating func setTrouble(_ trouble: WatchTrouble?, of id: PresenterID) {
        if presenters[id] != nil { troubles[id] = trouble }
    }

    // MARK: Seen changes

    /// Takes a change in, and returns what to tell a presenter now.
    mutating func consider(
        _ change: WatchedChange, _ id: PresenterID, at now: WriteInstant
    ) -> [WatchedChange] {
        guard let listener = listener(id) else { return [] }
        return seen.consider(change, listener, at: now)
    }

    /// Records that a presenter looks at its whole item.
    mutating func toldEverything(_ id: PresenterID, at now: WriteInstant) {
        if let listener = listener(id) { seen.toldEverything(listener, at: now) }
    }

    /// Returns what to tell of the changes that wait no longer; `answered` is the last question
    /// that the watcher has answered.
    mutating func release(
        answered: UInt64, at now: WriteInstant
    ) -> [(id: PresenterID, change: WatchedChange)] {
        let (presenters, watcher) = (presenters, watcher)
        return seen.release(
            answered: answered, at: now, { presenters[$0]?.listener($0) },
            ask: { watcher?.ask() })
    }

    private func listener(_ id: PresenterID) -> SeenChanges.Listener? {
        presenters[id]?.listener(id)
    }
}

extension WatchedPresenter {
    fileprivate func listener(_ id: PresenterID) -> SeenChanges.Listener {
        SeenChanges.Listener(id: id, path: path, purpose: purpose)
    }
}
