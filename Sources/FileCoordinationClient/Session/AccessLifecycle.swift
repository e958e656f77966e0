// SPDX-License-Identifier: Apache-2.0
//
// How far an access has got: facts in, what is to be done out. Who waits for it, and how, is not
// its business: a thread that sleeps, a queue and a task are three ways of waiting around this one
// life (CoordinatedAccess.wait, AwaitedAccess).

/// The life of one access.
///
///     waiting ─► between ─► waiting ─► …      a link leads on: one claim ends, the next is filed
///        ├──► granted ─────────────► over     its accessor runs under the claim
///        ├──► released ────────────► over     its claim has ended, its accessor gets copies
///        └──► ended                           no access
struct AccessLifecycle: Sendable {
    private enum Phase: Sendable {
        /// A claim waits, or was granted and its items are being looked at.
        ///
        /// Given up: whatever comes, this is how it ends.
        case waiting(givenUp: AccessEnding?)
        /// One claim is over, the next is not filed.
        case between(givenUp: AccessEnding?)
        /// The accessor may run, or does, under the claim.
        case granted
        /// The accessor may run, and needs no claim (Rule 15.1).
        case released
        /// There is no access.
        case ended(AccessEnding)
        /// The accessor has returned, or will not run: what is announced now comes too late.
        case over
    }

    private var phase = Phase.waiting(givenUp: nil)
    /// How many links were followed.
    private(set) var hops = 0

    /// The life of an access whose claim waits.
    init() {}

    /// The life of one whose accessor runs already.
    static var running: AccessLifecycle {
        var life = AccessLifecycle()
        life.phase = .granted
        return life
    }

    // MARK: Questions

    /// How the wait has ended; nil while it lasts.
    var ending: AccessEnding? {
        switch phase {
        case .waiting, .between: nil
        case .granted, .released, .over: .granted
        case .ended(let ending): ending
        }
    }

    /// Whether it waits, and was not given up.
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

    /// Whether it is too late to make anything known.
    var isOver: Bool {
        switch phase {
        case .over: true
        case .waiting, .between, .granted, .released, .ended: false
        }
    }

    // MARK: Facts

    /// Records that the access is to be given up; false if its wait has ended.
    ///
    /// The first reason counts.
    mutating func giveUp(_ reason: AccessEnding) -> Bool {
        switch phase {
        case .waiting(let earlier): phase = .waiting(givenUp: earlier ?? reason)
        case .between(let earlier): phase = .between(givenUp: earlier ?? reason)
        case .granted, .released, .ended, .over: return false
        }
        return true
    }

    /// Records that a link is followed; returns how many were by now.
    mutating func follow() -> Int {
        hops += 1
        return hops
    }

    /// Records that its claim is over before its accessor has run.
    mutating func claimEnded() {
        if case .waiting(let givenUp) = phase { phase = .between(givenUp: givenUp) }
    }

    /// Records that the next claim is filed; returns why that is to be given up at once.
    ///
    /// If it has been granted already, the thread that settles it sees this, too.
    mutating func filedNext() -> AccessEnding? {
        guard case .between(let givenUp) = phase else { return nil }
        phase = .waiting(givenUp: givenUp)
        return givenUp
    }

    /// Records that the items have been looked at after the grant, or why the access fails for
    /// them.
    ///
    /// - Returns: how the wait has ended, and whether a claim has to be released for that.
    mutating func finishWait(failure: AccessFailure?) -> (ending: AccessEnding, releases: Bool) {
        let (givenUp, hasClaim): (AccessEnding?, Bool)
        switch phase {
        case .waiting(let reason): (givenUp, hasClaim) = (reason, true)
        case .between(let reason): (givenUp, hasClaim) = (reason, false)
        case .granted, .released, .ended, .over: return (ending ?? .granted, false)
        }
        // Given up while it was being granted: then it is not.
        if let ending = failure.map({ .failed($0) }) ?? givenUp {
            phase = .ended(ending)
            return (ending, hasClaim)
        }
        phase = hasClaim ? .granted : .released
        return (.granted, false)
    }

    /// Records that the accessor has returned, or will not run.
    ///
    /// - Returns: whether a claim has to be released for that.
    @discardableResult
    mutating func end() -> Bool {
        defer { phase = .over }
        return switch phase {
        case .waiting, .granted: true
        case .between, .released, .ended, .over: false
        }
    }
}
