// SPDX-License-Identifier: Apache-2.0
//
// The state machine of one access: it takes facts and returns what to do. How a caller waits is not
// its concern. A sleeping thread, a queue and a task are three ways of waiting around it
// (CoordinatedAccess.wait, AwaitedAccess).

/// The lifecycle of one access.
///
///     waiting ─► between ─► waiting ─► …      a link is followed: a claim ends, the next is filed
///        ├──► granted ─────────────► over     its accessor runs under the claim
///        ├──► released ────────────► over     its claim has ended, its accessor gets copies
///        └──► ended                           no access
struct AccessLifecycle: Sendable {
    private enum Phase: Sendable {
        /// A claim waits, or was granted and its items are being examined.
        ///
        /// If the access was given up, it ends in that way, whatever happens.
        case waiting(givenUp: AccessEnding?)
        /// One claim is over, and the next is not filed yet.
        case between(givenUp: AccessEnding?)
        /// The accessor may run, or is running, under the claim.
        case granted
        /// The accessor may run, or is running, and needs no claim (Rule 15.1).
        case released
        /// There is no access.
        case ended(AccessEnding)
        /// The accessor has returned, or will not run.
        ///
        /// Announcements are too late now.
        case over
    }

    private var phase = Phase.waiting(givenUp: nil)
    /// Whether the claim is granted, and a queue has yet to run what examines its items.
    private var isQueued = false
    /// The number of links that were followed.
    private(set) var hops = 0

    /// Creates the lifecycle of an access whose claim waits.
    init() {}

    /// The lifecycle of an access whose accessor is running.
    static var running: AccessLifecycle {
        var life = AccessLifecycle()
        life.phase = .granted
        return life
    }

    // MARK: Queries

    /// How the wait has ended; nil while it lasts.
    var ending: AccessEnding? {
        switch phase {
        case .waiting, .between: nil
        case .granted, .released, .over: .granted
        case .ended(let ending): ending
        }
    }

    /// Whether it is waiting and was not given up.
    var isWaiting: Bool {
        switch phase {
        case .waiting(nil), .between(nil): true
        case .waiting, .between, .granted, .released, .ended, .over: false
        }
    }

    /// Whether its accessor runs without a claim.
    var isReleased: Bool {
        switch phase {
        case .released: true
        case .waiting, .between, .granted, .ended, .over: false
        }
    }

    /// Whether it is too late for announcements.
    var isOver: Bool {
        switch phase {
        case .over: true
        case .waiting, .between, .granted, .released, .ended: false
        }
    }

    // MARK: Transitions

    /// Gives the access up.
    ///
    /// Returns false if its wait has ended.
    ///
    /// If it is given up several times, the first reason counts.
    mutating func giveUp(_ reason: AccessEnding) -> Bool {
        switch phase {
        case .waiting(let earlier): phase = .waiting(givenUp: earlier ?? reason)
        case .between(let earlier): phase = .between(givenUp: earlier ?? reason)
        case .granted, .released, .ended, .over: return false
        }
        return true
    }

    /// Records that the claim is granted, and that a queue will finish the wait.
    ///
    /// Returns whether the claim must be released at once, because it is given up.
    mutating func queued() -> Bool {
        isQueued = true
        return endIfQueued()
    }

    /// Ends an access that was given up, if its claim is granted and nothing is done under it yet.
    ///
    /// The queue may be suspended, and then other processes would wait for it.
    ///
    /// - Returns: whether the claim must be released.
    mutating func endIfQueued() -> Bool {
        guard isQueued, case .waiting(let reason?) = phase else { return false }
        phase = .ended(reason)
        return true
    }

    /// Records that the items are going to be examined under the claim.
    ///
    /// Returns how the access has ended meanwhile, if so; its claim is released then.
    mutating func beginFinishing() -> AccessEnding? {
        isQueued = false
        if case .ended(let ending) = phase { return ending }
        return nil
    }

    /// Counts a followed link; returns the number so far.
    mutating func follow() -> Int {
        hops += 1
        return hops
    }

    /// Records that the claim ended before the accessor has run.
    mutating func claimEnded() {
        if case .waiting(let givenUp) = phase { phase = .between(givenUp: givenUp) }
    }

    /// Records that the next claim is filed.
    ///
    /// Returns why it must be given up at once, if so.
    ///
    /// If it has been granted already, the thread that finishes the wait sees the reason, too.
    mutating func filedNext() -> AccessEnding? {
        guard case .between(let givenUp) = phase else { return nil }
        phase = .waiting(givenUp: givenUp)
        return givenUp
    }

    /// Records that the items were examined after the grant, or why the access fails because of
    /// them.
    ///
    /// - Returns: how the wait has ended, and whether a claim must be released for that.
    mutating func finishWait(failure: AccessFailure?) -> (ending: AccessEnding, releases: Bool) {
        let (givenUp, hasClaim): (AccessEnding?, Bool)
        switch phase {
        case .waiting(let reason): (givenUp, hasClaim) = (reason, true)
        case .between(let reason): (givenUp, hasClaim) = (reason, false)
        case .granted, .released, .ended, .over: return (ending ?? .granted, false)
        }
        // If the access was given up while its claim was granted, it counts as not granted.
        if let ending = failure.map({ .failed($0) }) ?? givenUp {
            phase = .ended(ending)
            return (ending, hasClaim)
        }
        phase = hasClaim ? .granted : .released
        return (.granted, false)
    }

    /// Records that the accessor has returned or will not run.
    ///
    /// - Returns: whether a claim must be released.
    @discardableResult
    mutating func end() -> Bool {
        defer { phase = .over }
        return switch phase {
        case .waiting, .granted: true
        case .between, .released, .ended, .over: false
        }
    }
}
