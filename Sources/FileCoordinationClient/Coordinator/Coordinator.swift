// SPDX-License-Identifier: Apache-2.0
//
// The implementation of a coordinator: its purpose, its presenter, and its waiting calls. It is
// separate from the public class because programs subclass that, and because accessors that run
// later keep this object alive on any thread (Rule 13.7).

package import FileCoordinationArbiter
import FileCoordinationSystem
import FileCoordinationWire

/// The state of one coordinator.
///
/// May be used from any thread.
package final class Coordinator: Sendable {
    /// The presenter for which the coordinator acts; retained (Rule 4.2a).
    private let presenter: OwnPresenter?
    private let flags = CoordinatorFlags()
    /// The purpose, if the program has set it.
    private let givenPurpose = LazyReference<PurposeText>()
    /// The label, if the program has ever set it.
    private let givenLabel = LazyReference<LabelText>()
    /// The calls; created when one of them must wait or inform the server.
    private let madeCalls = LazyReference<CoordinatorCalls>()

    /// The presenter of a coordinator.
    private final class OwnPresenter: Sendable {
        let identity: ObjectIdentifier
        /// Retains the presenter.
        private let object: any Sendable
        /// The presenter's path when the coordinator was created, as far as the presenter knew it
        /// (Rule 11.7).
        let birthplace: ItemPath?

        init(_ identity: ObjectIdentifier, _ object: any Sendable) {
            self.identity = identity
            self.object = object
            birthplace = Session.existing?.standpoint(of: identity)?.place
        }
    }

    private final class PurposeText: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private final class LabelText: Sendable {
        let text = Lock("")
    }

    /// Creates a coordinator that acts for no presenter.
    package init() { presenter = nil }

    /// Creates a coordinator that acts for a presenter.
    ///
    /// - Parameters:
    ///   - identity: the presenter's identity (``Presenter/identity``).
    ///   - object: retains the presenter.
    package init(presenter identity: ObjectIdentifier, keeping object: any Sendable) {
        presenter = OwnPresenter(identity, object)
    }

    private var calls: CoordinatorCalls {
        madeCalls.load() ?? madeCalls.storeIfNil(CoordinatorCalls())
    }

    // MARK: Purpose

    /// The purpose (Rule 4.1).
    package var purposeText: String {
        if identity == nil, let number = flags.purposeNumber(isUsed: false) {
            return String(decoding: ProcessIdentity.purpose(number), as: UTF8.self)
        }
        return purposeOfOthers
    }

    /// The purpose, which counts as used from here on.
    private var usedPurpose: Purpose {
        if identity == nil, let number = flags.purposeNumber(isUsed: true) {
            return Purpose(bytes: ProcessIdentity.purpose(number))
        }
        return Purpose(identifying: purposeOfOthers)
    }

    /// The purpose of a presenter, or the one that the program has set.
    private var purposeOfOthers: String {
        if let identity { return ProcessIdentity.purpose(ofPresenter: identity) }
        guard let given = givenPurpose.load() else {
            preconditionFailure("A purpose is kept before it counts")
        }
        return given.text
    }

    /// Sets the purpose; only once, and before it is used (Rules 4.3, 4.4).
    package func setPurpose(_ text: String) {
        precondition(
            presenter == nil,
            "The purpose of a coordinator that was made with a presenter is the presenter's")
        precondition(!text.isEmpty, "A purpose identifier must not be empty")
        let purpose = PurposeText(text)
        let isFirst = givenPurpose.storeIfNil(purpose) === purpose
        precondition(
            isFirst && flags.markPurposeGiven(),
            "A purpose identifier can be set once, before the coordinator is used")
    }

    // MARK: Label

    private var identity: ObjectIdentifier? { presenter?.identity }

    /// The coordinator's own label.
    package var label: String? {
        let text = givenLabel.load()?.text.withLock { $0 } ?? ""
        return text.isEmpty ? nil : text
    }

    /// Sets the label; nil removes it (Rule 18.15).
    package func setLabel(_ text: String?) {
        let label = Label.cut(text ?? "")
        guard let known = givenLabel.load() ?? (label.isEmpty ? nil : LabelText()) else { return }
        givenLabel.storeIfNil(known).text.withLock { text in
            text = label
            flags.setHasLabel(!label.isEmpty)
        }
    }

    // MARK: Waiting calls

    /// Files a claim, and remembers it for ``cancel()`` while it waits.
    package func begin(
        _ items: [RequestedItem], in session: () throws(AccessFailure) -> Session,
        kind: ClaimKind = .access, enclosing: [RecordReference]? = nil,
        surroundings: SurroundingClaims = SurroundingClaims(), blocksCaller: Bool = true,
        onEnding: (@Sendable (AccessEnding) -> Void)? = nil
    ) throws(AccessFailure) -> CoordinatedAccess {
        guard !flags.isCancelled else { throw .cancelled }
        // The purpose counts as used from here on, even if no session can be opened (Rule 4.4).
        let purpose = usedPurpose
        let access = try CoordinatedAccess(
            items, in: session(), purpose: purpose, kind: kind,
            enclosing: enclosing ?? AccessorStack.current, standpoint: standpoint,
            blocksCaller: blocksCaller,
            supplement: RecordSupplement(label: label ?? "", outer: surroundings.claims),
            onEnding: onEnding)
        if !calls.addWaiting(access, unless: { flags.isCancelled }) {
            access.giveUp(.cancelled)
        }
        return access
    }

    /// Discards an access that no longer waits.
    package func endWaiting(_ access: CoordinatedAccess) {
        madeCalls.load()?.endWaiting(access)
    }

    /// Runs the accessor of a granted access.
    package func run<Result>(
        _ access: CoordinatedAccess, _ accessor: ([GrantedItem]) throws -> Result
    ) rethrows -> Result {
        markRunning(access)
        defer { markEnded(access) }
        return try access.run(accessor)
    }

    /// The result of trying a call for one plain item without the server.
    package enum ShortWay {
        /// The accessor has run.
        case done
        /// The server was needed: the claim is filed and waits.
        case filed(CoordinatedAccess)
        /// The call was not started; the caller must call `begin`.
        case unavailable
    }

    /// Performs an access without the server, if possible.
    ///
    /// - Parameters:
    ///   - spelling: the cache key of the item's place (``ItemName/spelling``).
    ///   - access: the kind of access.
    ///   - accessor: runs on this thread if the access is granted locally.
    /// - Returns: whether the accessor has run; else a claim that was filed and must be waited for,
    ///   or that nothing was started and the caller must call `begin`.
    package func coordinateLocally(
        _ spelling: String, _ access: Access, _ accessor: () -> Void
    ) -> ShortWay {
        let thread = CallingThread.current
        switch beginLocally(spelling, access, on: thread) {
        case .granted(let local, _):
            run(local, on: thread, accessor)
            return .done
        case .filed(let access): return .filed(access)
        case nil: return .unavailable
        }
    }

    /// Starts an access without the server, if possible; returns nil if the caller must call
    /// `begin`.
    private func beginLocally(
        _ spelling: String, _ access: Access, on thread: CallingThread
    ) -> LocalBeginning? {
        guard presenter == nil, AccessorStack.isEmpty(on: thread), flags.isPlain else { return nil }
        let beginning = Session.withExisting { session -> LocalBeginning? in
            // In a forked child, the thread's memory may still be the parent's. Once the child has
            // a session of its own, that is noticed.
            guard let session, thread.isOfThisProcess,
                let number = flags.purposeNumber(isUsed: true)
            else { return nil }
            return session.claimLocally(
                spelling, access, purposeNumber: number, on: thread)
        }
        switch beginning {
        case .granted(let local, hasWaited: true):
            guard flags.isCancelled else { break }
            // The coordinator was cancelled concurrently. `begin` reports that.
            local.end(hasRun: false)
            return nil
        case .filed(let access):
            if !calls.addWaiting(access, unless: { flags.isCancelled }) {
                access.giveUp(.cancelled)
            }
        case .granted(_, hasWaited: false), nil: break
        }
        return beginning
    }

    /// Runs the accessor of a local access and ends the access.
    private func run(
        _ local: consuming LocalAccess, on thread: CallingThread, _ accessor: () -> Void
    ) {
        unsafe AccessorStack.push(.local(.passUnretained(local)), on: thread)
        accessor()
        guard AccessorStack.pop(on: thread) else { return }
        local.end(hasRun: true)
        unsafe thread.memory.pointee.recent.keep(local)
    }

    /// Records that the accessor of an access starts.
    package func markRunning(_ access: CoordinatedAccess) { calls.markRunning(access) }

    /// The accesses whose accessors run, the latest first.
    var runningAccesses: [CoordinatedAccess] { (madeCalls.load()?.running ?? []).reversed() }

    /// Records that the accessor of an access has returned.
    package func markEnded(_ access: CoordinatedAccess) { madeCalls.load()?.markEnded(access) }

    /// Returns the writing access of this coordinator that an announcement belongs to: the one
    /// whose accessor the caller is running or, on another thread, the one that concerns the path.
    func writingAccess(for place: ItemPath) -> CoordinatedAccess? {
        var running = (madeCalls.load()?.running ?? []).filter(\.isWriting)
        let number = presenter == nil ? flags.purposeNumber(isUsed: false) : nil
        let own = AccessorStack.innermost { frame in
            switch frame {
            case .known(let access): running.contains { $0 === access }
            case .local(let access):
                unsafe access._withUnsafeGuaranteedRef {
                    $0.isWriting && $0.purposeNumber == number
                }
            }
        }
        if let own { return own }
        // Local accesses are stored only with their paths. A call from another thread is rare.
        if let number, let session = Session.existing {
            running += session.delegated.writers(ofPurpose: number)
                .compactMap { ($0 as? LocalAccess)?.full }
        }
        return running.last { $0.concerns(place) } ?? running.last
    }

    /// Announces a move, if a writing accessor of this coordinator is running (Rule 11.10).
    package func announceMove(from old: ItemName, to new: ItemName) {
        // A path that cannot be resolved concerns no other process (Rule 1.10).
        guard let session = Session.existing, let from = try? session.place(of: old),
            let to = try? session.place(of: new)
        else { return }
        writingAccess(for: from.path)?.announceMove(from: from, to: to)
    }

    /// The presenter and the last path that it was told; nil if it has been told of a move since
    /// the coordinator was created (Rule 11.7).
    private var standpoint: WireStandpoint? {
        guard let presenter, let birthplace = presenter.birthplace,
            let standpoint = Session.existing?.standpoint(of: presenter.identity),
            standpoint.place == birthplace
        else { return nil }
        return standpoint
    }

    /// Cancels all waiting and future calls (Rules 12.1 to 12.6).
    package func cancel() {
        flags.cancel()
        for access in calls.takeWaiting() { access.giveUp(.cancelled) }
    }

    /// Registers the path of a presenter that presented nothing before, if it presents an item now
    /// (Rule 5.5).
    package func placePresenter() {
        if let identity { Session.placeIfNeeded(identity) }
    }

    /// As ``placePresenter()``, which examines files and waits for the server, without blocking the
    /// task's thread (Rule 18.11).
    package func placePresenterLater(isolation: isolated (any Actor)? = #isolation) async {
        guard let identity, Session.isWithoutPlace(identity) else { return }
        await BlockingWorkPool.run { Session.placeIfNeeded(identity) }
    }
}
