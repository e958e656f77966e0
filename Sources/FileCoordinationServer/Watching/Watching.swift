// SPDX-License-Identifier: Apache-2.0
//
// What the server knows of the watcher: whom it watches for, which coordinated writes it was told
// of, and what waits until a write is over. The watcher is started with the first presenter; that
// makes no system call on a user's path here, nor does anything else.

import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWatching

/// The server's side of change watching (Rule 7.14).
struct Watching {
    /// A change that is told, or not, when the writer is done that may have made it.
    struct Held {
        let presenter: PresenterID
        let change: WatchedChange
    }

    /// How long a presenter's registration waits for the first look at its item, in nanoseconds.
    private static let patience: UInt64 = 100_000_000
    /// After how long a watcher that could not be started is tried again.
    private static let retryPause: UInt64 = 10_000_000_000

    /// Whether there is to be a watcher at all.
    private let isWanted: Bool
    private var watcher: Watcher?
    private var presenters: [PresenterID: WatchedPresenter] = [:]
    /// Why changes are polled, or not told at all.
    private var troubles: [PresenterID: WatchTrouble] = [:]
    /// Presenters whose registration waits, and until when.
    private var unanswered: [PresenterID: UInt64] = [:]
    private var held: [RecordAddress: [Held]] = [:]
    private(set) var writes = CoordinatedWrites()
    private var retryAt: UInt64?

    init(isWanted: Bool) { self.isWanted = isWanted }

    /// Whether anything is watched.
    var isActive: Bool { watcher != nil && !presenters.isEmpty }

    subscript(id: PresenterID) -> WatchedPresenter? { presenters[id] }

    /// Why a presenter is told of changes late, or not at all.
    func trouble(of id: PresenterID) -> WatchTrouble? { troubles[id] }

    // MARK: The watcher

    /// Starts the watcher, if it is needed and not there; returns its descriptor if it is new.
    mutating func start(at now: UInt64) throws(SystemError) -> Descriptor? {
        guard isWanted, watcher == nil, retryAt.map({ $0 <= now }) ?? true else { return nil }
        do throws(SystemError) {
            let fresh = try Watcher()
            watcher = fresh
            retryAt = nil
            for (id, presenter) in presenters {
                fresh.present(
                    id.rawValue, presenter.path, presenter.kind,
                    changedAfter: RealTimeClock.now - Int64(Self.retryPause))
            }
            troubles = [:]
            return fresh.mailbox.descriptor
        } catch {
            retryAt = now + Self.retryPause
            throw error
        }
    }

    /// Whether a watcher is to be started.
    func isDue(at now: UInt64) -> Bool {
        isWanted && watcher == nil && !presenters.isEmpty && retryAt.map { $0 <= now } ?? true
    }

    /// Ends the watcher.
    mutating func stop() {
        watcher?.stop()
        watcher = nil
    }

    /// Takes what the watcher has to say.
    func takeMail() -> [WatchMail] { watcher?.mailbox.takeMail() ?? [] }

    // MARK: Presenters

    /// Watches a presenter's item.
    ///
    /// - Parameter changedAfter: it is told if anything was changed later than this, in real time.
    mutating func present(
        _ id: PresenterID, _ presenter: WatchedPresenter, changedAfter: Int64
    ) {
        guard isWanted, presenters.updateValue(presenter, forKey: id) == nil else { return }
        guard let watcher else { return troubles[id] = .limit }
        watcher.present(id.rawValue, presenter.path, presenter.kind, changedAfter: changedAfter)
    }

    /// Has a presenter's registration wait until its changes are told; false if it need not.
    mutating func awaitListening(of id: PresenterID, at now: UInt64) -> Bool {
        guard watcher != nil, presenters[id] != nil else { return false }
        unanswered[id] = now + Self.patience
        return true
    }

    /// Records that changes are told from now on; whether its registration has waited for that.
    mutating func markListening(_ id: PresenterID) -> Bool {
        presenters[id]?.isListening = true
        return unanswered.removeValue(forKey: id) != nil
    }

    /// The presenters whose registration does not wait any longer.
    mutating func takeOverdue(at now: UInt64) -> [PresenterID] {
        if unanswered.isEmpty { return [] }
        let overdue = unanswered.filter { $0.value <= now }.keys.sorted()
        for id in overdue { unanswered[id] = nil }
        return overdue
    }

    /// When there is something to do even if nothing comes.
    var nextDeadline: UInt64? {
        let retry = watcher == nil && !presenters.isEmpty ? retryAt : nil
        return [unanswered.values.min(), retry].compactMap { $0 }.min()
    }

    /// Ends watching for a presenter that is gone.
    mutating func unpresent(_ id: PresenterID) {
        unanswered[id] = nil
        troubles[id] = nil
        guard presenters.removeValue(forKey: id) != nil else { return }
        watcher?.unpresent(id.rawValue)
    }

    /// Records where a presenter's item is, by the watcher's word or by an announced move.
    mutating func followMove(of id: PresenterID, to path: ItemPath, isAnnounced: Bool) {
        guard let former = presenters[id]?.path, former != path else { return }
        presenters[id]?.path = path
        if isAnnounced { watcher?.move(id.rawValue, to: path) }
    }

    /// Records that a presenter's changes are polled, or not any more.
    mutating func setTrouble(_ trouble: WatchTrouble?, of id: PresenterID) {
        if presenters[id] != nil { troubles[id] = trouble }
    }

    // MARK: Coordinated writes

    /// Records that a claim is about to write in a watched place, or, if `isFound`, has begun to.
    mutating func begin(
        _ claim: ClaimID, at paths: [ItemPath], _ purpose: Purpose, isFound: Bool
    ) {
        guard let watcher, writes.begin(claim, at: paths, purpose) else { return }
        if isFound {
            watcher.coordinatedWriteFound(claim.rawValue, at: paths)
        } else {
            watcher.coordinatedWriteBegan(claim.rawValue, at: paths)
        }
    }

    /// Records that a claim is over of which the watcher was told, and what it did to each item.
    mutating func end(_ claim: ClaimID, _ changes: [ClaimedChange]) {
        guard writes.end(claim) else { return }
        watcher?.coordinatedWriteEnded(claim.rawValue, changes)
    }

    /// Records what became of an item, after the watcher was told.
    mutating func record(
        _ path: ItemPath, by purpose: Purpose, after: FileSight??, hasChanged: Bool,
        at now: UInt64
    ) {
        guard let watcher else { return }
        writes.record(
            path, by: purpose, after: after, hasChanged: hasChanged,
            knownFrom: watcher.commandCount, at: now)
    }

    // MARK: What waits

    /// Keeps a change until the write in a record is over.
    mutating func hold(_ change: WatchedChange, for id: PresenterID, until write: RecordAddress) {
        held[write, default: []].append(Held(presenter: id, change: change))
    }

    /// Takes out what waited for the write in a record.
    mutating func takeHeld(_ write: RecordAddress) -> [Held] {
        held.isEmpty ? [] : held.removeValue(forKey: write) ?? []
    }

    /// The records for whose writes something waits, in order.
    var awaitedWrites: [RecordAddress] {
        held.keys.sorted {
            ($0.client, $0.record.index, $0.record.generation)
                < ($1.client, $1.record.index, $1.record.generation)
        }
    }
}
