// SPDX-License-Identifier: Apache-2.0
//
// What a coordinator is behind its class: a purpose, a presenter, and the calls that wait. Kept
// apart from the class because clients subclass that, and because accessors that run later keep
// this alive, on whatever thread (Rule 13.7).

#if !canImport(Darwin)
import FileCoordinationArbiter
import FileCoordinationLedger
import FileCoordinationSystem
import FileCoordinationWire
import Foundation

/// The state of one coordinator.
///
/// May be used from any thread.
final class CoordinatorCore: Sendable {
    /// The presenter on whose behalf the coordinator acts; retained (Rule 4.2a).
    private let presenter: PresenterReference?
    private let state = Lock(State())

    private struct State {
        /// The purpose, if it was set.
        var purpose: String?
        /// The number of the one that was made up, once it was needed.
        var purposeNumber: UInt64?
        /// The process in which it was made up; another one, forked since, needs its own.
        var purposeMaker: UInt64?
        /// Whether it can be set no more (Rules 4.3, 4.4).
        var isPurposeFixed = false
        /// Cancelling is for good (Rule 12.4).
        var isCancelled = false
        /// The calls of this coordinator that wait.
        var waiting: [CoordinatedAccess] = []
        /// The calls of this coordinator whose accessors run.
        var running: [CoordinatedAccess] = []
        /// Those of them that no arbiter knows of.
        var local: [LocalAccess] = []
    }

    /// Where the presenter was when the coordinator was made, as far as it knew (Rule 11.7).
    private let birthplace: ItemPath?

    init(presenter: (any NSFilePresenter)?) {
        self.presenter = presenter.map { PresenterReference($0) }
        birthplace = self.presenter.flatMap { Session.existing?.standpoint(of: $0)?.place }
    }

    // MARK: Purpose

    var purposeText: String {
        if let presenter { return presenter.purposeText }
        return state.withLock { state in
            state.purpose ?? ProcessIdentity.purpose(Self.number(&state))
        }
    }

    /// The number of the purpose that is made up.
    private static func number(_ state: inout State) -> UInt64 {
        let process = ProcessIdentity.token
        if let number = state.purposeNumber, state.purposeMaker == process { return number }
        let fresh = ProcessIdentity.freshPurposeNumber()
        state.purposeNumber = fresh
        state.purposeMaker = process
        return fresh
    }

    func setPurpose(_ text: String) {
        precondition(
            presenter == nil,
            "The purpose of a coordinator that was made with a presenter is the presenter's")
        precondition(!text.isEmpty, "A purpose identifier must not be empty")
        precondition(
            text.utf8.count <= 1024, "A purpose identifier is at most 1024 bytes long")
        state.withLock { state in
            precondition(
                !state.isPurposeFixed,
                "A purpose identifier can be set once, before the coordinator is used")
            state.purpose = text
            state.isPurposeFixed = true
        }
    }

    private func purposeForUse() -> Purpose {
        let text = purposeText
        state.withLock { $0.isPurposeFixed = true }
        return Purpose(text)
    }

    // MARK: Waiting calls

    /// Files a claim, remembered for ``cancel()`` while it waits.
    func begin(
        _ items: [RequestedItem], kind: ClaimKind = .access,
        enclosing: [RecordReference] = AccessorStack.current, blocksCaller: Bool = true,
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(NSError) -> CoordinatedAccess {
        guard !state.withLock({ $0.isCancelled }) else { throw Self.cancelledError }
        let access = try CoordinatedAccess(
            items, purpose: purposeForUse(), kind: kind, enclosing: enclosing,
            standpoint: standpoint, blocksCaller: blocksCaller, onEnding: onEnding)
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.waiting.append(access) }
            return state.isCancelled
        }
        if isCancelled { access.giveUp(.cancelled) }
        return access
    }

    /// Forgets an access that waits no longer.
    func endWaiting(_ access: CoordinatedAccess) {
        state.withLock { $0.waiting.removeAll { $0 === access } }
    }

    /// Runs the accessor of a granted access.
    func run<Result>(
        _ access: CoordinatedAccess, _ accessor: ([URL]) throws -> Result
    ) rethrows -> Result {
        noteRunning(access)
        defer { noteEnded(access) }
        return try access.run(accessor)
    }

    /// Begins an access without the arbiter, if that can be done; nil: go the long way.
    func beginLocally(_ url: URL, _ access: Access) -> LocalAccess? {
        guard presenter == nil, AccessorStack.isEmpty, let session = Session.existing else {
            return nil
        }
        let number = state.withLock { state -> UInt64? in
            guard !state.isCancelled, state.purpose == nil else { return nil }
            state.isPurposeFixed = true
            return Self.number(&state)
        }
        guard let number,
            let local = session.claimLocally(url, access, purposeNumber: number)
        else { return nil }
        if local.isWriting { state.withLock { $0.local.append(local) } }
        return local
    }

    /// Runs the accessor of an access that was begun without the arbiter, and ends it.
    func run<Result>(
        _ local: LocalAccess, _ accessor: () throws -> Result
    ) rethrows -> Result {
        AccessorStack.push(.local(local))
        defer {
            AccessorStack.pop()
            if local.isWriting { state.withLock { $0.local.removeAll { $0 === local } } }
            local.end()
        }
        return try accessor()
    }

    /// Notes that the accessor of an access begins.
    func noteRunning(_ access: CoordinatedAccess) {
        state.withLock { $0.running.append(access) }
    }

    /// Notes that it has returned.
    func noteEnded(_ access: CoordinatedAccess) {
        state.withLock { $0.running.removeAll { $0 === access } }
    }

    /// The access of this coordinator, one that writes, in which something is made known: the one
    /// that the caller is inside of; from another thread, the one that has to do with the place.
    func writingAccess(for place: ItemPath) -> CoordinatedAccess? {
        let (known, local) = state.withLock { ($0.running, $0.local) }
        let running = (known + local.map(\.full)).filter(\.isWriting)
        return AccessorStack.accesses.last { access in running.contains { $0 === access } }
            ?? running.last { $0.concerns(place) } ?? running.last
    }

    /// Makes a move known, if an accessor of this coordinator runs that writes (Rule 11.10).
    func announceMove(from old: URL, to new: URL) {
        guard state.withLock({ !$0.running.isEmpty || !$0.local.isEmpty }),
            let session = Session.existing, let from = try? session.place(of: old),
            let to = try? session.place(of: new)
        else { return }
        writingAccess(for: from.path)?.announceMove(from: from, to: to)
    }

    /// Where the presenter believes to be, if it has not heard of a move since the coordinator was
    /// made (Rule 11.7).
    private var standpoint: WireStandpoint? {
        guard let presenter, let birthplace,
            let standpoint = Session.existing?.standpoint(of: presenter),
            standpoint.place == birthplace
        else { return nil }
        return standpoint
    }

    func cancel() {
        let waiting = state.withLock { state in
            state.isCancelled = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for access in waiting { access.giveUp(.cancelled) }
    }

    static var cancelledError: NSError {
        NSError(domain: NSCocoaErrorDomain, code: CocoaError.userCancelled.rawValue)
    }

    /// Ties a presenter that presented nothing so far to its place, if it has one now (Rule 5.5).
    func placePresenter() {
        if let presenter { Session.placeIfNeeded(presenter) }
    }
}
#endif
